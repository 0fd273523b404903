"""The formats of the files, read one row at a time.

Columns without a name are called f1, f2, and so on, as LIBSVM counts them.
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

__all__ = ["arff_rows", "delimited_rows", "libsvm_row", "libsvm_rows", "load_mat", "numbered"]


def numbered(n: int) -> list[str]:
    """Names for `n` columns that have none.

    >>> numbered(3)
    ['f1', 'f2', 'f3']

    """
    return [sys.intern(f"f{i}") for i in range(1, n + 1)]


def delimited_rows(
    lines: Iterable[str],
    columns: Sequence[str],
    label: str,
    nominal: Collection[str] = (),
    ignored: Collection[str] = (),
    delimiter: str | None = ",",
) -> Iterator[tuple[dict[str, float], str]]:
    """Read rows of cells, with `?` for a missing one.

    A missing value has no key. A nominal value has the key `name=value`, and is 1.

    Parameters
    ----------
    lines
        The lines, without a header. Empty ones are passed over.
    columns
        Names of all columns.
    label
        Name of the column with the label.
    nominal
        Names of the columns that hold no numbers.
    ignored
        Names of the columns to leave out.
    delimiter
        What is between the cells; None for any white space.

    Examples
    --------

    >>> lines = ["1.5,red,yes", "?,blue,no"]
    >>> list(delimited_rows(lines, ["size", "colour", "y"], "y", nominal=["colour"]))
    [({'size': 1.5, 'colour=red': 1.0}, 'yes'), ({'colour=blue': 1.0}, 'no')]

    """
    columns = [sys.intern(name) for name in columns]
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if not line:
            continue
        cells = line.split(delimiter)
        if len(cells) != len(columns):
            raise ValueError(f"row {number} has {len(cells)} columns, not {len(columns)}")
        x: dict[str, float] = {}
        y = ""
        for name, cell in zip(columns, cells, strict=True):
            cell = cell.strip()
            if name == label:
                y = cell
            elif cell == "?" or name in ignored:
                continue
            elif name in nominal:
                x[sys.intern(f"{name}={cell}")] = 1.0
            else:
                x[name] = float(cell)
        yield x, y


def libsvm_rows(lines: Iterable[str]) -> Iterator[tuple[dict[str, float], int]]:
    """Read rows of a label and `index:value`; the values left out have no key.

    >>> list(libsvm_rows(["+1 1:0.5 7:2", "-1 2:1"]))
    [({'f1': 0.5, 'f7': 2.0}, 1), ({'f2': 1.0}, -1)]

    """
    for line in lines:
        cells = line.split()
        if cells:
            yield libsvm_row(cells[1:]), int(cells[0])


def libsvm_row(cells: Iterable[str]) -> dict[str, float]:
    """The values of a row, which are cells of `index:value`.

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
    columns = []
    for line in lines:
        words = line.split(maxsplit=2)
        keyword = words[0].lower() if words else ""
        if keyword == "@attribute":
            columns.append(words[1])
        elif keyword == "@data":
            break
    # Power Supply has a row with a comma after its last cell.
    yield from delimited_rows((line.strip().rstrip(",") for line in lines), columns, columns[-1])


def load_mat(path: pathlib.Path) -> dict[str, Any]:
    """Read the variables of a MATLAB file."""
    # It takes longer to import than all of this package.
    import scipy.io

    return scipy.io.loadmat(path)
