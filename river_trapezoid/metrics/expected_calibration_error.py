from __future__ import annotations

import math
from typing import Any, NamedTuple

from river import metrics

from river_trapezoid._parameters import check_number

from ._positive import positive_probability

__all__ = ["CalibrationBin", "ExpectedCalibrationError"]


class CalibrationBin(NamedTuple):
    """The instances whose probability lies between two bounds.

    Parameters
    ----------
    lower
        The lower bound, inclusive.
    upper
        The upper bound, exclusive unless it is 1.
    weight
        The number of instances, or the sum of their sample weights.
    mean_probability
        The mean of the predicted probabilities of the positive label.
    share_positive
        The share of instances with the positive label.

    """

    lower: float
    upper: float
    weight: float
    mean_probability: float
    share_positive: float


class ExpectedCalibrationError(metrics.base.BinaryMetric):
    """Expected calibration error: the mean gap between probabilities and shares of positives.

    The probabilities of the positive label are counted in bins of equal width[^1]. The gap of a bin
    is the absolute difference between the mean probability and the share of positive instances. The
    metric is the mean of the gaps, weighted by the number of instances in the bins. Memory is
    bounded by the number of bins.

    The error is small if the probabilities can be taken at their word: of the instances with a
    probability of 0.8, 80 % are positive. It does not measure whether the probabilities separate
    the labels: a model that always predicts the share of positives has an error of 0. `BrierScore`
    and River's `LogLoss` measure both.

    With few instances the error is overestimated, as the share of positives in a bin varies at
    random.

    Parameters
    ----------
    n_bins
        Number of bins.
    pos_val
        The label to treat as positive. If it is `True` or 1, the other label must be `False`, 0 or
        -1; any other label raises an error.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river_trapezoid.metrics import ExpectedCalibrationError
    >>> from river_trapezoid.linear_model import EvidenceClassifier

    >>> y_true = [False, False, True, True]
    >>> y_pred = [0.1, 0.1, 0.6, 0.6]

    >>> metric = ExpectedCalibrationError()
    >>> for y, p in zip(y_true, y_pred):
    ...     metric.update(y, {True: p, False: 1 - p})
    >>> metric
    ExpectedCalibrationError: 25.00%

    >>> metric = evaluate.progressive_val_score(
    ...     datasets.Phishing(), EvidenceClassifier(), ExpectedCalibrationError()
    ... )
    >>> metric
    ExpectedCalibrationError: 1.88%

    `bins` returns what a reliability diagram shows, and `plot.reliability` draws it:

    >>> for b in metric.bins():
    ...     print(f"{b.lower:.1f} {b.mean_probability:.2f} {b.share_positive:.2f} {b.weight:5.0f}")
    0.0 0.02 0.01   540
    0.1 0.14 0.18    57
    0.2 0.25 0.22    36
    0.3 0.34 0.32    31
    0.4 0.45 0.42    31
    0.5 0.55 0.69    26
    0.6 0.65 0.63    30
    0.7 0.75 0.64    36
    0.8 0.85 0.87    54
    0.9 0.97 0.96   409

    References
    ----------
    [^1]: Naeini, M.P., Cooper, G. and Hauskrecht, M., 2015. Obtaining well calibrated probabilities using Bayesian binning. AAAI Conference on Artificial Intelligence, pp.2901-2907.

    """

    _TAG = "river_trapezoid.metrics.ExpectedCalibrationError"

    def __init__(self, n_bins: int = 10, pos_val: Any = True):
        check_number("n_bins", n_bins, integer=True, at_least=1)
        self.n_bins = n_bins
        self.pos_val = pos_val
        # By bin: the weights of all instances and of the positive ones, and the probabilities.
        self._weights = [0.0] * n_bins
        self._positives = [0.0] * n_bins
        self._probabilities = [0.0] * n_bins

    @property
    def bigger_is_better(self) -> bool:
        """False: a smaller error is better."""
        return False

    @property
    def requires_labels(self) -> bool:
        """False: the metric is computed from probabilities."""
        return False

    def update(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
        """Update the metric with a prediction.

        Parameters
        ----------
        y_true
            The true label.
        y_pred
            The predicted probabilities, or the probability of the positive label.
        w
            Sample weight.

        """
        is_positive, probability = positive_probability(self.pos_val, y_true, y_pred)
        i = min(int(probability * self.n_bins), self.n_bins - 1)
        self._weights[i] += w
        self._positives[i] += w * is_positive
        self._probabilities[i] += w * probability

    def revert(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
        """Revert an update."""
        self.update(y_true, y_pred, -w)

    def get(self) -> float:
        """Return the error; NaN until there is an instance."""
        total = math.fsum(self._weights)
        if not total:
            return float("nan")
        gaps = map(float.__sub__, self._probabilities, self._positives)
        return math.fsum(map(abs, gaps)) / total

    def bins(self) -> list[CalibrationBin]:
        """Return the bins that hold instances, by ascending probability."""
        return [
            CalibrationBin(
                i / self.n_bins,
                (i + 1) / self.n_bins,
                weight,
                self._probabilities[i] / weight,
                self._positives[i] / weight,
            )
            for i, weight in enumerate(self._weights)
            if weight
        ]

    def _check_state(self) -> None:
        for name in ("_weights", "_positives", "_probabilities"):
            sums = getattr(self, name)
            if len(sums) != self.n_bins or not all(type(value) is float for value in sums):
                raise ValueError(f"{name} must hold n_bins={self.n_bins} floats; got {sums!r:.100}")
