from __future__ import annotations

import abc
import math
from collections.abc import Iterable
from typing import Any

from river import active, base, compose

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_number, check_seed

__all__ = ["Sampler"]

# The largest log-odds that two probabilities can have as floats. Beyond it, it is unknown.
_MOST_CONFIDENT = 745.0


class Sampler(active.base.ActiveLearningClassifier):
    """What the samplers share: the confidence of the wrapped classifier, and ranking by it.

    The confidence |q| is the exact margin if the classifier is a linear learner of this package,
    also at the end of a pipeline. For any other it is the log-odds of the two most likely classes;
    a classifier that knows fewer than two classes has none.

    Parameters
    ----------
    classifier
        The classifier to wrap.
    seed
        Seed of the draws.

    """

    def __init__(self, classifier: base.Estimator, seed: int | None = None):
        check_seed("seed", seed)
        super().__init__(classifier, seed=seed)  # type: ignore[arg-type]
        # What a sampler remembers of the last instance, until a label is learned.
        self._last: Any = None

    @abc.abstractmethod
    def _ask(self, x: Features, confidence: float) -> bool:
        """Decide whether to ask for the label of `x`."""

    def _ask_for_label(self, x: Features, y_pred: Any) -> bool:
        return self._ask(x, _log_odds(y_pred))

    def _margin(self, x: Features, params: dict[str, Any]) -> tuple[Any, float]:
        """The linear learner that decides, if there is one, and its margin."""
        classifier: Any = self.classifier
        if hasattr(classifier, "label_at"):
            return classifier, classifier.margin_one(x)
        if isinstance(classifier, compose.Pipeline) and hasattr(classifier[-1], "label_at"):
            # What `Pipeline.predict_one` does before it calls the last step.
            x, last = classifier._transform_one(x, params)
            return last, last.margin_one(x)
        return None, 0.0

    def confidence_one(self, x: Features, **kwargs: Any) -> float:
        """The confidence |q| of the classifier in its prediction for `x`.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        linear, margin = self._margin(x, kwargs)
        if linear is not None:
            return abs(margin)
        return _log_odds(self.classifier.predict_proba_one(x, **kwargs))

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
        linear, margin = self._margin(x, kwargs)
        if linear is not None:
            return linear.label_at(margin), self._ask(x, abs(margin))
        y_pred = self.classifier.predict_proba_one(x, **kwargs)
        ask = self._ask(x, _log_odds(y_pred))
        return (max(y_pred, key=y_pred.__getitem__) if y_pred else None), ask

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
        linear, margin = self._margin(x, kwargs)
        if linear is not None:
            return linear.proba_at(margin), self._ask(x, abs(margin))
        y_pred = self.classifier.predict_proba_one(x, **kwargs)
        return y_pred, self._ask(x, _log_odds(y_pred))

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
        self._last = None

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
        likeness = [0.0] * len(pool)
        left = set(range(len(pool)))
        ranked: list[int] = []
        while left and (k is None or len(ranked) < k):
            best = max(left, key=lambda i: (worth[i] * (1.0 - diversity * likeness[i]), -i))
            left.remove(best)
            ranked.append(best)
            for i in left:
                likeness[i] = max(likeness[i], _cosine(pool[i], pool[best]))
        return ranked


def _log_odds(proba: dict[Any, float]) -> float:
    if len(proba) < 2:
        return 0.0
    first, second = sorted(proba.values(), reverse=True)[:2]
    return min(math.log(first / second), _MOST_CONFIDENT) if second > 0.0 else _MOST_CONFIDENT


def _cosine(a: Features, b: Features) -> float:
    numbers = [
        {
            key: value
            for key, value in x.items()
            if isinstance(value, int | float) and value == value
        }
        for x in (a, b)
    ]
    dot = math.fsum(value * numbers[1].get(key, 0.0) for key, value in numbers[0].items())
    norms = math.prod(math.sqrt(math.fsum(v * v for v in x.values())) for x in numbers)
    return abs(dot) / norms if norms else 0.0
