"""A total order of feature names and labels, whatever their types."""

from __future__ import annotations

import datetime
import decimal
import fractions
import numbers
from collections.abc import Hashable, Iterable, Set
from typing import Any

import numpy as np

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
    of their type, then by their own order.

    Raises
    ------
    TypeError
        If keys of this kind have no total order.

    """
    try:
        return _rank(key)
    except _Unranked:
        raise TypeError(
            f"feature {key!r} must be a string, a number, or a tuple of these, so that features can "
            "be sorted"
        ) from None


class _Unranked(Exception):
    pass


def _rank(key: Any) -> tuple[Any, ...]:
    if isinstance(key, str):
        # Subclasses may compare in ways of their own.
        return 1, str.__str__(key)
    if isinstance(key, bytes):
        return 2, key
    if key is None:
        return (3,)
    if isinstance(key, tuple):
        return 4, *map(_rank, key)
    # What is not equal to itself (NaN, NaT) or ordered by inclusion (a frozenset) has no place.
    if key != key or isinstance(key, Set):
        raise _Unranked
    if isinstance(key, np.generic):
        if isinstance(key, np.timedelta64) or not isinstance(key, np.bool_ | np.number):
            raise _Unranked
        # As a number of Python, which compares with others without rounding.
        key = key.item()
    if isinstance(key, np.longdouble | decimal.Decimal):
        try:
            return 0, fractions.Fraction(*key.as_integer_ratio())
        except OverflowError:
            return 0, float(key)
    if isinstance(key, numbers.Real):
        return 0, key
    # Dates and times compare with their own kind only, and with a time zone not even with that.
    if isinstance(key, datetime.datetime) and (
        type(key) is not datetime.datetime or key.tzinfo is not None
    ):
        raise _Unranked
    try:
        key < key  # noqa: B015
    except TypeError:
        raise _Unranked from None
    return 5, type(key).__module__, type(key).__qualname__, key


def check_keys(keys: Iterable[Hashable]) -> None:
    """Raise a `TypeError` that names the first key without a rank, if there is one."""
    if not _RANKED.issuperset(map(type, keys)):
        for key in keys:
            rank(key)
