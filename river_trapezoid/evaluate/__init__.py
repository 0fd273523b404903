"""What River's `evaluate` lacks: paired tests, hold-out and chunks, importance over time."""

from .chunks import chunk_val_score
from .comparison import Comparison
from .errors import Errors
from .feature_importance import importance
from .hold_out import HoldOut, hold_out_score, split
from .importance_history import ImportanceHistory, ImportanceWindow
from .importance_recorder import ImportanceRecorder
from .label_cost import label_cost_curve
from .runs import compare

__all__ = [
    "Comparison",
    "Errors",
    "HoldOut",
    "ImportanceHistory",
    "ImportanceRecorder",
    "ImportanceWindow",
    "chunk_val_score",
    "compare",
    "hold_out_score",
    "importance",
    "label_cost_curve",
    "split",
]
