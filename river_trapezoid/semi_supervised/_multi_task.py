"""Support vector machines over two tasks and unlabelled instances: one problem, five learners.

The instances of a chunk are of four types: labelled and unlabelled ones at its tail (I and III),
and before it (II and IV). The labelled ones belong to task 1 (type I) or 2 (type II), with
f(x) = <w + v_task, x> + b, or to task 0 if tasks are not distinguished; unlabelled ones to task 0,
with f(x) = <w, x> + b. The objective is

    |w|² + C1 |v1|² + C2 |v2|² + C * sum of max(0, 1 - y f(x)) over the labelled instances
    + C_star * sum of max(0, 1 - |f(x)|) over the unlabelled ones

with the mean of f over the latter held at a target. It is that of one SVM with the inner products
<x, x'> (1 + [same task]/C_task). The last term is not convex: the concave-convex procedure
replaces it by max(0, 1 - y f(x)) + max(0, -1 - y f(x)), where the pseudo-label y is the sign of
the last f(x), until no pseudo-label changes.

Costs of zero:

- C = 0: nothing keeps the weights from zero. Without unlabelled instances every b is optimal, and
  the limit for small C is the most frequent label. With them f is the target: their loss is least
  where all f(x) are equal, as long as the pseudo-labels are, and so they stay.
- C_star = 0: the unlabelled instances enter the mean of f only, and there is nothing to repeat.
- C1 = 0 or C2 = 0: v of that task is free, and the inner products have no limit. An optimum exists
  all the same, as a convex quadratic function that is bounded below on a polyhedron attains its
  minimum, and w is unique in it. The dual variables a of the task satisfy sum of a_i y_i x_i = 0,
  so that the task determines w through b only, and not at all if its instances are linearly
  independent, as with the kernel rbf. The optimum is found by the method of proximal points: a
  small cost on the distance of v from its last value, until v no longer moves.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ._geometry import Array, Features, Geometry, Gram, Indices, Mask
from ._hinge_svm import Hinges, Solution, solve

__all__ = ["Chunk", "Costs", "Machine", "machines"]

# Each round lowers the objective, so that none repeats but for rounding errors.
_MAX_ROUNDS = 100
# The costs of the distance from the last v, step by step and in multiples of C, for a task whose v
# has no cost; the last one is that of all further steps. The optimum does not depend on them, but
# steps are longer, and their rounding errors larger, where they are small.
_PROXIMITY = (1e-2, 1e-3, 1e-4, 1e-5)
_MAX_PROXIMAL_STEPS = 100
# The change of <w, x> by a task without a cost below which the optimum counts as reached, where C is
# at most 1, and for each unit of C otherwise.
_STILL = 1e-9


@dataclass(frozen=True)
class Costs:
    """The costs of the objective: of labelled and unlabelled errors, and of leaving task 0."""

    C: float
    C_star: float = 1.0
    C1: float = 1.0
    C2: float = 1.0

    def is_free(self, task: Indices) -> Mask:
        """Whether the v of each instance has no cost, given the tasks of the instances."""
        return ((task == 1) & (self.C1 == 0.0)) | ((task == 2) & (self.C2 == 0.0))

    def with_proximity(self, cost: float) -> Costs:
        """The same costs, with `cost` in place of C1 and C2 where they are zero."""
        return replace(self, C1=self.C1 or cost, C2=self.C2 or cost)


@dataclass(frozen=True)
class Chunk:
    """Instances, by their features or by their inner products.

    Attributes
    ----------
    features
        One row per instance, for a linear kernel.
    gram
        The values of another kernel, instead.
    clusters
        For each cluster (column) the shares of the instances (rows) in its centre, if the inner
        products with the centres count as features.
    plain
        The chunk without those.

    """

    features: Array | None = None
    gram: Array | None = None
    clusters: Array | None = None
    plain: Chunk | None = None

    def with_clusters(self, clusters: Array) -> Chunk:
        """Append the inner products with the centres of clusters to each instance."""
        if self.features is not None:
            new = self.features @ (self.features.T @ clusters)
            return Chunk(np.hstack([self.features, new]), None, clusters, self)
        assert self.gram is not None
        new = self.gram @ clusters
        return Chunk(None, self.gram + new @ new.T, clusters, self)

    def over_instances(self, coefficients: Array) -> Array:
        """Coefficients of the same function, in terms of the plain chunk."""
        if self.plain is None or self.clusters is None:
            return coefficients
        return coefficients + self.clusters @ (self.clusters.T @ self.plain.product(coefficients))

    def product(self, coefficients: Array) -> Array:
        """Inner product of every instance with the sum of coefficient * instance."""
        if self.features is not None:
            return self.features @ (self.features.T @ coefficients)
        assert self.gram is not None
        return self.gram @ coefficients

    def as_tasks(self, chosen: Indices, task: Indices, costs: Costs) -> Geometry:
        """The chosen instances in the cheaper of the two forms of the solver."""
        task = task[chosen]
        strength = np.array([0.0, 1.0 / costs.C1, 1.0 / costs.C2])
        if self.features is not None:
            rows = self.features[chosen]
            tasks = [t for t in (1, 2) if (task == t).any()]
            if rows.shape[1] * (1 + len(tasks)) <= len(rows):
                blocks = [rows * np.sqrt(strength[t]) * (task == t)[:, None] for t in tasks]
                return Features(np.hstack([rows, *blocks]))
            gram = rows @ rows.T
        else:
            assert self.gram is not None
            gram = self.gram[np.ix_(chosen, chosen)]
        return Gram(gram * (1.0 + (task[:, None] == task) * strength[task]))


@dataclass(frozen=True)
class Machine:
    """A trained function, as coefficients of the instances of its chunk.

    Attributes
    ----------
    coefficients
        With `task` and `earlier`, see `coefficients_of`.
    intercept
        The b of f.
    pseudo_labels
        The signs assumed for the unlabelled instances, in their order; empty without those.
    solution
        The optimum behind it, over the instances that took part.
    earlier
        Coefficients of the v that the last step of a task without a cost started from.

    """

    coefficients: Array
    intercept: float
    pseudo_labels: Array
    solution: Solution
    task: Indices
    costs: Costs
    earlier: Array

    def coefficients_of(self, task: int) -> Array:
        """Coefficients c such that f(x) of a task is the sum of c_i <x_i, x>, plus b."""
        inside = self.task == task
        cost = (np.inf, self.costs.C1, self.costs.C2)[task]
        return self.coefficients * (0.5 + 0.5 * inside / cost) + inside * self.earlier


def machines(
    chunk: Chunk,
    sign: Array,
    task: Indices,
    costs: Costs,
    unlabelled: Indices | None = None,
    target: float | None = None,
) -> Iterator[Machine]:
    """Train on the labelled instances, then round by round on the unlabelled ones too.

    Parameters
    ----------
    chunk
        All instances.
    sign
        The label of each, -1 or +1; 0 if it has none.
    task
        The task of each, 1 or 2, or 0 for none.
    costs
        The costs of the objective.
    unlabelled
        The unlabelled instances to learn from.
    target
        The value to which the mean of f over them is constrained. None for the mean of the labels.

    """
    labelled = np.flatnonzero(sign)
    task = np.where(sign == 0, 0, task)
    target = float(sign[labelled].mean()) if target is None else target
    n, m = len(labelled), 0 if unlabelled is None else len(unlabelled)
    if not costs.C:
        constant = target if m else float(np.sign(sign.sum()))
        yield _constant(constant, n, m, task, costs)
        return

    hinges = Hinges(np.arange(n), sign[labelled], np.ones(n), np.full(n, costs.C))
    problem = _Problem(chunk, labelled, task, costs)
    machine = problem.solved(hinges)
    yield machine
    if unlabelled is None or not m:
        return

    scores = chunk.product(machine.coefficients_of(0))[unlabelled] + machine.intercept
    problem = _Problem(chunk, np.concatenate([labelled, unlabelled]), task, costs)
    balance = np.arange(n, n + m)
    before = None
    for _ in range(_MAX_ROUNDS):
        pseudo_labels = np.where(scores >= 0.0, 1.0, -1.0)
        if before is not None and (pseudo_labels == before).all():
            return
        before = pseudo_labels
        if costs.C_star:
            hinges = Hinges(
                np.concatenate([np.arange(n), balance, balance]),
                np.concatenate([sign[labelled], pseudo_labels, pseudo_labels]),
                np.concatenate([np.ones(n + m), -np.ones(m)]),
                np.concatenate([np.full(n, costs.C), np.full(2 * m, costs.C_star)]),
            )
        machine = problem.solved(hinges, balance, target, machine.earlier, pseudo_labels)
        yield machine
        if not costs.C_star:
            return
        scores = machine.solution.scores[n:]


@dataclass(frozen=True)
class _Problem:
    """The chosen instances of a chunk, whose tasks have costs, or none."""

    chunk: Chunk
    chosen: Indices
    task: Indices
    costs: Costs

    @functools.cached_property
    def free(self) -> Mask:
        """Which instances are of a task without a cost."""
        return self.costs.is_free(self.task)

    @functools.cached_property
    def with_any_cost(self) -> Costs:
        """The costs, where no instance is of a task without one, so that it may be any."""
        return self.costs.with_proximity(1.0)

    @functools.cached_property
    def instances(self) -> Geometry:
        return self.chunk.as_tasks(self.chosen, self.task, self.with_any_cost)

    def solved(
        self,
        hinges: Hinges,
        balance: Indices | None = None,
        target: float = 0.0,
        v: Array | None = None,
        pseudo_labels: Array | None = None,
    ) -> Machine:
        """Train, from some `v` of a task without a cost."""
        none = np.zeros(len(self.task))
        start = none if v is None else v
        labels = np.empty(0) if pseudo_labels is None else pseudo_labels

        def machine(costs: Costs, hinges: Hinges, instances: Geometry, v: Array) -> Machine:
            solution = solve(hinges, instances, balance, target)
            coefficients = none.copy()
            coefficients[self.chosen] = solution.coefficients
            return Machine(coefficients, solution.intercept, labels, solution, self.task, costs, v)

        if not self.free.any():
            return machine(self.with_any_cost, hinges, self.instances, start)
        for i in range(_MAX_PROXIMAL_STEPS):
            cost = _PROXIMITY[min(i, len(_PROXIMITY) - 1)] * self.costs.C
            costs = self.costs.with_proximity(cost)
            shift = self._of_own_task(start)[self.chosen[hinges.instance]]
            shifted = replace(hinges, margin=hinges.margin - hinges.sign * shift)
            instances = self.chunk.as_tasks(self.chosen, self.task, costs)
            found = machine(costs, shifted, instances, start)
            pull = np.where(self.free, found.coefficients, 0.0)
            if np.abs(self._of_own_task(pull)).max() <= _STILL * max(1.0, self.costs.C):
                break
            start = start + pull * (0.5 / cost)
        return found

    def _of_own_task(self, coefficients: Array) -> Array:
        """The values at the instances of a task of the sum of coefficient * instance over it."""
        products = np.zeros(len(coefficients))
        for t in (1, 2):
            own = self.task == t
            products[own] = self.chunk.product(coefficients * own)[own]
        return products


def _constant(value: float, n: int, m: int, task: Indices, costs: Costs) -> Machine:
    """The function that is the same everywhere."""
    loss = costs.C_star * m * max(0.0, 1.0 - abs(value))
    zeros = np.zeros(len(task))
    scores = np.full(n + m, value)
    solution = Solution(np.zeros(n + m), value, (value, value), scores, loss, 0.0, 0.0)
    pseudo_labels = np.full(m, 1.0 if value >= 0.0 else -1.0)
    priced = costs.with_proximity(1.0)
    return Machine(zeros, value, pseudo_labels, solution, task, priced, zeros)
