from __future__ import annotations

import abc
import collections
import functools
import math
import numbers
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, ClassVar, Protocol, runtime_checkable

from river import active, base, compose, multiclass

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_number, check_seed
from river_trapezoid._without_learning import without_learning
from river_trapezoid.linear_model.base import LinearClassifier
from river_trapezoid.weights import transaction

__all__ = ["Sampler", "end", "last_step", "opinion", "transaction_of", "verdict"]

# The largest log-odds that two probabilities can have as floats. Beyond it, it is unknown.
_MOST_CONFIDENT = 745.0
# Of these, more is read than their predictions.
_READ_INTO = (compose.Pipeline, multiclass.OneVsOneClassifier)


@runtime_checkable
class MarginClassifier(Protocol):
    """What a classifier offers a sampler that goes by its margin rather than its probabilities.

    The linear learners of this package do. A classifier of your own does as soon as it has these
    methods. With a method `decision_at`, from a margin to label and confidence, both are read at
    once.

    """

    def margin_one(self, x: Features) -> float:
        """Return the signed distance of `x` from the decision boundary."""

    def label_at(self, margin: float) -> Any:
        """Return the label that is predicted at a margin."""

    def confidence_at(self, margin: float) -> float:
        """Return the confidence |q| in the prediction at a margin."""

    def proba_at(self, margin: float) -> dict[Any, float]:
        """Return the probabilities that are predicted at a margin."""


def transaction_of(model: Any) -> transaction | None:
    """A transaction of everything that a model changes when it learns; None if unknown."""
    # By type, as a pipeline is an instance of what its last step is.
    known = issubclass(type(model), LinearClassifier | Sampler)
    return model._transaction() if known else None


def _find_offer(kind: type) -> str:
    if not issubclass(kind, MarginClassifier):
        return ""
    return "decision" if hasattr(kind, "decision_at") else "margin"


# What a class offers beside probabilities: a "margin", a "decision" at it, or nothing. It is cached,
# as the check of a protocol takes longer than a decision.
_offer_of: Callable[[type], str] = functools.lru_cache(maxsize=1024)(_find_offer)


def last_step(classifier: Any) -> Any:
    """The classifier at the end of a pipeline."""
    while issubclass(type(classifier), compose.Pipeline):
        classifier = next(reversed(classifier.steps.values()))
    return classifier


def end(classifier: Any, x: Features, params: dict[str, Any]) -> tuple[Any, Features]:
    """The classifier at the end of a pipeline, and the features that reach it.

    So that transformers transform, or learn during prediction, once for label and confidence.
    """
    while isinstance(classifier, compose.Pipeline):
        # What `Pipeline.predict_one` does before it calls the last step.
        x, last = classifier._transform_one(x, params)  # type: ignore[arg-type]
        if params and not (_offer_of(type(last)) or isinstance(last, _READ_INTO)):
            # A pipeline of the last step alone passes on the arguments that it accepts.
            return compose.Pipeline(last), x
        classifier = last
    return classifier, x


def verdict(
    classifier: Any, x: Features, params: dict[str, Any], labelled: bool = True
) -> tuple[Any, float]:
    """The predicted label, if it is needed, and the confidence of a classifier."""
    offer = _offer_of(type(classifier))
    if not offer:
        classifier, x = end(classifier, x, params)
        offer = _offer_of(type(classifier))
    if offer:
        margin = classifier.margin_one(x)
        if offer == "decision":
            return classifier.decision_at(margin)
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
    """The predicted label, if it is needed, the probabilities and the confidence."""
    classifier, x = end(classifier, x, params)
    offer = _offer_of(type(classifier))
    if offer:
        margin = classifier.margin_one(x)
        if offer == "decision":
            label, confidence = classifier.decision_at(margin)
        else:
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
            "classifier must implement predict_proba_one; got "
            f"{type(classifier).__name__}, which does not. For several classes, use "
            "river.multiclass.OneVsRestClassifier around a classifier that does; to query at random "
            "instead of by confidence, use RandomSampler"
        ) from None
    return proba


def _log_odds(proba: dict[Any, float]) -> float:
    if len(proba) < 2:
        return 0.0
    first, second = sorted(proba.values(), reverse=True)[:2]
    if math.isnan(sum(proba.values())):
        return 0.0
    return min(math.log(first / second), _MOST_CONFIDENT) if second > 0.0 else _MOST_CONFIDENT


class Sampler(active.base.ActiveLearningClassifier):
    """Base class of the samplers: the confidence of the wrapped classifier, and a ranking by it.

    The confidence |q| is the exact margin if the classifier is a linear learner of this package, on
    its own or at the end of a pipeline, or its distance from the threshold of the learner. For any
    other classifier it is the log-odds of the two most likely classes. It is zero for a classifier
    that knows fewer than two classes or predicts NaN. `multiclass.OneVsOneClassifier` predicts no
    probabilities: its confidence is the smallest among the pairs that contain the predicted class,
    and zero if that class lost one of them.

    The predicted label is the one that the classifier itself predicts.

    Every `predict_one`, `predict_proba_one` and `decide_one` is a decision on one instance.

    Parameters
    ----------
    classifier
        The classifier to wrap.
    seed
        Seed of the random draws.

    """

    # River's methods accept a dict only; these accept what a learner of this package does.
    classifier: Any
    # The type of `_state`, which holds all that a decision changes and is replaced as a whole.
    _State: ClassVar[Any] = None
    # What is predicted, and the confidence that `_ask` gets.
    _verdict = staticmethod(verdict)
    _opinion = staticmethod(opinion)

    def __init__(self, classifier: base.Estimator, seed: int | None = None):
        if isinstance(classifier, type):
            raise TypeError(
                f"classifier must be an instance, such as {classifier.__name__}(); got a class"
            )
        check_seed("seed", seed)
        super().__init__(classifier, seed=seed)  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Pickles of earlier versions have a plain tuple where there is a named one now.
        if type(state.get("_state")) is tuple:
            state = {**state, "_state": self._State(*state["_state"])}
        vars(self).update(state)

    def _transaction(self) -> transaction | None:
        return transaction_of(self.classifier)

    @abc.abstractmethod
    def _ask(self, confidence: float) -> bool:
        """Decide whether to query an instance."""

    def _ask_for_label(self, x: Features, y_pred: Any) -> bool:
        return self._ask(_log_odds(y_pred))

    def confidence_one(self, x: Features, **kwargs: Any) -> float:
        """Return the confidence |q| of the classifier in its prediction for `x`.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        with without_learning():
            return verdict(self.classifier, x, kwargs, labelled=False)[1]

    def predict_one(self, x: Features, **kwargs: Any) -> Any:
        """Predict the label of `x`, and decide whether to query it.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The predicted label, and whether the instance is queried.

        """
        label, confidence = self._verdict(self.classifier, x, kwargs)
        return label, self._ask(confidence)

    def predict_proba_one(self, x: Features, **kwargs: Any) -> Any:
        """Predict the probability of each label for `x`, and decide whether to query it.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The probabilities, and whether the instance is queried.

        """
        _, proba, confidence = self._opinion(self.classifier, x, kwargs, False)
        return proba, self._ask(confidence)

    def decide_one(self, x: Features, **kwargs: Any) -> tuple[Any, dict[Any, float], bool]:
        """Predict label and probabilities of `x`, and decide once whether to query it.

        `predict_one` and `predict_proba_one` each decide, as on two instances. Call this method
        where both predictions of the same instance are needed.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The predicted label, the probabilities, and whether the instance is queried.

        """
        label, proba, confidence = self._opinion(self.classifier, x, kwargs)
        return label, proba, self._ask(confidence)

    def learn_one(self, x: Features, y: base.typing.ClfTarget, **kwargs: Any) -> None:
        """Update the classifier with a set of features `x` and a label `y`.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            The label of the queried instance.

        """
        if kwargs:
            self.classifier.learn_one(x, y, **kwargs)
        else:
            self.classifier.learn_one(x, y)

    def rank(
        self, instances: Iterable[Features], k: int | None = None, diversity: float = 0.0
    ) -> list[int]:
        """Rank a pool of unlabelled instances by the usefulness of their labels.

        This is for labelling by hand in batches. The ranking is not random, and the sampler and its
        classifier are not modified. Learn from the labels before ranking the next batch.

        Parameters
        ----------
        instances
            The pool.
        k
            The number of positions to return; all by default.
        diversity
            Between 0 and 1. At 0, the least confident instances come first. Above 0, an instance is
            ranked lower the more it resembles one that was ranked before it, by the cosine of their
            features.

        Returns
        -------
        The positions of the instances in the pool, the most useful one first.

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


def _direction(x: Features) -> dict[Hashable, float]:
    """The features of an instance that are numbers, scaled to a length of one."""
    if not isinstance(x, Mapping):
        raise TypeError(f"instances must be dicts of features if diversity > 0; got {x!r}")
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
