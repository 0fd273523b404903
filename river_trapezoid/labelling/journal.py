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
    """A journal that cannot be resumed; the message names the file and the reason."""


class Journal:
    """A file of JSON lines to which entries are appended, each on the disk before `append` returns.

    The first line is the subject of the journal, and each of the following lines is an entry. If the
    process is killed during `append`, the entry may be lost, but none before it. An incomplete line at
    the end of the file is removed when the next entry is appended.

    One process at a time may append: if another process has appended an entry, the next `append`
    raises a `JournalError`.

    Parameters
    ----------
    path
        Path of the file; None to keep the entries in memory.
    subject
        The subject of the journal, a dict of JSON values. If the file exists, it must have the same
        subject; it may have more fields.

    Attributes
    ----------
    entries
        The entries, in order.
    subject
        The subject in the first line of the file.

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
        """Write the first line if the file does not have it."""
        if self.path is not None and not self._size:
            self._size = self._write(self.subject)

    def append(self, entry: dict[str, Any]) -> None:
        """Append an entry, and return when it is on the disk.

        Parameters
        ----------
        entry
            The entry, a dict of JSON values.

        """
        written = 0 if self.path is None else self._write(entry)
        self.entries.append(entry)
        # Last: after an interrupt before this line, the file is too long, and appending is an error.
        self._size += written

    def _read(self) -> list[dict[str, Any]]:
        """Read the complete lines of the file."""
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
            # A user cannot compare the checksums of instances.
            what = (
                "other instances; have these changed?"
                if name == "instances"
                else f"{name}={reprlib.repr(found.get(name))}; got {value!r}"
            )
            raise JournalError(f"{str(self.path)!r} was started with {what}")
        self.subject = found

    def _write(self, entry: dict[str, Any]) -> int:
        """Write a line after the complete ones, and return its number of bytes."""
        line = json.dumps(entry, allow_nan=False).encode("ascii") + b"\n"
        assert self.path is not None
        try:
            append_line(self.path, line, self._size)
        except FileChangedError as error:
            raise JournalError(str(error)) from None
        return len(line)


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
