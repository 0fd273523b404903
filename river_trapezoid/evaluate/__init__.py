"""What River's `evaluate` lacks: repeats with paired tests, hold-out and chunk protocols."""

from .average_cumulative_loss import AverageCumulativeLoss
from .chunks import chunk_val_score
from .comparison import Comparison
from .errors import Errors
from .hold_out import HoldOut, hold_out_score, split
from .label_cost import label_cost_curve
from .mixture_bounds import ocds_bound
from .query_bounds import flls_bound
from .roc_auc import ExactROCAUC
from .runs import compare
from .sweep import Sensitivity, sensitivity

__all__ = [
    "AverageCumulativeLoss",
    "Comparison",
    "Errors",
    "ExactROCAUC",
    "HoldOut",
    "Sensitivity",
    "chunk_val_score",
    "compare",
    "flls_bound",
    "hold_out_score",
    "label_cost_curve",
    "ocds_bound",
    "sensitivity",
    "split",
]
