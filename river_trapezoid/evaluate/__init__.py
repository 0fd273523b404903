"""What River's `evaluate` lacks: repeats with paired tests, hold-out and chunk protocols."""

from .chunks import chunk_val_score
from .comparison import Comparison, Interrupted
from .errors import Errors
from .hold_out import HoldOut, hold_out_score, split
from .label_cost import label_cost_curve
from .runs import compare

__all__ = [
    "Comparison",
    "Errors",
    "HoldOut",
    "Interrupted",
    "chunk_val_score",
    "compare",
    "hold_out_score",
    "label_cost_curve",
    "split",
]
