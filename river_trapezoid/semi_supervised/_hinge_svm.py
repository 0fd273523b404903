"""The weighted hinge SVM, solved exactly: numbers only, no streams or labels.

Over instances with features z, find theta and b that minimise

    |theta|² + sum over hinges h of cost_h * max(0, margin_h - sign_h * f(instance_h))

where f(z) = <theta, z> + b. There is no factor 1/2 before the norm. An instance has one hinge or
several, or none. With a balance, the mean of f over some instances is held at a target.

The dual has one variable a_h per hinge, 0 <= a_h <= cost_h, and theta is half the sum of
coefficient_i * z_i, where coefficient_i sums sign_h * a_h over the hinges of instance i. A
primal-dual interior-point method comes close to the optimum. A few Newton steps on the hinges
that are neither at zero nor at their cost then make it exact; while those hinges are not yet known,
the interior-point method continues.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg

from ._geometry import Array, Geometry, Indices, NewtonStep

__all__ = ["Hinges", "Solution", "solve"]

_MAX_STEPS = 60
# The relative duality gap at which the interior point first counts as the optimum.
_CLOSE = 1e-8
# Share of the way to the boundary that a step of the interior point may go.
_BACK_OFF = 0.995
# The violation of the optimality conditions that is due to rounding alone, and that below which
# further steps gain nothing, as the rounding errors of large costs are larger.
_EXACT, _GOOD = 1e-12, 1e-9
# Hinges change sides in a Newton step or two, or the interior point was too far from the optimum.
_MAX_POLISHES = 4


@dataclass(frozen=True)
class Hinges:
    """The losses, one entry of each array per hinge; `instance` is the row of the features."""

    instance: Indices
    sign: Array
    margin: Array
    cost: Array


@dataclass(frozen=True)
class Solution:
    """An optimum and its certificates.

    Attributes
    ----------
    coefficients
        One per instance: theta is half their product with the features.
    intercept
        The b of f: the midpoint of `interval`, or its finite end.
    interval
        All values of b that are optimal: a single point, up to rounding, if a free hinge or the
        balance determines b.
    scores
        The value of f at each instance.
    objective
        The primal objective.
    gap
        The primal minus the dual objective.
    residual
        The largest violation of the Karush-Kuhn-Tucker conditions.

    """

    coefficients: Array
    intercept: float
    interval: tuple[float, float]
    scores: Array
    objective: float
    gap: float
    residual: float


def solve(
    hinges: Hinges, instances: Geometry, balance: Indices | None = None, target: float = 0.0
) -> Solution:
    """Solve the SVM.

    Parameters
    ----------
    hinges
        The losses, of costs above zero: at least one.
    instances
        The instances: `Features`, with steps of O(n d²), or `Gram`, with steps of O(n³).
    balance
        The instances over which the mean of f is held at `target`. None for no such constraint.
    target
        See `balance`.

    """
    geometry, problem = instances, hinges
    if balance is not None:
        # The balance takes the place of b: f(z) = <theta, z - mean> + target.
        geometry = instances.centred(balance)
        problem = replace(hinges, margin=hinges.margin - hinges.sign * target)

    everything = geometry
    active = np.unique(hinges.instance)
    if len(active) < len(instances):
        # Instances without a hinge have a part in the balance only.
        geometry = geometry.chosen(active)
        problem = replace(problem, instance=np.searchsorted(active, problem.instance))

    # Instances of unit length on average bring all problems to one scale.
    scale, largest = geometry.mean_square(), instances.mean_square()
    if scale <= 1e-14 * largest:
        # Equal instances: what is left of them are rounding errors.
        scale = largest or 1.0
    scaled = _Problem(
        geometry.scaled(scale), replace(problem, cost=problem.cost * scale), balance is None
    )
    a = scaled.optimum(min(1.0, scale))
    original = _Problem(geometry, problem, balance is None)
    a = np.minimum(a / scale, problem.cost)
    coefficients = np.zeros(len(instances))
    coefficients[active] = original.coefficients(a)
    scores = everything.product(coefficients)
    interval = original.best_intercepts(scores[active])
    b = _middle(interval)
    objective, gap = original.objectives(a, b)
    residual = original.residual(a, b)
    scores = scores + b
    if balance is not None:
        scores += target
        # In terms of features that are not centred.
        coefficients[balance] -= coefficients.sum() / len(balance)
        b = target - float(instances.product(coefficients)[balance].mean())
        interval = b, b
    return Solution(coefficients, b, interval, scores, objective, gap, residual)


@dataclass(frozen=True)
class _Interior:
    """A point inside the box.

    Attributes
    ----------
    position
        The dual variables a, and what they are below the cost.
    multiplier
        The multipliers of both bounds.
    b
        The intercept.
    mismatch
        The slack of each hinge, less the difference of its multipliers.
    excess
        The sum of the coefficients.
    gap
        The products of positions and multipliers, summed, relative to the objective.

    """

    position: Array
    multiplier: Array
    b: float
    mismatch: Array
    excess: float
    gap: float


class _Problem:
    """Hinges over a geometry, with a free intercept or with none."""

    def __init__(self, geometry: Geometry, hinges: Hinges, free_intercept: bool):
        self.geometry = geometry
        self.hinges = hinges
        self.free_intercept = free_intercept
        self.n_instances = len(geometry)

    def coefficients(self, a: Array) -> Array:
        return self._summed(self.hinges.sign * a)

    def _summed(self, values: Array) -> Array:
        """Sum the values of each instance's hinges."""
        sums = np.bincount(self.hinges.instance, values, self.n_instances)
        return sums.astype(np.float64, copy=False)

    def _slack(self, scores: Array) -> Array:
        """The excess over the margin of each hinge."""
        return self.hinges.sign * scores[self.hinges.instance] - self.hinges.margin

    def objectives(self, a: Array, b: float) -> tuple[float, float]:
        """The primal objective, and its distance from the dual one."""
        coefficients = self.coefficients(a)
        scores = self.geometry.product(coefficients)
        norm = 0.5 * float(coefficients @ scores)
        loss = float(self.hinges.cost @ np.maximum(0.0, -self._slack(scores + b)))
        return norm + loss, 2.0 * norm + loss - float(self.hinges.margin @ a)

    def residual(self, a: Array, b: float) -> float:
        """Largest violation of the optimality conditions by a point within the box."""
        coefficients = self.coefficients(a)
        slack = self._slack(self.geometry.product(coefficients) + b)
        worst = float(np.abs(a - np.clip(a - slack, 0.0, self.hinges.cost)).max())
        return max(worst, abs(float(coefficients.sum()))) if self.free_intercept else worst

    def best_intercepts(self, scores: Array) -> tuple[float, float]:
        """The ends of the interval of b that minimise the loss, given f without it."""
        if not self.free_intercept:
            return 0.0, 0.0
        sign, cost = self.hinges.sign, self.hinges.cost
        corners = sign * self.hinges.margin - scores[self.hinges.instance]
        order = np.argsort(corners, kind="stable")
        # The slope of the loss to the right of each corner; the loss is convex in b.
        slope = np.cumsum(cost[order]) - cost[sign > 0].sum()
        flat = 1e-9 * cost.sum()
        first, last = np.searchsorted(slope, [-flat, flat])
        lowest = -np.inf if (sign < 0).all() else float(corners[order[first]])
        highest = np.inf if (sign > 0).all() else float(corners[order[last]])
        return lowest, highest

    def optimum(self, unit: float) -> Array:
        """The dual variables at the optimum, where a violation of `unit` counts as one."""
        sign = self.hinges.sign
        best = np.zeros(len(sign))
        if self.free_intercept and abs(sign.sum()) == len(sign):
            # With one sign only, b satisfies every hinge, and nothing is left to weigh.
            return best
        least = np.inf
        close = _CLOSE
        for point in self._interior_points():
            if point.gap > close:
                continue
            for a in self._polished(point):
                scores = self.geometry.product(self.coefficients(a))
                residual = self.residual(a, _middle(self.best_intercepts(scores)))
                if residual < least:
                    best, least = a, residual
                if least < _EXACT * unit:
                    return best
            if least < _GOOD * unit:
                return best
            close = 1e-2 * point.gap
        return best

    def _interior_points(self) -> Iterator[_Interior]:
        """Mehrotra's predictor and corrector.

        The distance from a to the cost is a variable of its own, as the difference would lose its
        digits near the cost.
        """
        cost = self.hinges.cost
        a = np.minimum(1.0, 0.5 * cost)
        position = np.array([a, cost - a])
        # Multipliers whose difference is the slack, so that only the box is left to be met.
        slack = self._slack(self.geometry.product(self.coefficients(a)))
        root = np.sqrt(slack * slack + 4.0)
        point = self._interior(position, np.array([root + slack, root - slack]) * 0.5, 0.0)
        for _ in range(_MAX_STEPS):
            yield point
            position, multiplier = point.position, point.multiplier
            answer = 1.0 / (multiplier / position).sum(axis=0)
            try:
                newton = self.geometry.newton(self._summed(answer), self.free_intercept)
            except np.linalg.LinAlgError:
                return
            products = position * multiplier
            mean = products.mean()
            move, turn, _ = self._towards(-products, point, answer, newton)
            length = min(1.0, _reach(position, move), _reach(multiplier, turn))
            after = ((position + length * move) * (multiplier + length * turn)).mean()
            centre = mean * (after / mean) ** 3
            move, turn, db = self._towards(centre - products - move * turn, point, answer, newton)
            length = min(1.0, _BACK_OFF * min(_reach(position, move), _reach(multiplier, turn)))
            point = self._interior(
                position + length * move, multiplier + length * turn, point.b + length * db
            )

    def _interior(self, position: Array, multiplier: Array, b: float) -> _Interior:
        cost = self.hinges.cost
        coefficients = self.coefficients(position[0])
        scores = self.geometry.product(coefficients)
        slack = self._slack(scores + b)
        objective = 0.5 * float(coefficients @ scores) - float(cost @ np.minimum(slack, 0.0))
        gap = float(np.vdot(position, multiplier)) / max(objective, 1e-6 * float(cost.sum()))
        mismatch = slack + multiplier[1] - multiplier[0]
        return _Interior(position, multiplier, b, mismatch, float(coefficients.sum()), gap)

    def _towards(
        self, products: Array, point: _Interior, answer: Array, newton: NewtonStep
    ) -> tuple[Array, Array, float]:
        """The changes of position, multiplier and b that change the products as given."""
        sign = self.hinges.sign
        wanted = products / point.position
        push = answer * (wanted[0] - wanted[1] - point.mismatch)
        df, db = newton(self._summed(sign * push), point.excess)
        da = push - answer * sign * df[self.hinges.instance]
        move = np.array([da, -da])
        return move, wanted - point.multiplier / point.position * move, db

    def _polished(self, point: _Interior) -> Iterator[Array]:
        """The point itself, then Newton steps on its free hinges, with the others at their bounds."""
        instance, sign, cost = self.hinges.instance, self.hinges.sign, self.hinges.cost
        yield np.minimum(point.position[0], cost)
        at_zero, at_cost = point.position < point.multiplier
        a = np.where(at_zero, 0.0, np.where(at_cost, cost, point.position[0]))
        for _ in range(_MAX_POLISHES):
            free = np.flatnonzero(~(at_zero | at_cost))
            scores = self.geometry.product(self.coefficients(a))
            b = _middle(self.best_intercepts(scores))
            if len(free):
                signs = sign[free]
                size = len(free) + self.free_intercept
                system = np.zeros((size, size))
                system[: len(free), : len(free)] = (
                    self.geometry.gram_of(instance[free]) * (0.5 * signs) * signs[:, None]
                )
                right = np.zeros(size)
                right[: len(free)] = -self._slack(scores + b)[free]
                if self.free_intercept:
                    system[-1, :-1] = system[:-1, -1] = signs
                    right[-1] = -float(sign @ a)
                # The shortest step: equal instances leave the system singular.
                step = scipy.linalg.lstsq(system, right, check_finite=False)[0]
                a[free] += step[: len(free)]
            a = np.clip(a, 0.0, cost)
            yield a
            scores = self.geometry.product(self.coefficients(a))
            slack = self._slack(scores + _middle(self.best_intercepts(scores)))
            at_zero = (a <= 0.0) & (slack >= 0.0)
            at_cost = (a >= cost) & (slack <= 0.0)


def _middle(interval: tuple[float, float]) -> float:
    lowest, highest = interval
    if np.isinf(lowest):
        return highest
    return lowest if np.isinf(highest) else 0.5 * (lowest + highest)


def _reach(values: Array, change: Array) -> float:
    """The longest step along a change at which positive values stay positive."""
    fastest = float((-change / values).max())
    return 1.0 / fastest if fastest > 0.0 else np.inf
