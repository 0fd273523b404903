from __future__ import annotations

import math
from typing import Any

from river_trapezoid._parameters import check_number

from .exact_roc_auc import ExactROCAUC

__all__ = ["BinnedROCAUC"]

# Bins of the log-odds have a constant width between -8 and 8. Beyond, they widen in proportion to
# the log-odds, which limits their number down to the log-odds of the smallest double, -745.
_WIDTH = 0.002
_EVEN = 8.0


class BinnedROCAUC(ExactROCAUC):
    """Area under the ROC curve in bounded memory: exact at first, then approximated by fine bins.

    Probabilities are stored exactly until there are more than `max_scores` distinct ones. From then
    on, they are counted in bins of their log-odds, about 33,000 in total. A bin is 0.002 wide
    between -8 and 8, and 1/4000 of the log-odds beyond. Two probabilities in the same bin count as
    a tie, which counts half. The error of the area is therefore at most half the share of pairs of
    a positive and a negative instance in the same bin.

    River's `ROCAUC` uses ten thresholds by default, equally spaced between 0 and 1, and treats
    predictions between two thresholds as ties.

    Parameters
    ----------
    pos_val
        The label to treat as positive. If it is `True` or 1, the other label must be `False`, 0 or
        -1; any other label raises an error.
    max_scores
        Maximum number of distinct probabilities for which the area is exact.

    Examples
    --------

    >>> from river import metrics
    >>> from river_trapezoid.metrics import BinnedROCAUC

    >>> y_true = [False, False, True, True]
    >>> y_pred = [0.31, 0.34, 0.33, 0.38]

    >>> binned, ten_thresholds = BinnedROCAUC(max_scores=0), metrics.ROCAUC()
    >>> for y, p in zip(y_true, y_pred):
    ...     binned.update(y, {True: p, False: 1 - p})
    ...     ten_thresholds.update(y, {True: p, False: 1 - p})
    >>> binned, ten_thresholds
    (BinnedROCAUC: 75.00%, ROCAUC: 50.00%)

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
