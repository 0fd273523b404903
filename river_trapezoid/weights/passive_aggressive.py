# cython: language_level=3, infer_types=True, annotation_typing=False, binding=False, cdivision=True
# cython: boundscheck=False, wraparound=False
from __future__ import annotations

import copy
import math
from collections.abc import Hashable, Iterable
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from river_trapezoid._frame import Rows, in_row
from river_trapezoid._instance import Features

from ._rows import SlotRows
from .sparse import SparseWeights

try:
    import cython
except ImportError:
    from river_trapezoid.weights import _nocython as cython
if not cython.compiled:
    from ._exact_sum import nearest, nothing, plus

__all__ = ["PassiveAggressive", "step_size"]

INFINITY = math.inf


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

    def __cinit__(self, *args: Any, **kwargs: Any) -> None:
        self.weights = SparseWeights()
        self._radius = INFINITY

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
        if weights is None:
            raise TypeError("weights must be SparseWeights; got None")
        self.before: tuple[Any, ...] | None = None
        self.weights = weights
        self.mode = mode
        self.C = C
        self.radius = radius
        self.learn_intercept = learn_intercept
        self.step = step
        self.update_on = update_on
        self.rng = rng
        self.intercept = intercept

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
        return None if self._radius == INFINITY else self._radius

    @radius.setter
    def radius(self, value: float | None) -> None:
        check_radius(value, self.weights)
        self._radius = INFINITY if value is None else value

    @property
    def step(self) -> str:
        """The step size: `"pa"` or `"perceptron"`."""
        return "perceptron" if self.is_perceptron else "pa"

    @step.setter
    def step(self, value: str) -> None:
        self.is_perceptron = value != "pa"

    @property
    def update_on(self) -> str:
        """What the rule learns from: `"loss"` or `"mistake"`."""
        return "mistake" if self.on_mistake else "loss"

    @update_on.setter
    def update_on(self, value: str) -> None:
        self.on_mistake = value != "loss"

    def begin(self, columns: Iterable[Hashable] | None) -> bool:
        """Save the rule until `commit` or `rollback`; return whether it was not saved yet.

        Parameters
        ----------
        columns
            The features that may be learned from meanwhile; None for any.

        """
        if self.before is not None:
            return False
        state = None if self.rng is None else self.rng.getstate()
        own = self.weights.begin(columns)
        self.before = self.weights if own else None, self.intercept, self.rng, state
        return True

    def commit(self) -> None:
        """Discard the saved state of the rule."""
        if self.before is not None:
            weights, self.before = self.before[0], None
            if weights is not None:
                weights.commit()

    def rollback(self) -> None:
        """Restore the rule to its state at `begin`."""
        before = self.before
        if before is None:
            return
        self.intercept, self.before = before[1], None
        if before[0] is not None:
            before[0].rollback()
        if before[2] is not None:
            before[2].setstate(before[3])

    def margin(self, x: Features) -> float:
        """Weights times the observed features of `x`, plus the intercept."""
        weights = self.weights
        held = weights.open(x, False)
        try:
            if not held.x.all_found:
                weights.find(held.x)
            return weights.dot_found(held.x) + self.intercept
        finally:
            held.close()

    def learn(self, x: Features, sign: int, w: float = 1.0) -> None:
        """Take a step on a label of -1 or +1, and count the observed features of `x` as seen."""
        weights = self.weights
        held = weights.open(x, False)
        try:
            weights.acquire()
            try:
                weights.enter_features(held.x)
                self.take_step(weights, held.x, sign, w)
            finally:
                weights.users -= 1
        finally:
            held.close()

    def margins(self, rows: Rows) -> npt.NDArray[np.float64]:
        """The margin of each row of a batch."""
        weights, batch, result = self.weights, SlotRows(), np.empty(len(rows))
        batch.open(weights, rows)
        weights.users += 1
        try:
            batch.find(False)
            self.margins_of(batch, numbers_in(result))
        finally:
            weights.users -= 1
        return result

    def learn_rows(
        self,
        rows: Rows,
        signs: npt.NDArray[np.int8],
        w: npt.NDArray[np.float64] | None = None,
    ) -> None:
        """Learn from the rows of a batch, one after the other: from all of them, or from none."""
        weights, batch, intercept = self.weights, SlotRows(), self.intercept
        done, undone_by_others = False, weights.before is not None
        batch.open(weights, rows)
        weights.acquire()
        try:
            batch.find(True)
            state: Any = None if self.rng is None else self.rng.getstate()
            before = weights.scale, weights.power_sum, weights.drift
            try:
                batch.record()
                self.learn_batch(
                    weights, batch, numbers_in(signs), None if w is None else numbers_in(w)
                )
                done = True
            finally:
                if not done:
                    if not undone_by_others:
                        batch.undo()
                        weights.scale, weights.power_sum, weights.drift = before
                    self.intercept = intercept
                    if self.rng is not None:
                        self.rng.setstate(state)
                if not undone_by_others:
                    batch.end()
                batch.close()
        finally:
            weights.users -= 1

    def margins_of(self, batch: Any, margins: Any) -> int:
        """Store the margins of rows, whose columns are found."""
        for i in range(batch.n):
            margins[i] = self.weights.dot_found(batch.row(i)) + self.intercept
        return 0

    def learn_batch(self, weights: SparseWeights, batch: Any, signs: Any, w: Any) -> int:
        """Learn from rows, whose columns are found."""
        for i in range(batch.n):
            weight = 1.0 if w is None else w[i]
            if w is None or weight != 0.0:
                try:
                    self.take_step(weights, batch.row(i), signs[i], weight)
                except OverflowError as error:
                    raise in_row(i, error) from None
            batch.look(i)
        return 0

    def take_step(self, weights: SparseWeights, x: Any, sign: int, w: float) -> int:
        """Take a step on an instance whose features are entered."""
        signed_margin = sign * (weights.dot_found(x) + self.intercept)
        tau = 0.0
        if signed_margin <= 0.0 if self.on_mistake else signed_margin < 1.0:
            tau = w if self.is_perceptron else self.step_of(x, 1.0 - signed_margin, self.C * w)
        if tau == 0.0:
            weights.observe_entered(x)
            return 0
        weights.move(x, sign * tau, self._radius, self.rng)
        if self.learn_intercept:
            self.intercept += sign * tau
        return 0

    def step_of(self, x: Any, loss: float, C: float) -> float:
        """The step size for an instance and its loss."""
        total, values, terms = nothing(), x.values, x.terms
        for i in range(x.n):
            terms[i] = values[i] * values[i]
            total = plus(total, terms[i])
        squared_norm = nearest(total, terms, x.n)
        if self.learn_intercept:
            squared_norm += 1.0
        return step_size(loss, squared_norm, self.mode, C)


def numbers_in(array: Any) -> memoryview:
    """An array as numbers of Python, where those of numpy are slow and compute differently."""
    return memoryview(array)


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

    It is zero if the squared norm of the features underflows or overflows.
    """
    if not 0.0 < squared_norm < INFINITY:
        return 0.0
    tau = loss / squared_norm
    if mode == 0:
        return tau if tau < INFINITY else 0.0
    # Times the weight of an instance, C may be too small for a float.
    if C == 0.0:
        return 0.0
    if mode == 1:
        return C if tau > C else tau
    return loss / (squared_norm + 0.5 / C)
