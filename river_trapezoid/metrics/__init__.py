"""Metrics that complement those of River: error counts, and ROC AUC without thresholds."""

from .average_cumulative_loss import AverageCumulativeLoss
from .binned_roc_auc import BinnedROCAUC
from .errors import Errors
from .exact_roc_auc import ExactROCAUC

__all__ = ["AverageCumulativeLoss", "BinnedROCAUC", "Errors", "ExactROCAUC"]
