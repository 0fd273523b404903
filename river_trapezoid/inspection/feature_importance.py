from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from river import base, datasets, metrics

from river_trapezoid._parameters import check_number
from river_trapezoid.evaluate._inputs import length, named_metrics
from river_trapezoid.evaluate.progressive import (
    Evaluator,
    Prediction,
    fresh,
    progressive,
    window_ends,
)

from .importance_history import ImportanceHistory
from .importance_recorder import ImportanceRecorder

__all__ = ["importance"]


def importance(
    model: base.Estimator,
    stream: Iterable[tuple[Any, Any]],
    n_windows: int = 20,
    window: int | None = None,
    by: str = "contributions",
    metric: metrics.base.Metric | None = None,
    max_features: int = 1_000,
    max_known: int = 100_000,
) -> ImportanceHistory:
    """How important each feature is to a model over time, and which features come and go.

    A clone of the model goes through the stream by progressive validation: each instance is
    predicted, looked at, and then learned. Features are those that the learner gets, after the
    transformers of a pipeline, such as the words of a text. Importance is one of these:

    - `"contributions"`: the mean, over the instances of a window, of how much a feature moves the
      margin at prediction time, in either direction; nothing where it is absent. What two features
      do together counts half for each. For learners of this package that have
      `contributions_one`, and for River's linear models, whose contributions are weights times
      values. It compares features whatever their scale.
    - `"weights"`: the size of the weight at the end of a window. For linear models, with features
      of one scale, such as behind a `StandardScaler`.
    - `"evidence"`: the mean size of the evidence that a feature carries by itself, in log-odds, at
      prediction time, which is the spread of its curve where its values are. It does not depend on
      what other features say. For learners that have `evidence_one`.
    - `"pairs"`: the same for pairs of features, beyond what the two say apart. For learners that
      have `pair_evidence_one`. All that is told of features is then told of pairs, which are
      observed where the learner has something to say of them.

    Where a feature has several numbers, one for each label, or for value and evidence, their sizes
    are summed.

    A feature is new in the window in which it is observed for the first time. It vanishes in the
    first window without it, and returns in the next one with it.

    Memory does not grow with the stream: it holds the features of one window, at most
    `max_features` of each window before, and `max_known` features to tell the new ones. What is
    lost by that is counted in the windows, and said below their table.

    Parameters
    ----------
    model
        The model, which is left as it is. A sampler is taught the labels that it asks for.
    stream
        The stream of `(x, y)`.
    n_windows
        Number of windows, equally long. A stream that does not know its length is iterated over
        once more to count or, if it cannot be, held in memory.
    window
        Number of instances in a window, instead of the number of windows. The last one may be
        shorter.
    by
        What importance is.
    metric
        The metric to compute on each window; `Accuracy` by default, `MAE` for regressors.
    max_features
        How many features of a window are kept, the most important.
    max_known
        How many features are remembered as observed before. Of more, those that have been away
        longest are forgotten, and count as new if they return.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import inspection
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import stream

    >>> trapezoid = stream.Trapezoidal(datasets.Phishing(), n_chunks=5)
    >>> history = inspection.importance(
    ...     linear_model.EvidenceClassifier(), trapezoid, n_windows=5
    ... )
    >>> history
    Instances        Accuracy   Features   New   Gone   Back   contributions
          0 to 250     0.8320          1     1      0      0                             empty_serv…m_handler 1.8
        250 to 500     0.9040          3     2      0      0   empty_serv…m_handler 1.9, https 0.84, popup_window 0.43
        500 to 750     0.9000          5     2      0      0    empty_serv…m_handler 1.8, https 1.1, popup_window 0.91
      750 to 1,000     0.9360          7     2      0      0         empty_serv…m_handler 1.7, https 1, popup_window 1
    1,000 to 1,250     0.9200          9     2      0      0     empty_serv…m_handler 1.9, popup_window 1.3, https 1.1

    >>> history.new(1)
    ['https', 'popup_window']

    >>> [round(value, 2) for value in history.values("https")]
    [0.0, 0.84, 1.12, 1.04, 1.13]

    """
    check_number("n_windows", n_windows, integer=True, at_least=1)
    check_number("window", window, integer=True, at_least=1, optional=True)
    if metric is None:
        metric = metrics.Accuracy() if isinstance(model, base.Classifier) else metrics.MAE()
    named = named_metrics(metric)
    if len(named) > 1:
        raise ValueError(f"metric must be a single one; got {metric!r}")
    ((name, metric),) = named.items()
    Evaluator(model, [metric])  # Refuses what cannot be evaluated, before anything is learned.
    model = model.clone()
    recorder = ImportanceRecorder(model, by, max_features, max_known, name)
    for instances in _windows(stream, n_windows, window):
        own = fresh(metric)
        if not sum(1 for _ in progressive(instances, _Watched(model, own, recorder))):
            break
        recorder.end_window(own.get())
    history = recorder.history
    if not history.windows:
        raise ValueError("stream is empty, or had been read before")
    return history


class _Watched(Evaluator):
    """A model under evaluation whose features are looked at with each prediction."""

    def __init__(self, model: base.Estimator, metric: Any, recorder: ImportanceRecorder):
        super().__init__(model, [metric])
        self._recorder = recorder

    def predict(self, x: Any, **kwargs: Any) -> Prediction:
        prediction = super().predict(x, **kwargs)
        self._recorder.update(x)
        return prediction


def _windows(stream: Iterable[Any], n_windows: int, window: int | None) -> Iterator[Iterator[Any]]:
    """The instances of each window, and of empty ones at the end of the stream."""
    if isinstance(stream, datasets.base.SyntheticDataset) and stream.n_samples is None:
        raise ValueError(
            "stream must have an end; give the first instances of it, as by "
            f"{type(stream).__name__}().take(10_000)"
        )
    if window is not None:
        sizes: Iterator[int] = itertools.repeat(window)
    else:
        n_instances = length(stream)
        if n_instances is None:
            if isinstance(stream, Iterator):
                stream = list(stream)
            n_instances = sum(1 for _ in stream)
        ends = window_ends(n_instances, n_windows)
        lengths = [end - start for start, end in itertools.pairwise([0, *ends])] or [1]
        # A stream may have more instances than it says.
        sizes = itertools.chain(lengths, itertools.repeat(lengths[-1]))
    instances = iter(stream)
    for size in sizes:
        yield itertools.islice(instances, size)
