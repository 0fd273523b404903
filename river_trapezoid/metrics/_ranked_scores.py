"""The scores of positive and negative instances in order, exactly or in bins."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from river import metrics

from river_trapezoid._parameters import check_number

from ._positive import positive_score

__all__ = ["BinnedScores", "RankedScores"]

# Bins of the log-odds have a constant width between -8 and 8. Beyond, they widen in proportion to
# the log-odds, which limits their number down to the log-odds of the smallest double, -745.
_WIDTH = 0.002
_EVEN = 8.0


class RankedScores(metrics.base.BinaryMetric):
    """Base class of metrics of the order of scores, with every distinct score stored.

    Parameters
    ----------
    pos_val
        The label to treat as positive. If it is `True` or 1, the other label must be `False`, 0 or
        -1; any other label raises an error.

    """

    def __init__(self, pos_val: Any = True):
        self.pos_val = pos_val
        # The weights of the negative and the positive instances, by score.
        self._weights: dict[float, tuple[float, float]] = {}

    @property
    def requires_labels(self) -> bool:
        """False: the metric is computed from scores."""
        return False

    def update(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
        """Update the metric with a prediction.

        Parameters
        ----------
        y_true
            The true label.
        y_pred
            The predicted probabilities, or any score that is higher for positive instances.
        w
            Sample weight.

        """
        is_positive, score = positive_score(self.pos_val, y_true, y_pred)
        self._count(score, is_positive, w)

    def _count(self, score: float, is_positive: bool, w: float) -> None:
        negative, positive = self._weights.get(score, (0.0, 0.0))
        if is_positive:
            positive += w
        else:
            negative += w
        if negative or positive:
            self._weights[score] = negative, positive
        else:
            self._weights.pop(score, None)

    def revert(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
        """Revert an update."""
        self.update(y_true, y_pred, -w)

    def _by_score(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the weights of the negatives and of the positives, by ascending score."""
        weights = np.array([self._weights[score] for score in sorted(self._weights)], dtype=float)
        negative, positive = weights.reshape(-1, 2).T
        return negative, positive


class BinnedScores(RankedScores):
    """Base class of metrics of the order of probabilities, in bounded memory.

    Parameters
    ----------
    pos_val
        The label to treat as positive, as in `RankedScores`.
    max_scores
        Maximum number of distinct probabilities to store exactly. Beyond it, they are counted in
        bins of their log-odds.

    """

    def __init__(self, pos_val: Any = True, max_scores: int = 10_000):
        super().__init__(pos_val)
        check_number("max_scores", max_scores, integer=True, at_least=0)
        self.max_scores = max_scores
        self._is_binned = False

    def _count(self, score: float, is_positive: bool, w: float) -> None:
        if not 0.0 <= score <= 1.0:
            raise ValueError(f"y_pred must be a probability between 0 and 1; got {score!r}")
        super()._count(_bin(score) if self._is_binned else score, is_positive, w)
        if not self._is_binned and len(self._weights) > self.max_scores:
            self._is_binned = True
            exact, self._weights = self._weights, {}
            for kept, (negative, positive) in exact.items():
                super()._count(_bin(kept), False, negative)
                super()._count(_bin(kept), True, positive)


def _bin(probability: float) -> float:
    if probability in (0.0, 1.0):
        return math.copysign(math.inf, probability - 0.5)
    log_odds = math.log(probability) - math.log1p(-probability)
    size = abs(log_odds)
    if size > _EVEN:
        size = _EVEN * (1.0 + math.log(size / _EVEN))
    return float(math.floor(math.copysign(size, log_odds) / _WIDTH))
