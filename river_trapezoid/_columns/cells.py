from __future__ import annotations

from typing import Any

__all__ = ["MISSING", "as_label", "is_known", "is_plain"]

# How tables write that a value is not known.
MISSING = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"})
_PLAIN = frozenset({str, int, float, bool, type(None)})


def is_known(cell: Any) -> bool:
    """Whether a cell holds a value."""
    if type(cell) is str:
        return cell not in MISSING and cell.strip() not in MISSING
    return cell is not None and cell == cell


def is_plain(cell: Any) -> bool:
    """Whether a cell is a string, a number, a truth value or None, rather than an object."""
    return type(cell) in _PLAIN


def as_label(cell: Any) -> Any:
    """The label that a cell holds: a number if it is written as one, otherwise the cell itself."""
    if type(cell) is not str:
        return int(cell) if type(cell) is float and cell.is_integer() else cell
    text = cell.strip()
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number
