"""Evaluation: repeats with paired tests, hold-outs, chunks, label cost and sensitivity."""

from .chunks import chunk_val_score
from .comparison import Comparison, Interrupted
from .hold_out import HoldOut, hold_out_score, split
from .label_cost import label_cost_curve
from .runs import MAJORITY, compare
from .sweep import Sensitivity, sensitivity

__all__ = [
    "MAJORITY",
    "Comparison",
    "HoldOut",
    "Interrupted",
    "Sensitivity",
    "chunk_val_score",
    "compare",
    "hold_out_score",
    "label_cost_curve",
    "sensitivity",
    "split",
]
