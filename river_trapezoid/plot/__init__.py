"""Figures of comparisons and of changing feature spaces; matplotlib must be installed.

Every function draws on the given axes, or on new ones, and returns them.
"""

from .comparison import heat_map, label_cost, learning_curves
from .features import evidence_curve, feature_space, weights_over_time

__all__ = [
    "evidence_curve",
    "feature_space",
    "heat_map",
    "label_cost",
    "learning_curves",
    "weights_over_time",
]
