from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable
from typing import Any

from river_trapezoid._columns import Column, is_known, is_plain, learn_row, plain_cells
from river_trapezoid._printable import quoted

from ._table import FileError, Table

__all__ = ["MOST_LABELS", "Scan", "too_many_labels"]

# The most labels; a column with more values does not hold labels.
MOST_LABELS = 1000
_ROWS_PER_UPDATE = 5000


class Scan:
    """The facts about a file from one reading."""

    def __init__(
        self,
        table: Table,
        target: str | None,
        text: Collection[str] | None,
        ignore: Collection[str],
    ):
        self.table = table
        self.target = target
        self.text = text
        self.ignore = ignore
        self.n_rows = 0
        self.n_unlabelled = 0
        self.n_runs = 0
        self.counts: dict[Any, int] = {}
        self.columns: dict[Hashable, Column] = {}
        for name in table.columns or ():
            self.columns[name] = self._column(name)
        self._left_out = {*ignore} if target is None else {target, *ignore}

    def _column(self, name: Hashable) -> Column:
        if name in self.ignore or name == self.target:
            return Column(name, "ignored")
        return Column(name, "text" if name in (self.text or ()) else None)

    def run(self, advance: Callable[[int], object]) -> None:
        """Read the table.

        Parameters
        ----------
        advance
            What to call with the number of bytes read since the last call.

        """
        table, target = self.table, self.target
        counts = self.counts
        done, former = 0, None
        for place, row in table:
            self.n_rows += 1
            if self.n_rows % _ROWS_PER_UPDATE == 0:
                advance(table.position - done)
                done = table.position
            if target is not None:
                label = row.get(target)
                if is_known(label):
                    if not is_plain(label):
                        raise self._unusable(place, target, label)
                    counts[label] = counts.get(label, 0) + 1
                    self.n_runs += label != former
                    former = label
                    if len(counts) > 2 * MOST_LABELS:
                        raise too_many_labels(
                            table.name, target, f"more than {MOST_LABELS:,} values"
                        )
                else:
                    self.n_unlabelled += 1
            for name in self._left_out:
                if name in row and name not in self.columns:
                    self.columns[name] = self._column(name)
            cells = {name: cell for name, cell in row.items() if name not in self._left_out}
            try:
                learn_row(self.columns, plain_cells(cells), place, self._column)
            except TypeError:
                name = next(name for name, cell in cells.items() if not _is_cell(cell))
                raise self._unusable(place, name, cells[name]) from None
        self._finish()

    def _finish(self) -> None:
        """Decide once more, from all cells; refuse infinite numbers."""
        for name, column in self.columns.items():
            if not column.n:
                continue
            column.decide()
            for place, cell in column.report().odd_cells:
                if column.kind == "number" and _is_infinite(cell):
                    raise self.table.error(place, _infinite(str(name)))

    def _unusable(self, place: int, name: str, value: Any) -> FileError:
        return self.table.error(
            place,
            f"column {name!r} must hold numbers, strings, booleans or dates; got "
            f"{type(value).__name__} {quoted(value)}; to leave the column out, ignore it",
        )

    def kinds(self) -> dict[str, str]:
        """The kind of each column but the target."""
        kinds = {}
        for name, column in self.columns.items():
            if name == self.target:
                continue
            # Where the columns of text are named, no others are detected.
            if column.kind == "text" and self.text is not None and name not in self.text:
                column.kind = "identifier"
            kinds[str(name)] = column.full_kind
        return kinds

    def is_wordy(self, name: str) -> bool:
        """Whether a column of strings may be text."""
        strings = self.columns[name].strings
        return strings is not None and strings.is_wordy()

    def mostly_absent(self, names: Collection[str]) -> bool:
        """Whether most cells of some columns are absent."""
        known = sum(self.columns[name].n for name in names)
        return known < len(names) * self.n_rows / 2


def _is_cell(cell: Any) -> bool:
    try:
        plain_cells({"": cell})
    except TypeError:
        return False
    return True


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False


def too_many_labels(name: str, target: str, found: str) -> FileError:
    """The error for a target with too many values.

    Parameters
    ----------
    name
        The name of the file.
    target
        The column.
    found
        The number of its values.

    """
    return FileError(
        f"{name}: column {target!r} has {found}, too many for labels; target must be the column "
        "with the class of each row"
    )


def _infinite(name: str) -> str:
    return (
        f"column {quoted(name)} is infinite or too large for a float; leave the cell empty if its value "
        "is not known"
    )
