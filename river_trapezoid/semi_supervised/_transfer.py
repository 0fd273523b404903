"""Support vector machines over two tasks and unlabelled instances: one problem, five learners.

The instances of a chunk are of four types: labelled and unlabelled ones at its tail (I and III),
and before it (II and IV). The labelled ones belong to task 1 (type I) or 2 (type II), with
f(x) = <w + v_task, x> + b, or to task 0 if tasks are not told apart; unlabelled ones to task 0,
with f(x) = <w, x> + b. The objective is

    |w|² + C1 |v1|² + C2 |v2|² + C * sum of max(0, 1 - y f(x)) over the labelled instances
    + C_star * sum of max(0, 1 - |f(x)|) over the unlabelled ones

with the mean of f over the latter held at a target. It is that of one SVM with the inner products
<x, x'> (1 + [same task]/C_task). The last term is not convex: the concave-convex procedure
replaces it by max(0, 1 - y f(x)) + max(0, -1 - y f(x)), where the pseudo-label y is the sign of
the last f(x), until no pseudo-label changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ._geometry import Array, Features, Geometry, Gram, Indices
from ._hinge_svm import Hinges, Solution, solve

__all__ = ["Chunk", "Costs", "Machine", "machines"]

# Each round lowers the objective, so that no round is met twice but for rounding errors.
_MAX_ROUNDS = 100


@dataclass(frozen=True)
class Costs:
    """The prices of the objective: of labelled and unlabelled errors, and of leaving task 0."""

    C: float
    C_star: float = 1.0
    C1: float = 1.0
    C2: float = 1.0


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
        """Append to each instance its inner products with the centres of clusters."""
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
        """The chosen instances as the solver wants them, in the cheaper of its two forms."""
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
        With `task`, see `coefficients_of`.
    intercept
        The b of f.
    pseudo_labels
        The signs assumed for the unlabelled instances, in their order; empty without those.
    solution
        The optimum behind it, over the instances that took part.

    """

    coefficients: Array
    intercept: float
    pseudo_labels: Array
    solution: Solution
    task: Indices
    costs: Costs

    def coefficients_of(self, task: int) -> Array:
        """Coefficients c such that f(x) of a task is the sum of c_i <x_i, x>, plus b."""
        price = (np.inf, self.costs.C1, self.costs.C2)[task]
        return self.coefficients * (0.5 + 0.5 * (self.task == task) / price)


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
        The prices of the objective.
    unlabelled
        The unlabelled instances to learn from.
    target
        What to hold the mean of f over them at. None for the mean of the labels.

    """
    labelled = np.flatnonzero(sign)
    task = np.where(sign == 0, 0, task)
    n = len(labelled)
    hinges = Hinges(np.arange(n), sign[labelled], np.ones(n), np.full(n, costs.C))
    solution = solve(hinges, chunk.as_tasks(labelled, task, costs))
    coefficients = np.zeros(len(sign))
    coefficients[labelled] = solution.coefficients
    machine = Machine(coefficients, solution.intercept, np.empty(0), solution, task, costs)
    yield machine
    if unlabelled is None or not len(unlabelled):
        return

    scores = chunk.product(machine.coefficients_of(0))[unlabelled] + machine.intercept
    target = float(sign[labelled].mean()) if target is None else target
    chosen = np.concatenate([labelled, unlabelled])
    instances = chunk.as_tasks(chosen, task, costs)
    balance = np.arange(n, len(chosen))
    m = len(unlabelled)
    before = None
    for _ in range(_MAX_ROUNDS):
        pseudo_labels = np.where(scores >= 0.0, 1.0, -1.0)
        if before is not None and (pseudo_labels == before).all():
            return
        before = pseudo_labels
        hinges = Hinges(
            np.concatenate([np.arange(n), balance, balance]),
            np.concatenate([sign[labelled], pseudo_labels, pseudo_labels]),
            np.concatenate([np.ones(n + m), -np.ones(m)]),
            np.concatenate([np.full(n, costs.C), np.full(2 * m, costs.C_star)]),
        )
        solution = solve(hinges, instances, balance, target)
        coefficients = np.zeros(len(sign))
        coefficients[chosen] = solution.coefficients
        yield Machine(coefficients, solution.intercept, pseudo_labels, solution, task, costs)
        scores = solution.scores[n:]
