"""The data of a comparison: a file, or River's Phishing data."""

from __future__ import annotations

import contextlib
import dataclasses
import pathlib
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterator
from typing import Any

import typer
from river import datasets

from river_trapezoid._columns import listed
from river_trapezoid._printable import quoted
from river_trapezoid.datasets import TableFile
from river_trapezoid.datasets.tables import FORMATS, FileError, open_table

from .failure import Failure
from .options import names
from .streams import KINDS

__all__ = ["Data", "Source", "file_on_disk", "loaded"]


@dataclasses.dataclass(frozen=True)
class Source:
    """Where the data are, and how to read them.

    Parameters
    ----------
    file
        The path of a file, or `-` for the standard input; None for the data that come with River.
    target
        The column of the label; None if it is not named.
    format
        The format; None to detect it.
    text
        The columns of text; None to detect them.
    ignore
        The columns to leave out.
    positive
        Which of two labels is positive; None for the default.
    header
        Whether the first line of a CSV file has the names of the columns.
    encoding
        The encoding of the text.
    shuffled
        Whether to take the rows in random order.

    """

    file: str | None = None
    target: str | None = None
    format: str | None = None
    text: Collection[str] | None = None
    ignore: Collection[str] = ()
    positive: str | None = None
    header: bool = True
    encoding: str = "utf-8"
    shuffled: bool = False

    def __post_init__(self) -> None:
        if self.format is not None:
            (format,) = names("--format", [self.format], FORMATS)
            object.__setattr__(self, "format", format)
        if self.file is not None:
            return
        for option in ("target", "format", "text", "ignore", "positive"):
            if getattr(self, option):
                raise typer.BadParameter("needs a FILE", param_hint=f"--{option}")


@dataclasses.dataclass(frozen=True)
class Data:
    """A data set, with a description of it.

    Parameters
    ----------
    name
        The name.
    dataset
        The data set, which can be iterated over repeatedly.
    shuffled
        Whether to take the rows in random order.
    numbers
        The features that are numbers, and known in most rows; None if all are.
    facts
        The facts to report about the data, by subject.
    record
        The same facts as plain data.
    hints
        Suggestions for the user.

    """

    name: str
    dataset: Any
    shuffled: bool = False
    numbers: Collection[str] | None = None
    facts: dict[str, str] = dataclasses.field(default_factory=dict)
    record: dict[str, Any] = dataclasses.field(default_factory=dict)
    hints: list[str] = dataclasses.field(default_factory=list)

    @property
    def is_multiclass(self) -> bool:
        """Whether there are more than two classes."""
        return bool(self.dataset.task == datasets.base.MULTI_CLF)

    @property
    def share_of_positives(self) -> float | None:
        """The share of the positive label; None unless a table has two labels."""
        if self.record.get("positive") is None:
            return None
        labels = self.record["labels"]
        return float(labels[self.record["positive"]] / sum(labels.values()))


@contextlib.contextmanager
def loaded(source: Source) -> Iterator[Data]:
    """Yield the data; a copy of the standard input is removed afterwards.

    Parameters
    ----------
    source
        Where the data are.

    """
    if source.file is None:
        yield _embedded()
        return
    with file_on_disk(source.file) as (path, name):
        yield _data_of(_table(path, name, source), source.shuffled)


def _table(path: pathlib.Path, name: str, source: Source) -> TableFile:
    """The table in a file; a mistake in the file or the options ends the command."""
    columns: Collection[str] = ()
    try:
        table = open_table(path, name, source.format, source.encoding, source.header)
        columns = table.columns or ()
        if source.target is None and table.target is None:
            known = f": {listed(columns)}" if columns else ""
            raise Failure(f"--target must name the column of the label{known}", 2)
        return TableFile.from_table(
            table,
            source.target,
            text=source.text,
            ignore=source.ignore,
            positive=source.positive,
            progress=sys.stderr.isatty(),
        )
    except FileError as error:
        raise Failure(str(error), 1) from None
    except (ImportError, ValueError) as error:
        hint = ""
        if source.header and source.target not in columns and any(map(_is_number, columns)):
            hint = "; add --no-header if the first line has no names"
        raise Failure(f"{error}{hint}", 2) from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _embedded() -> Data:
    """River's Phishing data."""
    return Data(
        "River's Phishing data",
        datasets.Phishing(),
        shuffled=True,
        facts={"rows": "1,250", "features": "9 numbers"},
        record={"name": "river.datasets.Phishing", "rows": 1250},
    )


@contextlib.contextmanager
def file_on_disk(given: str) -> Iterator[tuple[pathlib.Path, str]]:
    """Yield the path and name of a file; for `-`, those of a copy of the standard input."""
    if given != "-":
        path = pathlib.Path(given)
        if not path.is_file():
            problem = "is a folder" if path.is_dir() else "there is no such file"
            if given in KINDS:
                problem += f"; several streams are separated by commas, as in as-is,{given}"
            raise typer.BadParameter(f"{given}: {problem}", param_hint="FILE")
        yield path, path.name
        return
    if sys.stdin.isatty():
        raise typer.BadParameter(
            "- reads the standard input, which is a terminal", param_hint="FILE"
        )
    with tempfile.TemporaryDirectory(prefix="river-trapezoid-") as folder:
        path = pathlib.Path(folder, "standard input")
        with path.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        yield path, path.name


def _data_of(source: TableFile, shuffled: bool) -> Data:
    """The data in a table."""
    by_kind: dict[str, list[str]] = {}
    for name, kind in source.columns.items():
        by_kind.setdefault(kind.partition(":")[0], []).append(name)
    facts = {"rows": f"{source.n_samples:,}", **_labels(source)}
    if source.n_unlabelled:
        facts["rows"] += f" and {source.n_unlabelled:,} without a label, which are skipped"
    for kind, title in (
        ("number", "numbers"),
        ("truth", "booleans"),
        ("date", "dates, with features for the day, the weekday and the hour"),
        ("category", "categories, one feature for each value"),
        ("text", "text, one feature for each word"),
        ("identifier", "left out, as nearly every value is different"),
        ("ignored", "left out by --ignore"),
    ):
        if kind in by_kind:
            facts[title] = listed(by_kind[kind])
    hints = [
        f"column {name!r} has {quoted(value)} in line {line:,}, which does not fit the column and "
        "is taken as a category; leave a cell empty if its value is not known"
        for name, (line, value) in source.odd_cells.items()
    ]
    for name in source.ambiguous:
        what = (
            "numbers such as 1,234 or 1.234, of which a point is taken as the decimal sign"
            if source.columns[name] == "number"
            else "dates such as 02/03/2024, of which the first number is taken as the month"
        )
        hints.append(f"column {name!r} has {what}")
    if source.wordy:
        hints.append(f"--text {source.wordy[0]!r} takes each word of that column as a feature")
    if source.is_sorted and not shuffled:
        hints.append("the rows are sorted by label, unlike those of a stream: add --shuffle")
    numbers: Collection[str] | None = None
    if source.sparse:
        numbers = ()
    elif source.n_features is None:
        dates = by_kind.get("date", ())
        numbers = [*by_kind.get("number", ()), *by_kind.get("truth", ())]
        numbers += [f"{name}.{part}" for name in dates for part in ("day", "hour")]
    record = {
        "name": source.name,
        "rows": source.n_samples,
        "rows_without_label": source.n_unlabelled,
        "target": source.target,
        "labels": source.labels,
        "positive": source.positive,
        "columns": source.columns,
    }
    return Data(
        source.name, source, shuffled, numbers=numbers, facts=facts, record=record, hints=hints
    )


def _labels(source: TableFile) -> dict[str, str]:
    if source.positive is None:
        shown = [f"{label} ({count:,})" for label, count in source.labels.items()]
        return {f"labels in {source.target!r}": listed(shown)}
    (negative,) = (label for label in source.labels if label != source.positive)
    return {
        f"labels in {source.target!r}": f"{source.positive} is positive "
        f"({source.labels[source.positive]:,}), {negative} negative ({source.labels[negative]:,})"
    }
