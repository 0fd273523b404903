"""Metrics that River lacks: errors that are counted, and areas under curves without thresholds."""

from .average_cumulative_loss import AverageCumulativeLoss
from .binned_roc_auc import BinnedROCAUC
from .errors import Errors
from .exact_roc_auc import ExactROCAUC

__all__ = ["AverageCumulativeLoss", "BinnedROCAUC", "Errors", "ExactROCAUC"]
