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
from river_trapezoid.datasets import TableFile

from .streams import KINDS

__all__ = ["Data", "embedded", "file_on_disk", "table"]


@dataclasses.dataclass(frozen=True)
class Data:
    """A data set, and what to know of it.

    Parameters
    ----------
    name
        What it is called.
    dataset
        The data set, which can be iterated over again.
    shuffled
        Whether its rows are no stream in the order in which they come.
    numbers
        Names of the features that are numbers, and known in most rows; None if all are.
    facts
        What is worth saying about it, for people.
    record
        The same for programs.
    hints
        What the user may want to do about it.

    """

    name: str
    dataset: Any
    shuffled: bool = False
    numbers: Collection[str] | None = None
    facts: dict[str, str] = dataclasses.field(default_factory=dict)
    record: dict[str, Any] = dataclasses.field(default_factory=dict)
    hints: list[str] = dataclasses.field(default_factory=list)

    @property
    def several(self) -> bool:
        """Whether there are more than two classes."""
        return bool(self.dataset.task == datasets.base.MULTI_CLF)


def embedded() -> Data:
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
    """Yield the path and name of a file; that of a copy if it is `-`, for the standard input."""
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


def table(source: TableFile, shuffled: bool = False) -> Data:
    """The data in a file, whose rows are to be shuffled or not."""
    by_kind: dict[str, list[str]] = {}
    for name, kind in source.columns.items():
        by_kind.setdefault(kind, []).append(name)
    facts = {"rows": f"{source.n_samples:,}", **_labels(source)}
    if source.n_unlabelled:
        facts["rows"] += f" and {source.n_unlabelled:,} without a label, which are left out"
    for kind, title in (
        ("number", "numbers"),
        ("category", "categories, one feature for each value"),
        ("text", "text, one feature for each word"),
        ("identifier", "left out, as nearly every value is another one"),
        ("ignored", "left out, as asked"),
    ):
        if kind in by_kind:
            facts[title] = listed(by_kind[kind])
    hints = [
        f"column {name!r} is no number in line {line:,} ({value!r}), and so is taken for categories; "
        "leave a cell empty if its value is not known"
        for name, (line, value) in source.odd_cells.items()
    ]
    if source.wordy:
        hints.append(f"--text {source.wordy[0]!r} takes the words of that column")
    if source.is_sorted and not shuffled:
        hints.append("the rows are sorted by label, which is no stream: add --shuffle")
    numbers: Collection[str] | None = None
    if source.sparse:
        numbers = ()
    elif "category" in by_kind or "text" in by_kind:
        numbers = by_kind.get("number", ())
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
