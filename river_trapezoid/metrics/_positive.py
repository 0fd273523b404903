"""The score or the probability of the positive label in a prediction."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["positive_probability", "positive_score"]

_LABELS = (True, False, -1)


def positive_score(pos_val: Any, y_true: Any, y_pred: Any) -> tuple[bool, float]:
    """Return whether an instance is positive, and the score of the positive label.

    >>> positive_score(True, -1, {True: 0.25, False: 0.75})
    (False, 0.25)

    """
    if pos_val in _LABELS and y_true not in _LABELS:
        raise ValueError(
            "y_true must be True or False, 1 or 0, or +1 or -1, unless pos_val is the positive "
            f"label; got {y_true!r}"
        )
    score = float(y_pred.get(pos_val, 0.0) if isinstance(y_pred, dict) else y_pred)
    if math.isnan(score):
        raise ValueError("y_pred must be a probability or a score; got NaN")
    return bool(y_true == pos_val), score


def positive_probability(pos_val: Any, y_true: Any, y_pred: Any) -> tuple[bool, float]:
    """Return whether an instance is positive, and the probability of the positive label."""
    is_positive, probability = positive_score(pos_val, y_true, y_pred)
    if not 0.0 <= probability <= 1.0:
        raise ValueError(f"y_pred must be a probability between 0 and 1; got {probability!r}")
    return is_positive, probability
