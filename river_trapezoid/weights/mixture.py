# cython: language_level=3, infer_types=True, annotation_typing=False, binding=False, cdivision=True
# cython: boundscheck=False, wraparound=False
from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from river_trapezoid.weights import _nocython as cython
if not cython.compiled:
    from math import log

    from .link import logistic, moderated

__all__ = ["Mixture"]

PRIOR_VARIANCE = 0.1
# The margin of a head is cut off here.
LARGEST_HEAD = 4.0
CONSTANT = 0.3
# An instance classified with certainty still counts as this much of an observation.
LEAST_CURVATURE = 1e-4
# By how much the variance of each share grows with every label.
GROWTH = 1e-4
# The share of former labels that is remembered with each one, in the two memories.
MEMORY, LONGER_MEMORY = 0.8, 0.98


class Mixture:
    """Bayesian logistic regression on the margins of a few heads, with a full covariance matrix.

    Beside the moderated margins of the heads, its inputs are a constant and the log-odds of the
    labels in two short memories, for streams whose labels come in runs.
    """

    def start(self, prior: tuple[float, ...]) -> None:
        """Reset the mixture to its prior.

        Parameters
        ----------
        prior
            Prior mean of the share of each head.

        """
        self.n_heads = len(prior)
        self.n = n = self.n_heads + 3
        if not cython.compiled:
            self.memories, self.shares, self.gain = [0.0] * 4, [0.0] * n, [0.0] * n
            self.covariance = [[0.0] * n for _ in range(n)]
        for i in range(4):
            # Decayed counts of the negative and of the positive label, for each memory.
            self.memories[i] = 0.0
        for i in range(n):
            self.shares[i] = prior[i] if i < self.n_heads else 0.0
            for j in range(n):
                self.covariance[i][j] = PRIOR_VARIANCE if i == j else 0.0

    def to_list(self) -> list[float]:
        """All numbers of the mixture."""
        n = self.n
        return [
            *[self.memories[i] for i in range(4)],
            *[self.shares[i] for i in range(n)],
            *[self.covariance[i][j] for i in range(n) for j in range(n)],
        ]

    def fill(self, numbers: list[float]) -> int:
        """Restore the numbers that `to_list` returned."""
        n = self.n
        for i in range(4):
            self.memories[i] = numbers[i]
        for i in range(n):
            self.shares[i] = numbers[4 + i]
            for j in range(n):
                self.covariance[i][j] = numbers[4 + n + i * n + j]
        return 0

    def read(self, inputs: Any) -> None:
        """Complete the inputs, of which the first are the moderated margins of the heads."""
        for h in range(self.n_heads):
            inputs[h] = max(-LARGEST_HEAD, min(LARGEST_HEAD, inputs[h]))
        memories = self.memories
        inputs[self.n_heads] = CONSTANT
        inputs[self.n_heads + 1] = log((memories[1] + 1.0) / (memories[0] + 1.0))
        inputs[self.n_heads + 2] = log((memories[3] + 1.0) / (memories[2] + 1.0))

    def margin(self, inputs: Any) -> float:
        """Log-odds of the positive label."""
        variance = self.find_gain(inputs)
        return moderated(self.total(inputs), variance)

    def learn(self, inputs: Any, positive: bool, weight: float) -> None:
        """Move the shares of the heads, and remember the label."""
        memories, n = self.memories, self.n
        variance = self.find_gain(inputs)
        p = logistic(moderated(self.total(inputs), variance))
        curvature = weight * max(p * (1.0 - p), LEAST_CURVATURE)
        shrinkage = curvature / (1.0 + curvature * variance)
        step = weight * (positive - p) / (1.0 + curvature * variance)
        for i in range(n):
            self.shares[i] += self.gain[i] * step
            shrunk = shrinkage * self.gain[i]
            for j in range(n):
                self.covariance[i][j] -= shrunk * self.gain[j]
            self.covariance[i][i] = min(self.covariance[i][i] + GROWTH, PRIOR_VARIANCE)
        for i in range(4):
            memories[i] *= MEMORY if i < 2 else LONGER_MEMORY
        memories[positive] += weight
        memories[2 + positive] += weight

    def total(self, inputs: Any) -> float:
        """The sum of the inputs, each times its share."""
        total = 0.0
        for i in range(self.n):
            total += self.shares[i] * inputs[i]
        return total

    def find_gain(self, inputs: Any) -> float:
        """Find the covariance of each share with the margin; return the variance of the margin."""
        variance = 0.0
        for i in range(self.n):
            # Term by term, as `sum` rounds otherwise in newer versions of Python.
            covariance = 0.0
            for j in range(self.n):
                covariance += self.covariance[i][j] * inputs[j]
            self.gain[i] = covariance
        for i in range(self.n):
            variance += self.gain[i] * inputs[i]
        return variance
