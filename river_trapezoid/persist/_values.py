"""Values of a model as nodes of a JSON document, and back: a closed set of types, no code."""

from __future__ import annotations

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

# Nodes within nodes, at most.
_DEEPEST = 60
# Up to so many values are readable in the header itself.
_FEW = 8
# Integers up to this size are the same in every reader of JSON.
_LARGEST_INTEGER = 2**53
# What a dict may have as default.
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
_NUMBERS = {bool, int, float}
# What a container or object takes in memory, beside its contents.
_NODE = 500


class Codec(Protocol):
    """How objects of one class become plain data, and are put together from them again."""

    @property
    def cls(self) -> type:
        """The class."""

    @property
    def take_apart(self) -> Callable[[Any], tuple[dict[str, Any], dict[str, Any]]]:
        """Gives the arguments of the constructor, and what else there is to know, by name."""

    @property
    def put_together(self) -> Callable[[dict[str, Any], dict[str, Any]], Any]:
        """Gives the object; any exception means that the data do not belong to one."""


class Encoder:
    """Turns values into nodes, and puts their bulk into arrays.

    Parameters
    ----------
    find
        Returns the tag and the codec of a class, or None.
    arrays
        Where arrays go.

    """

    def __init__(self, find: Callable[[type], tuple[str, Codec] | None], arrays: ArrayWriter):
        self._find = find
        self._arrays = arrays
        # Node of everything that may be met twice, None while it is at work; and the things
        # themselves, so that no other takes their identity.
        self._nodes: dict[int, dict[str, Any] | None] = {}
        self._kept: list[Any] = []
        self._n_shared = 0

    def encode(self, value: Any, name: str, depth: int = 0) -> Any:
        """The node of a value.

        Parameters
        ----------
        value
            The value.
        name
            What to call it in an error.
        depth
            How many nodes it is within.

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
        if depth > _DEEPEST:
            raise TypeError(f"{name} cannot be saved: it is nested more than {_DEEPEST} deep")
        if type(value) is tuple:
            # It never changes, so that it does not matter whether it is shared.
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
        """The nodes of named values."""
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
            # Once in the file, and once in the model.
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
    """Turns nodes into the values that an encoder was given.

    Parameters
    ----------
    find
        Returns the codec of a tag, or None.
    arrays
        Where arrays come from.

    """

    def __init__(self, find: Callable[[str], Codec | None], arrays: ArrayReader):
        self._find = find
        self._arrays = arrays
        self._shared: dict[int, Any] = {}

    def decode(self, node: Any, depth: int = 0) -> Any:
        """The value of a node."""
        if node is None or type(node) in (bool, int, str):
            return node
        if type(node) is float and math.isfinite(node):
            return node
        if depth > _DEEPEST:
            raise ModelFileError(f"it is nested more than {_DEEPEST} deep")
        if type(node) is not dict:
            raise ModelFileError("something stands where no such thing belongs")
        if "same" in node:
            if type(node["same"]) is not int or node["same"] not in self._shared:
                raise ModelFileError("something is the same as what does not come before it")
            return self._shared[node["same"]]
        value = self._value(node, depth)
        if "id" in node:
            if type(node["id"]) is not int or node["id"] in self._shared:
                raise ModelFileError("two things go by the same number")
            self._shared[node["id"]] = value
        return value

    def fields(self, nodes: Any, depth: int = 0) -> dict[str, Any]:
        """The values of named nodes."""
        if type(nodes) is not dict:
            raise ModelFileError("an object has no fields")
        return {field: self.decode(node, depth) for field, node in nodes.items()}

    def _value(self, node: dict[str, Any], depth: int) -> Any:
        kind = next((kind for kind in _READERS if kind in node), None)
        if kind is None:
            raise ModelFileError(f"there are no values of the kind {sorted(node)[:5]}")
        return _READERS[kind](self, node, kind, depth)

    def _integer(self, node: dict[str, Any], kind: str, depth: int) -> int:
        return read_integer(node[kind])

    def _float(self, node: dict[str, Any], kind: str, depth: int) -> float:
        if node[kind] not in ("nan", "inf", "-inf"):
            raise ModelFileError("a number is none")
        return float(node[kind])

    def _bytes(self, node: dict[str, Any], kind: str, depth: int) -> bytes:
        try:
            return bytes.fromhex(node[kind])
        except (TypeError, ValueError):
            raise ModelFileError("bytes are not written as digits") from None

    def _array(self, node: dict[str, Any], kind: str, depth: int) -> Any:
        self._arrays.spend(_NODE)
        return self._arrays.copy(node[kind])

    def _object(self, node: dict[str, Any], kind: str, depth: int) -> Any:
        self._arrays.spend(_NODE)
        tag = node[kind]
        codec = self._find(tag) if type(tag) is str else None
        if codec is None:
            raise ModelFileError(
                f"it has a {shortened(tag)}, which this version of river_trapezoid does not know"
            )
        parameters = self.fields(node.get("parameters"), depth + 1)
        state = self.fields(node.get("state"), depth + 1)
        try:
            return codec.put_together(parameters, state)
        except (ModelFileError, MemoryError):
            raise
        except Exception as error:
            raise ModelFileError(f"its {tag} is damaged: {error}") from error

    def _sequence(self, node: dict[str, Any], kind: str, depth: int) -> Any:
        if kind != "tuple":
            self._arrays.spend(_NODE)
        values = self._items(node[kind], depth)
        if kind == "deque":
            most = node.get("most")
            if most is not None and (type(most) is not int or not len(values) <= most < 2**62):
                raise ModelFileError("a queue is longer than it may be")
            return deque(values, most)
        if kind not in ("set", "frozenset"):
            return _SEQUENCES[kind](values)
        return _SEQUENCES[kind](distinct(values))

    def _mapping(self, node: dict[str, Any], kind: str, depth: int) -> Any:
        self._arrays.spend(_NODE)
        keys = distinct(self._items(node[kind], depth))
        values = self._items(node.get("values"), depth)
        if len(keys) != len(values):
            raise ModelFileError("there are not as many keys as values")
        default = node.get("default") if kind == "default dict" else None
        if (kind in ("counter", "vector") or default in ("float", "int")) and not set(
            map(type, values)
        ) <= _NUMBERS:
            raise ModelFileError("something is counted by what is no number")
        mapping = _MAPPINGS[kind](dict(zip(keys, values, strict=True)))
        if kind == "default dict":
            if type(default) is not str or default not in DEFAULTS:
                raise ModelFileError("a dictionary has no known default")
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
    **dict.fromkeys(_SEQUENCES, Decoder._sequence),
    **dict.fromkeys(_MAPPINGS, Decoder._mapping),
}


def unsupported(value: Any, name: str) -> TypeError:
    """The error for what cannot be saved."""
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
