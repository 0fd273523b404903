from __future__ import annotations

import abc
import collections
import contextlib
import gzip
import io
import pathlib
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any

from river_trapezoid._printable import quoted

__all__ = ["LONGEST_ROW", "FileError", "Lines", "Row", "Table", "check_encoding", "uncompressed"]

Row = dict[str, Any]

# The most characters of a row, so that a damaged or malicious file does not fill the memory.
LONGEST_ROW = 1 << 24

_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_OTHERS = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an Excel workbook of the old format: save it as CSV",
    b"BZh91AY&SY": "compressed by bzip2: decompress it, or compress it by gzip",
    b"\xfd7zXZ\x00": "compressed by xz: decompress it, or compress it by gzip",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: decompress it, or compress it by gzip",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive: extract the table from it",
}


class FileError(ValueError):
    """A file that cannot be read as a table; the message states where and why."""


class Lines(Iterator[str]):
    """The lines of a text file; the total length of the lines of a row is bounded.

    Parameters
    ----------
    file
        The file.
    table
        The table whose rows they are.

    Attributes
    ----------
    number
        The number of the last line.

    """

    def __init__(self, file: IO[str], table: Table):
        self._file = file
        self._table = table
        self._first = 1
        self._length = 0
        self.number = 0

    def __next__(self) -> str:
        line = self._file.readline(LONGEST_ROW + 1 - self._length)
        if not line:
            raise StopIteration
        self.number += 1
        self._length += len(line)
        if self._length > LONGEST_ROW:
            problem = f"has more than {LONGEST_ROW:,} characters"
            if self.number > self._first:
                problem += f" up to line {self.number:,}; is a quote not closed?"
            raise self._table.error(self._first, problem)
        return line

    def one_by_one(self) -> Iterator[tuple[int, str]]:
        """The lines with their numbers, where each is a row."""
        for line in self:
            number = self.number
            self.end_row()
            yield number, line

    def end_row(self) -> None:
        """Start a new row with the next line."""
        self._first = self.number + 1
        self._length = 0


class Table(abc.ABC):
    """A table in a file, which is read again in each iteration.

    An iteration yields the number of the line, or of the row in formats without lines, and the
    cells of the row by the names of their columns.

    Parameters
    ----------
    path
        The file; plain or compressed by gzip.
    name
        The name of the file in errors.
    encoding
        The encoding of a text file.

    Attributes
    ----------
    columns
        Names of the columns; None where they are known only after all rows have been read.
    sparse
        Whether cells that are left out are zeros rather than unknown.
    target
        The column of the labels, if the format defines it; otherwise None.

    """

    unit = "line"
    sparse = False
    target: str | None = None

    def __init__(self, path: pathlib.Path, name: str, encoding: str = "utf-8"):
        self.path = path
        self.name = name
        # A byte order mark is not part of the first name.
        self.encoding = "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
        self.columns: list[str] | None = None
        self._raw: IO[bytes] | None = None
        self._check_kind()

    @property
    def size(self) -> int:
        """The number of bytes of the file."""
        return self.path.stat().st_size

    @property
    def position(self) -> int:
        """The number of bytes that the last iteration has read."""
        return 0 if self._raw is None or self._raw.closed else self._raw.tell()

    def __getstate__(self) -> dict[str, Any]:
        # An open file cannot be sent to another process.
        return {**self.__dict__, "_raw": None}

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        with self._one_kind_of_error():
            yield from self._rows()

    @abc.abstractmethod
    def _rows(self) -> Iterator[tuple[int, Row]]: ...

    def _check_kind(self) -> None:
        """Raise an error about a spreadsheet or an archive, which look like damaged text."""
        start = b""
        # The reader of the format reports a file that cannot be read.
        with contextlib.suppress(OSError, EOFError, zlib.error), self.path.open("rb") as raw:
            start = uncompressed(raw).read(16)
        for magic, kind in _OTHERS.items():
            if start.startswith(magic):
                raise self.error(None, f"is {kind}")
        if start.startswith(_ZIP):
            raise self.error(None, f"is {self._kind_of_archive()}")

    def _kind_of_archive(self) -> str:
        members: list[str] = []
        with contextlib.suppress(zipfile.BadZipFile), zipfile.ZipFile(self.path) as archive:
            members = archive.namelist()
        if any(member.startswith("xl/workbook.") for member in members):
            return "an Excel workbook: save it as CSV"
        if {"mimetype", "content.xml"}.issubset(members):
            return "an OpenDocument file: save it as CSV"
        return "a zip archive: extract the table from it"

    def error(self, place: int | None, problem: str) -> FileError:
        """The error for a problem at a place."""
        return FileError(f"{self.name}{f', {self.unit} {place:,}' if place else ''}: {problem}")

    def _check_names(self, names: list[str]) -> list[str]:
        for name, count in collections.Counter(names).items():
            if count > 1:
                raise self.error(
                    None,
                    f"column names must be distinct; {count} columns are called {quoted(name)}",
                )
        return names

    @contextlib.contextmanager
    def _text(self) -> Iterator[Lines]:
        with self.path.open("rb") as self._raw:
            text = io.TextIOWrapper(uncompressed(self._raw), encoding=self.encoding, newline="")
            yield Lines(text, self)

    @contextlib.contextmanager
    def _one_kind_of_error(self) -> Iterator[None]:
        try:
            yield
        except UnicodeError:
            raise self._undecodable() from None
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise self.error(None, f"cannot be decompressed ({error}); is it complete?") from None
        except OSError as error:
            problem = " ".join(str(error.strerror or error).split())
            raise self.error(None, f"cannot be read ({problem})") from None

    def _undecodable(self) -> FileError:
        """The error for text in another encoding, with its first line that cannot be decoded."""
        with self.path.open("rb") as raw:
            start = raw.read(2)
            raw.seek(0)
            place = None
            if start in (b"\xff\xfe", b"\xfe\xff"):
                guess = "utf-16"
            else:
                guess = "latin-1" if "utf" in self.encoding.lower() else "utf-8"
                # The line is not needed where the file is damaged as well.
                with contextlib.suppress(OSError, EOFError, zlib.error):
                    place = self._first_undecodable(uncompressed(raw))
        encoding = self.encoding.removesuffix("-sig").upper()
        return self.error(place, f"is not {encoding} text; try another encoding, such as {guess}")

    def _first_undecodable(self, file: IO[bytes]) -> int | None:
        number = 0
        while line := file.readline(LONGEST_ROW):
            number += 1
            try:
                line.decode(self.encoding)
            except UnicodeError:
                return number
            if not line.endswith(b"\n"):
                # The end of the file, or a line that is too long for the memory.
                break
        return None


def check_encoding(encoding: str) -> None:
    """Raise an error unless Python knows an encoding of text."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    except (LookupError, ValueError):
        raise ValueError(
            f"encoding must be one that Python knows, such as 'utf-8'; got {encoding!r}"
        ) from None


def uncompressed(raw: IO[bytes]) -> Any:
    """The content of a file, decompressed if it is compressed by gzip."""
    compressed = raw.read(2) == _GZIP
    raw.seek(0)
    return gzip.GzipFile(fileobj=raw) if compressed else raw
