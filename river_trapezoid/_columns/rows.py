from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from math import nan
from typing import Any

from .cells import not_a_row
from .column import Column
from .reading import TRUTH_WORDS

__all__ = ["learn_row", "write_row"]


def learn_row(
    columns: dict[Hashable, Column],
    row: Mapping[Any, Any],
    number: int,
    new: Callable[[Hashable], Column],
) -> None:
    """Learn from the cells of a row.

    Most cells are numbers in Python's notation or known categories. They take a shortcut, with the
    same result as `Column.learn`.

    Parameters
    ----------
    columns
        The columns by name; new ones are added.
    row
        A row, as `plain_cells` returns it.
    number
        The number of the row.
    new
        A function that creates a column, given its name.

    """
    for name, cell in row.items():
        column = columns.get(name)
        if column is None:
            column = columns[name] = new(name)
        if column.plain:
            if type(cell) is str:
                if not cell:
                    column.n_missing += 1
                    continue
                try:
                    value = float(cell.strip(column.symbols) if column.symbols else cell)
                except ValueError:
                    value = nan
                if not column.sure and "." in cell and value - value == 0.0:
                    column.prove_point(cell)
            else:
                value = cell if type(cell) is float else nan
            if value - value == 0.0:
                column.n += 1
                if column.n >= column.next_decision:
                    column.decide()
                continue
        elif type(cell) is str and (
            column.learned_truth(cell) if column.kind == "truth" else column.learned_again(cell)
        ):
            continue
        column.learn(cell, number)


def write_row(
    columns: dict[Hashable, Column],
    row: Mapping[Any, Any],
    one_hot: bool,
    new: Callable[[Hashable], Column],
) -> dict[Hashable, Any]:
    """Return the features of a row.

    Most cells take a shortcut, with the same result as `Column.write`.

    Parameters
    ----------
    columns
        The columns by name.
    row
        A row.
    one_hot
        Whether a category becomes a feature with the value 1, rather than a string.
    new
        A function that creates a column, given its name.

    """
    x: dict[Hashable, Any] = {}
    try:
        cells = row.items()
    except (AttributeError, TypeError):
        raise not_a_row(row) from None
    for name, cell in cells:
        column = columns.get(name)
        if column is None:
            column = new(name)
        elif column.plain:
            if type(cell) is str:
                if not cell:
                    continue
                try:
                    value = float(cell.strip(column.symbols) if column.symbols else cell)
                except ValueError:
                    pass
                else:
                    if value - value == 0.0:
                        x[name] = value
                        continue
            elif type(cell) is float and cell - cell == 0.0:
                x[name] = cell
                continue
        elif column.kind == "category" and type(cell) is str and column.values is not None:
            feature = column.values.named.get(cell)
            if feature is not None:
                if one_hot:
                    x[feature] = 1.0
                else:
                    x[name] = cell
                continue
        elif column.kind == "truth" and type(cell) is str and cell in TRUTH_WORDS:
            x[name] = TRUTH_WORDS[cell]
            continue
        column.write(cell, x, one_hot)
    return x
