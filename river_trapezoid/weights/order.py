"""An order of keys that do not always compare."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

__all__ = ["Orderable", "in_order"]


def in_order(keys: Iterable[Hashable]) -> list[Hashable]:
    """Sort keys of any types: naturally where they compare, by `repr` where they do not.

    >>> in_order(["b", 10, 9, "a"])
    ['a', 'b', 9, 10]

    """
    keys = list(keys)
    try:
        return sorted(keys)  # type: ignore[type-var]
    except TypeError:
        return sorted(keys, key=Orderable)


class Orderable:
    """A key that compares with every other: naturally where that is possible, else by `repr`."""

    __slots__ = ("key",)

    def __init__(self, key: Hashable):
        self.key = key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Orderable) and self.key == other.key

    def __lt__(self, other: Orderable) -> bool:
        a: Any = self.key
        b: Any = other.key
        try:
            if a < b:
                return True
            if b < a:
                return False
        except TypeError:
            pass
        return repr(a) < repr(b)
