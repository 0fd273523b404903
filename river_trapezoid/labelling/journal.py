from __future__ import annotations

import json
import os
import pathlib
import reprlib
from typing import Any

from river_trapezoid._files import FileChangedError, append_line

__all__ = ["Journal", "JournalError"]

Path = str | os.PathLike[str]


class JournalError(ValueError):
    """A journal that cannot be gone on with; the message says which and why."""


class Journal:
    """What has been answered, line by line, each on the disk before the next question.

    A journal is a file of JSON lines that only ever grows. The first line says what it is the
    journal of, and each line after it is one entry. `append` returns when the entry is on the disk,
    so that a process that is killed loses at most an entry that nobody has been told is there. What
    such a process leaves of a line is cut off when the journal is opened again.

    One process at a time may write: an entry is refused if another has written in the meantime.

    Parameters
    ----------
    path
        The file; None to keep the entries in memory only.
    subject
        What it is the journal of, as plain JSON values by name. Where the file is there already, it
        has to say the same.

    Attributes
    ----------
    entries
        The entries, in order.
    subject
        What it is the journal of.

    """

    def __init__(self, path: Path | None, subject: dict[str, Any]):
        self.path = None if path is None else pathlib.Path(path)
        self.subject = subject
        self.entries: list[dict[str, Any]] = []
        self._size = 0
        if self.path is None:
            return
        lines = self._read()
        if lines:
            self._check(lines[0])
            self.entries = lines[1:]

    def begin(self) -> None:
        """Write the first line, if there is none yet."""
        if self.path is not None and not self._size:
            self._size = self._write(self.subject)

    def append(self, entry: dict[str, Any]) -> None:
        """Add an entry, and return when it is on the disk.

        Parameters
        ----------
        entry
            Plain JSON values by name.

        """
        written = 0 if self.path is None else self._write(entry)
        self.entries.append(entry)
        # Last: after an interrupt, the file is longer than it should be, and nothing is added to it.
        self._size += written

    def _read(self) -> list[dict[str, Any]]:
        """The lines of the file that are whole; what comes after them does not count."""
        assert self.path is not None
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return []
        whole, end, _ = data.rpartition(b"\n")
        self._size = len(whole) + len(end)
        lines = []
        for number, line in enumerate(whole.split(b"\n") if end else [], start=1):
            try:
                entry = json.loads(line.decode("ascii"), parse_constant=_refused)
            except (RecursionError, ValueError):
                entry = None
            if type(entry) is not dict:
                raise JournalError(
                    f"{str(self.path)!r} is not a journal: line {number:,} must be a JSON object in "
                    f"ASCII; got {reprlib.repr(line)}"
                )
            lines.append(entry)
        return lines

    def _check(self, found: dict[str, Any]) -> None:
        for name, value in self.subject.items():
            if name in found and found[name] == value:
                continue
            # A checksum tells nobody anything.
            what = (
                "other instances: have they changed?"
                if name == "instances"
                else f"{name}={reprlib.repr(found.get(name))}, not {value!r}"
            )
            raise JournalError(
                f"{str(self.path)!r} was begun with {what} (begin another journal, or go on "
                "with what it was begun with)"
            )
        self.subject = found

    def _write(self, entry: dict[str, Any]) -> int:
        """Write a line after those that are whole, and return how many bytes it has."""
        line = json.dumps(entry, allow_nan=False).encode("ascii") + b"\n"
        assert self.path is not None
        try:
            append_line(self.path, line, self._size)
        except FileChangedError as error:
            raise JournalError(str(error)) from None
        return len(line)


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
