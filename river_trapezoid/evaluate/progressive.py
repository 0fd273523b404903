"""Prediction, scoring and learning, as all protocols do it."""

from __future__ import annotations

import collections
import copy
import dataclasses
import inspect
import itertools
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from river import active, base, compose, stream, utils

from river_trapezoid.metrics.errors import Errors

__all__ = ["Evaluator", "Prediction", "fresh", "progressive", "training_points", "window_ends"]


@dataclasses.dataclass(slots=True)
class Prediction:
    """The predictions of an instance that the metrics need, and whether its label is queried."""

    label: Any = None
    probabilities: Any = None
    query: bool = True


class Evaluator:
    """A model under evaluation.

    A metric of labels is updated with `predict_one`, and a metric of probabilities with
    `predict_proba_one`. Labels are never derived from probabilities, since a model need not predict
    the most likely label. A sampler predicts each instance once, since each prediction may use its
    budget, and learns only from the labels that it queries.

    Parameters
    ----------
    model
        A classifier or a regressor. It is trained in place.
    metrics
        The metrics to update.

    Attributes
    ----------
    is_sampler
        Whether the model decides which labels to query.
    n_labels
        Number of labels learned from.
    seconds
        Time spent in the model.

    """

    def __init__(self, model: base.Estimator, metrics: Sequence[Any] = ()):
        if not isinstance(model, base.Classifier | base.Regressor):
            raise TypeError(f"model must be a classifier or a regressor; got {model}")
        _check_samplers(model)
        for metric in metrics:
            if not metric.works_with(model):
                raise ValueError(
                    f"metrics must be compatible with model; got {type(metric).__name__} for {model}"
                )
        self.model: Any = model
        self.metrics = metrics
        self.is_sampler = isinstance(model, active.base.ActiveLearningClassifier)
        self.n_labels = 0
        self.seconds = 0.0
        self._label_metrics: list[Any] = []
        self._probability_metrics: list[Any] = []
        self._margin_metrics: list[Any] = []  # They need both.
        for metric in metrics:
            if isinstance(metric, Errors) and metric.zero_margin:
                self._margin_metrics.append(metric)
            # Regression metrics lack this attribute.
            elif getattr(metric, "requires_labels", True):
                self._label_metrics.append(metric)
            else:
                self._probability_metrics.append(metric)
        self._needs_labels = bool(self._label_metrics or self._margin_metrics)
        self._needs_probabilities = bool(self._probability_metrics or self._margin_metrics)
        parameters = inspect.signature(self.model.learn_one).parameters.values()
        self._takes_weights = any(p.name == "w" or p.kind is p.VAR_KEYWORD for p in parameters)

    def predict(self, x: Any, **kwargs: Any) -> Prediction:
        """Predict what the metrics need. Without metrics, only a sampler predicts."""
        prediction = Prediction()
        start = time.perf_counter()
        try:
            if not self.is_sampler:
                if self._needs_labels:
                    prediction.label = self.model.predict_one(x, **kwargs)
                if self._needs_probabilities:
                    prediction.probabilities = self.model.predict_proba_one(x, **kwargs)
            elif self._needs_probabilities and not self._needs_labels:
                proba, prediction.query = self.model.predict_proba_one(x, **kwargs)
                prediction.probabilities = proba
            else:
                prediction.label, prediction.query = self.model.predict_one(x, **kwargs)
                if self._needs_probabilities:
                    prediction.probabilities = _wrapped_probabilities(self.model, x, **kwargs)
        except NotImplementedError:
            if not self._needs_probabilities:
                raise
            metric = (*self._probability_metrics, *self._margin_metrics)[0]
            raise TypeError(
                f"model must predict probabilities for {type(metric).__name__}; got {self.model}"
            ) from None
        self.seconds += time.perf_counter() - start
        return prediction

    def score(self, y: Any, prediction: Prediction) -> None:
        """Update the metrics; as in River, they are not updated if there is no prediction."""
        label, probabilities = prediction.label, prediction.probabilities
        # A sampler of River's predicts {} before its first label.
        if label is not None and label != {}:
            for metric in self._label_metrics:
                metric.update(y, label)
        if probabilities:
            for metric in self._probability_metrics:
                metric.update(y, probabilities)
            for metric in self._margin_metrics:
                metric.update(y, probabilities, label=label)

    def learn(self, x: Any, y: Any, w: float | None = None, **kwargs: Any) -> None:
        """Update the model with a label."""
        if w is not None and self._takes_weights:
            kwargs["w"] = w
        start = time.perf_counter()
        self.model.learn_one(x, y, **kwargs)
        self.seconds += time.perf_counter() - start
        self.n_labels += 1

    def learn_if_queried(self, x: Any, y: Any) -> None:
        """Update the model with a label; a sampler learns only the labels that it queries."""
        if not self.is_sampler or self.predict(x).query:
            self.learn(x, y)

    def test(self, instances: Iterable[Any]) -> None:
        """Update the metrics with predictions of instances, without modifying the model."""
        # Predicting changes the state of a sampler, so a copy of it predicts.
        unchanged = Evaluator(copy.deepcopy(self.model), self.metrics) if self.is_sampler else self
        for x, y, *_ in instances:
            self.score(y, unchanged.predict(x))


def progressive(
    dataset: Iterable[Any], evaluator: Evaluator, moment: Any = None, delay: Any = None
) -> Iterator[int]:
    """Predict each instance, then score and learn its label when it arrives.

    A label that never arrives is scored at the end of the stream, and not learned. After each
    scored label, the number of scored labels is yielded.
    """
    waiting: dict[int, Prediction] = {}
    never: set[int] = set()
    n_scored = 0
    delay = _recording_infinite(delay, never)
    for i, x, y, *extra in stream.simulate_qa(dataset, moment, delay, copy=False):
        kwargs = dict(extra[0]) if extra else {}
        w = kwargs.pop("w", None)
        if i not in waiting:
            waiting[i] = evaluator.predict(x, **kwargs)
            continue
        prediction = waiting.pop(i)
        if y is not None:
            evaluator.score(y, prediction)
        if prediction.query and i not in never:
            evaluator.learn(x, y, w=w, **kwargs)
        n_scored += 1
        yield n_scored


def training_points(
    learner: Evaluator, stream: Iterable[tuple[Any, Any]], n_points: int
) -> Iterator[int]:
    """Train a model on a stream, and yield the number of instances at each of `n_points` points."""
    instances = list(stream)
    points = set(window_ends(len(instances), n_points))
    for t, (x, y) in enumerate(instances, start=1):
        learner.learn_if_queried(x, y)
        if t in points:
            yield t


def window_ends(n_instances: int, n_windows: int) -> list[int]:
    """Return the ends of windows of nearly equal length; no window is empty."""
    ends = np.linspace(0, n_instances, n_windows + 1).astype(int)
    return np.unique(ends).tolist()[1:]


def _recording_infinite(delay: Any, never: set[int]) -> Any:
    """Return a delay that adds the numbers of instances with an infinite delay to a set."""
    if delay is None or not (callable(delay) or isinstance(delay, str) or delay == math.inf):
        return delay
    numbers = itertools.count()

    def recording(x: Any, y: Any) -> Any:
        length = x[delay] if isinstance(delay, str) else delay(x, y) if callable(delay) else delay
        number = next(numbers)
        if length == math.inf:
            never.add(number)
        return length

    return recording


def fresh(metric: Any) -> Any:
    """Return a metric with the same parameters and without data."""
    if not isinstance(metric, utils.Rolling):
        return metric.clone()
    # A rolling metric delegates `clone` to the metric that it wraps.
    rolling = copy.copy(metric)
    rolling.obj = metric.obj.clone()
    rolling.window = collections.deque(maxlen=metric.window_size)
    return rolling


def _wrapped_probabilities(model: Any, x: Any, **kwargs: Any) -> dict[Any, float]:
    """Return the probabilities of the classifier in a sampler, without a decision of the sampler."""
    while isinstance(model, compose.Pipeline):
        x, model = model.transform_one(x), model[-1]
    return model._wrapped_model.predict_proba_one(x, **kwargs)


def _check_samplers(model: Any, outer: Any = None) -> None:
    """Raise a `TypeError` for a sampler inside another model, which would not unpack its pairs."""
    if isinstance(model, compose.Pipeline):
        _check_samplers(model[-1], outer)
        return
    if outer is not None and isinstance(model, active.base.ActiveLearningClassifier):
        raise TypeError(
            "model must have a sampler as its outermost model or as the last step of a pipeline; "
            f"got {type(outer).__name__} around {type(model).__name__}"
        )
    if isinstance(model, base.Wrapper):
        _check_samplers(model._wrapped_model, model)
    elif isinstance(model, base.Ensemble):
        for member in model:
            _check_samplers(member, model)
