from __future__ import annotations

from typing import Any

__all__ = ["MISSING", "as_label", "is_known", "is_plain"]

# The ways in which tables write that a value is unknown.
MISSING = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"})
# Every smaller integer is a float.
_EXACT = 2.0**53
_PLAIN = frozenset({str, int, float, bool, type(None)})


def is_known(cell: Any) -> bool:
    """Whether a cell has a value."""
    if type(cell) is str:
        return cell not in MISSING and cell.strip() not in MISSING
    return cell is not None and cell == cell


def is_plain(cell: Any) -> bool:
    """Whether a cell is a string, a number, a truth value or None, rather than an object."""
    return type(cell) in _PLAIN


def as_label(cell: Any) -> Any:
    """The label in a cell: a number if the cell has one, otherwise the cell.

    Numbers that a float cannot tell apart remain strings.
    """
    if type(cell) is not str:
        return int(cell) if type(cell) is float and cell.is_integer() else cell
    text = cell.strip()
    try:
        number = float(text)
    except ValueError:
        return text
    if not abs(number) < _EXACT:
        return text
    return int(number) if number.is_integer() else number
