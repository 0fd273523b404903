"""Random selection of an exact share of a sequence."""

from __future__ import annotations

from river_trapezoid._parameters import share_of


def quota_probability(share: float, n: int, taken: int) -> float:
    """Return the probability of selecting the next item, so that an exact share is selected.

    If each item is selected with this probability, the number selected among the first n items is
    always `share · n`, rounded up or down. It is rounded up with a probability equal to the
    fraction, so that all items are equally likely to be selected.

    Parameters
    ----------
    share
        The share to select, between 0 and 1.
    n
        Number of items so far.
    taken
        Number of items selected so far.

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
