from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING

from river_trapezoid._instance import Features, observed

if TYPE_CHECKING:
    from .sparse import SparseWeights

__all__ = ["PassiveAggressive", "pa_step"]


def pa_step(
    weights: SparseWeights,
    x: Features,
    sign: int,
    intercept: float,
    mode: int,
    C: float,
    radius: float | None,
    learn_intercept: bool,
    step: str,
    update_on: str,
    rng: Random | None,
) -> float:
    """Take a step of the passive-aggressive family, and count the features of `x` as seen.

    The learning rule is here, beside the weights, because the compiled ones take the whole step in
    one go. It is a method of both; `linear_model.OLSFClassifier` has the documentation of its
    parameters.

    Parameters
    ----------
    weights
        The weights to move.
    x
        A dictionary of features, not cleaned yet.
    sign
        The label: -1 or +1.
    intercept
        The intercept.
    mode, C, radius, learn_intercept, step, update_on
        As those of the learner.
    rng
        The generator of a random selection; None to keep the largest weights.

    Returns
    -------
    The new intercept.

    """
    x = observed(x)
    signed_margin = sign * (weights.dot(x) + intercept)
    due = signed_margin < 1.0 if update_on == "loss" else signed_margin <= 0.0
    tau = 0.0
    if due:
        tau = 1.0
        if step == "pa":
            tau = _step_size(1.0 - signed_margin, x, mode, C, learn_intercept)
    if not tau:
        weights.observe(x)
        return intercept

    weights.update(x, sign * tau, radius, rng=rng)
    return intercept + sign * tau if learn_intercept else intercept


def _step_size(loss: float, x: Features, mode: int, C: float, learn_intercept: bool) -> float:
    try:
        squared_norm = math.fsum([value * value for value in x.values()])
    except OverflowError:
        return 0.0
    if learn_intercept:
        squared_norm += 1.0
    if not squared_norm:
        return 0.0
    if mode == 2:
        return loss / (squared_norm + 0.5 / C)
    tau = loss / squared_norm
    if mode == 1:
        return min(C, tau)
    # Features too small for their squares move nothing, as features of zero do.
    return tau if tau < math.inf else 0.0


class PassiveAggressive:
    """A base of learners of this family, in front of their others, that does nothing.

    The compiled one beside the compiled weights does there, in one go, what the methods of the
    other bases do with every instance.

    """
