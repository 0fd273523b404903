from __future__ import annotations

import numpy as np

from ._ranked_scores import RankedScores

__all__ = ["ExactROCAUC"]


class ExactROCAUC(RankedScores):
    """Exact area under the ROC curve: the probability that a positive scores above a negative.

    A tie counts half. River's `ROCAUC` approximates the area with a grid of thresholds. Here, every
    distinct score is stored, so memory grows with their number. `BinnedROCAUC` has bounded memory.

    Papers that compute the area from predicted labels report balanced accuracy under this name; use
    `river.metrics.BalancedAccuracy` to compare with them.

    Parameters
    ----------
    pos_val
        The label to treat as positive. If it is `True` or 1, the other label must be `False`, 0 or
        -1; any other label raises an error.

    Examples
    --------

    >>> from river import metrics
    >>> from river_trapezoid.metrics import ExactROCAUC

    >>> y_true = [False, False, True, True]
    >>> y_pred = [0.1, 0.4, 0.35, 0.8]

    >>> exact, approximate = ExactROCAUC(), metrics.ROCAUC()
    >>> for y, p in zip(y_true, y_pred):
    ...     exact.update(y, {True: p, False: 1 - p})
    ...     approximate.update(y, {True: p, False: 1 - p})
    >>> exact, approximate
    (ExactROCAUC: 75.00%, ROCAUC: 87.50%)

    """

    def get(self) -> float:
        """Return the area; NaN until there are both positive and negative instances."""
        negative, positive = self._by_score()
        if not (negative.sum() and positive.sum()):
            return float("nan")
        below = np.cumsum(negative) - 0.5 * negative
        return float(positive @ below / (positive.sum() * negative.sum()))
