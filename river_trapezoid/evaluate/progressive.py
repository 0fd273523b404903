"""How every protocol asks a model and teaches it."""

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

__all__ = ["Evaluator", "Prediction", "fresh", "progressive", "taught", "window_ends"]


@dataclasses.dataclass(slots=True)
class Prediction:
    """What a model says of an instance: what the metrics need, and whether it asks for a label."""

    label: Any = None
    probabilities: Any = None
    ask: bool = True


class Evaluator:
    """A model under evaluation.

    A metric of labels gets `predict_one` and a metric of probabilities `predict_proba_one`: labels
    are never read from probabilities, as a model may decide by another rule than the largest. A
    sampler is asked once for an instance, as each question counts, and is taught the labels that
    it asks for.

    Parameters
    ----------
    model
        A classifier or a regressor. It is trained in place.
    metrics
        The metrics to update.

    Attributes
    ----------
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
                raise ValueError(f"{type(metric).__name__} does not work with {model}")
        self.model: Any = model
        self.metrics = metrics
        self.asks = isinstance(model, active.base.ActiveLearningClassifier)
        self.n_labels = 0
        self.seconds = 0.0
        self._of_labels: list[Any] = []
        self._of_probabilities: list[Any] = []
        self._of_both: list[Any] = []
        for metric in metrics:
            if isinstance(metric, Errors) and metric.zero_margin:
                self._of_both.append(metric)
            # Metrics of regression do not tell labels from probabilities.
            elif getattr(metric, "requires_labels", True):
                self._of_labels.append(metric)
            else:
                self._of_probabilities.append(metric)
        self._labels = bool(self._of_labels or self._of_both)
        self._probabilities = bool(self._of_probabilities or self._of_both)
        parameters = inspect.signature(self.model.learn_one).parameters.values()
        self._takes_weights = any(p.name == "w" or p.kind is p.VAR_KEYWORD for p in parameters)

    def predict(self, x: Any, **kwargs: Any) -> Prediction:
        """Ask the model for what the metrics need; without metrics, only a sampler is asked."""
        prediction = Prediction()
        start = time.perf_counter()
        try:
            if not self.asks:
                if self._labels:
                    prediction.label = self.model.predict_one(x, **kwargs)
                if self._probabilities:
                    prediction.probabilities = self.model.predict_proba_one(x, **kwargs)
            elif self._probabilities and not self._labels:
                proba, prediction.ask = self.model.predict_proba_one(x, **kwargs)
                prediction.probabilities = proba
            else:
                prediction.label, prediction.ask = self.model.predict_one(x, **kwargs)
                if self._probabilities:
                    prediction.probabilities = _probabilities_without_asking(
                        self.model, x, **kwargs
                    )
        except NotImplementedError:
            if not self._probabilities:
                raise
            metric = (*self._of_probabilities, *self._of_both)[0]
            raise TypeError(
                f"{self.model} does not predict probabilities, which {type(metric).__name__} needs"
            ) from None
        self.seconds += time.perf_counter() - start
        return prediction

    def score(self, y: Any, prediction: Prediction) -> None:
        """Update the metrics; no prediction is no update, as in River."""
        label, probabilities = prediction.label, prediction.probabilities
        # A sampler of River's that knows no label yet predicts {}.
        if label is not None and label != {}:
            for metric in self._of_labels:
                metric.update(y, label)
        if probabilities:
            for metric in self._of_probabilities:
                metric.update(y, probabilities)
            for metric in self._of_both:
                metric.update(y, probabilities, label=label)

    def learn(self, x: Any, y: Any, w: float | None = None, **kwargs: Any) -> None:
        """Teach the model a label."""
        if w is not None and self._takes_weights:
            kwargs["w"] = w
        start = time.perf_counter()
        self.model.learn_one(x, y, **kwargs)
        self.seconds += time.perf_counter() - start
        self.n_labels += 1

    def teach(self, x: Any, y: Any) -> None:
        """Teach the model a label, if it wants it."""
        if not self.asks or self.predict(x).ask:
            self.learn(x, y)

    def examine(self, instances: Iterable[Any]) -> None:
        """Update the metrics with predictions of instances, and leave the model as it is."""
        # The questions of a sampler count, so a copy of it answers.
        asked = Evaluator(copy.deepcopy(self.model), self.metrics) if self.asks else self
        for x, y, *_ in instances:
            self.score(y, asked.predict(x))


def progressive(
    dataset: Iterable[Any], evaluator: Evaluator, moment: Any = None, delay: Any = None
) -> Iterator[int]:
    """Predict each instance, then score and learn its label once it has arrived.

    A label that never arrives is scored at the end of the stream, and not learned. Yields the
    number of labels that have been scored, each time one has.
    """
    waiting: dict[int, Prediction] = {}
    never: set[int] = set()
    n_answers = 0
    delay = _noting_the_endless(delay, never)
    for i, x, y, *extra in stream.simulate_qa(dataset, moment, delay, copy=False):
        kwargs = dict(extra[0]) if extra else {}
        w = kwargs.pop("w", None)
        if i not in waiting:
            waiting[i] = evaluator.predict(x, **kwargs)
            continue
        prediction = waiting.pop(i)
        if y is not None:
            evaluator.score(y, prediction)
        if prediction.ask and i not in never:
            evaluator.learn(x, y, w=w, **kwargs)
        n_answers += 1
        yield n_answers


def taught(learner: Evaluator, stream: Iterable[tuple[Any, Any]], n_points: int) -> Iterator[int]:
    """Teach a model, and yield after how many instances it has come to each point in time."""
    instances = list(stream)
    points = set(window_ends(len(instances), n_points))
    for t, (x, y) in enumerate(instances, start=1):
        learner.teach(x, y)
        if t in points:
            yield t


def window_ends(n_instances: int, n_windows: int) -> list[int]:
    """Where windows end that divide instances as equally as can be; none is empty."""
    ends = np.linspace(0, n_instances, n_windows + 1).astype(int)
    return np.unique(ends).tolist()[1:]


def _noting_the_endless(delay: Any, never: set[int]) -> Any:
    """A delay that notes which instances it is infinite for, by their number."""
    if delay is None or not (callable(delay) or isinstance(delay, str) or delay == math.inf):
        return delay
    numbers = itertools.count()

    def noted(x: Any, y: Any) -> Any:
        length = x[delay] if isinstance(delay, str) else delay(x, y) if callable(delay) else delay
        number = next(numbers)
        if length == math.inf:
            never.add(number)
        return length

    return noted


def fresh(metric: Any) -> Any:
    """A metric with the same parameters and no data."""
    if not isinstance(metric, utils.Rolling):
        return metric.clone()
    # It would pass `clone` on to the metric that it wraps.
    rolling = copy.copy(metric)
    rolling.obj = metric.obj.clone()
    rolling.window = collections.deque(maxlen=metric.window_size)
    return rolling


def _probabilities_without_asking(model: Any, x: Any, **kwargs: Any) -> dict[Any, float]:
    while isinstance(model, compose.Pipeline):
        x, model = model.transform_one(x), model[-1]
    return model._wrapped_model.predict_proba_one(x, **kwargs)


def _check_samplers(model: Any, outer: Any = None) -> None:
    """Refuse samplers inside another model, which takes their pairs for labels."""
    if isinstance(model, compose.Pipeline):
        _check_samplers(model[-1], outer)
        return
    if outer is not None and isinstance(model, active.base.ActiveLearningClassifier):
        raise TypeError(
            f"{type(outer).__name__} cannot be evaluated around {type(model).__name__}, which "
            "predicts pairs of a label and a question: let the sampler be the outermost model, or "
            "the last step of a pipeline"
        )
    if isinstance(model, base.Wrapper):
        _check_samplers(model._wrapped_model, model)
    elif isinstance(model, base.Ensemble):
        for member in model:
            _check_samplers(member, model)
