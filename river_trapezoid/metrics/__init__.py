"""Metrics that complement those of River: error counts, ROC AUC and average precision."""

from .average_cumulative_loss import AverageCumulativeLoss
from .average_precision import AveragePrecision
from .binned_roc_auc import BinnedROCAUC
from .errors import Errors
from .exact_roc_auc import ExactROCAUC

__all__ = ["AverageCumulativeLoss", "AveragePrecision", "BinnedROCAUC", "Errors", "ExactROCAUC"]
