"""What River's `evaluate` lacks: repeats and paired tests, other protocols, and what is inside."""

from .average_cumulative_loss import AverageCumulativeLoss
from .binned_roc_auc import BinnedROCAUC
from .bounds import Comparator, hindsight_comparator, olsf_bound
from .chunks import chunk_val_score
from .comparison import Comparison, Interrupted
from .errors import Errors
from .feature_importance import importance
from .hold_out import HoldOut, hold_out_score, split
from .importance_history import ImportanceHistory, ImportanceWindow
from .importance_recorder import ImportanceRecorder
from .label_cost import label_cost_curve
from .mixture_bounds import ocds_bound
from .query_bounds import flls_bound
from .roc_auc import ExactROCAUC
from .runs import compare
from .sweep import Sensitivity, sensitivity

__all__ = [
    "AverageCumulativeLoss",
    "BinnedROCAUC",
    "Comparator",
    "Comparison",
    "Errors",
    "ExactROCAUC",
    "HoldOut",
    "ImportanceHistory",
    "ImportanceRecorder",
    "ImportanceWindow",
    "Interrupted",
    "Sensitivity",
    "chunk_val_score",
    "compare",
    "flls_bound",
    "hindsight_comparator",
    "hold_out_score",
    "importance",
    "label_cost_curve",
    "ocds_bound",
    "olsf_bound",
    "sensitivity",
    "split",
]
