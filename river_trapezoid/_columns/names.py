from __future__ import annotations

from collections.abc import Collection

__all__ = ["listed"]


def listed(names: Collection[str], most: int = 8) -> str:
    """The first names, and the number of the others.

    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'

    """
    shown = ", ".join(map(str, list(names)[:most]))
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown
