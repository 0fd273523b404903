"""Instances in the two forms that the solver takes: by features, or by inner products."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

__all__ = ["Array", "Features", "Geometry", "Gram", "Indices", "Mask", "NewtonStep"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]

_EPSILON = float(np.finfo(float).eps)
_MAX_JITTERS = 10


class NewtonStep(Protocol):
    def __call__(self, push: Array, excess: float) -> tuple[Array, float]:
        """Return the change of f at each instance, and that of b.

        Where f changes by df, the coefficient of an instance changes by `push - weight * df`. With
        a free intercept, those changes sum to `-excess`.
        """


class Geometry(Protocol):
    """The instances, with the operations that the solver needs."""

    def __len__(self) -> int:
        """Number of instances."""

    def chosen(self, instances: Indices) -> Geometry:
        """Some of the instances."""

    def mean_square(self) -> float:
        """Mean squared length of the instances."""

    def scaled(self, scale: float) -> Geometry:
        """The instances with all inner products divided by `scale`."""

    def centred(self, instances: Indices) -> Geometry:
        """The instances with the mean of some of them as origin."""

    def product(self, coefficients: Array) -> Array:
        """Half the inner product of every instance with the sum of coefficient * instance."""

    def gram_of(self, instances: Indices) -> Array:
        """Inner products between some instances."""

    def newton(self, weight: Array, free_intercept: bool) -> NewtonStep:
        """Factorise a Newton system."""


class Features:
    def __init__(self, features: Array):
        self.features = features

    def __len__(self) -> int:
        return len(self.features)

    def chosen(self, instances: Indices) -> Features:
        return Features(self.features[instances])

    def mean_square(self) -> float:
        return float(np.vdot(self.features, self.features)) / len(self.features)

    def scaled(self, scale: float) -> Features:
        return Features(self.features / np.sqrt(scale))

    def centred(self, instances: Indices) -> Features:
        return Features(self.features - self.features[instances].mean(axis=0))

    def product(self, coefficients: Array) -> Array:
        return self.features @ (self.features.T @ coefficients) * 0.5

    def gram_of(self, instances: Indices) -> Array:
        rows = self.features[instances]
        return rows @ rows.T

    def newton(self, weight: Array, free_intercept: bool) -> NewtonStep:
        Z = self.features
        weighted = Z.T * weight
        normal = weighted @ Z
        normal.flat[:: Z.shape[1] + 1] += 2.0
        factor = _cholesky(normal)
        pull = weighted.sum(axis=1)
        response = _solved(factor, pull)
        total = float(weight.sum())
        stiffness = max(total - float(pull @ response), _EPSILON * total)

        def step(push: Array, excess: float) -> tuple[Array, float]:
            theta = _solved(factor, Z.T @ push)
            if not free_intercept:
                return Z @ theta, 0.0
            b = float(push.sum() + excess - pull @ theta) / stiffness
            return Z @ (theta - b * response) + b, b

        return step


class Gram:
    def __init__(self, gram: Array):
        self.gram = gram

    def __len__(self) -> int:
        return len(self.gram)

    def chosen(self, instances: Indices) -> Gram:
        return Gram(self.gram_of(instances))

    def mean_square(self) -> float:
        return float(self.gram.trace()) / len(self.gram)

    def scaled(self, scale: float) -> Gram:
        return Gram(self.gram / scale)

    def centred(self, instances: Indices) -> Gram:
        mean = self.gram[instances].mean(axis=0)
        return Gram(self.gram - mean - mean[:, None] + mean[instances].mean())

    def product(self, coefficients: Array) -> Array:
        return self.gram @ coefficients * 0.5

    def gram_of(self, instances: Indices) -> Array:
        return self.gram[np.ix_(instances, instances)]

    def newton(self, weight: Array, free_intercept: bool) -> NewtonStep:
        root = np.sqrt(weight)
        system = self.gram * (0.5 * root) * root[:, None]
        system.flat[:: len(root) + 1] += 1.0
        factor = _cholesky(system)
        response = root * _solved(factor, root)
        stiffness = float(response.sum())

        def step(push: Array, excess: float) -> tuple[Array, float]:
            change = root * _solved(factor, push / root)
            b = 0.0
            if free_intercept:
                b = float(change.sum() + excess) / stiffness
                change -= b * response
            # Not by the product with the change, whose rounding a large weight would blow up.
            return (push - change) / weight, b

        return step


def _cholesky(matrix: Array) -> Array:
    """Factorise a positive definite matrix robustly against rounding errors."""
    jitter = _EPSILON * float(matrix.diagonal().max())
    for _ in range(_MAX_JITTERS):
        factor, info = scipy.linalg.lapack.dpotrf(matrix, lower=True, clean=False)
        if info == 0:
            return factor
        matrix.flat[:: len(matrix) + 1] += jitter
        jitter *= 10.0
    raise np.linalg.LinAlgError("the matrix is not positive definite")


def _solved(factor: Array, right: Array) -> Array:
    return scipy.linalg.lapack.dpotrs(factor, right, lower=True)[0]
