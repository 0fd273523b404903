"""Readers of the formats of the files, one row at a time.

Columns without a name are called f1, f2, and so on, numbered as in LIBSVM.
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

__all__ = [
    "Encoding",
    "arff_columns",
    "arff_rows",
    "delimited_rows",
    "libsvm_row",
    "libsvm_rows",
    "load_mat",
    "numbered",
    "one_hot",
    "ordinal",
]

# For each cell of a nominal column, the feature and its value.
Encoding = Mapping[str, tuple[str, float]]


def numbered(n: int) -> list[str]:
    """The names of `n` columns without names.

    >>> numbered(3)
    ['f1', 'f2', 'f3']

    """
    return [sys.intern(f"f{i}") for i in range(1, n + 1)]


def one_hot(column: str, values: Iterable[str]) -> Encoding:
    """Encode each value of a nominal column as a feature with the value 1.

    >>> one_hot("colour", ["blue", "red"])
    {'blue': ('colour=blue', 1.0), 'red': ('colour=red', 1.0)}

    """
    return {value: (sys.intern(f"{column}={value}"), 1.0) for value in values}


def ordinal(column: str, values: Iterable[str]) -> Encoding:
    """Encode the values of a nominal column as one feature with the values 0, 1, 2, and so on.

    >>> ordinal("colour", ["blue", "red"])
    {'blue': ('colour', 0.0), 'red': ('colour', 1.0)}

    """
    column = sys.intern(column)
    return {value: (column, float(code)) for code, value in enumerate(values)}


def delimited_rows(
    lines: Iterable[str],
    columns: Sequence[str],
    label: str,
    nominal: Mapping[str, Encoding] = MappingProxyType({}),
    ignored: Collection[str] = (),
    delimiter: str | None = ",",
) -> Iterator[tuple[dict[str, float], str]]:
    """Read rows of cells, in which `?` is a missing value, which has no key.

    Parameters
    ----------
    lines
        The lines, without a header. Empty lines are skipped.
    columns
        Names of all columns.
    label
        Name of the column with the label.
    nominal
        The encodings of the columns that are not numbers.
    ignored
        Names of the columns to leave out.
    delimiter
        The delimiter of the cells; None for white space.

    Examples
    --------

    >>> lines = ["1.5,red,yes", "?,blue,no"]
    >>> nominal = {"colour": one_hot("colour", ["blue", "red"])}
    >>> list(delimited_rows(lines, ["size", "colour", "y"], "y", nominal))
    [({'size': 1.5, 'colour=red': 1.0}, 'yes'), ({'colour=blue': 1.0}, 'no')]

    """
    columns = [sys.intern(name) for name in columns]
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if not line:
            continue
        cells = line.split(delimiter)
        if len(cells) != len(columns):
            raise ValueError(f"row {number} has {len(cells)} columns rather than {len(columns)}")
        x: dict[str, float] = {}
        y = ""
        for name, cell in zip(columns, cells, strict=True):
            cell = cell.strip()
            if name == label:
                y = cell
            elif cell == "?" or name in ignored:
                continue
            elif name in nominal:
                if cell not in nominal[name]:
                    raise ValueError(
                        f"column {name!r} must be one of {', '.join(map(repr, nominal[name]))}; got "
                        f"{cell!r} in row {number}"
                    )
                key, value = nominal[name][cell]
                x[key] = value
            else:
                x[name] = float(cell)
        yield x, y


def libsvm_rows(lines: Iterable[str]) -> Iterator[tuple[dict[str, float], int]]:
    """Read rows of a label and `index:value`; values that are left out have no key.

    >>> list(libsvm_rows(["+1 1:0.5 7:2", "-1 2:1"]))
    [({'f1': 0.5, 'f7': 2.0}, 1), ({'f2': 1.0}, -1)]

    """
    for line in lines:
        cells = line.split()
        if cells:
            yield libsvm_row(cells[1:]), int(cells[0])


def libsvm_row(cells: Iterable[str]) -> dict[str, float]:
    """The features of a row from its cells `index:value`.

    >>> libsvm_row(["1:0.5", "7:2"])
    {'f1': 0.5, 'f7': 2.0}

    """
    pairs = [cell.partition(":") for cell in cells]
    return {sys.intern(f"f{index}"): float(value) for index, _, value in pairs}


def arff_rows(lines: Iterable[str]) -> Iterator[tuple[dict[str, float], str]]:
    """Read the rows of an ARFF file of numbers, with the label in its last column.

    >>> lines = ["@relation r", "@attribute a numeric", "@attribute class {0,1}", "@data", "2.5,1"]
    >>> list(arff_rows(lines))
    [({'a': 2.5}, '1')]

    """
    lines = iter(lines)
    columns = arff_columns(lines)
    # Power Supply has a row that ends in a comma.
    yield from delimited_rows((line.strip().rstrip(",") for line in lines), columns, columns[-1])


def arff_columns(lines: Iterator[str]) -> list[str]:
    """Read the header of an ARFF file and return the names of its columns, including the label.

    >>> lines = iter(["@relation r", "@attribute a numeric", "@attribute class {0,1}", "@data", "2,1"])
    >>> arff_columns(lines), next(lines)
    (['a', 'class'], '2,1')

    """
    columns = []
    for line in lines:
        words = line.split(maxsplit=2)
        keyword = words[0].lower() if words else ""
        if keyword == "@attribute":
            columns.append(words[1])
        elif keyword == "@data":
            break
    return columns


def load_mat(path: pathlib.Path) -> dict[str, Any]:
    """Read the variables of a MATLAB file."""
    # Its import takes longer than that of this package.
    import scipy.io

    return scipy.io.loadmat(path)
