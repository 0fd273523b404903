from __future__ import annotations

import math
from typing import Any

import numpy as np
from river import metrics

__all__ = ["ExactROCAUC"]

_LABELS = (True, False, -1)


class ExactROCAUC(metrics.base.BinaryMetric):
    """The area under the ROC curve, as it is: the chance that a positive scores above a negative.

    A tie counts half. River's `ROCAUC` takes a grid of thresholds, between which predictions are
    not told apart; here every distinct score is kept, so that memory grows with their number, which
    that of `BinnedROCAUC` does not.

    Papers that compute the area from predicted labels report balanced accuracy under this name:
    that is `river.metrics.BalancedAccuracy`.

    Parameters
    ----------
    pos_val
        The label to treat as positive. If it is `True` or 1, the other one has to be `False`, 0 or
        -1; any other label raises an error.

    Examples
    --------

    >>> from river import metrics
    >>> from river_trapezoid.metrics import ExactROCAUC
    >>> from river_trapezoid import evaluate

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
        # The weight of the negatives and of the positives, by score.
        self._weights: dict[float, tuple[float, float]] = {}

    @property
    def requires_labels(self) -> bool:
        """It is the scores that are ranked."""
        return False

    def update(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
        """Count a prediction.

        Parameters
        ----------
        y_true
            The true label.
        y_pred
            The predicted probabilities, or any score that is higher for positives.
        w
            Weight of the instance.

        """
        if self.pos_val in _LABELS and y_true not in _LABELS:
            raise ValueError(
                f"unknown label {y_true!r}: the ROC curve is that of two labels, True/False, 1/0 or "
                "+1/-1, unless pos_val says which one is positive"
            )
        score = float(y_pred.get(self.pos_val, 0.0) if isinstance(y_pred, dict) else y_pred)
        if math.isnan(score):
            raise ValueError("a prediction is NaN, which cannot be ranked")
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
        """Take back an update."""
        self.update(y_true, y_pred, -w)

    def get(self) -> float:
        """Return the area; NaN as long as there are not both positives and negatives."""
        weights = np.array([self._weights[score] for score in sorted(self._weights)])
        if not len(weights) or not weights.sum(axis=0).all():
            return float("nan")
        negative, positive = weights.T
        below = np.cumsum(negative) - 0.5 * negative
        return float(positive @ below / (positive.sum() * negative.sum()))
