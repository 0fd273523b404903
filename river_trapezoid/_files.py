"""Two durable ways of writing a file: replace it as a whole, or append a line to it."""

from __future__ import annotations

import contextlib
import errno
import os
import pathlib
import re
import secrets
import stat
import time
from collections.abc import Iterable, Iterator
from typing import Any

try:
    import fcntl
except ImportError:  # Windows has none.
    fcntl = None  # type: ignore[assignment]

__all__ = ["FileChangedError", "append_line", "replacing", "scratch_file", "write_file"]

Path = str | os.PathLike[str]

_SCRATCH = re.compile(r"\.river-trapezoid-[0-9a-f]{16}\.part")
# Seconds after which a scratch file counts as abandoned where files cannot be locked.
_LONGEST_USE = 7200
_FLAGS = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class FileChangedError(OSError):
    """A file to append to has changed since the caller last wrote to it."""


def write_file(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write a file; whatever happens, the old file remains or the new one is complete.

    Parameters
    ----------
    path
        The file to write.
    pieces
        The content.

    """
    with replacing(path) as scratch, scratch.open("r+b") as file:
        for piece in pieces:
            file.write(piece)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[pathlib.Path]:
    """Yield an empty file to write to, which replaces `path` at the end unless there is an error.

    The content is on the disk before the name changes. A symbolic link at `path` is replaced, not
    followed, and the new file gets the permissions of a file at `path`.

    Parameters
    ----------
    path
        The file to replace.

    """
    target = pathlib.Path(path)
    try:
        found = target.lstat()
        mode = stat.S_IMODE(found.st_mode) if stat.S_ISREG(found.st_mode) else None
    except FileNotFoundError:
        mode = None
    # The content is at no time readable by more users than the old file is.
    with scratch_file(target, 0o666 if mode is None else mode & 0o666 | 0o200) as scratch:
        yield scratch
        handle = os.open(scratch, os.O_RDWR | _FLAGS)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        if mode is not None:
            os.chmod(scratch, mode)
        os.replace(scratch, target)
        _sync_folder(target.parent)


@contextlib.contextmanager
def scratch_file(path: Path, mode: int = 0o666) -> Iterator[pathlib.Path]:
    """Yield a new file beside `path`, which is removed at the end unless it was moved.

    Its name is random and it is created exclusively, so that no planted link is followed and
    several processes may write the same file: the last one replaces the file of the others. The
    scratch file is locked while it is in use. A scratch file left by a killed process is not
    locked, and is removed here.

    Parameters
    ----------
    path
        The file to replace. It need not exist.
    mode
        The permissions of the new file, less the umask of the process.

    """
    folder = pathlib.Path(path).parent
    if not folder.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, f"there is no folder {str(folder)!r} to write to", str(path)
        )
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise OSError(
            errno.EINVAL, f"{os.fspath(path)!r} is a device or a pipe, not a file", str(path)
        )
    with os.scandir(folder) as entries:
        abandoned = [entry.path for entry in entries if _SCRATCH.fullmatch(entry.name)]
    for name in abandoned:
        _remove_abandoned(name)
    scratch, lock = _locked(folder, mode)
    try:
        with lock:
            yield scratch
    finally:
        scratch.unlink(missing_ok=True)


def _locked(
    folder: pathlib.Path, mode: int
) -> tuple[pathlib.Path, contextlib.AbstractContextManager[Any]]:
    while True:
        scratch = folder / f".river-trapezoid-{secrets.token_hex(8)}.part"
        handle = os.open(scratch, os.O_RDWR | os.O_CREAT | os.O_EXCL | _FLAGS, mode)
        file = os.fdopen(handle, "r+b")
        if fcntl is None:
            # Windows cannot move a file that is open.
            file.close()
            return scratch, contextlib.nullcontext()
        # On a file system without locks, no file counts as abandoned.
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        # Another process may have found it before it was locked, and removed it.
        if scratch.exists():
            return scratch, file
        file.close()


def _remove_abandoned(name: str) -> None:
    # A file that is locked, or cannot be, raises an OSError.
    with contextlib.suppress(OSError):
        if fcntl is None:
            if time.time() - os.lstat(name).st_mtime > _LONGEST_USE:
                os.unlink(name)
            return
        handle = os.open(name, os.O_RDWR | _FLAGS)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if stat.S_ISREG(os.fstat(handle).st_mode):
                os.unlink(name)
        finally:
            os.close(handle)


def append_line(path: Path, line: bytes, size: int) -> int:
    """Append a line to a file, which is created if it does not exist, and return its new size.

    The line is on the disk when the function returns. If it cannot be written, the file has the
    content that it had before.

    Parameters
    ----------
    path
        The file.
    line
        The line, with its end.
    size
        The number of bytes that the complete lines of the file have. The part of a line that a
        killed process has left after them is overwritten.

    Raises
    ------
    FileChangedError
        If the file is shorter than `size`, or another process has appended a line.

    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    try:
        found = os.fstat(handle).st_size
        if found < size:
            raise FileChangedError(f"{os.fspath(path)!r} has become shorter; open it again")
        if found > size:
            os.lseek(handle, size, os.SEEK_SET)
            if b"\n" in os.read(handle, found - size):
                raise FileChangedError(
                    f"{os.fspath(path)!r} has been written to by another process; open it again"
                )
        try:
            os.ftruncate(handle, size)
            os.lseek(handle, size, os.SEEK_SET)
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(handle, rest) :]
            os.fsync(handle)
            if not size:
                _sync_folder(pathlib.Path(path).parent)
        except BaseException:
            with contextlib.suppress(OSError):
                os.ftruncate(handle, size)
            raise
    finally:
        os.close(handle)
    return size + len(line)


def _sync_folder(folder: pathlib.Path) -> None:
    """Write the names in a folder to the disk, on systems where folders can be opened."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        # Some file systems do not support it.
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
