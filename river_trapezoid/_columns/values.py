from __future__ import annotations

import math
from typing import Any

from .cells import as_float

__all__ = ["OTHER", "Values", "as_value"]

#: The value that the rare ones share.
OTHER = "(other)"
# A value is cut to this length, so that a long string costs no more than a short one.
_LONGEST = 100
# Floats are the same as integers up to this one.
_LARGEST = 2**53


def as_value(cell: Any) -> str:
    """The category of a cell; 1, 1.0 and "1 " are all `"1"`."""
    if type(cell) is str:
        text = cell.strip()
        return text if len(text) <= _LONGEST else _shortened(text)
    if type(cell) is float and cell.is_integer():
        return str(int(cell)) if abs(cell) < _LARGEST else str(cell)
    if type(cell) is int and abs(cell) >= _LARGEST:
        # As the string of a float, since integers can have thousands of digits.
        return str(as_float(cell))
    return str(cell)


def _shortened(text: str) -> str:
    """The first characters of a long string; of a number too large for a float, `inf` or `-inf`."""
    try:
        number = float(text)
    except ValueError:
        return text[:_LONGEST]
    return str(number) if math.isinf(number) else text[:_LONGEST]


class Values:
    """The values of a column of categories, of which the most frequent ones have a name.

    Values are named in the order of their arrival. Once there are more than `most`, `rank` names
    the most frequent ones. It is called again after each `most` further values: it forgets the
    others and halves the counts, so that values that no longer occur make room.

    Parameters
    ----------
    prefix
        The beginning of each name; the value follows.
    most
        The number of values that are named; the same number of further values is counted.

    """

    _TAG = "river_trapezoid.columns.Values"

    def __init__(self, prefix: str, most: int):
        self.prefix = prefix
        self.most = most
        self.counts: dict[str, int] = {}
        self.named: dict[str, str] = {}

    def _check_state(self) -> None:
        """Raise a `ValueError` unless the attributes, which come from a file, fit together."""
        counts = self.counts.items()
        if any(type(value) is not str or type(count) is not int for value, count in counts):
            raise ValueError("counts must be a dict from strings to integers")
        if len(self.counts) > 2 * self.most or len(self.named) > self.most:
            raise ValueError(f"at most {self.most} values may have a name; got {len(self.named)}")
        if any(name != self.prefix + value for value, name in self.named.items()):
            raise ValueError("the name of a value must be its prefix and the value")

    def add(self, value: str) -> None:
        """Count a value.

        Parameters
        ----------
        value
            A value, as `as_value` returns it.

        """
        counts = self.counts
        if value in counts:
            counts[value] += 1
            return
        counts[value] = 1
        if len(counts) <= self.most:
            self.named[value] = self.prefix + value
        elif len(counts) > 2 * self.most:
            self.rank()
            self.counts = {value: counts[value] // 2 for value in self.named}

    def has_name(self, value: str) -> bool:
        """Whether a value has a name, or would have one if it came next."""
        return value in self.named or (len(self.counts) < self.most and value not in self.counts)

    def rank(self) -> None:
        """Name the most frequent values, if there are more than can have a name."""
        counts = self.counts
        if len(counts) > self.most:
            ranked = sorted(counts, key=lambda value: (-counts[value], value))
            self.named = {value: self.prefix + value for value in ranked[: self.most]}
