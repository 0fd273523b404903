"""Tables in files: rows of named cells, read one at a time, in the formats that people keep them in."""

from __future__ import annotations

import abc
import codecs
import collections
import contextlib
import csv
import gzip
import io
import itertools
import json
import pathlib
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any

from river_trapezoid._parameters import check_bool, check_choice

from ._formats import libsvm_row, numbered

__all__ = ["FORMATS", "FileError", "Row", "Table", "open_table"]

Row = dict[str, Any]

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_LIBSVM_LINE = re.compile(r"\S+(\s+\d+:\S+)+\s*(#.*)?")
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
# How many lines of a CSV file the delimiter is found from.
_SNIFFED = 20
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
# Rows of a Parquet file that are in memory at once.
_BATCH = 1000


class FileError(ValueError):
    """A file that cannot be read as a table; the message says where and why."""


class Table(abc.ABC):
    """A table in a file, read anew each time it is iterated over.

    Iterating yields the number of a line, or of a row where there are no lines, and the cells of the
    row by the name of their column.

    Parameters
    ----------
    path
        The file; plain or compressed by gzip.
    name
        What errors call it.
    encoding
        How its characters are encoded.

    Attributes
    ----------
    columns
        Names of the columns; None where they are known only when all rows have been read.
    sparse
        Whether cells that are left out are zeros rather than unknown.
    target
        The column of the labels, where the format says which it is; otherwise None.

    """

    unit = "line"
    sparse = False
    target: str | None = None

    def __init__(self, path: pathlib.Path, name: str, encoding: str = "utf-8"):
        self.path = path
        self.name = name
        # A byte order mark is no part of the first name.
        self.encoding = "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
        self.columns: list[str] | None = None
        self._raw: IO[bytes] | None = None

    @property
    def size(self) -> int:
        """The number of bytes of the file."""
        return self.path.stat().st_size

    @property
    def position(self) -> int:
        """The number of bytes that the last iteration has read."""
        return 0 if self._raw is None or self._raw.closed else self._raw.tell()

    def __getstate__(self) -> dict[str, Any]:
        # A file that is open cannot be taken to another process.
        return {**self.__dict__, "_raw": None}

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        with self._one_kind_of_error():
            yield from self._rows()

    @abc.abstractmethod
    def _rows(self) -> Iterator[tuple[int, Row]]: ...

    def error(self, place: int | None, problem: str) -> FileError:
        """The error of a problem at a place."""
        return FileError(f"{self.name}{f', {self.unit} {place:,}' if place else ''}: {problem}")

    def _check_names(self, names: list[str]) -> list[str]:
        for name, count in collections.Counter(names).items():
            if count > 1:
                raise self.error(
                    None, f"{count} columns are called {name!r}; give each a name of its own"
                )
        return names

    @contextlib.contextmanager
    def _text(self) -> Iterator[IO[str]]:
        with self.path.open("rb") as self._raw:
            yield io.TextIOWrapper(_plain(self._raw), encoding=self.encoding, newline="")

    @contextlib.contextmanager
    def _one_kind_of_error(self) -> Iterator[None]:
        try:
            yield
        except UnicodeError:
            raise self._undecodable() from None
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise self.error(None, f"cannot be uncompressed ({error}); is it whole?") from None
        except OSError as error:
            raise self.error(None, f"cannot be read ({error.strerror or error})") from None

    def _undecodable(self) -> FileError:
        """The error of text that is in another encoding, with its first line that is."""
        with self.path.open("rb") as raw:
            start = raw.read(2)
            raw.seek(0)
            place = None
            if start in (b"\xff\xfe", b"\xfe\xff"):
                guess = "utf-16"
            else:
                guess = "latin-1" if "utf" in self.encoding.lower() else "utf-8"
                for number, line in enumerate(_plain(raw), start=1):
                    try:
                        line.decode(self.encoding)
                    except UnicodeError:
                        place = number
                        break
        encoding = self.encoding.removesuffix("-sig").upper()
        return self.error(
            place, f"is no {encoding} text; another encoding may fit, such as {guess}"
        )


class CSVTable(Table):
    """Rows of cells between commas, semicolons or tabs, whichever fits the first rows.

    Cells between tabs have no quotes, unless the first one has; those between semicolons may have
    decimal commas.

    Parameters
    ----------
    path
        The file.
    name
        What errors call it.
    encoding
        How its characters are encoded.
    header
        Whether the first row has the names of the columns. If not, they are f1, f2, and so on, as
        are those without a name.

    """

    def __init__(self, path: pathlib.Path, name: str, encoding: str = "utf-8", header: bool = True):
        super().__init__(path, name, encoding)
        self.header = header
        with self._one_kind_of_error(), self._text() as file:
            lines = list(itertools.islice((line for line in file if line.strip()), _SNIFFED))
        if not lines:
            raise self.error(None, "is empty")
        self.delimiter = _delimiter(lines)
        self._quotes = self.delimiter != "\t" or lines[0].startswith('"')
        with self._one_kind_of_error(), self._text() as file:
            cells = next(cells for cells in self._reader(file) if cells)
        names = numbered(len(cells))
        if header:
            names = [cell.strip() or name for cell, name in zip(cells, names, strict=True)]
        self.columns = self._check_names(names)
        self._decimal_comma = self.delimiter == ";" and any(
            _DECIMAL_COMMA.fullmatch(cell) for cells in self._reader(lines) for cell in cells
        )

    def _reader(self, lines: Iterable[str]) -> Any:
        return csv.reader(
            lines,
            delimiter=self.delimiter,
            quoting=csv.QUOTE_MINIMAL if self._quotes else csv.QUOTE_NONE,
            skipinitialspace=True,
        )

    def _rows(self) -> Iterator[tuple[int, Row]]:
        columns = self.columns or []
        n_columns = len(columns)
        skip = self.header
        with self._text() as file:
            reader = self._reader(file)
            place = 1
            try:
                for cells in reader:
                    if len(cells) == n_columns and not skip:
                        if self._decimal_comma:
                            cells = [
                                cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell
                                for cell in cells
                            ]
                        yield place, dict(zip(columns, cells, strict=True))
                    elif cells and skip:
                        skip = False
                    elif cells:
                        raise self._ragged(place, reader.line_num, len(cells))
                    place = reader.line_num + 1
            except csv.Error as error:
                raise self.error(place, f"{error}; is a quote not closed?") from None

    def _ragged(self, first: int, last: int, n_cells: int) -> FileError:
        n_columns = len(self.columns or ())
        cells = "1 cell" if n_cells == 1 else f"{n_cells:,} cells"
        problem = f"has {cells}, but there are {n_columns:,} columns"
        if last > first:
            problem += f"; the row ends in line {last:,}: is a quote not closed?"
        return self.error(first, problem)


class JSONLinesTable(Table):
    """An object in each line."""

    def _rows(self) -> Iterator[tuple[int, Row]]:
        decode = json.JSONDecoder(object_pairs_hook=self._object).decode
        with self._text() as file:
            for place, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                try:
                    row = decode(line)
                except json.JSONDecodeError as error:
                    raise self.error(place, f"is no JSON ({error.msg})") from None
                except KeyError as error:
                    raise self.error(place, f"has the name {error.args[0]!r} twice") from None
                except RecursionError:
                    raise self.error(place, "is nested too deeply") from None
                if type(row) is not dict:
                    raise self.error(place, 'is no object, such as {"size": 1.5, "label": "yes"}')
                yield place, row

    @staticmethod
    def _object(pairs: list[tuple[str, Any]]) -> Row:
        row = dict(pairs)
        if len(row) < len(pairs):
            names = [name for name, _ in pairs]
            raise KeyError(next(name for name in names if names.count(name) > 1))
        return row


class LIBSVMTable(Table):
    """Lines of a label and `index:value`; the column of the labels is called `label`."""

    sparse = True
    target = "label"

    def _rows(self) -> Iterator[tuple[int, Row]]:
        with self._text() as file:
            for place, line in enumerate(file, start=1):
                cells = line.partition("#")[0].split()
                if not cells:
                    continue
                try:
                    row: Row = libsvm_row(cells[1:])
                except ValueError:
                    raise self.error(
                        place, "has cells that are not index:value, as in +1 1:0.5 7:2"
                    ) from None
                if len(row) < len(cells) - 1:
                    raise self.error(place, "has an index twice")
                row[self.target] = cells[0]
                yield place, row


class ParquetTable(Table):
    """A Parquet file, read in batches."""

    unit = "row"

    def __init__(self, path: pathlib.Path, name: str, encoding: str = "utf-8"):
        super().__init__(path, name, encoding)
        with self._one_kind_of_error(), self._file() as file:
            self.columns = self._check_names(list(file.schema_arrow.names))
            self._n_rows = file.metadata.num_rows
        self._place = 0

    @property
    def position(self) -> int:
        return self.size * self._place // max(1, self._n_rows)

    def _rows(self) -> Iterator[tuple[int, Row]]:
        place = 0
        with self._file() as file:
            # One group at a time, since what has been read of a file stays in memory up to the end.
            for group in range(file.num_row_groups):
                for batch in file.iter_batches(batch_size=_BATCH, row_groups=[group]):
                    for row in batch.to_pylist():
                        place += 1
                        yield place, row
                    self._place = place

    @contextlib.contextmanager
    def _file(self) -> Iterator[Any]:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise ImportError("Parquet files need pyarrow: pip install pyarrow") from None
        with self.path.open("rb") as raw:
            plain = _plain(raw)
            # Given a path, it holds less in memory; of gzip it has to go back and forth in a file.
            source = self.path if plain is raw else plain
            try:
                with pyarrow.parquet.ParquetFile(source) as file:
                    yield file
            except pyarrow.ArrowException as error:
                problem = " ".join(str(error).split())
                raise self.error(None, f"is no Parquet file ({problem})") from None


def open_table(
    path: pathlib.Path,
    name: str,
    format: str | None = None,
    encoding: str = "utf-8",
    header: bool = True,
) -> Table:
    """Open a table in a file; of the rows, no more than the first ones are read.

    Parameters
    ----------
    path
        The file; plain or compressed by gzip.
    name
        The name of the file in errors.
    format
        One of `FORMATS`; None to go by the suffix of the file, or by its content.
    encoding
        The encoding of a file of text.
    header
        Whether the first row of a CSV file has the names of the columns.

    """
    if format is not None:
        check_choice("format", format, FORMATS)
    check_bool("header", header)
    if not path.is_file():
        raise FileError(f"{name}: there is no such file")
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise ValueError(
            f"encoding must be one that Python knows, such as 'utf-8'; got {encoding!r}"
        ) from None
    if format is None:
        format = _format_of(path)
    if format == "csv":
        return CSVTable(path, name, encoding, header)
    return _TABLES[format](path, name, encoding)


_TABLES: dict[str, type[Table]] = {
    "csv": CSVTable,
    "jsonl": JSONLinesTable,
    "libsvm": LIBSVMTable,
    "parquet": ParquetTable,
}
FORMATS = tuple(_TABLES)


def _format_of(path: pathlib.Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if suffixes and suffixes[-1] in _SUFFIXES:
        return _SUFFIXES[suffixes[-1]]
    start = b""
    # What cannot be read is found out by the reader of a format, which says so.
    with contextlib.suppress(OSError, EOFError, zlib.error), path.open("rb") as raw:
        start = _plain(raw).read(1 << 16)
    if start.startswith(_PARQUET):
        return "parquet"
    line = next(iter(start.decode("utf-8", "replace").split("\n"))).strip()
    if line.startswith("{"):
        return "jsonl"
    return "libsvm" if _LIBSVM_LINE.fullmatch(line) else "csv"


def _delimiter(lines: list[str]) -> str:
    """What is between the cells of some lines."""
    for delimiter in "\t;,":
        widths = {len(cells) for cells in csv.reader(lines, delimiter=delimiter)}
        if len(widths) == 1 and widths.pop() > 1:
            return delimiter
    # Some line is not as it should be; the first one has the names.
    unquoted = re.sub('"[^"]*"', "", lines[0])
    return max(",;\t", key=unquoted.count)


def _plain(raw: IO[bytes]) -> Any:
    """What a file holds, uncompressed if need be."""
    compressed = raw.read(2) == _GZIP
    raw.seek(0)
    return gzip.GzipFile(fileobj=raw) if compressed else raw
