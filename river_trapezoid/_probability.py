"""Probabilities and losses from margins and scores."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any


def logistic(z: float) -> float:
    """Return the logistic function of any finite `z`.

    >>> logistic(0.0), logistic(-1000.0), logistic(1000.0)
    (0.5, 0.0, 1.0)

    """
    small = math.exp(-abs(z))
    return (1.0 if z > 0.0 else small) / (1.0 + small)


def logistic_loss(signed_margin: float) -> float:
    """Return the logistic loss in bits, clipped at 1e100 so that sums do not overflow.

    >>> logistic_loss(0.0), logistic_loss(-1e308)
    (1.0, 1e+100)

    """
    loss = max(0.0, -signed_margin) + math.log1p(math.exp(-abs(signed_margin)))
    return min(1e100, loss / math.log(2.0))


def probabilities(margin: float, labels: tuple[Any, Any]) -> dict[Any, float]:
    """Return the probabilities of a (negative, positive) pair of labels, given the margin.

    They are logistic functions of the margin. Small probabilities keep their precision, since none
    is computed as a difference from one.

    >>> probabilities(0.0, (False, True))
    {False: 0.5, True: 0.5}

    >>> probabilities(-800.0, (-1, 1))
    {-1: 1.0, 1: 0.0}

    """
    negative, positive = labels
    small = math.exp(-abs(margin))
    likely, unlikely = 1.0 / (1.0 + small), small / (1.0 + small)
    if margin > 0.0:
        return {negative: unlikely, positive: likely}
    return {negative: likely, positive: unlikely}


def softmax(scores: dict[Hashable, float]) -> dict[Any, float]:
    """Return the probability of each label, given their scores.

    >>> softmax({"a": 1000.0, "b": 1000.0, "c": -1000.0})
    {'a': 0.5, 'b': 0.5, 'c': 0.0}

    """
    largest = max(scores.values(), default=0.0)
    weights = {label: math.exp(score - largest) for label, score in scores.items()}
    total = math.fsum(weights.values())
    return {label: weight / total for label, weight in weights.items()}
