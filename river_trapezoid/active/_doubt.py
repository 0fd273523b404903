from __future__ import annotations

from collections.abc import Hashable
from math import exp
from typing import NamedTuple

__all__ = ["Doubt"]

_CEASES = 0.01  # probability that the classifier ceases to hold with a label
_RECOVERS = 0.02  # probability that it holds again with a label
_FORGETTING = 0.99  # of the calibration, with each label
_PRECISION = 2.0  # of the calibration at the beginning, to which it returns
_MOST_PROBABLE = 0.97  # probability of a correct prediction, at most
_LARGEST_CONFIDENCE = 30.0
_LEAST_SCALE = 0.05


class Doubt(NamedTuple):
    r"""The probability that a classifier no longer holds, given the labels of queried instances.

    A filter with two states. With each label, a classifier that holds ceases to with probability
    .01, and one that does not holds again with probability .02. Then the likelihoods of the outcome,
    a correct prediction or a wrong one, are compared. The likelihood of a label given the features
    does not depend on how the instance was selected, so that any sampler can supply the labels.

    While the classifier holds, its prediction among K classes is correct with probability

    $$p = \frac{1}{1 + (K - 1)\, e^{-a c}}$$

    if its confidence is c, the log-odds of the two most likely classes, and the other classes are
    as likely as the second. A logistic regression with forgetting learns the scale a, weighted with
    the probability that the classifier holds. p is at most .97, so that no single label is decisive.

    The alternative is, half and half, a classifier that guesses, and one whose classes were
    exchanged: every class now has the instances of another one, and any assignment is equally
    likely. A prediction is then correct with probability

    $$\frac{1}{2} \cdot \frac{1}{K} + \frac{1}{2} \cdot \frac{1 - p}{K - 1},$$

    which is 3/4 - p/2 for two classes. At a confidence of zero both states are equally likely, for
    any K, so that the label changes nothing.

    """

    probability: float = 0.0
    scale: float = 1.0  # a
    precision: float = _PRECISION  # of the scale
    labels: tuple[Hashable, ...] = ()  # the classes, K of them

    def after(self, predicted: Hashable, label: Hashable, confidence: float) -> Doubt:
        """Return the doubt after the label of an instance.

        Parameters
        ----------
        predicted
            The label that the classifier predicted. If it is None, only the classes are updated.
        label
            The label of the instance.
        confidence
            The confidence of the classifier. If it is NaN, only the classes are updated.

        """
        labels = self.labels if label in self.labels else (*self.labels, label)
        if predicted is None or confidence != confidence:
            return self._replace(labels=labels)
        c = min(max(confidence, 0.0), _LARGEST_CONFIDENCE)
        others = max(len(labels), 2) - 1
        correct = predicted == label
        p = 1.0 / (1.0 + others * exp(-min(self.scale * c, _LARGEST_CONFIDENCE)))
        holds = min(p, _MOST_PROBABLE)
        does_not = 0.5 / (others + 1) + 0.5 * (1.0 - holds) / others
        if not correct:
            holds, does_not = 1.0 - holds, 1.0 - does_not

        before = self.probability
        expected = before + (1.0 - before) * _CEASES - before * _RECOVERS
        odds = expected / (1.0 - expected) * does_not / holds
        probability = odds / (1.0 + odds)

        trust = 1.0 - probability
        precision = _FORGETTING * self.precision + (1.0 - _FORGETTING) * _PRECISION
        precision += trust * p * (1.0 - p) * c * c
        scale = max(self.scale + trust * (correct - p) * c / precision, _LEAST_SCALE)
        return Doubt(probability, scale, precision, labels)

    def check(self) -> None:
        """Raise a `ValueError` unless the values, which come from a file, are in their ranges."""
        if not (
            0.0 <= self.probability < 1.0
            and _LEAST_SCALE <= self.scale < float("inf")
            and 0.0 < self.precision < float("inf")
        ):
            raise ValueError(
                "doubt must be a probability below 1, a scale of at least "
                f"{_LEAST_SCALE} and a positive precision; got {tuple(self[:3])}"
            )
        if len(set(self.labels)) != len(self.labels):
            raise ValueError(f"labels must differ from each other; got {self.labels!r}")
