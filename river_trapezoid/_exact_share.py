"""How to take a share of what comes at random, and yet keep to it."""

from __future__ import annotations

from river_trapezoid._parameters import share_of


def quota_probability(share: float, n: int, taken: int) -> float:
    """The probability of taking what comes next, so that a share of everything is taken.

    The number taken of n is always `share · n`, rounded up or down, if each is taken with this
    probability. It is rounded up with a probability equal to the fraction, so that all are equally
    likely to be taken.

    Parameters
    ----------
    share
        The share to take, between 0 and 1.
    n
        How many have come so far.
    taken
        How many of them were taken.

    Examples
    --------
    >>> [quota_probability(0.5, n=1, taken=taken) for taken in (0, 1)]
    [1.0, 0.0]

    """
    before, after = share_of(share, n), share_of(share, n + 1)
    fraction = max(share * n - before, 0.0)
    next_fraction = max(share * (n + 1) - after, 0.0)
    if taken < after and taken <= before:
        return 1.0
    if taken > after:
        return 0.0
    if after > before:
        return next_fraction / fraction if fraction else 0.0
    return (next_fraction - fraction) / (1.0 - fraction)
