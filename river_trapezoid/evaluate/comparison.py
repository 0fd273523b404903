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
    """The results of `compare`.

    It is displayed as tables, in the terminal and in notebooks.

    Attributes
    ----------
    records
        One dict for each run, metric and step: `stream`, `model`, `repeat`, `seed` (None if neither
        the stream nor the model has a seed), `metric`, `step` (the number of labels that have
        arrived), `value`, `labels_used` (the share of these labels that the model has learned from)
        and `seconds` (spent in the model so far).
    failures
        One dict for each run that raised an error: `stream`, `model`, `repeat`, `seed`, `error`
        and `traceback`.

    """

    records: list[Record]
    failures: list[Record] = dataclasses.field(default_factory=list)

    def names(self, field: str) -> list[Any]:
        """Return the distinct values of a field, in order of appearance.

        Parameters
        ----------
        field
            A key of the records.

        """
        records = self.records
        if field in ("stream", "model"):
            records = records + self.failures
        return list(dict.fromkeys(record[field] for record in records))

    def final(self) -> list[Record]:
        """Return the last record of each run and metric."""
        last = {(r["stream"], r["model"], r["repeat"], r["metric"]): r for r in self.records}
        return list(last.values())

    def values(self, stream: str, model: str, metric: str, field: str = "value") -> list[float]:
        """Return the final values of a model on a stream, one for each repeat.

        Parameters
        ----------
        stream
            The name of the stream.
        model
            The name of the model.
        metric
            The name of the metric.
        field
            The field of the records to return.

        """
        return [
            record[field]
            for record in self.final()
            if (record["stream"], record["model"], record["metric"]) == (stream, model, metric)
        ]

    def summary(self, baseline: str | None = None) -> list[Record]:
        """Compute means and standard deviations over the repeats, and tests against a baseline.

        Identical repeats, of a model without a seed on a fixed dataset, count as one repeat: it has
        no standard deviation (NaN) and no test.

        Parameters
        ----------
        baseline
            The model to test the others against, with paired tests. Each row then has `difference`
            (of the means), `t_pvalue`, `wilcoxon_pvalue` and `verdict`: `"+"` if the model is better
            and `"-"` if it is worse by the t-test at 0.05, and otherwise an empty string. The
            p-values are NaN for the baseline itself, with fewer than two repeats, and if all
            repeats differ by the same amount.

        Returns
        -------
        A dict for each metric, stream and model: `stream`, `model`, `metric`, `mean`, `std`,
        `repeats` (the number that count), `failed` (the number of runs that raised an error),
        `labels_used`, `seconds` (the mean of a run) and the results of the tests.

        """
        if baseline is not None:
            check_choice("baseline", baseline, self.names("model"))
        bigger = {r["metric"]: r["bigger_is_better"] for r in self.records}
        runs = self._runs()
        rows = []
        for metric in self.names("metric"):
            for stream in self.names("stream"):
                for model in self.names("model"):
                    repeats = runs.get((stream, model, metric), {})
                    values = [record["value"] for record in repeats.values()]
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
                        "labels_used": _mean([r["labels_used"] for r in repeats.values()]),
                        "seconds": _mean([r["seconds"] for r in repeats.values()]),
                    }
                    if baseline is not None:
                        others = runs.get((stream, baseline, metric), {})
                        row["difference"] = row["mean"] - _mean(
                            [r["value"] for r in others.values()]
                        )
                        row["t_pvalue"], row["wilcoxon_pvalue"] = (
                            (math.nan, math.nan)
                            if model == baseline
                            else _paired_tests(*_paired(repeats, others))
                        )
                        row["verdict"] = ""
                        if row["t_pvalue"] < 0.05:
                            row["verdict"] = (
                                "+" if (row["difference"] > 0) == bigger[metric] else "-"
                            )
                    rows.append(row)
        return rows

    def _runs(self) -> dict[tuple[Any, Any, Any], dict[int | None, Record]]:
        """Return the last records by stream, model and metric, and then by repeat.

        Identical repeats are one run, whose repeat is None.
        """
        results: dict[tuple[Any, Any], dict[int, list[str]]] = {}
        seeds: dict[tuple[Any, Any], set[int | None]] = {}
        for r in self.records:
            place = r["stream"], r["model"]
            result = repr((r["metric"], r["step"], r["value"], r["labels_used"]))
            results.setdefault(place, {}).setdefault(r["repeat"], []).append(result)
            seeds.setdefault(place, set()).add(r["seed"])
        same = {
            place
            for place, repeats in results.items()
            if seeds[place] == {None}
            or (len(repeats) > 1 and len(set(map(tuple, repeats.values()))) == 1)
        }
        runs: dict[tuple[Any, Any, Any], dict[int | None, Record]] = {}
        for r in self.final():
            place = r["stream"], r["model"]
            by_repeat = runs.setdefault((*place, r["metric"]), {})
            by_repeat.setdefault(None if place in same else r["repeat"], r)
        return runs

    def wins(self, baseline: str) -> list[Record]:
        """Count the wins, ties and losses of each model against a baseline, over the streams.

        Wins and losses follow the verdict of `summary`. Streams without a test are counted as
        `untested`.

        Parameters
        ----------
        baseline
            The model to compare with.

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
            result = {"+": "wins", "": "ties", "-": "losses"}[row["verdict"]]
            count[result if tested else "untested"] += 1
        return list(counts.values())

    def table(
        self, metric: str | None = None, baseline: str | None = None, stream: str | None = None
    ) -> str:
        """Return a table for the terminal, with a row for each stream and a column for each model.

        The cells hold means ± standard deviations.

        Parameters
        ----------
        metric
            The metric to show; by default, the first one, or all metrics of a `stream`. `"seconds"`
            shows the seconds of a run.
        baseline
            A model. Means that are better or worse than its mean are marked `+` or `-`.
        stream
            A stream. If given, the table of this stream has a row for each model, and columns for
            the metrics, the share of labels learned from (unless all were), and the seconds of a
            run.

        """
        return as_text(self._cells(metric, baseline, stream))

    def to_html(
        self, metric: str | None = None, baseline: str | None = None, stream: str | None = None
    ) -> str:
        """Return the same table as HTML.

        Parameters
        ----------
        metric
            The metric to show, as for `table`.
        baseline
            The model to mark means against, as for `table`.
        stream
            The stream to show, as for `table`.

        """
        return as_html(self._cells(metric, baseline, stream))

    def _cells(
        self, metric: str | None, baseline: str | None, stream: str | None = None
    ) -> list[list[str]]:
        """Return the cells of a table by row, the header first."""
        if stream is not None:
            return self._stream_cells(stream, metric, baseline)
        known = self.names("metric")
        metric = known[0] if metric is None else metric
        check_choice("metric", metric, [*known, "seconds"])
        shown = known[0] if metric not in known else metric
        models = self.names("model")
        rows = [[str(metric), *map(str, models)]]
        summary = [row for row in self.summary(baseline) if row["metric"] == shown]
        for start in range(0, len(summary), len(models)):
            line = summary[start : start + len(models)]
            cells = [cell(row) if shown == metric else _seconds(row) for row in line]
            rows.append([str(line[0]["stream"]), *cells])
        return rows

    def _stream_cells(
        self, stream: str, metric: str | None, baseline: str | None
    ) -> list[list[str]]:
        """Return the cells of the table of one stream, the header first."""
        check_choice("stream", stream, self.names("stream"))
        metrics = self.names("metric")
        if metric is not None:
            check_choice("metric", metric, metrics)
            metrics = [metric]
        # A model may have no run on this stream.
        by_model: dict[Any, dict[Any, Record]] = {}
        for row in self.summary(baseline):
            if row["stream"] == stream and (row["repeats"] or row["failed"]):
                by_model.setdefault(row["model"], {})[row["metric"]] = row
        some = any(row["labels_used"] < 1 for rows in by_model.values() for row in rows.values())
        header = [str(stream), *map(str, metrics), *(["labels"] if some else []), "seconds"]
        cells = [header]
        for model, rows in by_model.items():
            any_row = next(iter(rows.values()))
            share = [f"{any_row['labels_used']:.1%}" if any_row["repeats"] else ""] if some else []
            cells.append(
                [str(model), *(cell(rows[metric]) for metric in metrics), *share, _seconds(any_row)]
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
        """Return the records as a pandas data frame; pandas must be installed."""
        return as_frame(self.records)

    def __repr__(self) -> str:
        return "\n\n".join(map(self.table, [*self.names("metric"), "seconds"]))

    def _repr_html_(self) -> str:
        return "".join(map(self.to_html, [*self.names("metric"), "seconds"]))


class Interrupted(KeyboardInterrupt):
    """An interrupt of `compare`, with the results so far.

    Parameters
    ----------
    comparison
        The results so far: all finished runs, and the unfinished run if its model has no finished
        run on that stream.
    unfinished
        The records of the unfinished run in `comparison`.

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
    runs: Mapping[int | None, Record], others: Mapping[int | None, Record]
) -> tuple[list[float], list[float]]:
    """Return the values of two models in the repeats that both have.

    A run that is the same in all repeats is paired with each repeat of the other model.
    """
    if None in runs and others:
        runs = dict.fromkeys(others, runs[None])
    elif None in others:
        others = dict.fromkeys(runs, others[None])
    both = [repeat for repeat in runs if repeat in others]
    return [runs[r]["value"] for r in both], [others[r]["value"] for r in both]


def _paired_tests(values: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """Return the p-values of the paired t-test and of Wilcoxon's test; 1 if all values are equal."""
    from scipy import stats

    if len(values) < 2:
        return math.nan, math.nan
    differences = np.subtract(values, others)
    if not differences.any():
        return 1.0, 1.0
    # If the variance is zero, up to rounding, the t-test divides by zero.
    if np.ptp(differences) <= 1e-12 * np.abs([values, others]).max():
        return math.nan, math.nan
    with warnings.catch_warnings():
        # SciPy warns of ties among few differences.
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        t = float(stats.ttest_rel(values, others).pvalue)
        return t, float(stats.wilcoxon(values, others).pvalue)
