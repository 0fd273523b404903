from __future__ import annotations

import collections
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.papers.page.agreement_plot import agreement

from ..data import Data, source
from ..paper import Paper
from ..results import METRICS
from ..verdicts import HOLDS, OUTCOMES, sums
from .content import systems

__all__ = ["agreement_records", "draw_agreement"]

Row = Mapping[str, str]

_SERIES = {
    "text": "by the paper's words",
    "as-run": "as the published runs were",
    "after": "predicting after the update",
    "after, our step": "the same, with our step",
}
_METRICS = {"query_percent": "labels"}


def draw_agreement(rows: Sequence[Row], papers: Mapping[str, Paper], path: pathlib.Path) -> None:
    """Draw how far our figures are from the published ones, unless there is nothing to draw.

    Parameters
    ----------
    rows
        All rows.
    papers
        The papers that can be run.
    path
        The file to write.

    """
    import matplotlib
    import matplotlib.pyplot as plt

    records = agreement_records(rows, papers)
    if not records:
        return
    with matplotlib.rc_context({"savefig.bbox": "tight"}):
        matplotlib.use("agg")
        ax = agreement(records)
        ax.set_xlabel(
            "points by which ours is worse (left) or better (right) than published, or takes less "
            "or more labels:\nper cent of the instances, or hundredths of the AUC or accuracy"
            + _absent(rows)
        )
        figure: Any = ax.figure
        # The version of the program that wrote it would make equal pictures differ.
        figure.savefig(path, dpi=100, metadata={"Software": None})
        plt.close(figure)


def agreement_records(rows: Sequence[Row], papers: Mapping[str, Paper]) -> list[dict[str, Any]]:
    """The results as records for `agreement`, in points, positive where ours are better."""
    counted = sums(rows)
    # What varies the text is on the page, as is what is compared beside the papers.
    drawn = [
        row
        for row in rows
        if row["ours"]
        and row["published"]
        and row["paper"] in counted
        and row["paper"] in papers
        and not row["protocol"].startswith("text,")
    ]
    metrics: dict[tuple[str, str], set[str]] = {}
    for row in drawn:
        metrics.setdefault((row["paper"], row["table"]), set()).add(row["metric"])
    records = []
    for row in drawn:
        name, table, metric = row["paper"], row["table"], row["metric"]
        _, point, bigger_is_better = METRICS[metric]
        if metric == "errors":
            data = papers[name].data[row["dataset"]]
            if not isinstance(data, Data):
                continue
            # Rows that a run drops for missing values are too few to be seen.
            point *= source(data).n_samples
        difference = (float(row["ours"]) - float(row["published"])) / point
        group = f"{systems(name, papers)} Table {table}"
        if len(metrics[name, table]) > 1:
            group += f", {_METRICS.get(metric, metric)}"
        records.append(
            {
                "group": group,
                "series": _SERIES.get(row["protocol"], row["protocol"]),
                "difference": difference if bigger_is_better else -difference,
                "holds": row["verdict"] in HOLDS,
            }
        )
    return records


def _absent(rows: Sequence[Row]) -> str:
    total = sum(sums(rows).values(), collections.Counter())
    parts = [
        f"{total[name]:,} {OUTCOMES[name]}"
        for name in ("not compared", "no data", "not run")
        if total[name]
    ]
    return f"\n(not drawn: {', '.join(parts)})" if parts else ""
