"""The sums of `compiled/_exact_sum.pxd`, interpreted: a sum is taken from the terms in the end."""

from __future__ import annotations

from river_trapezoid.weights.exact_sum import exact_sum

__all__ = ["nearest", "nothing", "plus"]


def nothing() -> float:
    return 0.0


def plus(total: float, term: float) -> float:
    return total


def nearest(total: float, terms: list[float], n: int) -> float:
    return exact_sum(terms[:n])
