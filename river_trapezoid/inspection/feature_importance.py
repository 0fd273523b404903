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
    """Measure the importance of features over time, and record which features appear and vanish.

    A clone of the model is evaluated on the stream by progressive validation: it predicts an
    instance, the importance of the features is recorded, and then it learns from the instance.
    Features are those that the learner receives, after the transformers of a pipeline: for example
    the words of a text. Importance is one of the following:

    - `"contributions"`: the mean absolute contribution of a feature to the margin at prediction
      time, over the instances of a window. An absent feature contributes zero, and the joint
      contribution of two features counts half for each. Available for learners of this package
      with `contributions_one`, and for River's linear models, whose contributions are weights
      times values. It is comparable across features of any scale.
    - `"weights"`: the absolute weight at the end of a window. For linear models whose features
      have the same scale, for example after a `StandardScaler`.
    - `"evidence"`: the mean absolute evidence of a feature by itself, in log-odds, at prediction
      time. It measures the spread of the feature's evidence over its values, and does not depend
      on the other features. Available for learners with `evidence_one`.
    - `"pairs"`: the same for pairs of features: their joint evidence beyond the sum of their
      separate evidence. Available for learners with `pair_evidence_one`. The features of the
      history are then pairs, and a pair is observed if the learner has evidence for it.

    If a feature has several numbers, one for each label, or for its value and its evidence, their
    absolute values are summed.

    A feature is new in the window in which it is first observed. It vanishes in the first window
    without it, and returns in the next window with it.

    Memory depends on the number of windows, not on the number of instances: the history holds all
    features of the current window, at most `max_features` of each earlier window, and the names of
    at most `max_known` features. The windows count what these limits leave out, and their table
    reports it.

    Parameters
    ----------
    model
        The model; it is not modified. A sampler learns only the labels that it queries.
    stream
        The stream of `(x, y)`.
    n_windows
        Number of windows of equal length. If the stream does not provide its length, it is first
        read once to count its instances, or held in memory if it can be read only once.
    window
        Number of instances in a window, in place of the number of windows. The last window may be
        shorter.
    by
        The kind of importance: `"contributions"`, `"weights"`, `"evidence"` or `"pairs"`.
    metric
        The metric to compute on each window: by default `Accuracy`, or `MAE` for regressors.
    max_features
        Number of features kept in each window, the most important first.
    max_known
        Number of features remembered as observed. Beyond it, the features that have been absent
        the longest are forgotten; they count as new if they return.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import inspection
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
        raise ValueError(f"metric must be a single metric; got {', '.join(named)}")
    ((name, metric),) = named.items()
    Evaluator(model, [metric])  # Raises an error if the model cannot be evaluated.
    model = model.clone()
    recorder = ImportanceRecorder(model, by, max_features, max_known, name)
    for instances in _windows(stream, n_windows, window):
        score = fresh(metric)
        if not sum(1 for _ in progressive(instances, _Recorded(model, score, recorder))):
            break
        recorder.end_window(score.get())
    history = recorder.history
    if not history.windows:
        raise ValueError("stream must have instances; got none: it is empty or already read")
    return history


class _Recorded(Evaluator):
    """A model under evaluation that records the importance of features with each prediction."""

    def __init__(self, model: base.Estimator, metric: Any, recorder: ImportanceRecorder):
        super().__init__(model, [metric])
        self._recorder = recorder

    def predict(self, x: Any, **kwargs: Any) -> Prediction:
        prediction = super().predict(x, **kwargs)
        self._recorder.update(x)
        return prediction


def _windows(stream: Iterable[Any], n_windows: int, window: int | None) -> Iterator[Iterator[Any]]:
    """Yield the instances of each window; past the end of the stream, windows are empty."""
    if isinstance(stream, datasets.base.SyntheticDataset) and stream.n_samples is None:
        raise ValueError(
            "stream must be finite; got an infinite generator. Take its first instances: "
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
        # A stream may have more instances than its n_samples.
        sizes = itertools.chain(lengths, itertools.repeat(lengths[-1]))
    instances = iter(stream)
    for size in sizes:
        yield itertools.islice(instances, size)
