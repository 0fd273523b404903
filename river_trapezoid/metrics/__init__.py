"""Metrics that complement those of River: error counts, ROC AUC, average precision, calibration."""

from .average_cumulative_loss import AverageCumulativeLoss
from .average_precision import AveragePrecision
from .binned_roc_auc import BinnedROCAUC
from .brier_score import BrierScore
from .errors import Errors
from .exact_roc_auc import ExactROCAUC
from .expected_calibration_error import ExpectedCalibrationError

__all__ = [
    "AverageCumulativeLoss",
    "AveragePrecision",
    "BinnedROCAUC",
    "BrierScore",
    "Errors",
    "ExactROCAUC",
    "ExpectedCalibrationError",
]
