"""The arrays of a model file: collected when it is written, checked when it is read."""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import ModelFileError, shortened

__all__ = ["ArrayReader", "ArrayWriter"]

Array = npt.NDArray[Any]

# Little-endian on every machine. No objects, no structures.
DTYPES = {
    "bool": "|b1",
    "uint8": "|u1",
    "uint16": "<u2",
    "uint32": "<u4",
    "uint64": "<u8",
    "int64": "<i8",
    "float64": "<f8",
}
_NAMES = {np.dtype(code): name for name, code in DTYPES.items()}
# Arrays begin at multiples of this, which suits the widest vector instructions.
_ALIGNMENT = 64
_MOST_DIMENSIONS = 4
# Bytes of a row of an array as a list: an array without columns has rows and no bytes.
_ROW = 64
# Bytes that a header need not declare, as earlier versions did not count rows.
_UNDECLARED = 2**16


def _cost(shape: tuple[int, ...], n_bytes: int) -> int:
    """Return the bytes that an array takes in memory, or its rows as lists where that is more."""
    return max(n_bytes, _ROW * sum(itertools.accumulate(shape[:-1], operator.mul)))


class ArrayWriter:
    """Collects arrays and their places in the file."""

    def __init__(self) -> None:
        self.table: list[dict[str, Any]] = []
        self.chunks: list[Any] = []
        self.size = 0
        # Bytes that the loaded model takes, as counted by `ArrayReader.spend`.
        self.memory = 0

    def add(self, array: Array) -> int:
        """Add an array and return its number."""
        dtype = array.dtype.newbyteorder("<")
        if dtype not in _NAMES or array.ndim > _MOST_DIMENSIONS:
            raise TypeError(
                f"an array must be of {', '.join(DTYPES)} and have at most {_MOST_DIMENSIONS} "
                f"dimensions to be saved; got {array.dtype} and {array.ndim}"
            )
        by_columns = array.flags.f_contiguous and not array.flags.c_contiguous
        data = np.ascontiguousarray(array.T if by_columns else array, dtype=dtype)
        padding = -self.size % _ALIGNMENT
        self.chunks += [bytes(padding), data.reshape(-1).view(np.uint8).data]
        entry = {"dtype": _NAMES[dtype], "shape": list(array.shape), "offset": self.size + padding}
        if by_columns:
            entry["order"] = "F"
        self.table.append(entry)
        self.size += padding + data.nbytes
        self.spend(_cost(array.shape, data.nbytes))
        return len(self.table) - 1

    def spend(self, n_bytes: int) -> None:
        """Count memory that loading will take."""
        self.memory += n_bytes


class ArrayReader:
    """Reads arrays, and counts the memory that they and all other values take.

    Parameters
    ----------
    table
        The description of the arrays in the header.
    body
        The bytes after the header.
    memory
        The bytes of memory that the header declares.

    """

    def __init__(self, table: Any, body: memoryview, memory: int):
        if type(table) is not list:
            raise ModelFileError(f"the table of arrays must be a list; got {shortened(table)}")
        self._table = table
        self._body = body
        self._left = memory + _UNDECLARED

    def spend(self, n_bytes: int) -> None:
        """Count memory before it is allocated; raise an error if it exceeds the declared amount."""
        self._left -= n_bytes
        if self._left < 0:
            raise ModelFileError("the model takes more memory than the header declares")

    def get(self, number: Any, dtype: str | None = None, ndim: int | None = None) -> Array:
        """Return a view of an array, which must have the given type and number of dimensions."""
        if type(number) is not int or not 0 <= number < len(self._table):
            raise ModelFileError(
                f"the number of an array must be from 0 to {len(self._table) - 1}; got "
                f"{shortened(number)}"
            )
        entry = self._table[number]
        fine = (
            type(entry) is dict
            and type(entry.get("dtype")) is str
            and entry["dtype"] in DTYPES
            and type(entry.get("shape")) is list
            and len(entry["shape"]) <= _MOST_DIMENSIONS
            and all(type(n) is int and n >= 0 for n in entry["shape"])
            and type(entry.get("offset")) is int
            and entry["offset"] >= 0
            and entry.get("order", "C") in ("C", "F")
        )
        if not fine:
            raise ModelFileError(
                f"array {number} must be described by dtype, shape and offset; got {shortened(entry)}"
            )
        shape = tuple(entry["shape"])
        if dtype not in (None, entry["dtype"]) or ndim not in (None, len(shape)):
            raise ModelFileError(
                f"array {number} must be {dtype or 'of any type'} in {ndim or 'any'} dimensions; "
                f"got {entry['dtype']} in {len(shape)}"
            )
        code = np.dtype(DTYPES[entry["dtype"]])
        n_bytes = math.prod(shape) * code.itemsize
        if entry["offset"] + n_bytes > len(self._body):
            raise ModelFileError(f"array {number} reaches beyond the end of the file")
        self.spend(_cost(shape, n_bytes))
        data = np.frombuffer(self._body[entry["offset"] : entry["offset"] + n_bytes], code)
        if code.kind == "b" and data.view(np.uint8).max(initial=0) > 1:
            raise ModelFileError(f"the booleans of array {number} must be 0 or 1")
        return data.reshape(shape, order=entry.get("order", "C"))

    def copy(self, number: Any, dtype: str | None = None, ndim: int | None = None) -> Array:
        """Return a copy of an array, in the byte order of the machine."""
        array = self.get(number, dtype, ndim)
        self.spend(array.nbytes)
        return np.array(array, dtype=array.dtype.newbyteorder("="), order="K")
