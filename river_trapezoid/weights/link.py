# cython: language_level=3, infer_types=True, annotation_typing=False, binding=False, cdivision=True
"""The link between a margin and the probability of a label."""

from __future__ import annotations

import math

try:
    import cython
except ImportError:
    from river_trapezoid.weights import _nocython as cython
if not cython.compiled:
    from math import exp, log1p, sqrt

__all__ = ["log_loss", "logistic", "moderated"]

EIGHTH_OF_PI = math.pi / 8.0


def logistic(z: float) -> float:
    """The logistic function, for any finite `z`.

    >>> logistic(0.0), logistic(-1000.0), logistic(1000.0)
    (0.5, 0.0, 1.0)

    """
    small = exp(-abs(z))
    return (1.0 if z > 0.0 else small) / (1.0 + small)


def log_loss(signed_margin: float) -> float:
    """The logistic loss of a margin times the sign of the label.

    >>> log_loss(0.0), log_loss(1000.0), log_loss(-1000.0)
    (0.693..., 0.0, 1000.0)

    """
    linear = -signed_margin if signed_margin < 0.0 else 0.0
    return linear + log1p(exp(-abs(signed_margin)))


def moderated(mean: float, variance: float) -> float:
    """Approximate log-odds of the mean of the logistic function of a normal variable.

    >>> moderated(1.0, 0.0), moderated(1.0, 10.0)
    (1.0, 0.450...)

    """
    return mean / sqrt(1.0 + EIGHTH_OF_PI * variance)
