from __future__ import annotations

from typing import Any

from river import metrics

from ._positive import positive_probability

__all__ = ["BrierScore"]


class BrierScore(metrics.base.MeanMetric, metrics.base.BinaryMetric):
    """Brier score: the mean squared difference between a probability and the label.

    The label counts as 1 if it is positive and as 0 otherwise[^1]. The score is 0 if every
    probability is 0 or 1 and right, and 0.25 if every probability is 0.5. It falls if the
    probabilities are better calibrated, and also if they separate the labels better. A probability
    of 0 for a positive instance adds 1, whereas the loss of `LogLoss` is unbounded.

    Parameters
    ----------
    pos_val
        The label to treat as positive. If it is `True` or 1, the other label must be `False`, 0 or
        -1; any other label raises an error.

    Examples
    --------

    >>> from river_trapezoid.metrics import BrierScore

    >>> y_true = [True, False, False, True]
    >>> y_pred = [0.9, 0.1, 0.2, 0.65]

    >>> metric = BrierScore()
    >>> for y, p in zip(y_true, y_pred):
    ...     metric.update(y, {True: p, False: 1 - p})
    >>> metric
    BrierScore: 0.045625

    References
    ----------
    [^1]: Brier, G.W., 1950. Verification of forecasts expressed in terms of probability. Monthly Weather Review, 78(1), pp.1-3.

    """

    _TAG = "river_trapezoid.metrics.BrierScore"
    _fmt = ".6f"

    def __init__(self, pos_val: Any = True):
        super().__init__()
        self.pos_val = pos_val

    @property
    def bigger_is_better(self) -> bool:
        """False: a smaller score is better."""
        return False

    @property
    def requires_labels(self) -> bool:
        """False: the metric is computed from probabilities."""
        return False

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        is_positive, probability = positive_probability(self.pos_val, y_true, y_pred)
        return (probability - is_positive) ** 2
