from __future__ import annotations

import contextlib
import csv
import json
import os
import pathlib
import sys
from collections.abc import Iterator
from typing import IO, Annotated, Any

import typer

from river_trapezoid._columns import listed
from river_trapezoid._files import replacing
from river_trapezoid._printable import printable
from river_trapezoid.datasets.piped import piped_table
from river_trapezoid.datasets.tables import FORMATS, FileError, JSONLinesTable, Table, open_table
from river_trapezoid.persist import TableModel

from .compare_options import Encoding, Format, NoHeader
from .failure import Failure
from .kept import opened
from .options import names, writable
from .terminal import say

__all__ = ["Model", "predict"]

_JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")

Model = Annotated[
    pathlib.Path, typer.Argument(metavar="MODEL", help="A file that compare --save has written.")
]
Rows = Annotated[
    str,
    typer.Argument(
        metavar="[FILE]",
        help="The rows, in a format that compare reads; by default the standard input, as CSV or "
        "JSON lines, of which each row is answered before the next one is read.",
    ),
]
Out = Annotated[
    pathlib.Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        callback=writable,
        help="The file to write; by default the standard output.",
    ),
]
JSON = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Write JSON lines; by default only where OUT is called .jsonl, or where the rows are "
        "JSON lines and there is no OUT.",
    ),
]


def predict(
    model: Model,
    file: Rows = "-",
    output: Out = None,
    json: JSON = False,
    format: Format = None,
    no_header: NoHeader = False,
    encoding: Encoding = "utf-8",
) -> None:
    """Predict the label of each row of a table, with its probability.

    A line of output belongs to each row. It has the label, its probability and, with two labels,
    the probability of the positive one; as JSON, the probabilities of all labels. A column of the
    label is ignored.
    """
    kept = opened(model)
    table = _table(file, format, encoding, not no_header)
    if output is not None:
        as_json = json or output.suffix.lower() in _JSON_SUFFIXES
        with replacing(output) as scratch, scratch.open("w", encoding="utf-8", newline="") as out:
            unseen = _write(kept, table, out, as_json, at_once=False)
        say(f"predictions: {output}", error=True)
    else:
        as_json = json or isinstance(table, JSONLinesTable)
        with _open_output():
            unseen = _write(kept, table, sys.stdout, as_json, at_once=file == "-")
    if unseen:
        say(
            "note: the model has not learned from these columns, and may learn from them in an "
            f"update: {listed(unseen)}",
            error=True,
        )


def _table(file: str, format: str | None, encoding: str, header: bool) -> Table:
    if format is not None:
        (format,) = names("--format", [format], FORMATS)
    try:
        if file != "-":
            path = pathlib.Path(file)
            return open_table(path, path.name, format, encoding, header)
        if sys.stdin.isatty():
            raise typer.BadParameter(
                "the standard input is a terminal; name a file of rows", param_hint="FILE"
            )
        return piped_table(sys.stdin.buffer, "standard input", format, encoding, header)
    except FileError as error:
        raise Failure(str(error), 1) from None
    except (ImportError, ValueError) as error:
        raise Failure(str(error), 2) from None


@contextlib.contextmanager
def _open_output() -> Iterator[None]:
    """End the output quietly if nobody reads it any more."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes the standard output again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None


def _write(kept: TableModel, table: Table, out: IO[str], as_json: bool, at_once: bool) -> list[str]:
    """Write the predictions, and return the columns that the model has not learned from."""
    unseen: dict[str, None] = {}
    met: set[str] = set()
    safe = printable if out.isatty() else str
    writer = csv.writer(out, lineterminator="\n")
    if not as_json:
        with_positive = [] if kept.positive is None else [f"probability_{kept.positive}"]
        writer.writerow([safe(cell) for cell in ("label", "probability", *with_positive)])
    try:
        for place, row in table:
            if not row.keys() <= met:
                met |= row.keys()
                unseen |= dict.fromkeys(map(str, kept.unseen(row)))
            try:
                label, shares = kept.predict_row(row), kept.predict_proba_row(row)
            except (TypeError, ValueError) as error:
                raise table.error(place, str(error)) from None
            if as_json:
                out.write(safe(_as_json(label, shares)) + "\n")
            else:
                writer.writerow([safe(cell) for cell in _cells(kept, label, shares)])
            if at_once:
                out.flush()
    except FileError as error:
        raise Failure(str(error), 1) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    return list(unseen)


def _cells(kept: TableModel, label: Any, shares: dict[Any, float]) -> list[Any]:
    cells = ["" if label is None else label, shares.get(label, "")]
    return cells if kept.positive is None else [*cells, shares.get(kept.positive, "")]


def _as_json(label: Any, shares: dict[Any, float]) -> str:
    record = {
        "label": label,
        "probability": shares.get(label),
        "probabilities": {str(name): share for name, share in shares.items()},
    }
    return json.dumps(record, ensure_ascii=False)
