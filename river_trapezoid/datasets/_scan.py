from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any

from river_trapezoid._columns import StringSample, is_known, is_plain
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
        # The number of known cells of each column.
        self.columns: dict[str, int] = dict.fromkeys(table.columns or (), 0)
        self.odd_cells: dict[str, tuple[int, str]] = {}
        self._strings: dict[str, StringSample] = {}

    def run(self, advance: Callable[[int], object]) -> None:
        """Read the table.

        Parameters
        ----------
        advance
            What to call with the number of bytes read since the last call.

        """
        table, target = self.table, self.target
        skipped = {*self.ignore, *(self.text or ())}
        columns, strings = self.columns, self._strings
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
            for name, value in row.items():
                if name == target:
                    columns[name] = 1
                    continue
                if name in skipped:
                    columns[name] = columns.get(name, 0) + 1
                    continue
                sample = strings.get(name)
                if sample is None:
                    try:
                        number = float(value)
                    except OverflowError:
                        raise table.error(place, _infinite(name)) from None
                    except (TypeError, ValueError):
                        if not is_known(value):
                            columns.setdefault(name, 0)
                            continue
                        if type(value) is not str:
                            raise self._unusable(place, name, value) from None
                        if columns.get(name):
                            self.odd_cells[name] = (place, value)
                        sample = strings[name] = StringSample()
                    else:
                        if number != number:
                            columns.setdefault(name, 0)
                            continue
                        if math.isinf(number):
                            raise table.error(place, _infinite(name))
                        columns[name] = columns.get(name, 0) + 1
                        continue
                columns[name] = columns.get(name, 0) + 1
                if not sample.is_full and is_known(value):
                    sample.add(str(value))
                if not is_plain(value):
                    raise self._unusable(place, name, value)

    def _unusable(self, place: int, name: str, value: Any) -> FileError:
        return self.table.error(
            place,
            f"column {quoted(name)} must hold numbers, strings or truth values; got "
            f"{type(value).__name__} {quoted(value)}; to leave the column out, ignore it",
        )

    def kinds(self) -> dict[str, str]:
        """The kind of each column but the target."""
        kinds = {}
        for name in self.columns:
            if name == self.target:
                continue
            if name in self.ignore:
                kinds[name] = "ignored"
            elif name in (self.text or ()):
                kinds[name] = "text"
            elif name in self._strings:
                kind = self._strings[name].kind()
                # Where the columns of text are named, no others are detected.
                if kind == "text" and self.text is not None:
                    kind = "identifier"
                kinds[name] = kind
            else:
                kinds[name] = "number"
        return kinds

    def is_wordy(self, name: str) -> bool:
        """Whether a column of strings may be text."""
        return self._strings[name].is_wordy()

    def mostly_absent(self, names: Collection[str]) -> bool:
        """Whether most cells of some columns are absent."""
        known = sum(self.columns[name] for name in names)
        return known < len(names) * self.n_rows / 2


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
