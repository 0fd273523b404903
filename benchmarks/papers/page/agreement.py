from __future__ import annotations

import collections
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.papers.page.agreement_plot import agreement

from ..paper import Paper, systems
from ..results import BY_CONSTRUCTION, HOLDS, METRICS, TOLERANCE, point
from ..verdicts import sums

__all__ = ["AGREEMENT", "agreement_records", "draw_agreement"]

AGREEMENT = "agreement.png"

Row = Mapping[str, str]

_SERIES = {
    "text": "by the paper's words",
    "as-run": "as the published runs were",
    "one label": "a model of one label",
    "after": "predicting after the update",
    "after, our step": "the same, with our step",
}


def draw_agreement(rows: Sequence[Row], papers: Mapping[str, Paper], path: pathlib.Path) -> None:
    """Draw the differences from the published figures, unless there are none.

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
        ax = agreement(records, band=TOLERANCE)
        ax.set_xlabel(
            "points by which ours is worse (left) or better (right) than published:\n"
            "errors in per cent of the instances, or hundredths of the AUC or accuracy"
            + _absent(rows)
        )
        figure: Any = ax.figure
        # The version of the program that wrote it would make equal pictures differ.
        figure.savefig(path, dpi=100, metadata={"Software": None})
        plt.close(figure)


def agreement_records(rows: Sequence[Row], papers: Mapping[str, Paper]) -> list[dict[str, Any]]:
    """The results as records for `agreement`, in points, positive if ours are better."""
    counted = sums(rows)
    # Variants of the text and comparisons beside the papers are on the page only.
    drawn = [
        row
        for row in rows
        if (row["ours"] or row["verdict"] == "diverged")
        and row["published"]
        and row["paper"] in counted
        and row["paper"] in papers
        and row["metric"] != BY_CONSTRUCTION
        and not row["protocol"].startswith("text,")
    ]
    records = []
    for row in drawn:
        metric, bigger_is_better = row["metric"], METRICS[row["metric"]][2]
        difference = None
        if row["ours"]:
            difference = float(row["ours"]) - float(row["published"])
            difference /= point(metric, int(row["n_samples"])) * (1 if bigger_is_better else -1)
        records.append(
            {
                "group": f"{systems(row['paper'], papers)} Table {row['table']}",
                "series": _SERIES[row["protocol"]],
                "difference": difference,
                "holds": row["verdict"] in HOLDS,
            }
        )
    order = list(_SERIES.values())
    return sorted(records, key=lambda record: order.index(record["series"]))


def _absent(rows: Sequence[Row]) -> str:
    total = sum(sums(rows).values(), collections.Counter())
    n_diverged = sum(row["verdict"] == "diverged" for row in rows)
    parts = [
        f"{n:,} {words}"
        for n, words in (
            (total["by construction"], "shares of labels"),
            (total["not compared"], "seconds"),
            (total["no data"], "without data"),
            (total["not run"], "not run"),
            (n_diverged, "diverged, which count as not holding"),
        )
        if n
    ]
    return f"\n(not drawn: {', '.join(parts)})" if parts else ""
