from __future__ import annotations

import datetime
import decimal
import math
import numbers
import reprlib
import sys
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

__all__ = [
    "CELLS",
    "MISSING",
    "TRUTH",
    "as_float",
    "as_label",
    "is_known",
    "is_plain",
    "not_a_row",
    "plain_cell",
    "plain_cells",
]

# How tables write that a value is not known.
MISSING = frozenset(
    {"", "?", "NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "NAN", "NaT", "null", "NULL"}
)
# How tables write booleans, in lower case.
TRUTH = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
# Below it, every integer is a float.
_EXACT = 2.0**53
_PLAIN = frozenset({str, int, float, bool, type(None)})
#: The types of cells that are read as they are.
CELLS = _PLAIN | {datetime.date, datetime.datetime}
# Error messages stay short whatever value they quote.
_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = 60


def is_known(cell: Any) -> bool:
    """Whether a cell has a value."""
    if type(cell) is str:
        return cell not in MISSING and cell.strip() not in MISSING
    return cell is not None and cell == cell


def is_plain(cell: Any) -> bool:
    """Whether a cell is a string, a number, a boolean or None, rather than an object."""
    return type(cell) in _PLAIN


def plain_cells(
    row: Mapping[Any, Any], given: Mapping[Any, str] | None = None
) -> Mapping[Any, Any]:
    """Return a row whose cells are strings, Python's numbers, dates and datetimes, or None.

    Parameters
    ----------
    row
        A mapping from column to cell. It is returned unchanged if all its cells have these types.
    given
        The kinds of some columns. Columns of the kind `"ignored"` may hold anything.

    Raises
    ------
    TypeError
        If a cell is of another type, or `row` is not a mapping.

    Examples
    --------
    >>> plain_cells({"age": np.float32(38.0), "plan": np.str_("premium")})
    {'age': 38.0, 'plan': 'premium'}

    >>> plain_cells({"tags": ["new", "red"]})
    Traceback (most recent call last):
    ...
    TypeError: column 'tags' must hold numbers, strings, booleans, dates or None; got ['new', 'red'] of type list

    """
    try:
        types = set(map(type, row.values()))
    except (AttributeError, TypeError):
        raise not_a_row(row) from None
    if types <= CELLS:
        return row
    return {
        name: plain_cell(name, cell)
        for name, cell in row.items()
        if given is None or given.get(name) != "ignored"
    }


def not_a_row(thing: Any) -> TypeError:
    """Return the error for a value that is not a row."""
    return TypeError(
        f"x must be a mapping from columns to cells; got an object of type {type(thing).__name__}"
    )


def plain_cell(name: Hashable, cell: Any) -> Any:
    """Return a cell of a column as one of `CELLS`, or raise a `TypeError` that names the column."""
    if type(cell) in CELLS:
        return cell
    if isinstance(cell, str):
        return str(cell)
    pandas = sys.modules.get("pandas")
    if pandas is not None and (cell is pandas.NA or cell is pandas.NaT):
        return None
    if isinstance(cell, np.datetime64):
        # In microseconds, which Python has; further than its years it stays a number.
        cell = cell.astype("datetime64[us]").item()
        if cell is None:
            return None
    if isinstance(cell, datetime.datetime):
        return datetime.datetime.combine(cell.date(), cell.time())
    if isinstance(cell, datetime.date):
        return datetime.date(cell.year, cell.month, cell.day)
    if isinstance(cell, bool | np.bool_):
        return bool(cell)
    if isinstance(cell, numbers.Real | decimal.Decimal) and not isinstance(cell, np.timedelta64):
        try:
            return as_float(cell)
        except ValueError:
            # A signalling NaN is there to raise.
            return None
    raise TypeError(
        f"column {name!r} must hold numbers, strings, booleans, dates or None; got "
        f"{_REPR.repr(cell)} of type {type(cell).__name__}"
    )


def as_float(number: Any) -> float:
    """A number as a float, infinite if it is too large for one."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def as_label(cell: Any) -> Any:
    """The label in a cell: a number if the cell has one, otherwise the cell.

    Boolean words are in lower case. Numbers that a float cannot distinguish remain strings.

    >>> as_label("No "), as_label("Maybe "), as_label("1.0")
    ('no', 'Maybe', 1)

    """
    if type(cell) is not str:
        return int(cell) if type(cell) is float and cell.is_integer() else cell
    text = cell.strip()
    try:
        number = float(text)
    except ValueError:
        truth = text.lower()
        return truth if truth in TRUTH else text
    if not abs(number) < _EXACT:
        return text
    return int(number) if number.is_integer() else number
