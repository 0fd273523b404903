from __future__ import annotations

import math
from typing import Any

from river_trapezoid._parameters import check_number

from .exact_roc_auc import ExactROCAUC

__all__ = ["BinnedROCAUC"]

# Width of the bins of the log-odds up to 8 on either side; from there on they widen in proportion,
# so that there are few enough of them up to the log-odds of the smallest double, -745.
_WIDTH = 0.002
_EVEN = 8.0


class BinnedROCAUC(ExactROCAUC):
    """The area under the ROC curve in limited memory: exact at first, then by fine bins.

    Probabilities are kept as they are until there are more than `max_scores` different ones. From
    then on they are counted in bins of their log-odds, which are 0.002 wide between -8 and 8 and
    1/4000 of the log-odds beyond; there are about 33,000 of them. A tie, which two probabilities in
    the same bin are as well, counts half, so that the area is wrong by at most half the share of
    pairs of a positive and a negative that share a bin.

    River's `ROCAUC` has ten thresholds, equally spaced between 0 and 1: predictions that lie close
    together are hardly told apart by it.

    Parameters
    ----------
    pos_val
        The label to treat as positive. If it is `True` or 1, the other one has to be `False`, 0 or
        -1; any other label raises an error.
    max_scores
        Up to how many different probabilities the area is exact.

    Examples
    --------

    >>> from river import metrics
    >>> from river_trapezoid.metrics import BinnedROCAUC
    >>> from river_trapezoid import evaluate

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
            raise ValueError(f"a prediction must be a probability, between 0 and 1; got {score!r}")
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
