from __future__ import annotations

import contextlib
import functools
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from river import base, compose, dummy, metrics

from river_trapezoid._extras import install
from river_trapezoid._parameters import check_bool, check_number
from river_trapezoid._progress import bar

from ._inputs import Stream, length, named_metrics, named_models, named_streams, opened
from .comparison import Comparison, Interrupted
from .hold_out import HoldOut
from .model_parameters import seeded, takes_seed
from .progressive import Evaluator, fresh, progressive
from .tables import Record

__all__ = ["MAJORITY", "compare"]

# The name of the model that predicts the most frequent label so far.
MAJORITY = "majority"

# Number of updates of the progress bar in each run.
_TICKS = 200


def compare(
    models: base.Estimator | Sequence[base.Estimator] | Mapping[str, base.Estimator],
    streams: Stream | Sequence[Stream] | Mapping[str, Stream],
    metrics: metrics.base.Metric
    | Sequence[metrics.base.Metric]
    | Mapping[str, metrics.base.Metric],
    repeats: int = 1,
    seed: int = 0,
    n_points: int = 1,
    n_jobs: int = 1,
    progress: bool = True,
    moment: Any = None,
    delay: Any = None,
    learn_during_predict: bool = False,
    majority: bool = False,
) -> Comparison:
    """Compare models on streams by progressive validation or a hold-out, repeated over seeds.

    Each run starts from a clone of the model. In repeat r, the stream and every `seed` parameter of
    the model get the seed `seed + r`. All models therefore see the same streams, and the tests are
    paired. A model without a seed on a fixed dataset has a single run, since all repeats would be
    identical. The results do not depend on `n_jobs`, except for the seconds.

    A metric of labels is updated with `predict_one`, and a metric of probabilities with
    `predict_proba_one`. A sampler learns only from the labels that it queries.

    A run that raises an error is reported in a warning and in the `failures` of the result; the
    other runs continue.

    An interrupt (Ctrl-C) raises `Interrupted`, which holds the results so far.

    Several jobs are run by joblib, with any of its backends (`joblib.parallel_config`).

    Parameters
    ----------
    models
        A model, a list of models, or a dict of models by name. They are not modified.
    streams
        A stream, a list of streams, or a dict of streams by name. A stream is a River dataset or
        another iterable of `(x, y)`, which is the same in each repeat, or a function that takes a
        seed and returns one. A `HoldOut`, as returned by `split`, is a stream to learn from with
        separate instances to compute the metrics on.
    metrics
        A metric, a list of metrics, or a dict of metrics by name. Without names, a metric is named
        after its class. Several metrics of one class are named with the parameters that differ.
    repeats
        Number of runs of each model on each stream.
    seed
        Seed of the first repeat.
    n_points
        Number of points at which the metrics of a run are recorded; the last one is at the end of
        the run. More than one gives learning curves. If the stream does not provide its length, it
        is first read once to count its instances.
    n_jobs
        Number of jobs; -1 for one job per processor.
    progress
        Whether to show a progress bar, if tqdm is installed.
    moment
        The time of an instance, as in River's `progressive_val_score`.
    delay
        The time until a label arrives, as in River's `progressive_val_score`: a number of
        instances or, with a `moment`, an amount of time; or a function of `x` and `y`. A label
        with an infinite delay (`math.inf`) never arrives, and is not learned.
    learn_during_predict
        Whether the unsupervised steps of a sampler's pipeline, such as a scaler, learn from every
        instance when it is predicted, as in River's `compose.learn_during_predict`. By default,
        they learn from the queried instances only. Other models always learn from all instances.
    majority
        Whether to compare with `"majority"` as well, which predicts the most frequent label so far,
        and the shares of the labels so far as probabilities.

    Examples
    --------

    >>> from river import datasets
    >>> from river import metrics
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import preprocessing
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
    ...     metrics=metrics.Accuracy(),
    ...     repeats=5,
    ...     progress=False,
    ... )
    >>> print(comparison.table(baseline="mode 0"))
    Accuracy      mode 0            mode 1
    trapezoidal   0.7986 ± 0.0047   0.8765 ± 0.0083 +

    >>> comparison.wins(baseline="mode 0")
    [{'metric': 'Accuracy', 'model': 'mode 1', 'wins': 1, 'ties': 0, 'losses': 0, 'untested': 0}]

    A model that predicts the most frequent label so far is the least to be beaten:

    >>> comparison = evaluate.compare(
    ...     {"OLSF": preprocessing.StandardScaler() | linear_model.OLSFClassifier()},
    ...     datasets.Phishing(),
    ...     metrics.Accuracy(),
    ...     progress=False,
    ...     majority=True,
    ... )
    >>> print(comparison.table())
    Accuracy   OLSF     majority
    Phishing   0.8664     0.5548

    A single model, dataset and metric need no names. Here, labels arrive late:

    >>> model = preprocessing.StandardScaler() | linear_model.OLSFClassifier()
    >>> comparison = evaluate.compare(
    ...     model, datasets.Phishing(), metrics.Accuracy(), delay=100, progress=False
    ... )
    >>> print(comparison.table())
    Accuracy   StandardScaler | OLSFClassifier
    Phishing                            0.8432

    """
    check_number("repeats", repeats, integer=True, at_least=1)
    check_number("seed", seed, integer=True)
    check_number("n_points", n_points, integer=True, at_least=1)
    check_number("n_jobs", n_jobs, integer=True)
    check_bool("progress", progress)
    check_bool("learn_during_predict", learn_during_predict)
    check_bool("majority", majority)
    if n_jobs == 0:
        raise ValueError("n_jobs must be an integer other than 0; got 0")
    models, streams = named_models(models), named_streams(streams)
    if majority:
        models = _with_majority(models)
    protocol = _Protocol(named_metrics(metrics), n_points, moment, delay, learn_during_predict)
    for name, model in models.items():
        try:
            Evaluator(model, list(protocol.metrics.values()))
        except (TypeError, ValueError) as error:
            raise type(error)(f"model {name!r}: {error}") from None
    runs = [
        functools.partial(_attempt, run, streams[run["stream"]], models[run["model"]], protocol)
        for run in _planned(models, streams, repeats, seed)
    ]
    return _completed(runs, n_jobs, progress, MAJORITY if majority else None)


def _with_majority(models: Mapping[Any, base.Estimator]) -> dict[Any, base.Estimator]:
    if MAJORITY in models:
        raise ValueError(
            f"majority must be False if a model is called {MAJORITY!r}; got True and the models "
            f"{', '.join(map(repr, models))}"
        )
    return {**models, MAJORITY: dummy.PriorClassifier()}


class _Protocol(NamedTuple):
    """The rules that all runs of a comparison share."""

    metrics: Mapping[str, Any]
    n_points: int
    moment: Any
    delay: Any
    learn_during_predict: bool


def _planned(
    models: Mapping[Any, base.Estimator], streams: Mapping[Any, Stream], repeats: int, seed: int
) -> Iterator[Record]:
    """Yield the stream, model, repeat and seed of each run."""
    for stream_name, stream in streams.items():
        for model_name, model in models.items():
            once = not callable(stream) and not takes_seed(model)
            for repeat in range(1 if once else repeats):
                yield {
                    "stream": stream_name,
                    "model": model_name,
                    "repeat": repeat,
                    "seed": None if once else seed + repeat,
                }


def _completed(runs: list[Any], n_jobs: int, progress: bool, added: str | None) -> Comparison:
    """Complete all runs, and warn of those that fail; an error if all but the added model do."""
    records: list[Record] = []
    failures: list[Record] = []
    # The records of the unfinished run, if it is in this process.
    current: list[Record] = []
    try:
        with bar(
            len(runs),
            progress,
            desc="Comparing",
            leave=False,
            bar_format="{desc}: {percentage:3.0f}%|{bar}| {n:.1f} of {total} runs "
            "[{elapsed}, {remaining} left]",
        ) as advance:
            for new_records, failure in _results(runs, n_jobs, current, advance):
                records += new_records
                failures += [] if failure is None else [failure]
    except KeyboardInterrupt:
        unfinished = _without_finished(current, records)
        raise Interrupted(Comparison(records + unfinished, failures), unfinished) from None
    if failures and all(record["model"] == added for record in records):
        raise RuntimeError(
            f"all runs failed; the first: {_described(failures[0])}\n\n{failures[0]['traceback']}"
        )
    for description in dict.fromkeys(map(_described, failures)):
        # The caller of `compare`.
        warnings.warn(description, stacklevel=3)
    return Comparison(records, failures)


def _results(
    runs: list[Any], n_jobs: int, current: list[Record], advance: Callable[[float], Any]
) -> Iterator[tuple[list[Record], Record | None]]:
    if n_jobs == 1:
        for run in runs:
            records, failure = run(records=current, advance=advance)
            records = list(records)
            current.clear()
            yield records, failure
        return
    try:
        import joblib
    except ImportError:
        raise ImportError(f"n_jobs other than 1 needs joblib; {install('cli')}") from None
    for result in joblib.Parallel(n_jobs=n_jobs, return_as="generator")(
        joblib.delayed(run)() for run in runs
    ):
        yield result
        advance(1)


def _without_finished(current: list[Record], records: list[Record]) -> list[Record]:
    """Return the records of the unfinished run, or none if its model has a finished run there."""
    finished = {(record["stream"], record["model"]) for record in records}
    return [record for record in current if (record["stream"], record["model"]) not in finished]


def _attempt(run: Record, *args: Any, **kwargs: Any) -> tuple[list[Record], Record | None]:
    """Return the records of a run, or its failure."""
    try:
        return _run(run, *args, **kwargs), None
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        # As text: not every exception can be sent from another process.
        return [], {**run, "error": message, "traceback": traceback.format_exc()}


def _described(failure: Record) -> str:
    return f"model {failure['model']!r} failed on stream {failure['stream']!r}: {failure['error']}"


def _run(
    run: Record,
    stream: Stream,
    model: base.Estimator,
    protocol: _Protocol,
    records: list[Record] | None = None,
    advance: Callable[[float], Any] = lambda share: None,
) -> list[Record]:
    """Run a model on a stream once, and append the records to those given as they are made."""
    dataset = opened(run["stream"], stream, run["seed"])
    train, test = dataset if isinstance(dataset, HoldOut) else (dataset, None)
    n_instances = length(train)
    if protocol.n_points > 1 and n_instances is None:
        again = opened(run["stream"], stream, run["seed"])
        n_instances = sum(1 for _ in (again.train if isinstance(again, HoldOut) else again))
    points = _points(n_instances, protocol.n_points)
    recorder = _Recorder(
        run, seeded(model, run["seed"]), protocol.metrics, test, [] if records is None else records
    )
    learner = recorder.learner
    step = 0
    tick = -(-n_instances // _TICKS) if n_instances else 0
    shown = 0.0
    learning: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
    if protocol.learn_during_predict and learner.is_sampler:
        learning = compose.learn_during_predict()
    try:
        with learning:
            for step in progressive(train, learner, protocol.moment, protocol.delay):
                if step in points:
                    recorder.record(step)
                if tick and step % tick == 0:
                    advance(1 / _TICKS)
                    shown += 1 / _TICKS
    except KeyboardInterrupt:
        # Computing the metrics on a hold-out may take as long as the run itself.
        if step and step not in points and test is None:
            recorder.record(step)
        raise
    if not step:
        raise ValueError(f"stream {run['stream']!r} is empty or already read; got no instances")
    if step not in points:
        recorder.record(step)
    advance(1.0 - shown)
    return recorder.records


def _points(n_instances: int | None, n_points: int) -> set[int]:
    """Return the numbers of instances after which metrics are recorded, besides the end."""
    if n_points == 1 or n_instances is None:
        return set()
    return {round((i + 1) * n_instances / n_points) for i in range(n_points)}


class _Recorder:
    """Records the metrics of a run: those of progressive validation, or those on a hold-out."""

    def __init__(
        self,
        run: Record,
        model: base.Estimator,
        metrics: Mapping[str, Any],
        test: Any,
        records: list[Record],
    ):
        self.run = run
        self.records = records
        self.test = None if test is None else list(test)
        self.values = {name: fresh(metric) for name, metric in metrics.items()}
        self.learner = Evaluator(model, list(self.values.values()) if test is None else [])

    def record(self, step: int) -> None:
        """Append a record of each metric."""
        values = self.values
        if self.test is not None:
            values = {name: fresh(metric) for name, metric in values.items()}
            Evaluator(self.learner.model, list(values.values())).test(self.test)
        self.records.extend(
            {
                **self.run,
                "metric": name,
                "bigger_is_better": metric.bigger_is_better,
                "step": step,
                "value": metric.get(),
                "labels_used": self.learner.n_labels / step,
                "seconds": self.learner.seconds,
            }
            for name, metric in values.items()
        )
