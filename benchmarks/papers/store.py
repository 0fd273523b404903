from __future__ import annotations

import contextlib
import csv
import json
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from river_trapezoid._files import append_line, write_file

from .job import Job, canonical

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

__all__ = ["Store", "StoreError"]


class StoreError(Exception):
    """A store that cannot be used."""


class Store:
    """A folder that holds the results of jobs, and the tables and pages made of them.

    - `cells.jsonl` has a line for each job: key, content and result. A line is on the disk before
      the next job counts as done, so that the jobs of a killed run are not lost.
    - `results.csv` has the results beside the published figures.
    - `seconds.jsonl` has the seconds of each job, apart from all else, which is the same on every
      run.

    One process at a time may write to it.

    Parameters
    ----------
    folder
        The folder. It is created if it does not exist.

    """

    def __init__(self, folder: str | os.PathLike[str]):
        self.folder = pathlib.Path(folder)
        self.results: dict[str, dict[str, Any]] = {}

    @contextlib.contextmanager
    def opened(self) -> Iterator[Store]:
        """Read what is stored, and keep other processes from writing until the end."""
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

    def add(self, outcomes: Iterable[tuple[Job, dict[str, Any], float]]) -> Iterator[Job]:
        """Write the results of jobs as they come, and yield the jobs that have been written."""
        lines, times = self.folder / "cells.jsonl", self.folder / "seconds.jsonl"
        sizes = {path: path.stat().st_size if path.exists() else 0 for path in (lines, times)}
        for job, result, seconds in outcomes:
            for path, content in (
                (times, {"seconds": round(seconds, 4)}),
                (lines, {**job.content, "result": result}),
            ):
                line = canonical({"key": job.key, **content}) + "\n"
                sizes[path] = append_line(path, line.encode(), sizes[path])
            self.results[job.key] = result
            yield job

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
    """A file for a CSV writer, as a list of lines."""

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
                    f"{str(path)!r} is damaged in line {number}: remove that line to run its job "
                    "again"
                ) from None
            end += len(line)
        file.truncate(end)
