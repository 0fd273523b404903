from __future__ import annotations

import contextlib
import functools
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from river import base, compose, metrics

from river_trapezoid._parameters import check_bool, check_number
from river_trapezoid._progress import bar

from ._inputs import Stream, length, named_metrics, named_models, named_streams, opened
from .comparison import Comparison, Interrupted
from .hold_out import HoldOut
from .model_parameters import seeded, takes_seed
from .progressive import Evaluator, fresh, progressive
from .tables import Record

__all__ = ["compare"]

# How often the progress of a run is shown.
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
) -> Comparison:
    """Compare models on streams, repeated over seeds, by progressive validation or a hold-out.

    Every run starts from a clone of the model. In repeat r, seed `seed + r` is given to the stream
    and to every `seed` parameter of the model, so that all models meet the same streams and the
    tests may be paired. Where there is nothing to seed, on a fixed dataset by a model without a
    seed, there is one run, as all would be the same. The outcome does not depend on `n_jobs`, but
    for the seconds.

    A metric of labels gets `predict_one` and one of probabilities `predict_proba_one`. A sampler
    is taught the labels that it asks for.

    A run that raises an error is reported by a warning and in the `failures` of the outcome; the
    others go on.

    An interrupt (Ctrl-C) raises `Interrupted`, which has the outcome so far.

    The runs go through joblib if there is more than one job, so that any joblib backend can carry
    them (`joblib.parallel_config`).

    Parameters
    ----------
    models
        A model, a list, or a dict of models by name. They are left as they are.
    streams
        A stream, a list, or a dict of streams by name. A stream is a River dataset or another
        iterable of `(x, y)`, which is the same in each repeat; or a function that takes a seed and
        returns one. A `HoldOut`, as `split` returns it, is a stream to learn from with instances
        to compute the metrics on.
    metrics
        A metric, a list, or a dict of metrics by name. Without a name, they go by their class and,
        where there are several of it, the parameters in which these differ.
    repeats
        Number of runs of each model on each stream.
    seed
        Seed of the first repeat.
    n_points
        Number of points at which the metrics are recorded in each run, the last at its end: more
        than one gives learning curves. A stream that does not know its length is iterated over
        once more to count.
    n_jobs
        Number of jobs; -1 for one for each processor.
    progress
        Whether to show a progress bar, if tqdm is installed.
    moment
        What the time of an instance is, as in River's `progressive_val_score`.
    delay
        How long a label takes to arrive, as in River's `progressive_val_score`: a number of
        instances or, with a `moment`, an amount of time; or a function of `x` and `y`. A label
        that is infinitely late (`math.inf`) never arrives, and is not learned.
    learn_during_predict
        Whether what needs no labels in a sampler, such as a scaler, learns from each instance when
        it is predicted, as in River's `compose.learn_during_predict`, rather than from those whose
        label is asked for. Other models learn from all instances in any case.

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

    One model, one dataset and one metric need no names. With labels that arrive late:

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
    if n_jobs == 0:
        raise ValueError("n_jobs must be an integer other than 0; got 0")
    models, streams = named_models(models), named_streams(streams)
    wanted = named_metrics(metrics)
    for name, model in models.items():
        try:
            Evaluator(model, list(wanted.values()))
        except (TypeError, ValueError) as error:
            raise type(error)(f"model {name!r}: {error}") from None

    runs = []
    for stream in streams.items():
        for model_name, model in models.items():
            once = not callable(stream[1]) and not takes_seed(model)
            runs += [
                functools.partial(
                    _attempt,
                    {
                        "stream": stream[0],
                        "model": model_name,
                        "repeat": repeat,
                        "seed": None if once else seed + repeat,
                    },
                    stream[1],
                    model,
                    wanted,
                    n_points,
                    moment,
                    delay,
                    learn_during_predict,
                )
                for repeat in range(1 if once else repeats)
            ]
    records: list[Record] = []
    failures: list[Record] = []
    # The run at hand, where it is this process that is at it.
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
            for own, failure in _results(runs, n_jobs, current, advance):
                records += own
                failures += [] if failure is None else [failure]
    except KeyboardInterrupt:
        unfinished = _unless_done(current, records)
        raise Interrupted(Comparison(records + unfinished, failures), unfinished) from None
    if not records:
        raise RuntimeError(
            f"every run failed; the first: {_described(failures[0])}\n\n{failures[0]['traceback']}"
        )
    for description in dict.fromkeys(map(_described, failures)):
        warnings.warn(description, stacklevel=2)
    return Comparison(records, failures)


def _results(
    runs: list[Any], n_jobs: int, current: list[Record], advance: Callable[[float], Any]
) -> Iterator[tuple[list[Record], Record | None]]:
    if n_jobs == 1:
        for run in runs:
            own, failure = run(records=current, advance=advance)
            own = list(own)
            current.clear()
            yield own, failure
        return
    try:
        import joblib
    except ImportError:
        raise ImportError(
            'n_jobs other than 1 needs joblib: pip install "river-trapezoid[cli]"'
        ) from None
    for result in joblib.Parallel(n_jobs=n_jobs, return_as="generator")(
        joblib.delayed(run)() for run in runs
    ):
        yield result
        advance(1)


def _unless_done(current: list[Record], records: list[Record]) -> list[Record]:
    """The records of an unfinished run, unless the model has finished another on that stream."""
    done = {(record["stream"], record["model"]) for record in records}
    return [record for record in current if (record["stream"], record["model"]) not in done]


def _attempt(run: Record, *args: Any, **kwargs: Any) -> tuple[list[Record], Record | None]:
    """The records of a run, or its failure."""
    try:
        return _run(run, *args, **kwargs), None
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        # As text, since not every exception survives the way from another process.
        return [], {**run, "error": message, "traceback": traceback.format_exc()}


def _described(failure: Record) -> str:
    return f"model {failure['model']!r} failed on stream {failure['stream']!r}: {failure['error']}"


def _run(
    run: Record,
    stream: Stream,
    original: base.Estimator,
    wanted: Mapping[str, Any],
    n_points: int,
    moment: Any,
    delay: Any,
    learn_during_predict: bool,
    records: list[Record] | None = None,
    advance: Callable[[float], Any] | None = None,
) -> list[Record]:
    """One run of one model on one stream; its records are added to those given, one by one."""
    records = [] if records is None else records
    advance = advance or (lambda share: None)
    dataset = opened(run["stream"], stream, run["seed"])
    train, test = dataset if isinstance(dataset, HoldOut) else (dataset, None)
    test = None if test is None else list(test)
    points: set[int] = set()
    n_samples = length(train)
    if n_points > 1:
        if n_samples is None:
            again = opened(run["stream"], stream, run["seed"])
            n_samples = sum(1 for _ in (again.train if isinstance(again, HoldOut) else again))
        points = {round((i + 1) * n_samples / n_points) for i in range(n_points)}

    model = seeded(original, run["seed"])
    values = {name: fresh(metric) for name, metric in wanted.items()}
    learner = Evaluator(model, [] if test is not None else list(values.values()))

    def record(step: int) -> None:
        nonlocal values
        if test is not None:
            values = {name: fresh(metric) for name, metric in wanted.items()}
            Evaluator(model, list(values.values())).examine(test)
        records.extend(
            {
                **run,
                "metric": name,
                "bigger_is_better": metric.bigger_is_better,
                "step": step,
                "value": metric.get(),
                "labels_used": learner.n_labels / step,
                "seconds": learner.seconds,
            }
            for name, metric in values.items()
        )

    step = 0
    tick = -(-n_samples // _TICKS) if n_samples else 0
    shown = 0.0
    learning: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
    if learn_during_predict and learner.asks:
        learning = compose.learn_during_predict()
    try:
        with learning:
            for step in progressive(train, learner, moment, delay):
                if step in points:
                    record(step)
                if tick and step % tick == 0:
                    advance(1 / _TICKS)
                    shown += 1 / _TICKS
    except KeyboardInterrupt:
        # A hold-out may take as long as the run.
        if step and step not in points and test is None:
            record(step)
        raise
    if not step:
        raise ValueError(f"stream {run['stream']!r} is empty, or had been read before")
    if step not in points:
        record(step)
    advance(1.0 - shown)
    return records
