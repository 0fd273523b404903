from __future__ import annotations

import copy
import math
from collections.abc import Hashable, Iterable
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from river_trapezoid._frame import Rows, in_row
from river_trapezoid._instance import Features, observed

from .sparse import SparseWeights
from .transaction import transaction

__all__ = ["PassiveAggressive", "step_size"]


class PassiveAggressive:
    """A step of the passive-aggressive family: the weights, the intercept, and the rule's settings.

    `linear_model.OLSFClassifier` has the documentation of the settings.

    Parameters
    ----------
    weights
        The weights to move.
    mode, C, radius, learn_intercept, step, update_on
        As those of the learner.
    rng
        The generator of a random selection; None to keep the largest weights.
    intercept
        The intercept.

    Examples
    --------

    >>> from river_trapezoid.weights import PassiveAggressive, SparseWeights

    >>> rule = PassiveAggressive(SparseWeights(), C=1.0)
    >>> rule.learn({"a": 2.0}, +1)
    >>> rule.margin({"a": 2.0})
    1.0

    """

    __slots__ = (
        "C",
        "_before",
        "_radius",
        "intercept",
        "learn_intercept",
        "mode",
        "rng",
        "step",
        "update_on",
        "weights",
    )

    def __init__(
        self,
        weights: SparseWeights,
        mode: int = 1,
        C: float = 0.1,
        radius: float | None = None,
        learn_intercept: bool = False,
        step: str = "pa",
        update_on: str = "loss",
        rng: Random | None = None,
        intercept: float = 0.0,
    ):
        self.weights = weights
        self.mode = mode
        self.C = C
        self.radius = radius
        self.learn_intercept = learn_intercept
        self.step = step
        self.update_on = update_on
        self.rng = rng
        self.intercept = intercept
        # What was known when a transaction began, None if there is none.
        self._before: tuple[Any, ...] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        from river_trapezoid.weights import restore

        return restore, ("PassiveAggressive", *(getattr(self, name) for name in ARGUMENTS))

    def __copy__(self) -> PassiveAggressive:
        # A copy is to learn on its own. Its weights share their keys with these.
        arguments = {name: getattr(self, name) for name in ARGUMENTS}
        for name in ("weights", "rng"):
            arguments[name] = copy.copy(arguments[name])
        return type(self)(**arguments)

    @property
    def radius(self) -> float | None:
        """Radius of the ball; None for no ball."""
        return self._radius

    @radius.setter
    def radius(self, value: float | None) -> None:
        check_radius(value, self.weights)
        self._radius = value

    def begin(self, columns: Iterable[Hashable] | None) -> bool:
        """Remember the rule until `commit` or `rollback`; return whether nobody else does yet.

        Parameters
        ----------
        columns
            The features that may be learned from meanwhile; None for any.

        """
        if self._before is not None:
            return False
        state = None if self.rng is None else self.rng.getstate()
        own = self.weights.begin(columns)
        self._before = self.weights if own else None, self.intercept, self.rng, state
        return True

    def commit(self) -> None:
        """Forget what the rule was."""
        if self._before is None:
            return
        weights, *_ = self._before
        self._before = None
        if weights is not None:
            weights.commit()

    def rollback(self) -> None:
        """Bring the rule back to what it was at `begin`."""
        if self._before is None:
            return
        weights, self.intercept, rng, state = self._before
        self._before = None
        if weights is not None:
            weights.rollback()
        if rng is not None:
            rng.setstate(state)

    def margin(self, x: Features) -> float:
        """Weights times the observed features of `x`, plus the intercept."""
        return self.weights.dot(observed(x)) + self.intercept

    def learn(self, x: Features, sign: int, w: float = 1.0) -> None:
        """Take a step on a label of -1 or +1, and count the observed features of `x` as seen."""
        x = observed(x)
        signed_margin = sign * (self.weights.dot(x) + self.intercept)
        due = signed_margin < 1.0 if self.update_on == "loss" else signed_margin <= 0.0
        tau = 0.0
        if due:
            tau = w
            if self.step == "pa":
                tau = step_size(
                    1.0 - signed_margin,
                    squared_norm(x) + (1.0 if self.learn_intercept else 0.0),
                    self.mode,
                    self.C * w,
                )
        if not tau:
            self.weights.observe(x)
            return
        self.weights.update(x, sign * tau, self.radius, self.rng)
        if self.learn_intercept:
            self.intercept += sign * tau

    def margins(self, rows: Rows) -> npt.NDArray[np.float64]:
        """The margin of each row of a batch."""
        return np.array([self.margin(x) for x in rows], dtype=float)

    def learn_rows(
        self,
        rows: Rows,
        signs: npt.NDArray[np.int8],
        w: npt.NDArray[np.float64] | None = None,
    ) -> None:
        """Learn from the rows of a batch, one after the other: from all of them, or from none."""
        state = None if self.rng is None else self.rng.getstate()
        intercept = self.intercept
        weights = [1.0] * len(rows) if w is None else w.tolist()
        try:
            with transaction(rows.columns, self.weights):
                for row, (x, sign) in enumerate(zip(rows, signs.tolist(), strict=True)):
                    if weights[row]:
                        try:
                            self.learn(x, sign, weights[row])
                        except OverflowError as error:
                            raise in_row(row, error) from None
        except BaseException:
            self.intercept = intercept
            if self.rng is not None:
                self.rng.setstate(state)  # type: ignore[arg-type]
            raise


ARGUMENTS = (
    *("weights", "mode", "C", "radius", "learn_intercept", "step", "update_on", "rng"),
    "intercept",
)


def check_radius(radius: float | None, weights: SparseWeights) -> None:
    """Raise a `ValueError` if there is a ball, but no norm to compare its radius with."""
    if radius is not None and not weights.order:
        raise ValueError(
            f"radius must be None, as these weights keep no norm; got {radius!r}; create a learner "
            "with a radius instead"
        )


def squared_norm(x: Features) -> float:
    """The squared L2 norm of `x`; infinite where it overflows."""
    try:
        return math.fsum([value * value for value in x.values()])
    except OverflowError:
        return math.inf


def step_size(loss: float, squared_norm: float, mode: int, C: float) -> float:
    """Step size of PA, PA-I, PA-II (modes 0, 1, 2) for a loss above zero.

    Features that are too small or too large for their squares move nothing, as features of zero.
    """
    if not 0.0 < squared_norm < math.inf:
        return 0.0
    tau = loss / squared_norm
    if mode == 0:
        return tau if tau < math.inf else 0.0
    # Times the weight of an instance, C may be too small for a float.
    if not C:
        return 0.0
    return min(C, tau) if mode == 1 else loss / (squared_norm + 0.5 / C)
