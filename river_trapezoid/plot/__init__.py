"""Plots of comparisons, models and changing feature spaces; matplotlib must be installed.

Every function draws on the given axes, or on new axes, and returns them. `small_multiples` draws
several panels in one figure.
"""

import importlib.util

from river_trapezoid._extras import install

if importlib.util.find_spec("matplotlib") is None:
    raise ImportError(f"river_trapezoid.plot needs matplotlib; {install('plot')}")

from ._comparison import bars, heat_map, label_cost, learning_curves
from ._evidence import evidence_curve, head_shares, pair_evidence
from ._features import feature_space, weights_over_time
from ._grid import small_multiples
from ._importance import importance_over_time
from ._reliability import reliability
from ._sweep import sensitivity

__all__ = [
    "bars",
    "evidence_curve",
    "feature_space",
    "head_shares",
    "heat_map",
    "importance_over_time",
    "label_cost",
    "learning_curves",
    "pair_evidence",
    "reliability",
    "sensitivity",
    "small_multiples",
    "weights_over_time",
]
