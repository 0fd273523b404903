from __future__ import annotations

import abc
import collections
import math
import numbers
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from river import active, base, compose, multiclass

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_number, check_seed
from river_trapezoid._without_learning import without_learning

__all__ = ["Sampler", "opinion", "verdict"]

# The largest log-odds that two probabilities can have as floats. Beyond it, it is unknown.
_MOST_CONFIDENT = 745.0
# Of these, more is read than their predictions.
_READ_INTO = (compose.Pipeline, multiclass.OneVsOneClassifier)


class Sampler(active.base.ActiveLearningClassifier):
    """What the samplers share: the confidence of the wrapped classifier, and ranking by it.

    The confidence |q| is the exact margin if the classifier is a linear learner of this package,
    also at the end of a pipeline, or its distance from the threshold that the learner decides by.
    For any other it is the log-odds of the two most likely classes; a classifier that knows fewer
    than two classes, or gives NaN, has none. `multiclass.OneVsOneClassifier` gives no probabilities:
    its confidence is the least among the pairs that the predicted class is in, and zero if it lost
    one of them.

    The predicted label is what the classifier itself predicts.

    Every `predict_one`, `predict_proba_one` and `decide_one` is a decision on one instance.

    Parameters
    ----------
    classifier
        The classifier to wrap.
    seed
        Seed of the draws.

    """

    # River's methods take nothing but a dict; these take what a learner of this package takes.
    classifier: Any

    def __init__(self, classifier: base.Estimator, seed: int | None = None):
        if isinstance(classifier, type):
            raise TypeError(
                f"classifier must be an instance, such as {classifier.__name__}(); got a class"
            )
        check_seed("seed", seed)
        super().__init__(classifier, seed=seed)  # type: ignore[arg-type]

    @abc.abstractmethod
    def _ask(self, confidence: float) -> bool:
        """Decide whether to ask for the label of an instance."""

    def _ask_for_label(self, x: Features, y_pred: Any) -> bool:
        return self._ask(_log_odds(y_pred))

    def confidence_one(self, x: Features, **kwargs: Any) -> float:
        """The confidence |q| of the classifier in its prediction for `x`.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        with without_learning():
            return verdict(self.classifier, x, kwargs, labelled=False)[1]

    def predict_one(self, x: Features, **kwargs: Any) -> Any:
        """Predict the label of `x`, and say whether its true label is asked for.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The predicted label, and whether a label is asked for.

        """
        label, confidence = verdict(self.classifier, x, kwargs)
        return label, self._ask(confidence)

    def predict_proba_one(self, x: Features, **kwargs: Any) -> Any:
        """Predict the probability of each label for `x`, and say whether its label is asked for.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The probabilities, and whether a label is asked for.

        """
        _, proba, confidence = opinion(self.classifier, x, kwargs, labelled=False)
        return proba, self._ask(confidence)

    def decide_one(self, x: Features, **kwargs: Any) -> tuple[Any, dict[Any, float], bool]:
        """Predict label and probabilities of `x`, and decide once whether its label is asked for.

        `predict_one` and `predict_proba_one` each decide, as on two instances. This is for those
        who need both predictions of the same instance.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The predicted label, the probabilities, and whether a label is asked for.

        """
        label, proba, confidence = opinion(self.classifier, x, kwargs)
        return label, proba, self._ask(confidence)

    def learn_one(self, x: Features, y: base.typing.ClfTarget, **kwargs: Any) -> None:
        """Update the classifier with a set of features `x` and a label `y`.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            The label that was asked for.

        """
        if kwargs:
            self.classifier.learn_one(x, y, **kwargs)
        else:
            self.classifier.learn_one(x, y)

    def rank(
        self, instances: Iterable[Features], k: int | None = None, diversity: float = 0.0
    ) -> list[int]:
        """Rank a pool of unlabelled instances by how much a label is worth now.

        For a person who labels in batches: no random draws, and nothing changes. Learn from the
        labels before ranking the next batch.

        Parameters
        ----------
        instances
            The pool.
        k
            How many to return; all by default.
        diversity
            Between 0 and 1. At 0, the least confident come first. Above, an instance is put back
            the more it resembles one that was ranked before it (the cosine of their features).

        Returns
        -------
        The positions of the instances in the pool, most worth a label first.

        """
        check_number("k", k, integer=True, at_least=0, optional=True)
        check_number("diversity", diversity, at_least=0, at_most=1)
        pool = list(instances)
        confidence = [self.confidence_one(x) for x in pool]
        if not diversity:
            return sorted(range(len(pool)), key=confidence.__getitem__)[:k]

        worth = [1.0 / (1.0 + c) for c in confidence]
        directions = [_direction(x) for x in pool]
        likeness = [0.0] * len(pool)
        left = set(range(len(pool)))
        ranked: list[int] = []
        while left and (k is None or len(ranked) < k):
            best = max(left, key=lambda i: (worth[i] * (1.0 - diversity * likeness[i]), -i))
            left.remove(best)
            ranked.append(best)
            for i in left:
                likeness[i] = max(likeness[i], _cosine(directions[i], directions[best]))
        return ranked


def _end(classifier: Any, x: Features, params: dict[str, Any]) -> tuple[Any, Features]:
    """The classifier at the end of a pipeline, and the features that reach it.

    So that transformers transform, or learn during prediction, once for label and confidence.
    """
    while not hasattr(classifier, "label_at") and isinstance(classifier, compose.Pipeline):
        # What `Pipeline.predict_one` does before it calls the last step.
        x, last = classifier._transform_one(x, params)  # type: ignore[arg-type]
        if params and not (hasattr(last, "label_at") or isinstance(last, _READ_INTO)):
            # A pipeline of it alone hands on the arguments that it accepts.
            return compose.Pipeline(last), x
        classifier = last
    return classifier, x


def verdict(
    classifier: Any, x: Features, params: dict[str, Any], labelled: bool = True
) -> tuple[Any, float]:
    """The label that a classifier predicts, where it is needed, and its confidence."""
    if not hasattr(classifier, "label_at"):
        classifier, x = _end(classifier, x, params)
    if hasattr(classifier, "label_at"):
        margin = classifier.margin_one(x)
        return classifier.label_at(margin), classifier.confidence_at(margin)
    try:
        label, _, confidence = opinion(classifier, x, params, labelled)
    except NotImplementedError:
        if isinstance(classifier, multiclass.OneVsOneClassifier):
            return _vote(classifier, x, params)
        raise
    return label, confidence


def opinion(
    classifier: Any, x: Features, params: dict[str, Any], labelled: bool = True
) -> tuple[Any, dict[Any, float], float]:
    """The label that a classifier predicts, where it is needed, probabilities and confidence."""
    classifier, x = _end(classifier, x, params)
    if hasattr(classifier, "label_at"):
        margin = classifier.margin_one(x)
        label, confidence = classifier.label_at(margin), classifier.confidence_at(margin)
        return label, classifier.proba_at(margin), confidence
    proba = _probabilities(classifier, x, params)
    label = None
    if type(classifier).predict_one is base.Classifier.predict_one:
        label = max(proba, key=proba.__getitem__) if proba else None
    elif labelled:
        # It may decide by a threshold of its own.
        label = classifier.predict_one(x, **params)
    return label, proba, _log_odds(proba)


def _vote(
    classifier: multiclass.OneVsOneClassifier, x: Features, params: dict[str, Any]
) -> tuple[Any, float]:
    """The class with the most votes, and the least confidence of those for it."""
    votes: dict[Any, int] = collections.defaultdict(int)
    duels = []
    for pair, judge in classifier.classifiers.items():
        second, confidence = verdict(judge, x, params)
        winner = pair[1] if second else pair[0]
        votes[winner] += 1
        duels.append((pair, winner, confidence))
    if not votes:
        return None, 0.0
    label = max(votes, key=votes.__getitem__)
    return label, min(c if winner == label else 0.0 for pair, winner, c in duels if label in pair)


def _probabilities(classifier: Any, x: Features, params: dict[str, Any]) -> dict[Any, float]:
    try:
        proba: dict[Any, float] = classifier.predict_proba_one(x, **params)
    except NotImplementedError:
        raise NotImplementedError(
            f"{type(classifier).__name__} gives no probabilities; for several classes use "
            "river.multiclass.OneVsRestClassifier around a classifier that does, and to ask "
            "without regard to the confidence RandomSampler"
        ) from None
    return proba


def _log_odds(proba: dict[Any, float]) -> float:
    if len(proba) < 2:
        return 0.0
    first, second = sorted(proba.values(), reverse=True)[:2]
    if math.isnan(sum(proba.values())):
        return 0.0
    return min(math.log(first / second), _MOST_CONFIDENT) if second > 0.0 else _MOST_CONFIDENT


def _direction(x: Features) -> dict[Hashable, float]:
    """The features of an instance that are numbers, scaled to a length of one."""
    if not isinstance(x, Mapping):
        raise TypeError(f"diversity needs instances that are dicts of features; got {x!r}")
    values = {}
    for key, value in x.items():
        try:
            number = float(value) if isinstance(value, numbers.Real) else math.nan
        except (OverflowError, TypeError):
            continue
        if math.isfinite(number):
            values[key] = number
    # Squares of what is divided by the largest cannot overflow.
    largest = max(map(abs, values.values()), default=0.0)
    values = {key: value / largest for key, value in values.items() if value}
    norm = math.hypot(*values.values())
    return {key: value / norm for key, value in values.items()}


def _cosine(a: dict[Hashable, float], b: dict[Hashable, float]) -> float:
    return abs(math.fsum(value * b.get(key, 0.0) for key, value in a.items()))
