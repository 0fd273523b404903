"""The layout of a model file.

    16 bytes   magic: 0x89 and "river-trapezoid"
     4 bytes   version of the format
     4 bytes   size of the header
     8 bytes   size of the body
    32 bytes   checksum of the body
    32 bytes   checksum of all the above and the header
               header: JSON, in ASCII
               body: arrays, one after the other

The header has the versions of the libraries that wrote it, how much memory the model takes when it
is read, the model as a tree of classes, parameters and attributes (`_values.py` has its kinds of
nodes, `_columns.py` those of long sequences), and a table of the arrays with type, shape and place.
Arrays are as they are in memory; nothing is compressed, so that a small file has nothing large in it.

Numbers are little-endian, checksums BLAKE2b. The checksums tell damage, not malice: who can write a
file can write its checksums too, so that everything in it is checked as if there were none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import secrets
import stat
import struct
from collections.abc import Iterable
from typing import Any, BinaryIO, NamedTuple

from ._errors import ModelFileError

__all__ = [
    "FORMAT",
    "MAX_SIZE",
    "Contents",
    "pack",
    "read_file",
    "sync_folder",
    "unpack",
    "write_file",
]

FORMAT = 1
# Of a file, and of what it takes in memory, unless one asks for more.
MAX_SIZE = 2**32
_MAGIC = b"\x89river-trapezoid"
_PREAMBLE = struct.Struct("<16sIIQ32s")
_CHECKSUM = 32
_START = _PREAMBLE.size + _CHECKSUM
# JSON takes up to so many times its size in memory when it is read.
JSON_FACTOR = 40
_LARGEST_HEADER = 2**28

Path = str | os.PathLike[str]


class Contents(NamedTuple):
    """The header and the body of a file, its size, and how much memory it takes when it is loaded."""

    header: dict[str, Any]
    body: memoryview
    size: int
    memory: int


def pack(header: dict[str, Any], body: Iterable[bytes | memoryview], size: int) -> list[Any]:
    """The pieces of a file, one after the other."""
    text = json.dumps(header, allow_nan=False, separators=(",", ":")).encode("ascii")
    if len(text) > _LARGEST_HEADER:
        raise TypeError(
            f"the model cannot be saved: what is not in arrays takes {len(text):,} bytes, and "
            f"{_LARGEST_HEADER:,} is the most"
        )
    body = list(body)
    of_body = hashlib.blake2b(digest_size=_CHECKSUM)
    for piece in body:
        of_body.update(piece)
    preamble = _PREAMBLE.pack(_MAGIC, FORMAT, len(text), size, of_body.digest())
    return [preamble, hashlib.blake2b(preamble + text, digest_size=_CHECKSUM).digest(), text, *body]


def unpack(file: BinaryIO, size: int, max_size: int, with_body: bool = True) -> Contents:
    """Read a file of which the size is known, and check all but what its header says.

    Parameters
    ----------
    file
        The file.
    size
        How many bytes it has.
    max_size
        How many bytes it may have, and may take in memory.
    with_body
        Whether to read, and check, the body as well.

    """
    start = file.read(_START)
    if not start.startswith(_MAGIC):
        raise ModelFileError("it is no model file of river_trapezoid")
    if len(start) < _START:
        raise ModelFileError("it is cut short")
    _, version, header_size, body_size, of_body = _PREAMBLE.unpack_from(start)
    if version != FORMAT:
        raise ModelFileError(
            f"it is of format {version}, and this version of river_trapezoid reads format {FORMAT}"
        )
    if size != _START + header_size + body_size:
        raise ModelFileError(
            f"it has {size:,} bytes, and says that it has {_START + header_size + body_size:,}"
        )
    if header_size > _LARGEST_HEADER or max(size, JSON_FACTOR * header_size) > max_size:
        raise ModelFileError(f"it is larger than max_size={max_size:,} allows")
    text = file.read(header_size)
    checksum = hashlib.blake2b(start[: _PREAMBLE.size] + text, digest_size=_CHECKSUM).digest()
    if checksum != start[_PREAMBLE.size :]:
        raise ModelFileError("it is damaged: its header has another checksum")
    header = _parsed(text)
    if type(header.get("memory")) is not int or header["memory"] < 0:
        raise ModelFileError("its header does not say how much memory it takes")
    memory = header["memory"] + JSON_FACTOR * header_size
    if memory > max_size:
        raise ModelFileError(
            f"it takes {memory:,} bytes of memory, more than max_size={max_size:,} allows"
        )
    if not with_body:
        return Contents(header, memoryview(b""), size, memory)
    body = file.read(body_size)
    if hashlib.blake2b(body, digest_size=_CHECKSUM).digest() != of_body:
        raise ModelFileError("it is damaged: its arrays have another checksum")
    return Contents(header, memoryview(body), size, memory)


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text.decode("ascii"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"its header is not JSON that can be read ({error})") from None
    if type(header) is not dict:
        raise ModelFileError("its header is no JSON object")
    return header


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def read_file(path: Path, max_size: int, with_body: bool = True) -> Contents:
    """Read a file; its errors say which it is."""
    # A pipe or a device would be waited for, or would never end.
    if not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
        raise ModelFileError(f"{os.fspath(path)!r} is no regular file")
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        try:
            return unpack(file, size, max_size, with_body)
        except ModelFileError as error:
            raise named(path, error) from None


def named(path: Path, error: ModelFileError) -> ModelFileError:
    """The same error, with the file it is about."""
    return ModelFileError(f"{os.fspath(path)!r} cannot be loaded: {error}")


def write_file(path: Path, pieces: Iterable[bytes | memoryview], part: str | None = None) -> None:
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
