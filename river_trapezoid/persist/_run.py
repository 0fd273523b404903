from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from river import base, metrics, utils

__all__ = ["Run", "check_run"]


@dataclass
class Run:
    """How far a run over a stream has come."""

    model: Any
    metric: Any
    # The model and the metric that it began with, as they describe themselves.
    started_with: str
    position: int = 0
    # How many labels an active learner has been given.
    n_labels: int = 0
    extra: dict[str, Any] = field(default_factory=dict)
    # The generators that `random` and `numpy.random` draw from.
    python_random: random.Random | None = None
    numpy_random: np.random.RandomState | None = None


def check_run(run: Run) -> None:
    """Raise a `TypeError` or a `ValueError` unless it is what a run can come to."""
    fine = (
        isinstance(run.model, base.Estimator)
        and isinstance(run.metric, metrics.base.Metric | utils.Rolling | None)
        and type(run.started_with) is str
        and type(run.extra) is dict
        and isinstance(run.python_random, random.Random | None)
        and isinstance(run.numpy_random, np.random.RandomState | None)
    )
    if not fine:
        raise TypeError("it lacks what a run consists of")
    for count in (run.position, run.n_labels):
        if type(count) is not int or count < 0:
            raise ValueError("it counts backwards")
