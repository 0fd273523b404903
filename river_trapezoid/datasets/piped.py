"""Tables that arrive through a pipe, whose rows are read as soon as they come."""

from __future__ import annotations

import contextlib
import io
import pathlib
from collections.abc import Iterator
from typing import IO, Any

from ._table import FileError, Lines, Table, check_encoding
from .tables import CSVTable, JSONLinesTable

__all__ = ["piped_table"]


class _Pipe:
    """A stream of text whose first lines can be looked at before they are read.

    Parameters
    ----------
    file
        The stream.

    """

    def __init__(self, file: IO[str]):
        self._file = file
        self._ahead: list[str] = []

    def readline(self, limit: int) -> str:
        """Return the next line."""
        return self._ahead.pop(0) if self._ahead else self._file.readline(limit)

    def push_back(self, lines: list[str]) -> None:
        """Let lines be read again."""
        self._ahead = lines + self._ahead


class _Piped(Table):
    """What tables that are read from a pipe have in common; they can be read once."""

    _pipe: Any

    @property
    def size(self) -> int:
        return 0

    def _check_kind(self) -> None:
        """Do nothing, as the start of a pipe cannot be read twice."""

    @contextlib.contextmanager
    def _text(self) -> Iterator[Lines]:
        yield Lines(self._pipe, self)

    def _undecodable(self) -> FileError:
        encoding = self.encoding.removesuffix("-sig").upper()
        return self.error(None, f"is not {encoding} text; try another encoding, such as latin-1")


class _PipedCSV(_Piped, CSVTable):
    """Rows of CSV from a pipe, of which the first one alone shows the delimiter."""

    def __init__(self, pipe: _Pipe, name: str, encoding: str, header: bool):
        self._pipe = pipe
        super().__init__(pathlib.Path(name), name, encoding, header)
        self._decimal_comma = self.delimiter == ";"

    def _first_lines(self) -> list[str]:
        first: list[str] = []
        with self._text() as lines:
            for line in lines:
                first.append(line)
                # A name in quotes may have several lines.
                if line.strip() and not "".join(first).count('"') % 2:
                    break
        self._pipe.push_back(list(first))
        return first


class _PipedJSONLines(_Piped, JSONLinesTable):
    """Lines of JSON from a pipe."""

    def __init__(self, pipe: _Pipe, name: str, encoding: str):
        self._pipe = pipe
        super().__init__(pathlib.Path(name), name, encoding)


def piped_table(
    stream: IO[bytes],
    name: str,
    format: str | None = None,
    encoding: str = "utf-8",
    header: bool = True,
) -> Table:
    """Open a table that arrives through a pipe; a row is yielded as soon as it has arrived.

    Parameters
    ----------
    stream
        The pipe.
    name
        The name of the pipe in errors.
    format
        `"csv"` or `"jsonl"`; None to go by the first line.
    encoding
        The encoding of the text.
    header
        Whether the first row of CSV has the names of the columns.

    """
    check_encoding(encoding)
    if format not in (None, "csv", "jsonl"):
        raise FileError(f"{name}: rows of a pipe must be csv or jsonl; got {format}")
    decoding = "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
    pipe = _Pipe(io.TextIOWrapper(stream, encoding=decoding, newline=""))
    if format is None:
        start = ""
        ahead: list[str] = []
        try:
            while not start.strip() and (start := pipe.readline(1 << 24)):
                ahead.append(start)
        except UnicodeError:
            raise FileError(
                f"{name}: is not {encoding.upper()} text; try another encoding, such as latin-1"
            ) from None
        pipe.push_back(ahead)
        format = "jsonl" if start.lstrip().startswith("{") else "csv"
    if format == "jsonl":
        return _PipedJSONLines(pipe, name, encoding)
    return _PipedCSV(pipe, name, encoding, header)
