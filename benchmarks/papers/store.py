from __future__ import annotations

import contextlib
import csv
import json
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from river_trapezoid._files import append_line, write_file

from .job import Cell, canonical

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

__all__ = ["Store", "StoreError"]


class StoreError(Exception):
    """A store that cannot be used."""


class Store:
    """A folder that holds the results of cells, and what was made of them.

    - `cells.jsonl` has a line for each cell: key, content and result. A line is on the disk before
      the next cell is taken for done, so that a run that is killed goes on from there.
    - `results.csv` has the results beside the published figures.
    - `seconds.jsonl` has what each cell took, apart from all else, which is the same on every run.

    One process at a time may write to it.

    Parameters
    ----------
    folder
        The folder; it is made if it is not there.

    """

    def __init__(self, folder: str | os.PathLike[str]):
        self.folder = pathlib.Path(folder)
        self.results: dict[str, dict[str, Any]] = {}

    @contextlib.contextmanager
    def opened(self) -> Iterator[Store]:
        """Read what is there, and be the only one to write until the end."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = (self.folder / ".lock").open("w")
        except OSError as error:
            raise StoreError(f"store {str(self.folder)!r} cannot be written: {error}") from None
        with lock:
            _lock(lock, self.folder)
            self.results = {
                line["key"]: line["result"] for line in _whole_lines(self.folder / "cells.jsonl")
            }
            list(_whole_lines(self.folder / "seconds.jsonl"))
            yield self

    def add(self, outcomes: Iterable[tuple[Cell, dict[str, Any], float]]) -> Iterator[Cell]:
        """Write the results of cells as they come, and yield the cells that have been written."""
        cells, times = self.folder / "cells.jsonl", self.folder / "seconds.jsonl"
        sizes = {path: path.stat().st_size if path.exists() else 0 for path in (cells, times)}
        for cell, result, seconds in outcomes:
            for path, content in (
                (times, {"seconds": round(seconds, 4)}),
                (cells, {**cell.content, "result": result}),
            ):
                line = canonical({"key": cell.key, **content}) + "\n"
                sizes[path] = append_line(path, line.encode(), sizes[path])
            self.results[cell.key] = result
            yield cell

    def write_results(self, rows: Iterable[Mapping[str, Any]], columns: list[str]) -> None:
        """Write `results.csv`, whole or not at all."""
        lines: list[str] = []
        writer = csv.DictWriter(_Lines(lines), columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        write_file(self.folder / "results.csv", ["".join(lines).encode()])

    def read_results(self) -> list[dict[str, str]]:
        """The rows of `results.csv`, if it is there."""
        try:
            with (self.folder / "results.csv").open(newline="", encoding="utf-8") as file:
                return list(csv.DictReader(file))
        except FileNotFoundError:
            return []


class _Lines:
    """What a CSV writer writes to, as a list of lines."""

    def __init__(self, lines: list[str]):
        self.write = lines.append


def _lock(lock: IO[str], folder: pathlib.Path) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise StoreError(f"store {str(folder)!r} is in use by another run") from None
    except OSError:
        # Some file systems know no locks.
        return


def _whole_lines(path: pathlib.Path) -> Iterator[dict[str, Any]]:
    """The lines of a file; what a killed run has left of a last line is cut off."""
    if not path.exists():
        return
    with path.open("r+b") as file:
        end = 0
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                break
            try:
                yield json.loads(line)
            except ValueError:
                raise StoreError(
                    f"{str(path)!r} is damaged in line {number}: remove that line to run its cell "
                    "again"
                ) from None
            end += len(line)
        file.truncate(end)
