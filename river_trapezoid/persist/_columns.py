"""Stores sequences of plain values as arrays: a million names as one text and their lengths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Any

import numpy as np

from ._arrays import Array, ArrayReader, ArrayWriter
from ._errors import ModelFileError, shortened

__all__ = ["distinct", "plain", "read_column", "read_integer", "write_column"]

# Bytes that a value takes in memory: itself, and a pointer to it in a list and in a dict.
_COSTS = {
    "none": 100,
    "bool": 100,
    "int": 130,
    "float": 120,
    "str": 150,
    "bytes": 140,
    "tuple": 160,
}
_KINDS: dict[type, str] = {
    type(None): "none",
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    bytes: "bytes",
    tuple: "tuple",
}
_CODES = {kind: code for code, kind in enumerate(_COSTS)}
_DEEPEST_TUPLE = 8
# The number of first values that show whether those of a column repeat.
_SAMPLE = 1000
# The largest number of keys with the same hash that a dict accepts without delay.
_MOST_COLLISIONS = 100


def plain(value: Any) -> Any:
    """Convert a NumPy scalar to a plain number or string; return other values unchanged.

    >>> plain((np.int64(3), np.str_("a")))
    (3, 'a')

    """
    if isinstance(value, np.generic) and not isinstance(value, np.longdouble):
        item = value.item()
        return item if type(item) in _KINDS else value
    return tuple(map(plain, value)) if type(value) is tuple else value


def write_column(values: Sequence[Any], arrays: ArrayWriter) -> dict[str, Any] | None:
    """Store plain values in arrays and return their description; None if some are not plain."""
    column = _write(values, arrays, 0)
    if column is None:
        values = list(map(plain, values))
        column = _write(values, arrays, 0)
    return column


def _write(values: Sequence[Any], arrays: ArrayWriter, depth: int) -> dict[str, Any] | None:
    types = set(map(type, values))
    if not _KINDS.keys() >= types or not _is_plain(values, types, depth):
        return None
    kinds = sorted(map(_KINDS.__getitem__, types), key=_CODES.__getitem__)
    if len(kinds) == 1:
        return _write_kind(kinds[0], values, arrays, depth)
    codes = {kind: _CODES[_KINDS[kind]] for kind in types}
    which = np.fromiter(map(codes.__getitem__, map(type, values)), np.uint8, len(values))
    parts = [
        _write_kind(kind, [v for v in values if _KINDS[type(v)] == kind], arrays, depth)
        for kind in kinds
    ]
    arrays.spend(_COSTS["none"] * len(values))
    return {"column": "mixed", "kinds": arrays.add(which), "parts": parts}


def _is_plain(values: Sequence[Any], types: set[type], depth: int) -> bool:
    """Return whether all tuples hold plain values, on all levels."""
    if tuple not in types:
        return True
    inner = [item for value in values if type(value) is tuple for item in value]
    types = set(map(type, inner))
    return depth < _DEEPEST_TUPLE and _KINDS.keys() >= types and _is_plain(inner, types, depth + 1)


def _write_kind(
    kind: str, values: Sequence[Any], arrays: ArrayWriter, depth: int
) -> dict[str, Any]:
    column: dict[str, Any] = {"column": kind}
    n = len(values)
    if kind in ("str", "bytes") and 2 * len(set(values[:_SAMPLE])) < min(n, _SAMPLE):
        places = {value: place for place, value in enumerate(dict.fromkeys(values))}
        if 2 * len(places) < n:
            column["distinct"] = _write_kind(kind, list(places), arrays, depth)
            column["places"] = _write_counts(map(places.__getitem__, values), n, arrays)
            arrays.spend(_COSTS["none"] * n)
            return column
    arrays.spend(_COSTS[kind] * n)
    if kind == "none":
        column["values"] = arrays.add(np.zeros(n, np.uint8))
    elif kind in ("bool", "float"):
        column["values"] = arrays.add(np.fromiter(values, kind, n))
    elif kind == "int":
        try:
            column["values"] = arrays.add(np.fromiter(values, np.int64, n))
        except OverflowError:
            column["digits"] = _write_kind("str", list(map(hex, values)), arrays, depth)
    elif kind == "tuple":
        lengths = set(map(len, values))
        if len(lengths) == 1 and 0 not in lengths:
            column["fields"] = [
                _write(list(map(itemgetter(i), values)), arrays, depth + 1)
                for i in range(lengths.pop())
            ]
        else:
            items = [item for value in values for item in value]
            column["lengths"] = _write_counts(map(len, values), n, arrays)
            column["items"] = _write(items, arrays, depth + 1)
    else:
        data = (
            "".join(values).encode("utf-8", "surrogatepass") if kind == "str" else b"".join(values)
        )
        column["data"] = arrays.add(np.frombuffer(data, np.uint8))
        column["lengths"] = _write_counts(map(len, values), n, arrays)
    return column


def _write_counts(counts: Iterable[int], n: int, arrays: ArrayWriter) -> int:
    array = np.fromiter(counts, np.uint64, n)
    largest = int(array.max(initial=0))
    dtype = next(t for t in ("uint8", "uint16", "uint32", "uint64") if largest <= np.iinfo(t).max)
    return arrays.add(array.astype(dtype))


def read_column(column: Any, arrays: ArrayReader, depth: int = 0) -> list[Any]:
    """Return the values that `write_column` has stored."""
    if type(column) is not dict or depth > _DEEPEST_TUPLE:
        raise ModelFileError(
            f"a column must be described by a JSON object; got {shortened(column)}"
        )
    kind = column.get("column")
    if kind == "mixed":
        return _read_mixed(column, arrays, depth)
    if type(kind) is not str or kind not in _COSTS:
        raise ModelFileError(f"unknown kind of column: {shortened(kind)}")
    if kind in ("none", "bool", "float") or (kind == "int" and "digits" not in column):
        dtype = {"none": "uint8", "bool": "bool", "int": "int64", "float": "float64"}[kind]
        array = arrays.get(column.get("values"), dtype, 1)
        arrays.spend(_COSTS[kind] * len(array))
        return [None] * len(array) if kind == "none" else array.tolist()
    if kind == "int":
        digits = column["digits"]
        if type(digits) is not dict or digits.get("column") != "str":
            raise ModelFileError(
                f"the digits of integers must be a column of text; got {shortened(digits)}"
            )
        texts = read_column(digits, arrays, depth)
        arrays.spend(_COSTS[kind] * len(texts))
        return [read_integer(text) for text in texts]
    if "distinct" in column:
        return _read_repeated(column, arrays, depth)
    if kind == "tuple" and "fields" in column:
        return _read_fields(column, arrays, depth)
    lengths = _read_counts(column.get("lengths"), arrays)
    arrays.spend(_COSTS[kind] * len(lengths))
    whole: Any
    if kind == "tuple":
        whole = tuple(read_column(column["items"], arrays, depth + 1)) if "items" in column else ()
    else:
        whole = arrays.get(column.get("data"), "uint8", 1).tobytes()
        if kind == "str":
            try:
                whole = whole.decode("utf-8", "surrogatepass")
            except UnicodeDecodeError as error:
                raise ModelFileError(f"a column of text is not UTF-8 ({error})") from None
    return _pieces(whole, lengths)


def _read_counts(number: Any, arrays: ArrayReader) -> Array:
    counts = arrays.get(number, None, 1)
    if counts.dtype.kind != "u":
        raise ModelFileError(f"the counts of a column must be unsigned; got {counts.dtype}")
    return counts


def _read_repeated(column: dict[str, Any], arrays: ArrayReader, depth: int) -> list[Any]:
    inner = column["distinct"]
    if type(inner) is not dict or inner.get("column") != column["column"] or "distinct" in inner:
        raise ModelFileError(f"the distinct values must be a column of {column['column']}")
    values = read_column(inner, arrays, depth)
    places = _read_counts(column.get("places"), arrays)
    arrays.spend(_COSTS["none"] * len(places))
    if places.max(initial=0) >= max(1, len(values)) or (len(places) and not values):
        raise ModelFileError(
            f"a place must be less than {len(values)}, the number of distinct values"
        )
    return [values[place] for place in places.tolist()]


def _read_fields(column: dict[str, Any], arrays: ArrayReader, depth: int) -> list[Any]:
    if type(column["fields"]) is not list or not column["fields"]:
        raise ModelFileError(
            f"the fields of tuples must be columns; got {shortened(column['fields'])}"
        )
    fields = [read_column(field, arrays, depth + 1) for field in column["fields"]]
    arrays.spend(_COSTS["tuple"] * len(fields[0]))
    if len(set(map(len, fields))) > 1:
        raise ModelFileError("the fields of tuples must be columns of the same length")
    return list(zip(*fields, strict=True))


def _pieces(whole: Any, lengths: Array) -> list[Any]:
    # Integers of Python, as those of numpy wrap around.
    ends = list(accumulate(lengths.tolist()))
    if (ends[-1] if ends else 0) != len(whole):
        raise ModelFileError(
            f"the lengths of a column must add up to {len(whole)}; got {ends[-1] if ends else 0}"
        )
    return [whole[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _read_mixed(column: dict[str, Any], arrays: ArrayReader, depth: int) -> list[Any]:
    which = arrays.get(column.get("kinds"), "uint8", 1)
    parts = column.get("parts")
    if type(parts) is not list or not all(
        type(part) is dict and type(part.get("column")) is str and part["column"] in _CODES
        for part in parts
    ):
        raise ModelFileError(f"the parts of a mixed column must be columns; got {shortened(parts)}")
    codes = [_CODES[part["column"]] for part in parts]
    found, counts = np.unique(which, return_counts=True)
    if found.tolist() != codes:
        raise ModelFileError(
            f"the kinds of a mixed column must be those of its parts, {codes}; got "
            f"{shortened(found.tolist())}"
        )
    arrays.spend(_COSTS["none"] * len(which))
    sources = {}
    for code, part, n in zip(codes, parts, counts, strict=True):
        items = read_column(part, arrays, depth)
        if len(items) != n:
            raise ModelFileError(f"a part of a mixed column must have {n} values; got {len(items)}")
        sources[code] = iter(items)
    return [next(sources[code]) for code in which.tolist()]


def distinct(keys: list[Any]) -> list[Any]:
    """Return keys; raise an error unless they can be keys of one dict."""
    try:
        # Nobody can prepare collisions of text and bytes, whose hashes are salted in each process.
        if not {str, bytes} >= set(map(type, keys)):
            hashes = np.fromiter(map(hash, keys), np.int64, len(keys))
            if np.unique(hashes, return_counts=True)[1].max(initial=0) > _MOST_COLLISIONS:
                raise ModelFileError(
                    f"more than {_MOST_COLLISIONS} keys have the same hash: they are chosen to collide"
                )
        if len(set(keys)) == len(keys):
            return keys
    except TypeError:
        raise ModelFileError("a key must be hashable") from None
    raise ModelFileError("a key occurs twice")


def read_integer(digits: Any) -> int:
    """Return an integer, given its digits as written by `hex`."""
    try:
        value = int(digits, 16)
        if hex(value) == digits:
            return value
    except (TypeError, ValueError):
        pass
    raise ModelFileError(f"an integer must have the format of hex(); got {shortened(digits)}")
