from __future__ import annotations

import pathlib
import sys
import time
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from river_trapezoid._columns import plain_cells
from river_trapezoid._progress import bar
from river_trapezoid.datasets.tables import FORMATS, FileError, Table, open_table
from river_trapezoid.persist import TableModel

from .compare_options import Encoding, Format, NoHeader
from .data import file_on_disk
from .failure import Failure
from .kept import digest, opened, saved
from .options import names
from .predict import Model
from .terminal import say

__all__ = ["update"]

# The number of seconds between two saves.
_SECONDS = 10.0

Rows = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="The rows, in a format that compare reads; - for the standard input."
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="The column of the label; by default the one of the first file."
    ),
]
Again = Annotated[
    bool,
    typer.Option("--again", help="Learn from a file again that the model has finished last."),
]


def update(
    model: Model,
    file: Rows,
    target: Target = None,
    again: Again = False,
    format: Format = None,
    no_header: NoHeader = False,
    encoding: Encoding = "utf-8",
) -> None:
    """Let a saved model learn from more rows; after a kill, the same command resumes.

    The whole FILE is checked before anything is learned. A row without a label is skipped.
    """
    kept = opened(model)
    if format is not None:
        (format,) = names("--format", [format], FORMATS)
    with file_on_disk(file) as (path, name):
        try:
            table = open_table(path, name, format, encoding, not no_header)
            rows = _Labelled(table, kept, target)
            n_rows = rows.check()
            source = digest(path)
            n_done = _done(kept, source, again, name)
            if n_done is None:
                return
            _learn(kept, model, rows, source, n_done, n_rows)
        except FileError as error:
            raise Failure(str(error), 1) from None
        except OSError as error:
            raise Failure(f"{name}: cannot be read ({error.strerror or error})", 1) from None
        except (ImportError, ValueError) as error:
            raise Failure(str(error), 2) from None
    say(f"model: {model} ({kept.name}, trained on {kept.n_rows:,} rows)")


class _Labelled:
    """The rows of a table that have a label, with the label in the column that the model knows.

    Parameters
    ----------
    table
        The table.
    kept
        The model.
    target
        The column of the label in the table; None for the one that the model knows.

    """

    def __init__(self, table: Table, kept: TableModel, target: str | None):
        self._table = table
        self._kept = kept
        self._target = kept.target if target is None else target

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for _, row in self._rows():
            yield row

    def _rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for place, row in self._table:
            if self._target != self._kept.target:
                row = {name: cell for name, cell in row.items() if name != self._kept.target}
                row[self._kept.target] = row.pop(self._target, None)
            try:
                label = self._kept.label_of(row)
            except ValueError as error:
                raise self._table.error(place, str(error)) from None
            if label is not None:
                yield place, row

    def check(self) -> int:
        """Return the number of rows; raise an error about the first one that cannot be learned."""
        left_out = {name: report.kind for name, report in self._kept.encoder.columns.items()}
        n = 0
        for place, row in self._rows():
            try:
                plain_cells(row, left_out)
            except TypeError as error:
                raise self._table.error(place, str(error)) from None
            n += 1
        if not n:
            raise FileError(
                f"{self._table.name}: no row has a label in column {self._target!r}; name the "
                "column with --target"
            )
        return n


def _done(kept: TableModel, source: str, again: bool, name: str) -> int | None:
    """The number of rows of a file that the model has learned from; None if nothing is left."""
    if kept.source != source:
        if kept.n_source_rows is not None:
            say(
                f"note: the update with another file ended after {kept.n_source_rows:,} rows, and "
                "is not resumed",
                error=True,
            )
        return 0
    if kept.n_source_rows is not None:
        say(f"resuming after {kept.n_source_rows:,} rows", error=True)
        return kept.n_source_rows
    if again:
        return 0
    say(
        f"note: the model has learned from all rows of {name} already; --again learns from them "
        "once more",
        error=True,
    )
    return None


def _learn(
    kept: TableModel,
    path: pathlib.Path,
    rows: _Labelled,
    source: str,
    n_done: int,
    n_rows: int,
) -> None:
    """Learn from the rows after the first ones, and save between them and at the end."""
    kept.source, kept.n_source_rows = source, n_done
    saved_at, n_saved = time.monotonic(), n_done
    show = sys.stderr.isatty()
    try:
        with bar(n_rows, show, desc="Learning", unit=" rows", leave=False) as advance:
            for number, row in enumerate(rows, 1):
                advance(1)
                if number <= n_done:
                    continue
                kept.learn_row(row)
                kept.n_source_rows = number
                if time.monotonic() - saved_at >= _SECONDS:
                    saved(kept, path)
                    saved_at, n_saved = time.monotonic(), number
            kept.n_source_rows = None
            saved(kept, path)
    except KeyboardInterrupt:
        say(
            f"interrupted; {path} has learned from {n_saved:,} of {n_rows:,} rows; run the same "
            "command again to resume",
            error=True,
        )
        raise typer.Exit(130) from None
