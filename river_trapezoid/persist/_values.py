"""Encodes the values of a model as nodes of a JSON document: a closed set of types, no code."""

from __future__ import annotations

import datetime
import math
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from river.optim.initializers import Zeros
from river.utils import VectorDict

from ._arrays import ArrayReader, ArrayWriter
from ._columns import distinct, plain, read_column, read_integer, write_column
from ._errors import ModelFileError, shortened

__all__ = ["DEFAULTS", "Codec", "Decoder", "Encoder", "unsupported"]

# The deepest nesting of nodes.
_DEEPEST = 60
# Sequences up to this length are in the header itself, where a person can read them.
_FEW = 8
# Every reader of JSON reads integers up to this size exactly.
_LARGEST_INTEGER = 2**53
# The default factories that a dict may have.
DEFAULTS: dict[str, Callable[[], Any]] = {
    "float": float,
    "int": int,
    "list": list,
    "dict": dict,
    "set": set,
    "Counter": Counter,
}
_DEFAULT_NAMES = {default: name for name, default in DEFAULTS.items()}
_SEQUENCES: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "deque": deque,
}
_SEQUENCE_NAMES = {kind: name for name, kind in _SEQUENCES.items()}
_MAPPINGS: dict[str, Callable[[dict[Any, Any]], Any]] = {
    "dict": dict,
    "counter": Counter,
    "ordered dict": OrderedDict,
    "vector": VectorDict,
    "default dict": dict,
}
_MAPPING_NAMES = {
    dict: "dict",
    Counter: "counter",
    OrderedDict: "ordered dict",
    VectorDict: "vector",
    defaultdict: "default dict",
}
_DATES: dict[str, type[datetime.date]] = {"date": datetime.date, "datetime": datetime.datetime}
_NUMBERS = {bool, int, float}
# Bytes that a container or object takes in memory, without its content.
_NODE = 500


class Codec(Protocol):
    """Turns the objects of one class into named values, and these back into objects."""

    @property
    def cls(self) -> type:
        """The class."""

    @property
    def take_apart(self) -> Callable[[Any], tuple[dict[str, Any], dict[str, Any]]]:
        """Returns the arguments of the constructor and the state of an object, by name."""

    @property
    def put_together(self) -> Callable[[dict[str, Any], dict[str, Any]], Any]:
        """Returns an object; any exception means that the values do not fit."""


class Encoder:
    """Turns values into nodes; long sequences and arrays go to the array writer.

    Parameters
    ----------
    find
        A function that returns the tag and the codec of a class, or None.
    arrays
        The writer of arrays.

    """

    def __init__(self, find: Callable[[type], tuple[str, Codec] | None], arrays: ArrayWriter):
        self._find = find
        self._arrays = arrays
        # The node of each object that may be met again, by identity; None while the object is being
        # encoded. The objects are kept, so that no other object gets their identity.
        self._nodes: dict[int, dict[str, Any] | None] = {}
        self._kept: list[Any] = []
        self._n_shared = 0

    def encode(self, value: Any, name: str, depth: int = 0) -> Any:
        """Return the node of a value.

        Parameters
        ----------
        value
            The value.
        name
            The name of the value in an error.
        depth
            The number of nodes around it.

        """
        value = plain(value)
        if value is None or type(value) in (bool, str):
            return value
        if type(value) is int:
            return value if abs(value) <= _LARGEST_INTEGER else {"int": hex(value)}
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if type(value) is bytes:
            return {"bytes": value.hex()}
        if isinstance(value, datetime.date):
            # The moments of pandas are datetimes, NaT included. Of a time zone, the offset is kept.
            kind = "datetime" if isinstance(value, datetime.datetime) else "date"
            return None if value != value else {kind: value.isoformat()}
        if depth > _DEEPEST:
            raise TypeError(f"{name} cannot be saved: it is nested deeper than {_DEEPEST} levels")
        if type(value) is tuple:
            # It cannot change, so that a copy does as well as a reference.
            return self._sequence("tuple", value, name, depth)
        if id(value) in self._nodes:
            return self._same(id(value), name)
        self._nodes[id(value)] = None
        self._kept.append(value)
        self._arrays.spend(_NODE)
        node = self._shareable(value, name, depth)
        self._nodes[id(value)] = node
        return node

    def fields(self, values: dict[str, Any], name: str, depth: int = 0) -> dict[str, Any]:
        """Return the nodes of named values."""
        return {
            field: self.encode(value, f"{name}.{field}", depth) for field, value in values.items()
        }

    def _same(self, identity: int, name: str) -> dict[str, Any]:
        node = self._nodes[identity]
        if node is None:
            raise TypeError(f"{name} cannot be saved: it contains itself")
        if "id" not in node:
            node["id"] = self._n_shared
            self._n_shared += 1
        return {"same": node["id"]}

    def _shareable(self, value: Any, name: str, depth: int) -> dict[str, Any]:
        kind = type(value)
        if kind in _SEQUENCE_NAMES:
            node = self._sequence(_SEQUENCE_NAMES[kind], value, name, depth)
            if kind is deque:
                node["most"] = value.maxlen
            return node
        if kind in _MAPPING_NAMES:
            return self._mapping(_MAPPING_NAMES[kind], value, name, depth)
        if kind is np.ndarray:
            # Once in the content of the file, and once in the model.
            self._arrays.spend(value.nbytes)
            return {"array": self._arrays.add(value)}
        found = self._find(kind)
        if found is None:
            raise unsupported(value, name)
        tag, codec = found
        parameters, state = codec.take_apart(value)
        short = tag.rpartition(".")[2]
        return {
            "class": tag,
            "parameters": self.fields(parameters, short, depth + 1),
            "state": self.fields(state, short, depth + 1),
        }

    def _sequence(self, kind: str, values: Any, name: str, depth: int) -> dict[str, Any]:
        return {kind: self._items(list(values), name, depth)}

    def _mapping(self, kind: str, value: Any, name: str, depth: int) -> dict[str, Any]:
        node: dict[str, Any] = {kind: self._items(list(value.keys()), f"a key of {name}", depth)}
        node["values"] = self._items(list(value.values()), f"a value of {name}", depth)
        if kind == "default dict":
            if value.default_factory not in _DEFAULT_NAMES:
                raise unsupported(value.default_factory, f"the default of {name}")
            node["default"] = _DEFAULT_NAMES[value.default_factory]
        if kind == "vector":
            _, default, mask, *_ = value.__reduce__()[1]
            if mask is not None or not isinstance(default, Zeros | None):
                raise unsupported(value, name)
        return node

    def _items(self, values: Sequence[Any], name: str, depth: int) -> Any:
        column = write_column(values, self._arrays) if len(values) > _FEW else None
        return [self.encode(v, name, depth + 1) for v in values] if column is None else column


class Decoder:
    """Turns the nodes of an encoder back into values.

    Parameters
    ----------
    find
        A function that returns the codec of a tag, or None.
    arrays
        The reader of arrays.

    """

    def __init__(self, find: Callable[[str], Codec | None], arrays: ArrayReader):
        self._find = find
        self._arrays = arrays
        self._shared: dict[int, Any] = {}

    def decode(self, node: Any, depth: int = 0) -> Any:
        """Return the value of a node."""
        if node is None or type(node) in (bool, int, str):
            return node
        if type(node) is float and math.isfinite(node):
            return node
        if depth > _DEEPEST:
            raise ModelFileError(f"the model is nested deeper than {_DEEPEST} levels")
        if type(node) is not dict:
            raise ModelFileError(
                f"a value must be a JSON object or a plain value; got {shortened(node)}"
            )
        if "same" in node:
            if type(node["same"]) is not int or node["same"] not in self._shared:
                raise ModelFileError(
                    f"'same' must be the id of an earlier node; got {shortened(node['same'])}"
                )
            return self._shared[node["same"]]
        value = self._value(node, depth)
        if "id" in node:
            if type(node["id"]) is not int or node["id"] in self._shared:
                raise ModelFileError(f"each id must be a new integer; got {shortened(node['id'])}")
            self._shared[node["id"]] = value
        return value

    def fields(self, nodes: Any, depth: int = 0) -> dict[str, Any]:
        """Return the values of named nodes."""
        if type(nodes) is not dict:
            raise ModelFileError(
                f"the parameters and the state of an object must be JSON objects; got {shortened(nodes)}"
            )
        return {field: self.decode(node, depth) for field, node in nodes.items()}

    def _value(self, node: dict[str, Any], depth: int) -> Any:
        kind = next((kind for kind in _READERS if kind in node), None)
        if kind is None:
            raise ModelFileError(
                f"unknown kind of value with the keys {shortened(sorted(node)[:5])}"
            )
        return _READERS[kind](self, node, kind, depth)

    def _integer(self, node: dict[str, Any], kind: str, depth: int) -> int:
        return read_integer(node[kind])

    def _float(self, node: dict[str, Any], kind: str, depth: int) -> float:
        if node[kind] not in ("nan", "inf", "-inf"):
            raise ModelFileError(f"'float' must be nan, inf or -inf; got {shortened(node[kind])}")
        return float(node[kind])

    def _bytes(self, node: dict[str, Any], kind: str, depth: int) -> bytes:
        try:
            return bytes.fromhex(node[kind])
        except (TypeError, ValueError):
            raise ModelFileError(
                f"'bytes' must be hexadecimal digits; got {shortened(node[kind])}"
            ) from None

    def _date(self, node: dict[str, Any], kind: str, depth: int) -> datetime.date:
        try:
            return _DATES[kind].fromisoformat(node[kind])
        except (TypeError, ValueError):
            raise ModelFileError(
                f"{kind!r} must be in the format of ISO 8601; got {shortened(node[kind])}"
            ) from None

    def _array(self, node: dict[str, Any], kind: str, depth: int) -> Any:
        self._arrays.spend(_NODE)
        return self._arrays.copy(node[kind])

    def _object(self, node: dict[str, Any], kind: str, depth: int) -> Any:
        self._arrays.spend(_NODE)
        tag = node[kind]
        codec = self._find(tag) if type(tag) is str else None
        if codec is None:
            raise ModelFileError(
                f"this version of river_trapezoid does not know the class {shortened(tag)}"
            )
        parameters = self.fields(node.get("parameters"), depth + 1)
        state = self.fields(node.get("state"), depth + 1)
        try:
            return codec.put_together(parameters, state)
        except (ModelFileError, MemoryError):
            raise
        except Exception as error:
            raise ModelFileError(f"the {tag} in the file is damaged: {error}") from error

    def _sequence(self, node: dict[str, Any], kind: str, depth: int) -> Any:
        if kind != "tuple":
            self._arrays.spend(_NODE)
        values = self._items(node[kind], depth)
        if kind == "deque":
            most = node.get("most")
            if most is not None and (type(most) is not int or not len(values) <= most < 2**62):
                raise ModelFileError(
                    f"the maximum length of a queue must be None or an integer >= {len(values)}; "
                    f"got {shortened(most)}"
                )
            return deque(values, most)
        if kind not in ("set", "frozenset"):
            return _SEQUENCES[kind](values)
        return _SEQUENCES[kind](distinct(values))

    def _mapping(self, node: dict[str, Any], kind: str, depth: int) -> Any:
        self._arrays.spend(_NODE)
        keys = distinct(self._items(node[kind], depth))
        values = self._items(node.get("values"), depth)
        if len(keys) != len(values):
            raise ModelFileError(
                f"the number of values must be that of the keys, {len(keys)}; got {len(values)}"
            )
        default = node.get("default") if kind == "default dict" else None
        if (kind in ("counter", "vector") or default in ("float", "int")) and not set(
            map(type, values)
        ) <= _NUMBERS:
            raise ModelFileError(f"the values of a {default or kind} must be numbers")
        mapping = _MAPPINGS[kind](dict(zip(keys, values, strict=True)))
        if kind == "default dict":
            if type(default) is not str or default not in DEFAULTS:
                raise ModelFileError(f"unknown default of a dict: {shortened(default)}")
            return defaultdict(DEFAULTS[default], mapping)
        return mapping

    def _items(self, node: Any, depth: int) -> list[Any]:
        if type(node) is list:
            return [self.decode(item, depth + 1) for item in node]
        return read_column(node, self._arrays)


_READERS: dict[str, Callable[[Decoder, dict[str, Any], str, int], Any]] = {
    "class": Decoder._object,
    "array": Decoder._array,
    "int": Decoder._integer,
    "float": Decoder._float,
    "bytes": Decoder._bytes,
    **dict.fromkeys(_DATES, Decoder._date),
    **dict.fromkeys(_SEQUENCES, Decoder._sequence),
    **dict.fromkeys(_MAPPINGS, Decoder._mapping),
}


def unsupported(value: Any, name: str) -> TypeError:
    """Return the error for a value that cannot be saved."""
    kind = value if isinstance(value, type) else type(value)
    label = f"{kind.__module__}.{kind.__qualname__}"
    if callable(value) and not isinstance(value, type) and not hasattr(value, "learn_one"):
        return TypeError(
            f"{name} cannot be saved: it is a function, and a model file holds data only; leave it "
            "out and set it after loading"
        )
    return TypeError(
        f"{name} cannot be saved: {label} is not among the classes that river_trapezoid.persist "
        "knows (persist.CLASSES); replace it by one of those, or use pickle for this model"
    )
