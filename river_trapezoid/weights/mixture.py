from __future__ import annotations

import math

from river_trapezoid._probability import logistic

__all__ = ["Mixture", "moderated"]

PRIOR_VARIANCE = 0.1
# What a head says is cut off here.
LARGEST_HEAD = 4.0
CONSTANT = 0.3
# An instance classified with certainty still counts as this much of an observation.
LEAST_CURVATURE = 1e-4
# By how much the variance of each share grows with every label.
GROWTH = 1e-4
# How much of the labels so far is remembered with each one, in the two memories.
MEMORIES = (0.8, 0.98)


def moderated(mean: float, variance: float) -> float:
    """The log-odds that give the mean of the logistic of a normal variable, closely."""
    return mean / math.sqrt(1.0 + math.pi / 8.0 * variance)


class Mixture:
    """Bayesian logistic regression on what a few heads say, with a full covariance matrix.

    Beside the moderated margins of the heads, its inputs are a constant and the log-odds of the
    labels in two short memories, for streams whose labels come in runs.

    Parameters
    ----------
    prior
        Prior mean of the share of each head.

    """

    __slots__ = ("memories", "prior", "shares", "variances")

    def __init__(self, prior: tuple[float, ...]):
        self.prior = prior
        self.shares = [*prior, 0.0, 0.0, 0.0]
        n = len(self.shares)
        self.variances = [[PRIOR_VARIANCE * (i == j) for j in range(n)] for i in range(n)]
        # Decayed counts of the negative and of the positive label, for each memory.
        self.memories = [0.0] * (2 * len(MEMORIES))

    def to_list(self) -> list[float]:
        """All that it knows, as numbers."""
        return [*self.memories, *self.shares, *(v for row in self.variances for v in row)]

    def fill(self, numbers: list[float]) -> None:
        """Take the place of the one that `to_list` was called of."""
        n, m = len(self.shares), len(self.memories)
        self.memories, self.shares = list(numbers[:m]), list(numbers[m : m + n])
        self.variances = [list(numbers[m + n + i * n : m + n + i * n + n]) for i in range(n)]

    def inputs(self, heads: list[float]) -> list[float]:
        """The inputs, given the moderated margins of the heads."""
        negative, positive = self.memories[::2], self.memories[1::2]
        return [
            *(max(-LARGEST_HEAD, min(LARGEST_HEAD, head)) for head in heads),
            CONSTANT,
            *(math.log((p + 1.0) / (n + 1.0)) for n, p in zip(negative, positive, strict=True)),
        ]

    def margin(self, inputs: list[float]) -> float:
        """Log-odds of the positive label."""
        _, variance = self._gain(inputs)
        return moderated(_dot(self.shares, inputs), variance)

    def learn(self, inputs: list[float], positive: bool, weight: float) -> None:
        """Move the shares of the heads, and remember the label."""
        gain, variance = self._gain(inputs)
        p = logistic(moderated(_dot(self.shares, inputs), variance))
        curvature = weight * max(p * (1.0 - p), LEAST_CURVATURE)
        shrinkage = curvature / (1.0 + curvature * variance)
        step = weight * (positive - p) / (1.0 + curvature * variance)
        for i, row in enumerate(self.variances):
            self.shares[i] += gain[i] * step
            shrunk = shrinkage * gain[i]
            for j, q in enumerate(gain):
                row[j] -= shrunk * q
            row[i] = min(row[i] + GROWTH, PRIOR_VARIANCE)
        for i, memory in enumerate(MEMORIES):
            for label in (0, 1):
                self.memories[2 * i + label] *= memory
            self.memories[2 * i + positive] += weight

    def _gain(self, inputs: list[float]) -> tuple[list[float], float]:
        """The covariance of each share with the margin, and the variance of the margin."""
        gain = [_dot(row, inputs) for row in self.variances]
        return gain, _dot(gain, inputs)


def _dot(a: list[float], b: list[float]) -> float:
    # Term by term, as `sum` rounds otherwise in newer versions of Python.
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += x * y
    return total
