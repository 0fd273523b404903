"""Tables in files: rows of named cells, read one at a time, in the common formats."""

from __future__ import annotations

import collections
import contextlib
import csv
import json
import pathlib
import re
import threading
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from river_trapezoid._parameters import check_bool, check_choice
from river_trapezoid._printable import quoted

from ._formats import libsvm_row, numbered
from ._table import LONGEST_ROW, FileError, Row, Table, check_encoding, uncompressed

__all__ = ["FORMATS", "LONGEST_ROW", "FileError", "Row", "Table", "open_table", "text_lines"]

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
# The number of lines, and of characters, that the delimiter of a CSV file is detected from.
_SNIFFED = 20
_SNIFFED_CHARACTERS = 1 << 20
_PARQUET = b"PAR1"
# The number of rows of a Parquet file that are in memory at once.
_BATCH = 1000
# The limit of csv holds for the whole process.
_csv_limit = threading.Lock()


class CSVTable(Table):
    """Rows of cells that are separated by commas, semicolons or tabs, whichever fits the first rows.

    Cells separated by tabs have no quotes unless the first one has; those separated by semicolons
    may have decimal commas.

    Parameters
    ----------
    path
        The file.
    name
        The name of the file in errors.
    encoding
        The encoding.
    header
        Whether the first row has the names of the columns. If not, and where a name is empty, the
        columns are called f1, f2, and so on.

    """

    def __init__(self, path: pathlib.Path, name: str, encoding: str = "utf-8", header: bool = True):
        super().__init__(path, name, encoding)
        self.header = header
        with self._one_kind_of_error():
            lines = self._first_lines()
        filled = [line for line in lines if line.strip()]
        if not filled:
            raise self.error(None, "is empty")
        self.delimiter = _delimiter(filled)
        self._quotes = self.delimiter != "\t" or filled[0].startswith('"')
        rows = [cells for cells in self._cells(lines) if cells]
        names = numbered(len(rows[0]))
        if header:
            names = [cell.strip() or name for cell, name in zip(rows[0], names, strict=True)]
        self.columns = self._check_names(names)
        self._decimal_comma = self.delimiter == ";" and any(
            _DECIMAL_COMMA.fullmatch(cell) for cells in rows for cell in cells
        )

    def _first_lines(self) -> list[str]:
        first = []
        n_filled = n_characters = 0
        with self._text() as lines:
            for _, line in lines.one_by_one():
                first.append(line)
                n_filled += not line.isspace()
                n_characters += len(line)
                if n_filled == _SNIFFED or n_characters >= _SNIFFED_CHARACTERS:
                    break
        return first

    def _cells(self, lines: Iterable[str]) -> Iterator[list[str]]:
        quoting = csv.QUOTE_MINIMAL if self._quotes else csv.QUOTE_NONE
        return _cells(lines, self.delimiter, quoting=quoting, skipinitialspace=True)

    def _rows(self) -> Iterator[tuple[int, Row]]:
        columns = self.columns or []
        n_columns = len(columns)
        skip = self.header
        with self._text() as lines:
            place = 1
            for cells in self._cells(lines):
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
                    raise self._ragged(place, lines.number, len(cells))
                place = lines.number + 1
                lines.end_row()

    def _ragged(self, first: int, last: int, n_cells: int) -> FileError:
        n_columns = len(self.columns or ())
        cells = "1 cell" if n_cells == 1 else f"{n_cells:,} cells"
        problem = f"has {cells}, but there are {n_columns:,} columns"
        if last > first:
            problem += f"; the row ends in line {last:,}; is a quote not closed?"
        return self.error(first, problem)


class JSONLinesTable(Table):
    """Lines that are JSON objects."""

    def _rows(self) -> Iterator[tuple[int, Row]]:
        decode = json.JSONDecoder(object_pairs_hook=self._object).decode
        with self._text() as lines:
            for place, line in lines.one_by_one():
                if line.isspace():
                    continue
                try:
                    row = decode(line)
                except json.JSONDecodeError as error:
                    raise self.error(place, f"is not JSON ({error.msg})") from None
                except ValueError:
                    # Python does not convert integers of thousands of digits.
                    raise self.error(place, "has a number with too many digits") from None
                except KeyError as error:
                    raise self.error(place, f"has the name {quoted(error.args[0])} twice") from None
                except RecursionError:
                    raise self.error(place, "is nested too deeply") from None
                if type(row) is not dict:
                    raise self.error(
                        place, 'is not an object, such as {"size": 1.5, "label": "yes"}'
                    )
                yield place, row

    @staticmethod
    def _object(pairs: list[tuple[str, Any]]) -> Row:
        row = dict(pairs)
        if len(row) < len(pairs):
            counts = collections.Counter(name for name, _ in pairs)
            raise KeyError(counts.most_common(1)[0][0])
        return row


class LIBSVMTable(Table):
    """Lines of a label and `index:value`; the column of the labels is called `label`."""

    sparse = True
    target = "label"

    def _rows(self) -> Iterator[tuple[int, Row]]:
        with self._text() as lines:
            for place, line in lines.one_by_one():
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
                    raise self.error(place, "has the same index twice")
                row[self.target] = cells[0]
                yield place, row


class _TextTable(Table):
    """Lines of text, each a row of one cell."""

    def _rows(self) -> Iterator[tuple[int, Row]]:
        with self._text() as lines:
            for place, line in lines.one_by_one():
                if not line.isspace():
                    yield place, {"text": line.rstrip("\r\n")}


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
            # One group at a time, as pyarrow holds the groups of an iteration in memory until its end.
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
            plain = uncompressed(raw)
            # With a path, pyarrow holds less in memory; gzip needs a file that can seek.
            source = self.path if plain is raw else plain
            try:
                with pyarrow.parquet.ParquetFile(source) as file:
                    yield file
            except pyarrow.ArrowException as error:
                problem = " ".join(str(error).split())
                raise self.error(None, f"is not a Parquet file ({problem})") from None


def open_table(
    path: pathlib.Path,
    name: str,
    format: str | None = None,
    encoding: str = "utf-8",
    header: bool = True,
) -> Table:
    """Open a table in a file; no more than its first rows are read.

    Parameters
    ----------
    path
        The file; plain or compressed by gzip.
    name
        The name of the file in errors.
    format
        One of `FORMATS`; None to detect it from the suffix of the file, or from its content.
    encoding
        The encoding of a text file.
    header
        Whether the first row of a CSV file has the names of the columns.

    """
    if format is not None:
        check_choice("format", format, FORMATS)
    check_bool("header", header)
    _check_path(path, name)
    check_encoding(encoding)
    if format is None:
        format = _format_of(path)
    if format == "csv":
        return CSVTable(path, name, encoding, header)
    return _TABLES[format](path, name, encoding)


def text_lines(path: pathlib.Path, encoding: str = "utf-8") -> Iterator[str]:
    """The lines of a text file that are not empty, without their ends.

    Parameters
    ----------
    path
        The file; plain or compressed by gzip.
    encoding
        The encoding.

    """
    _check_path(path, path.name)
    check_encoding(encoding)
    return (row["text"] for _, row in _TextTable(path, path.name, encoding))


_TABLES: dict[str, type[Table]] = {
    "csv": CSVTable,
    "jsonl": JSONLinesTable,
    "libsvm": LIBSVMTable,
    "parquet": ParquetTable,
}
FORMATS = tuple(_TABLES)


def _check_path(path: pathlib.Path, name: str) -> None:
    if not path.is_file():
        problem = "is a folder" if path.is_dir() else "there is no such file"
        raise FileError(f"{name}: {problem}")


def _format_of(path: pathlib.Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if suffixes and suffixes[-1] in _SUFFIXES:
        return _SUFFIXES[suffixes[-1]]
    start = b""
    # The reader of the format reports a file that cannot be read.
    with contextlib.suppress(OSError, EOFError, zlib.error), path.open("rb") as raw:
        start = uncompressed(raw).read(1 << 16)
    if start.startswith(_PARQUET):
        return "parquet"
    line = next(iter(start.decode("utf-8", "replace").split("\n"))).strip()
    if line.startswith("{"):
        return "jsonl"
    return "libsvm" if _LIBSVM_LINE.fullmatch(line) else "csv"


def _cells(lines: Iterable[str], delimiter: str, **options: Any) -> Iterator[list[str]]:
    """Yield the cells of rows of CSV; a cell may be as long as a row."""
    reader = csv.reader(lines, delimiter=delimiter, **options)
    while True:
        with _csv_limit:
            former = csv.field_size_limit(LONGEST_ROW)
            try:
                cells = next(reader, None)
            finally:
                csv.field_size_limit(former)
        if cells is None:
            return
        yield cells


def _delimiter(lines: list[str]) -> str:
    """The delimiter of the cells in some lines."""
    for delimiter in "\t;,":
        widths = {len(cells) for cells in _cells(lines, delimiter)}
        if len(widths) == 1 and widths.pop() > 1:
            return delimiter
    # Some row is damaged; the first row has the names.
    unquoted = re.sub('"[^"]*"', "", lines[0])
    return max(",;\t", key=unquoted.count)
