"""What River's `evaluate` lacks: repeats, paired tests, other protocols, parameters, bounds."""

from .bounds import Comparator, hindsight_comparator, olsf_bound
from .chunks import chunk_val_score
from .comparison import Comparison
from .errors import Errors
from .hold_out import HoldOut, hold_out_score, split
from .label_cost import label_cost_curve
from .runs import compare
from .sweep import Sensitivity, sensitivity

__all__ = [
    "Comparator",
    "Comparison",
    "Errors",
    "HoldOut",
    "Sensitivity",
    "chunk_val_score",
    "compare",
    "hindsight_comparator",
    "hold_out_score",
    "label_cost_curve",
    "olsf_bound",
    "sensitivity",
    "split",
]
