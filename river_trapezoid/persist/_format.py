"""The layout of a model file.

    16 bytes   magic: 0x89 and "river-trapezoid"
     4 bytes   version of the format
     4 bytes   size of the header
     8 bytes   size of the body
    32 bytes   checksum of the body
    32 bytes   checksum of all the above and the header
               header: JSON, in ASCII
               body: arrays, one after the other

The header holds the versions of the libraries that wrote it, the memory that the loaded model takes,
the model as a tree of classes, parameters and attributes (`_values.py` defines the nodes,
`_columns.py` those of long sequences), and a table of the arrays with type, shape and offset.
Arrays are stored as in memory; nothing is compressed, so that a small file holds nothing large.

Numbers are little-endian, checksums are BLAKE2b. The checksums detect damage, not malice: whoever
writes a file can write its checksums, so that all content is checked as if there were none.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
from collections.abc import Iterable
from typing import Any, BinaryIO, NamedTuple

from ._errors import ModelFileError

__all__ = ["FORMAT", "MAX_SIZE", "Contents", "pack", "read_file", "unpack"]

FORMAT = 1
# The largest file, and the most memory that its model may take, by default.
MAX_SIZE = 2**32
_MAGIC = b"\x89river-trapezoid"
_PREAMBLE = struct.Struct("<16sIIQ32s")
_CHECKSUM = 32
_START = _PREAMBLE.size + _CHECKSUM
# Parsed JSON takes up to this multiple of its size in memory.
JSON_FACTOR = 40
_LARGEST_HEADER = 2**28

Path = str | os.PathLike[str]


class Contents(NamedTuple):
    """The header and the body of a file, its size, and the memory that its model takes."""

    header: dict[str, Any]
    body: memoryview
    size: int
    memory: int


def pack(header: dict[str, Any], body: Iterable[bytes | memoryview], size: int) -> list[Any]:
    """Return the content of a file, in pieces."""
    text = json.dumps(header, allow_nan=False, separators=(",", ":")).encode("ascii")
    if len(text) > _LARGEST_HEADER:
        raise TypeError(
            f"the model cannot be saved: its header may have at most {_LARGEST_HEADER:,} bytes; "
            f"got {len(text):,}"
        )
    body = list(body)
    of_body = hashlib.blake2b(digest_size=_CHECKSUM)
    for piece in body:
        of_body.update(piece)
    preamble = _PREAMBLE.pack(_MAGIC, FORMAT, len(text), size, of_body.digest())
    return [preamble, hashlib.blake2b(preamble + text, digest_size=_CHECKSUM).digest(), text, *body]


def unpack(file: BinaryIO, size: int, max_size: int, with_body: bool = True) -> Contents:
    """Read a file and check it, except for the content of its header.

    Parameters
    ----------
    file
        The file.
    size
        Its size in bytes.
    max_size
        Maximum size in bytes of the file, and of its model in memory.
    with_body
        Whether to read and check the body as well.

    """
    start = file.read(_START)
    if not start.startswith(_MAGIC):
        raise ModelFileError("not a river-trapezoid model file")
    if len(start) < _START:
        raise ModelFileError("the file is truncated")
    _, version, header_size, body_size, of_body = _PREAMBLE.unpack_from(start)
    if version != FORMAT:
        raise ModelFileError(
            f"the file is of format {version}, and this version of river_trapezoid reads format "
            f"{FORMAT}"
        )
    if size != _START + header_size + body_size:
        raise ModelFileError(
            f"the file must have {_START + header_size + body_size:,} bytes, as its header declares; "
            f"got {size:,}"
        )
    if header_size > _LARGEST_HEADER or max(size, JSON_FACTOR * header_size) > max_size:
        raise ModelFileError(f"the file is larger than max_size={max_size:,} allows")
    text = file.read(header_size)
    checksum = hashlib.blake2b(start[: _PREAMBLE.size] + text, digest_size=_CHECKSUM).digest()
    if checksum != start[_PREAMBLE.size :]:
        raise ModelFileError("the file is damaged: the checksum of its header does not match")
    header = _parsed(text)
    if type(header.get("memory")) is not int or header["memory"] < 0:
        raise ModelFileError("the header must declare the memory of the model")
    memory = header["memory"] + JSON_FACTOR * header_size
    if memory > max_size:
        raise ModelFileError(
            f"the model takes {memory:,} bytes of memory, more than max_size={max_size:,} allows"
        )
    if not with_body:
        return Contents(header, memoryview(b""), size, memory)
    body = file.read(body_size)
    if hashlib.blake2b(body, digest_size=_CHECKSUM).digest() != of_body:
        raise ModelFileError("the file is damaged: the checksum of its arrays does not match")
    return Contents(header, memoryview(body), size, memory)


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text.decode("ascii"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"the header is not valid JSON ({error})") from None
    if type(header) is not dict:
        raise ModelFileError("the header must be a JSON object")
    return header


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number in JSON")


def read_file(path: Path, max_size: int, with_body: bool = True) -> Contents:
    """Read a file; errors name it."""
    # A pipe or a device may block, or never end.
    if not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
        raise ModelFileError(f"{os.fspath(path)!r} is not a regular file")
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        try:
            return unpack(file, size, max_size, with_body)
        except ModelFileError as error:
            raise named(path, error) from None


def named(path: Path, error: ModelFileError) -> ModelFileError:
    """Return the same error with the name of the file."""
    return ModelFileError(f"{os.fspath(path)!r} cannot be loaded: {error}")
