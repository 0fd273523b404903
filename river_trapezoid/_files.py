"""Files that are there as they were before or whole, whatever happens."""

from __future__ import annotations

import contextlib
import errno
import os
import pathlib
import secrets
import stat
from collections.abc import Iterable

__all__ = ["sync_folder", "write_file"]


def write_file(
    path: str | os.PathLike[str], pieces: Iterable[bytes | memoryview], part: str | None = None
) -> None:
    """Write a file such that, whatever happens, it is there as it was before or whole.

    Parameters
    ----------
    path
        Where to write.
    pieces
        What to write.
    part
        What the file is called, in the same folder, until it is whole. A name of its own by
        default.

    """
    target = pathlib.Path(path)
    # In the same folder, since only within a file system a file takes the place of another at once.
    unfinished = target.with_name(part or f".{secrets.token_hex(8)}.part")
    flags = os.O_WRONLY | os.O_CREAT | (os.O_EXCL if part is None else os.O_TRUNC)
    if not target.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, f"there is no folder {str(target.parent)!r} to write to", str(target)
        )
    handle = os.open(unfinished, flags | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            os.chmod(unfinished, stat.S_IMODE(target.stat().st_mode))
        os.replace(unfinished, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(unfinished)
        raise
    sync_folder(target.parent)


def sync_folder(folder: pathlib.Path) -> None:
    """Have the new name on the disk as well, where folders can be opened."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        # Some file systems do not know of it.
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
