from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._geometry import Array

__all__ = ["Kernel"]


@dataclass(frozen=True)
class Kernel:
    """A kernel other than the linear one: `rbf` or `poly`.

    >>> Kernel("poly", gamma=1.0, degree=2, coef0=1.0)(np.array([[2.0]]), np.array([[3.0]])).item()
    49.0

    """

    _TAG: ClassVar[str] = "river_trapezoid.semi_supervised.Kernel"

    name: str
    gamma: float
    degree: int
    coef0: float

    def __call__(self, left: Array, right: Array) -> Array:
        """Return the kernel of each pair of rows."""
        products = left @ right.T
        if self.name == "poly":
            return (self.gamma * products + self.coef0) ** self.degree
        squares = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1) - 2.0 * products
        return np.exp(-self.gamma * np.maximum(squares, 0.0))
