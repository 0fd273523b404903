from __future__ import annotations

import math
from typing import Any

import numpy as np
from river import metrics

__all__ = ["ExactROCAUC"]

_LABELS = (True, False, -1)


class ExactROCAUC(metrics.base.BinaryMetric):
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
        if self.pos_val in _LABELS and y_true not in _LABELS:
            raise ValueError(
                "y_true must be True or False, 1 or 0, or +1 or -1, unless pos_val is the positive "
                f"label; got {y_true!r}"
            )
        score = float(y_pred.get(self.pos_val, 0.0) if isinstance(y_pred, dict) else y_pred)
        if math.isnan(score):
            raise ValueError("y_pred must be a probability or a score; got NaN")
        self._count(score, y_true == self.pos_val, w)

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

    def get(self) -> float:
        """Return the area; NaN until there are both positive and negative instances."""
        weights = np.array([self._weights[score] for score in sorted(self._weights)])
        if not len(weights) or not weights.sum(axis=0).all():
            return float("nan")
        negative, positive = weights.T
        below = np.cumsum(negative) - 0.5 * negative
        return float(positive @ below / (positive.sum() * negative.sum()))
