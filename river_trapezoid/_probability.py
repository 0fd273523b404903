"""From margins and scores to probabilities and losses."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

from river_trapezoid.weights.link import log_loss, logistic

__all__ = ["logistic", "logistic_loss", "probabilities", "softmax"]


def logistic_loss(signed_margin: float) -> float:
    """Logistic loss in bits, cut off where sums of it could overflow.

    >>> logistic_loss(0.0), logistic_loss(-1e308)
    (1.0, 1e+100)

    """
    return min(1e100, log_loss(signed_margin) / math.log(2.0))


def probabilities(margin: float, labels: tuple[Any, Any]) -> dict[Any, float]:
    """Probability of a (negative, positive) pair of labels: the logistic function of a margin.

    Small probabilities keep their precision, since none is computed as a difference from one.

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
    """Probability of each label, given their scores.

    >>> softmax({"a": 1000.0, "b": 1000.0, "c": -1000.0})
    {'a': 0.5, 'b': 0.5, 'c': 0.0}

    """
    largest = max(scores.values(), default=0.0)
    shares = {label: math.exp(score - largest) for label, score in scores.items()}
    total = math.fsum(shares.values())
    return {label: share / total for label, share in shares.items()}
