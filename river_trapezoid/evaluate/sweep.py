from __future__ import annotations

import collections
import dataclasses
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from river import base, metrics

from ._inputs import Stream, chosen, named_models
from .comparison import Comparison
from .model_parameters import parameter_keys, with_parameters
from .runs import compare
from .tables import Record, as_frame, as_html, as_text, cell, write_csv

__all__ = ["Sensitivity", "labels_of", "sensitivity"]


@dataclasses.dataclass(frozen=True)
class Sensitivity:
    """Metrics as a function of a parameter, as returned by `sensitivity`.

    It is displayed as tables, in the terminal and in notebooks: one for each metric and stream, with
    a row for each value of the parameter, a column for each model, and a `*` at the best value of
    each model. `plot.sensitivity` draws it.

    It can also be made from records that were computed elsewhere.

    Parameters
    ----------
    parameter
        The name of the parameter.
    values
        The values of the parameter, in the order in which to show them. They must be distinct; 1
        and 1.0 are distinct.
    records
        One dict for each run and metric: `stream`, `model`, `setting` (the value of the parameter,
        one of `values`), `repeat`, `seed` (None if neither the stream nor the model has a seed),
        `metric`, `bigger_is_better`, `step` and `value`. Other fields, such as `seconds`, are kept.
        Of several steps of a run, the last one counts.
    failures
        One dict for each run that raised an error: `stream`, `model`, `setting`, `repeat`, `seed`
        and `error`.

    Examples
    --------

    >>> from river_trapezoid import evaluate

    Records from a table of errors by `C`, with one run each:

    >>> errors = {0.01: 31, 0.1: 24, 1.0: 29}
    >>> records = [
    ...     {
    ...         "stream": "spam",
    ...         "model": "OLSF-I",
    ...         "setting": C,
    ...         "repeat": 0,
    ...         "seed": None,
    ...         "metric": "Errors",
    ...         "bigger_is_better": False,
    ...         "step": 100,
    ...         "value": n,
    ...     }
    ...     for C, n in errors.items()
    ... ]
    >>> sensitivity = evaluate.Sensitivity("C", list(errors), records)
    >>> sensitivity
    Errors, spam    OLSF-I
        C = 0.01   31.0000
         C = 0.1   24.0000 *
         C = 1.0   29.0000
    >>> sensitivity.best()
    0.1

    """

    parameter: str
    values: list[Any]
    records: list[Record]
    failures: list[Record] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _distinct(self.values))
        if not self.records:
            raise ValueError("records must not be empty")
        known = set(map(_identity, self.values))
        for record in (*self.records, *self.failures):
            if _identity(record["setting"]) not in known:
                raise ValueError(
                    f"records must have a setting in values, {', '.join(map(repr, self.values))}; "
                    f"got {record['setting']!r}"
                )

    def names(self, field: str) -> list[Any]:
        """Return the distinct values of a field, in order of appearance.

        Parameters
        ----------
        field
            `"stream"`, `"model"` or `"metric"`.

        """
        return Comparison(self.records, self.failures).names(field)

    def curve(
        self, model: str | None = None, stream: str | None = None, metric: str | None = None
    ) -> list[Record]:
        """Return the mean of a metric for each value of the parameter.

        Parameters
        ----------
        model
            The model; by default, the first one.
        stream
            The stream; by default, the first one.
        metric
            The metric; by default, the first one.

        Returns
        -------
        A dict for each value: `value`, `mean` of the metric over the repeats (NaN if there are
        none), `std` (NaN with fewer than two repeats), `repeats` (the number that count, as in
        `Comparison.summary`) and `failed` (the number of runs that raised an error).

        """
        return self._curves(stream, metric)[chosen("model", model, self.names("model"))]

    def best(
        self, model: str | None = None, stream: str | None = None, metric: str | None = None
    ) -> Any:
        """Return the value of the parameter with the best mean; the first one in case of a tie.

        The value is selected on the same runs that its mean is computed on, so the mean on new data
        is likely to be worse.

        Parameters
        ----------
        model
            The model; by default, the first one.
        stream
            The stream; by default, the first one.
        metric
            The metric; by default, the first one.

        """
        curve = self.curve(model, stream, metric)
        place = self._best(curve, chosen("metric", metric, self.names("metric")))
        if place is None:
            raise ValueError("records must have a mean that is a number; got only NaN")
        return curve[place]["value"]

    def table(self, stream: str | None = None, metric: str | None = None) -> str:
        """Return a table for the terminal, with a `*` at the best value of each model.

        Parameters
        ----------
        stream
            The stream; by default, the first one.
        metric
            The metric; by default, the first one.

        """
        return as_text(self._cells(stream, metric))

    def to_html(self, stream: str | None = None, metric: str | None = None) -> str:
        """Return the same table as HTML.

        Parameters
        ----------
        stream
            The stream; by default, the first one.
        metric
            The metric; by default, the first one.

        """
        return as_html(self._cells(stream, metric))

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the records as CSV, with the name of the parameter.

        Parameters
        ----------
        path
            The file to write.

        """
        write_csv(self._named_records(), path)

    def to_pandas(self) -> Any:
        """Return the same records as a pandas data frame; pandas must be installed."""
        return as_frame(self._named_records())

    def __repr__(self) -> str:
        return "\n\n".join(self.table(*place) for place in self._places())

    def _repr_html_(self) -> str:
        return "".join(self.to_html(*place) for place in self._places())

    def _places(self) -> list[tuple[str, str]]:
        return [(s, m) for m in self.names("metric") for s in self.names("stream")]

    def _named_records(self) -> list[Record]:
        return [{"parameter": self.parameter, **record} for record in self.records]

    def _curves(self, stream: str | None, metric: str | None) -> dict[Any, list[Record]]:
        """Return the curve of each model."""
        stream = chosen("stream", stream, self.names("stream"))
        metric = chosen("metric", metric, self.names("metric"))
        # `Comparison` decides which repeats count. Here, its streams are the values of the parameter.
        unknown = {"labels_used": math.nan, "seconds": math.nan}
        records = [
            {**unknown, **r, "stream": _identity(r["setting"])}
            for r in self.records
            if r["stream"] == stream
        ]
        summary = {
            (row["stream"], row["model"]): row
            for row in Comparison(records).summary()
            if row["metric"] == metric
        }
        failed = collections.Counter(
            (_identity(f["setting"]), f["model"]) for f in self.failures if f["stream"] == stream
        )
        curves: dict[Any, list[Record]] = {}
        for model in self.names("model"):
            for value in self.values:
                place = _identity(value), model
                row = summary.get(place, {"mean": math.nan, "std": math.nan, "repeats": 0})
                point = {key: row[key] for key in ("mean", "std", "repeats")}
                curves.setdefault(model, []).append(
                    {"value": value, **point, "failed": failed[place]}
                )
        return curves

    def _best(self, curve: list[Record], metric: str) -> int | None:
        """Return the index of the best mean; None if all means are NaN."""
        bigger = {r["metric"]: r["bigger_is_better"] for r in self.records}[metric]
        means = [(i, point["mean"] if bigger else -point["mean"]) for i, point in enumerate(curve)]
        means = [(i, mean) for i, mean in means if not math.isnan(mean)]
        return max(means, key=lambda pair: pair[1])[0] if means else None

    def _cells(self, stream: str | None, metric: str | None) -> list[list[str]]:
        """Return the cells of a table by row, the header first."""
        stream = chosen("stream", stream, self.names("stream"))
        metric = chosen("metric", metric, self.names("metric"))
        columns = []
        for model, curve in self._curves(stream, metric).items():
            best = self._best(curve, metric)
            shown = [cell(p | {"verdict": "*" if i == best else ""}) for i, p in enumerate(curve)]
            columns.append([str(model), *shown])
        labels = [f"{self.parameter} = {label}" for label in labels_of(self.values)]
        rows = zip([f"{metric}, {stream}", *labels], *columns, strict=True)
        return [list(row) for row in rows]


def sensitivity(
    models: base.Estimator | Sequence[base.Estimator] | Mapping[str, base.Estimator],
    streams: Stream | Sequence[Stream] | Mapping[str, Stream],
    metrics: metrics.base.Metric
    | Sequence[metrics.base.Metric]
    | Mapping[str, metrics.base.Metric],
    parameter: str,
    values: Iterable[Any],
    repeats: int = 1,
    seed: int = 0,
    n_jobs: int = 1,
    progress: bool = True,
    moment: Any = None,
    delay: Any = None,
) -> Sensitivity:
    """Measure how metrics depend on a parameter of a model.

    Each model is run with each value of the parameter, as by `compare`: in repeat r, all of them
    see the same streams.

    Parameters
    ----------
    models
        A model, a list of models, or a dict of models by name. They are not modified.
    streams
        A stream, a list of streams, or a dict of streams by name, as for `compare`.
    metrics
        A metric, a list of metrics, or a dict of metrics by name.
    parameter
        The name of the parameter, such as `"C"`. It must occur exactly once in each model and its
        components. Otherwise, a dotted path selects one: `"OLSFClassifier.C"` or
        `"MarginSampler.classifier.C"`. The elements of a path are the names of pipeline steps, of
        arguments or of the classes of their values, and the indices of lists; its beginning can be
        left out. A step or an argument that is an estimator is also a parameter.
    values
        The values of the parameter.
    repeats
        Number of runs of each model with each value on each stream.
    seed
        Seed of the first repeat.
    n_jobs
        Number of jobs; -1 for one job per processor.
    progress
        Whether to show a progress bar, if tqdm is installed.
    moment
        The time of an instance, as for `compare`.
    delay
        The time until a label arrives, as for `compare`.

    Examples
    --------

    >>> from river import datasets
    >>> from river import metrics
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import preprocessing
    >>> from river_trapezoid import stream

    >>> sensitivity = evaluate.sensitivity(
    ...     models={
    ...         name: preprocessing.StandardScaler() | linear_model.OLSFClassifier(mode)
    ...         for mode, name in ((1, "OLSF-I"), (2, "OLSF-II"))
    ...     },
    ...     streams={
    ...         "trapezoidal": lambda seed: stream.Trapezoidal(
    ...             stream.Shuffled(datasets.Phishing(), seed=seed)
    ...         ),
    ...     },
    ...     metrics=metrics.Accuracy(),
    ...     parameter="C",
    ...     values=[0.0001, 0.01, 1.0],
    ...     repeats=3,
    ...     progress=False,
    ... )
    >>> sensitivity
    Accuracy, trapezoidal   OLSF-I              OLSF-II
               C = 0.0001   0.8805 ± 0.0018     0.8805 ± 0.0018 *
                 C = 0.01   0.8816 ± 0.0008 *   0.8763 ± 0.0069
                  C = 1.0   0.8107 ± 0.0056     0.8000 ± 0.0024

    >>> sensitivity.best("OLSF-II")
    0.0001

    >>> for point in sensitivity.curve("OLSF-I"):
    ...     print(f"{point['value']}: {point['mean']:.3f} in {point['repeats']} repeats")
    0.0001: 0.881 in 3 repeats
    0.01: 0.882 in 3 repeats
    1.0: 0.811 in 3 repeats

    """
    if not isinstance(parameter, str):
        raise TypeError(f"parameter must be the name of a parameter; got {parameter!r}")
    if parameter.split(".")[-1] == "seed":
        raise ValueError(
            f"parameter must not be a seed, since each repeat sets it; got {parameter!r}. Increase "
            "repeats instead"
        )
    values = _distinct(values)
    runs: dict[str, tuple[Any, Any]] = {}
    clones: dict[str, base.Estimator] = {}
    for name, model in named_models(models).items():
        keys = parameter_keys(name, model, parameter)
        for value, label in zip(values, labels_of(values), strict=True):
            run = f"{name}, {parameter} = {label}"
            runs[run] = name, value
            clones[run] = with_parameters(model, {keys: value})
    comparison = compare(
        clones,
        streams,
        metrics,
        repeats=repeats,
        seed=seed,
        n_jobs=n_jobs,
        progress=progress,
        moment=moment,
        delay=delay,
    )
    for record in (*comparison.records, *comparison.failures):
        record["model"], record["setting"] = runs[record["model"]]
    return Sensitivity(parameter, values, comparison.records, comparison.failures)


def labels_of(values: Sequence[Any]) -> list[str]:
    """Return the names of values of a parameter in tables and figures."""
    exact = [" ".join(repr(value).split()) for value in values]
    short = list(map(_short, values))
    return short if len(set(short)) == len(short) else exact


def _short(value: Any) -> str:
    if isinstance(value, float):
        return repr(float(f"{value:.6g}"))
    return str(value) if isinstance(value, base.Base) else repr(value)


def _distinct(values: Iterable[Any]) -> list[Any]:
    """Return the values of a parameter, with numpy numbers as plain numbers."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"values must be a list of values; got {values!r}")
    plain = [_plain(value) for value in values]
    identities = list(map(_identity, plain))
    for i, identity in enumerate(identities):
        if identity in identities[:i]:
            raise ValueError(f"values must be distinct; got {plain[i]!r} twice")
    if not plain:
        raise ValueError("values must not be empty")
    return plain


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _identity(value: Any) -> str:
    """Return a key that differs for values such as 1, 1.0 and True, which are equal in Python."""
    return repr(_plain(value))
