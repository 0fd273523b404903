from __future__ import annotations

import dataclasses
import math
import os
import statistics
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from river_trapezoid._parameters import check_choice

from .tables import Record, as_frame, as_html, as_text, cell, write_csv

__all__ = ["Comparison", "Interrupted"]


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The outcome of `compare`.

    It shows itself as tables, in the terminal and in notebooks.

    Attributes
    ----------
    records
        One dict for each run, metric and step: `stream`, `model`, `repeat`, `seed` (None where
        there was nothing to seed, and so nothing to repeat), `metric`, `step` (number of labels
        that had arrived), `value`, `labels_used` (share of them that were learned from) and
        `seconds` (spent in the model so far).
    failures
        One dict for each run that raised an error: `stream`, `model`, `repeat`, `seed`, `error`
        and `traceback`.

    """

    records: list[Record]
    failures: list[Record] = dataclasses.field(default_factory=list)

    def names(self, field: str) -> list[Any]:
        """The distinct values of a field, in order of appearance."""
        where = self.records
        if field in ("stream", "model"):
            where = where + self.failures
        return list(dict.fromkeys(record[field] for record in where))

    def final(self) -> list[Record]:
        """The last record of each run and metric."""
        last = {(r["stream"], r["model"], r["repeat"], r["metric"]): r for r in self.records}
        return list(last.values())

    def values(self, stream: str, model: str, metric: str, field: str = "value") -> list[float]:
        """The final values of a model on a stream, one for each repeat."""
        return [
            record[field]
            for record in self.final()
            if (record["stream"], record["model"], record["metric"]) == (stream, model, metric)
        ]

    def summary(self, baseline: str | None = None) -> list[Record]:
        """Mean and standard deviation over the repeats, and paired tests against a baseline.

        Repeats that are one and the same run, on a fixed dataset by a model without a seed, count
        as one: there is no standard deviation (NaN) and no test.

        Parameters
        ----------
        baseline
            The model to test the others against. With it, each row has `difference` (of the
            means), `t_pvalue`, `wilcoxon_pvalue`, and `verdict`: `"+"` where the model is better
            and `"-"` where it is worse by the t-test at 0.05, otherwise empty. The p-values are
            NaN where there is nothing to test: for the baseline itself, with fewer than two
            repeats, or if all repeats differ by the same amount.

        Returns
        -------
        A dict for each metric, stream and model: `stream`, `model`, `metric`, `mean`, `std`,
        `repeats` (that count), `failed` (runs that raised an error), `labels_used`, `seconds` (of a
        run, in the mean), and what the tests gave.

        """
        if baseline is not None:
            check_choice("baseline", baseline, self.names("model"))
        bigger = {r["metric"]: r["bigger_is_better"] for r in self.records}
        runs = self._runs()
        rows = []
        for metric in self.names("metric"):
            for stream in self.names("stream"):
                for model in self.names("model"):
                    own = runs.get((stream, model, metric), {})
                    values = [record["value"] for record in own.values()]
                    row: Record = {
                        "stream": stream,
                        "model": model,
                        "metric": metric,
                        "mean": _mean(values),
                        "std": statistics.stdev(values) if len(values) > 1 else math.nan,
                        "repeats": len(values),
                        "failed": sum(
                            (f["stream"], f["model"]) == (stream, model) for f in self.failures
                        ),
                        "labels_used": _mean([r["labels_used"] for r in own.values()]),
                        "seconds": _mean([r["seconds"] for r in own.values()]),
                    }
                    if baseline is not None:
                        others = runs.get((stream, baseline, metric), {})
                        row["difference"] = row["mean"] - _mean(
                            [r["value"] for r in others.values()]
                        )
                        row["t_pvalue"], row["wilcoxon_pvalue"] = (
                            (math.nan, math.nan)
                            if model == baseline
                            else _paired_tests(*_paired(own, others))
                        )
                        row["verdict"] = ""
                        if row["t_pvalue"] < 0.05:
                            row["verdict"] = (
                                "+" if (row["difference"] > 0) == bigger[metric] else "-"
                            )
                    rows.append(row)
        return rows

    def _runs(self) -> dict[tuple[Any, Any, Any], dict[int | None, Record]]:
        """The last records by stream, model and metric, and then by repeat.

        Where all repeats are the same run, there is one, and its repeat is None.
        """
        outcomes: dict[tuple[Any, Any], dict[int, list[str]]] = {}
        seeds: dict[tuple[Any, Any], set[int | None]] = {}
        for r in self.records:
            place = r["stream"], r["model"]
            said = repr((r["metric"], r["step"], r["value"], r["labels_used"]))
            outcomes.setdefault(place, {}).setdefault(r["repeat"], []).append(said)
            seeds.setdefault(place, set()).add(r["seed"])
        same = {
            place
            for place, repeats in outcomes.items()
            if seeds[place] == {None}
            or (len(repeats) > 1 and len(set(map(tuple, repeats.values()))) == 1)
        }
        runs: dict[tuple[Any, Any, Any], dict[int | None, Record]] = {}
        for r in self.final():
            place = r["stream"], r["model"]
            own = runs.setdefault((*place, r["metric"]), {})
            own.setdefault(None if place in same else r["repeat"], r)
        return runs

    def wins(self, baseline: str) -> list[Record]:
        """How often each model wins, ties and loses against a baseline, over the streams.

        A stream is won or lost by the verdict in the `summary`. Streams on which there is nothing
        to test are counted as `untested`.

        Parameters
        ----------
        baseline
            The model to count against.

        """
        counts: dict[tuple[str, str], Record] = {}
        for row in self.summary(baseline):
            if row["model"] == baseline:
                continue
            count = counts.setdefault(
                (row["metric"], row["model"]),
                {
                    "metric": row["metric"],
                    "model": row["model"],
                    "wins": 0,
                    "ties": 0,
                    "losses": 0,
                    "untested": 0,
                },
            )
            tested = not math.isnan(row["t_pvalue"])
            outcome = {"+": "wins", "": "ties", "-": "losses"}[row["verdict"]]
            count[outcome if tested else "untested"] += 1
        return list(counts.values())

    def table(
        self, metric: str | None = None, baseline: str | None = None, stream: str | None = None
    ) -> str:
        """A table for the terminal: streams down, models across, mean ± standard deviation.

        Parameters
        ----------
        metric
            The metric to show; the first one by default, or all with a `stream`. `"seconds"` for
            the seconds of a run.
        baseline
            If given, the verdict against this model is shown: `+` better, `-` worse.
        stream
            If given, a table of this stream: models down, metrics across, then the share of the
            labels that were learned from, if that is not all of them, and the seconds of a run.

        """
        return as_text(self._cells(metric, baseline, stream))

    def to_html(
        self, metric: str | None = None, baseline: str | None = None, stream: str | None = None
    ) -> str:
        """The same table in HTML.

        Parameters
        ----------
        metric
            The metric to show; the first one by default, or all with a `stream`. `"seconds"` for
            the seconds of a run.
        baseline
            If given, the verdict against this model is shown: `+` better, `-` worse.
        stream
            If given, a table of this stream: models down, metrics across.

        """
        return as_html(self._cells(metric, baseline, stream))

    def _cells(
        self, metric: str | None, baseline: str | None, stream: str | None = None
    ) -> list[list[str]]:
        """The cells of a table, by row; the first row is the header."""
        if stream is not None:
            return self._cells_of(stream, metric, baseline)
        known = self.names("metric")
        metric = known[0] if metric is None else metric
        check_choice("metric", metric, [*known, "seconds"])
        shown = known[0] if metric not in known else metric
        models = self.names("model")
        rows = [[str(metric), *map(str, models)]]
        summary = [row for row in self.summary(baseline) if row["metric"] == shown]
        for start in range(0, len(summary), len(models)):
            own = summary[start : start + len(models)]
            cells = [cell(row) if shown == metric else _seconds(row) for row in own]
            rows.append([str(own[0]["stream"]), *cells])
        return rows

    def _cells_of(self, stream: str, metric: str | None, baseline: str | None) -> list[list[str]]:
        check_choice("stream", stream, self.names("stream"))
        metrics = self.names("metric")
        if metric is not None:
            check_choice("metric", metric, metrics)
            metrics = [metric]
        # Not every model need have been on every stream.
        by_model: dict[Any, dict[Any, Record]] = {}
        for row in self.summary(baseline):
            if row["stream"] == stream and (row["repeats"] or row["failed"]):
                by_model.setdefault(row["model"], {})[row["metric"]] = row
        some = any(own["labels_used"] < 1 for rows in by_model.values() for own in rows.values())
        header = [str(stream), *map(str, metrics), *(["labels"] if some else []), "seconds"]
        cells = [header]
        for model, rows in by_model.items():
            own = next(iter(rows.values()))
            share = [f"{own['labels_used']:.1%}" if own["repeats"] else ""] if some else []
            cells.append(
                [str(model), *(cell(rows[metric]) for metric in metrics), *share, _seconds(own)]
            )
        return cells

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the records as CSV.

        Parameters
        ----------
        path
            The file to write.

        """
        write_csv(self.records, path)

    def to_pandas(self) -> Any:
        """The records as a pandas data frame; pandas must be installed."""
        return as_frame(self.records)

    def __repr__(self) -> str:
        return "\n\n".join(map(self.table, [*self.names("metric"), "seconds"]))

    def _repr_html_(self) -> str:
        return "".join(map(self.to_html, [*self.names("metric"), "seconds"]))


class Interrupted(KeyboardInterrupt):
    """An interrupt of `compare`, with what was there.

    Parameters
    ----------
    comparison
        The outcome so far. It has the runs that were finished and, for a model without one on that
        stream, the unfinished run up to where it had come.
    unfinished
        The records of that unfinished run.

    """

    def __init__(self, comparison: Comparison, unfinished: list[Record]):
        super().__init__("interrupted")
        self.comparison = comparison
        self.unfinished = unfinished


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else math.nan


def _seconds(row: Record) -> str:
    return f"{row['seconds']:.3g}" if row["repeats"] else "failed"


def _paired(
    own: Mapping[int | None, Record], others: Mapping[int | None, Record]
) -> tuple[list[float], list[float]]:
    """The values of two models in the repeats of both.

    A run that does not depend on the repeat stands beside each repeat of the other model.
    """
    if None in own and others:
        own = dict.fromkeys(others, own[None])
    elif None in others:
        others = dict.fromkeys(own, others[None])
    both = [repeat for repeat in own if repeat in others]
    return [own[r]["value"] for r in both], [others[r]["value"] for r in both]


def _paired_tests(values: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """P-values of the paired t-test and of Wilcoxon's test; 1 where nothing differs."""
    from scipy import stats

    if len(values) < 2:
        return math.nan, math.nan
    differences = np.subtract(values, others)
    if not differences.any():
        return 1.0, 1.0
    # Without any variance, but for rounding, the t-test divides by zero.
    if np.ptp(differences) <= 1e-12 * np.abs([values, others]).max():
        return math.nan, math.nan
    with warnings.catch_warnings():
        # Ties among few differences are no reason to alarm.
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        t = float(stats.ttest_rel(values, others).pvalue)
        return t, float(stats.wilcoxon(values, others).pvalue)
