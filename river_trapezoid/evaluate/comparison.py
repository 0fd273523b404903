from __future__ import annotations

import csv
import dataclasses
import functools
import os
import statistics
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from river import base, evaluate, metrics, utils

from river_trapezoid._parameters import check_bool, check_choice, check_number
from river_trapezoid._progress import progress as show_progress

__all__ = ["Comparison", "compare"]

Stream = Iterable[tuple[dict, Any]] | Callable[[int], Iterable[tuple[dict, Any]]]
Record = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The outcome of `compare`.

    Attributes
    ----------
    records
        One dict for each run, metric and step: `stream`, `model`, `repeat`, `seed`, `metric`,
        `step` (number of instances so far), `value`, `labels_used` (share of the labels learned
        from) and `seconds` (of the run so far).

    """

    records: list[Record]

    def names(self, field: str) -> list[Any]:
        """The distinct values of a field, in order of appearance."""
        return list(dict.fromkeys(record[field] for record in self.records))

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

        Parameters
        ----------
        baseline
            The model to test the others against. With it, each row has `difference` (of the
            means), `t_pvalue`, `wilcoxon_pvalue`, and `verdict`: `"+"` where the model is better
            and `"-"` where it is worse by the t-test at 0.05, otherwise empty.

        """
        if baseline is not None:
            check_choice("baseline", baseline, self.names("model"))
        bigger = {r["metric"]: r["bigger_is_better"] for r in self.records}
        rows = []
        for metric in self.names("metric"):
            for stream in self.names("stream"):
                for model in self.names("model"):
                    values = self.values(stream, model, metric)
                    row: Record = {
                        "stream": stream,
                        "model": model,
                        "metric": metric,
                        "mean": statistics.fmean(values),
                        "std": statistics.stdev(values) if len(values) > 1 else 0.0,
                        "repeats": len(values),
                        "labels_used": statistics.fmean(
                            self.values(stream, model, metric, "labels_used")
                        ),
                        "seconds": statistics.fmean(self.values(stream, model, metric, "seconds")),
                    }
                    if baseline is not None:
                        others = self.values(stream, baseline, metric)
                        row["difference"] = row["mean"] - statistics.fmean(others)
                        row["t_pvalue"], row["wilcoxon_pvalue"] = _paired_tests(values, others)
                        row["verdict"] = ""
                        if row["t_pvalue"] < 0.05:
                            row["verdict"] = (
                                "+" if (row["difference"] > 0) == bigger[metric] else "-"
                            )
                    rows.append(row)
        return rows

    def wins(self, baseline: str) -> list[Record]:
        """How often each model wins, ties and loses against a baseline, over the streams.

        A stream is won or lost by the verdict in the `summary`.

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
                {"metric": row["metric"], "model": row["model"], "wins": 0, "ties": 0, "losses": 0},
            )
            count[{"+": "wins", "": "ties", "-": "losses"}[row["verdict"]]] += 1
        return list(counts.values())

    def table(self, metric: str | None = None, baseline: str | None = None) -> str:
        """A table for the terminal: streams down, models across, mean ± standard deviation.

        Parameters
        ----------
        metric
            The metric to show; the first one by default.
        baseline
            If given, the verdict against this model is shown: `+` better, `-` worse.

        """
        metric = self.names("metric")[0] if metric is None else metric
        check_choice("metric", metric, self.names("metric"))
        rows = [row for row in self.summary(baseline) if row["metric"] == metric]
        models = self.names("model")
        columns = [[str(stream) for stream in self.names("stream")]]
        for model in models:
            column = []
            for row in rows:
                if row["model"] == model:
                    verdict = row.get("verdict") or " "
                    column.append(f"{row['mean']:.4f} ± {row['std']:.4f} {verdict}")
            columns.append(column)
        return utils.pretty.print_table(headers=[metric, *map(str, models)], columns=columns)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the records as CSV.

        Parameters
        ----------
        path
            The file to write.

        """
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=list(self.records[0]))
            writer.writeheader()
            writer.writerows(self.records)

    def to_pandas(self) -> Any:
        """The records as a pandas data frame; pandas must be installed."""
        import pandas as pd

        return pd.DataFrame(self.records)

    def __repr__(self) -> str:
        return "\n\n".join(self.table(metric) for metric in self.names("metric"))


def compare(
    models: Mapping[str, base.Estimator],
    streams: Mapping[str, Stream],
    metrics: Sequence[metrics.base.ClassificationMetric],
    repeats: int = 1,
    seed: int = 0,
    n_points: int = 1,
    n_jobs: int = 1,
    progress: bool = True,
) -> Comparison:
    """Compare models on streams by progressive validation, repeated over seeds.

    Every run starts from a clone of the model. In repeat r, seed `seed + r` is given to the stream
    and to every `seed` parameter of the model, so that all models meet the same streams and the
    tests may be paired. The outcome does not depend on `n_jobs`, but for the seconds.

    The runs go through joblib if there is more than one job, so that any joblib backend can carry
    them (`joblib.parallel_config`).

    Parameters
    ----------
    models
        The models, by name. They are left as they are.
    streams
        The streams, by name: River datasets or other iterables of `(x, y)`, which are the same in
        each repeat; or functions that take a seed and return one.
    metrics
        The metrics to compute.
    repeats
        Number of runs of each model on each stream.
    seed
        Seed of the first repeat.
    n_points
        Number of points at which the metrics are recorded in each run, the last at its end: more
        than one gives learning curves. Streams must then know their `n_samples`.
    n_jobs
        Number of jobs; -1 for one for each processor.
    progress
        Whether to show a progress bar, if tqdm is installed.

    Examples
    --------

    >>> from river import datasets
    >>> from river import metrics
    >>> from river import preprocessing
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import stream

    >>> comparison = evaluate.compare(
    ...     models={
    ...         f"mode {mode}": preprocessing.StandardScaler() | linear_model.OLSFClassifier(mode)
    ...         for mode in (0, 1)
    ...     },
    ...     streams={
    ...         "trapezoidal": lambda seed: stream.Trapezoidal(
    ...             stream.Shuffled(datasets.Phishing(), seed=seed)
    ...         ),
    ...     },
    ...     metrics=[metrics.Accuracy()],
    ...     repeats=5,
    ...     progress=False,
    ... )
    >>> print(comparison.table(baseline="mode 0"))
    Accuracy      mode 0            mode 1
    trapezoidal   0.7986 ± 0.0047   0.8765 ± 0.0083 +

    >>> comparison.wins(baseline="mode 0")
    [{'metric': 'Accuracy', 'model': 'mode 1', 'wins': 1, 'ties': 0, 'losses': 0}]

    """
    check_number("repeats", repeats, integer=True, at_least=1)
    check_number("seed", seed, integer=True)
    check_number("n_points", n_points, integer=True, at_least=1)
    check_number("n_jobs", n_jobs, integer=True)
    check_bool("progress", progress)
    for name, value in (("models", models), ("streams", streams), ("metrics", metrics)):
        if not value:
            raise ValueError(f"{name} must not be empty")

    runs = [
        functools.partial(_run, stream, model, repeat, seed + repeat, metrics, n_points)
        for stream in streams.items()
        for model in models.items()
        for repeat in range(repeats)
    ]
    if n_jobs == 1:
        results: Iterator[list[Record]] = (run() for run in runs)
    else:
        import joblib

        jobs = joblib.Parallel(n_jobs=n_jobs, return_as="generator")
        results = jobs(joblib.delayed(run)() for run in runs)
    records: list[Record] = []
    for result in show_progress(results, len(runs), "Comparing", progress):
        records += result
    return Comparison(records)


def _run(
    stream: tuple[str, Stream],
    model: tuple[str, base.Estimator],
    repeat: int,
    seed: int,
    wanted: Sequence[metrics.base.ClassificationMetric],
    n_points: int,
) -> list[Record]:
    """One run of one model on one stream."""
    stream_name, source = stream
    model_name, original = model
    dataset = source(seed) if callable(source) else source
    metric = metrics.base.Metrics([m.clone() for m in wanted])
    steps = evaluate.iter_progressive_val_score(dataset, seeded(original, seed), metric, step=1)

    points: set[int] = set()
    if n_points > 1:
        n_samples = getattr(dataset, "n_samples", None)
        if n_samples is None:
            raise ValueError(f"n_points needs stream {stream_name!r} to know its n_samples")
        points = {round((i + 1) * n_samples / n_points) for i in range(n_points)}

    records: list[Record] = []
    start = time.perf_counter()
    state: dict[str, Any] = {}

    def record() -> None:
        seconds = time.perf_counter() - start
        n_labels = state.get("Samples used", state["Step"])
        records.extend(
            {
                "stream": stream_name,
                "model": model_name,
                "repeat": repeat,
                "seed": seed,
                "metric": type(m).__name__,
                "bigger_is_better": m.bigger_is_better,
                "step": state["Step"],
                "value": m.get(),
                "labels_used": n_labels / state["Step"],
                "seconds": seconds,
            }
            for m in metric
        )

    for state in steps:
        if state["Step"] in points:
            record()
    if not state:
        raise ValueError(f"stream {stream_name!r} is empty")
    if state["Step"] not in points:
        record()
    return records


def seeded(model: base.Estimator, seed: int) -> base.Estimator:
    """A clone of a model, and of all that it wraps, with every `seed` parameter set."""

    def with_seed(params: Any) -> Any:
        if isinstance(params, tuple) and len(params) == 2 and isinstance(params[1], dict):
            return params[0], with_seed(params[1])
        if isinstance(params, dict):
            return {k: seed if k == "seed" else with_seed(v) for k, v in params.items()}
        return params

    return model.clone(with_seed(model._get_params()))


def _paired_tests(values: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """P-values of the paired t-test and of Wilcoxon's test; 1 where nothing differs."""
    from scipy import stats

    if list(values) == list(others):
        return 1.0, 1.0
    if len(values) < 2:
        return float("nan"), float("nan")
    with warnings.catch_warnings():
        # Differences that are all alike, or ties among few of them, are no reason to alarm.
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        t = float(stats.ttest_rel(values, others).pvalue)
        return t, float(stats.wilcoxon(values, others).pvalue)
