"""A total order of feature names and labels, whatever their types."""

from __future__ import annotations

import decimal
import fractions
import numbers
from collections.abc import Hashable, Iterable, Set
from typing import Any

__all__ = ["check_keys", "in_order", "rank"]

# Keys of these types always have a rank.
_RANKED = {str, int, bool, bytes, type(None)}


def in_order(keys: Iterable[Hashable]) -> list[Any]:
    """Sort keys of any types: numbers, strings, bytes, None, tuples, then other kinds by name.

    >>> in_order(["b", 10, None, (2, "x"), 9.5, "a", (2, 1)])
    [9.5, 10, 'a', 'b', None, (2, 1), (2, 'x')]

    """
    keys = list(keys)
    return sorted(keys) if {str}.issuperset(map(type, keys)) else sorted(keys, key=rank)


def rank(key: Hashable) -> tuple[Any, ...]:
    """A tuple that sorts as the key does: first by kind, then within it.

    Numbers sort as numbers and tuples element by element. Keys of any other type sort by the name
    of their type, and naturally among themselves.

    Raises
    ------
    TypeError
        If keys of this kind have no total order.

    """
    if isinstance(key, str):
        # Subclasses may compare in ways of their own.
        return 1, str.__str__(key)
    if isinstance(key, bytes):
        return 2, key
    if key is None:
        return (3,)
    if isinstance(key, tuple):
        return 4, *map(rank, key)
    # What is not equal to itself (NaN, NaT) or ordered by inclusion (a frozenset) has no place.
    if key == key and not isinstance(key, Set):
        if isinstance(key, numbers.Real):
            return 0, key
        if isinstance(key, decimal.Decimal):
            return 0, fractions.Fraction(key) if key.is_finite() else float(key)
        try:
            key < key  # type: ignore[operator]  # noqa: B015
        except TypeError:
            pass
        else:
            return 5, type(key).__module__, type(key).__qualname__, key
    raise TypeError(
        f"feature {key!r} has no place in an order of all features; name features by strings, "
        "numbers, or tuples of them"
    )


def check_keys(keys: Iterable[Hashable]) -> None:
    """Raise a `TypeError` that names the first key without a rank, if there is one."""
    if not _RANKED.issuperset(map(type, keys)):
        for key in keys:
            rank(key)
