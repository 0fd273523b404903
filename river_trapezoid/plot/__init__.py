"""Figures of comparisons and of changing feature spaces; matplotlib must be installed.

Every function draws on the given axes, or on new ones, and returns them.
"""

import importlib.util

if importlib.util.find_spec("matplotlib") is None:
    raise ImportError('river_trapezoid.plot needs matplotlib: pip install "river-trapezoid[plot]"')

from .comparison import heat_map, label_cost, learning_curves
from .evidence import evidence_curve, head_shares, pair_evidence
from .features import feature_space, weights_over_time
from .importance import importance_over_time

__all__ = [
    "evidence_curve",
    "feature_space",
    "head_shares",
    "heat_map",
    "importance_over_time",
    "label_cost",
    "learning_curves",
    "pair_evidence",
    "weights_over_time",
]
