from __future__ import annotations

import io
from typing import Any

import river

from river_trapezoid import __version__
from river_trapezoid._files import write_file

from ._arrays import ArrayReader, ArrayWriter
from ._errors import ModelFileError, shortened
from ._format import FORMAT, MAX_SIZE, Contents, Path, named, pack, read_file, unpack
from ._registry import by_class, by_tag
from ._values import Decoder, Encoder, unsupported

__all__ = ["check_loads", "dumps", "inspect", "load", "loads", "save"]

# More bytes than any file has.
_ANY_SIZE = 2**63


def save(model: Any, path: Path, verify: bool = True) -> None:
    """Write a model to a file, without pickle.

    The file is written under another name and replaces a file at `path` when all of it is on the
    disk, so that an error or an interruption leaves the old file.

    Parameters
    ----------
    model
        An estimator of this package, a pipeline, or an object of another class in
        `persist.CLASSES`.
    path
        The file to write, exactly as given: no extension is added.
    verify
        Whether to load the model from memory before anything is written, so that a model that
        could not be loaded is an error here. This takes as long as `load`, and the memory of a
        second model and twice that of the file. Turn it off where a large model is saved often.

    Raises
    ------
    TypeError
        If a part of the model cannot be saved. The error names it and what to do; no file is
        written.
    ModelFileError
        If `verify` is set and the file could not be loaded; no file is written.

    Examples
    --------

    >>> import pathlib, tempfile
    >>> from river_trapezoid import linear_model, persist

    >>> model = linear_model.OLSFClassifier(C=1.0)
    >>> model.learn_one({"temperature": 0.5}, True)

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "plant.model")
    ...     persist.save(model, path)
    ...     again = persist.load(path)
    >>> again.weights
    {'temperature': 0.5}

    """
    write_file(path, [dumps(model, verify)] if verify else pieces(model))


def dumps(model: Any, verify: bool = False) -> bytes:
    """Return the bytes that `save` writes.

    Parameters
    ----------
    model
        As in `save`.
    verify
        As in `save`, but off by default.

    """
    data = b"".join(pieces(model))
    if verify:
        check_loads(data)
    return data


def load(path: Path, max_size: int = MAX_SIZE) -> Any:
    """Read a model that `save` has written.

    No code in a file is run: only objects of the classes in `persist.CLASSES` are created, by their
    own constructors and from data that are checked.

    Parameters
    ----------
    path
        The file.
    max_size
        Maximum size in bytes of the file, and of the model in memory. The header
        declares the latter, and reading stops where it is exceeded. 4 GB by default.

    Raises
    ------
    ModelFileError
        If the file is damaged, forged, too large, or of a format or class that is not known.

    """
    contents = read_file(path, max_size)
    try:
        return _model(contents)
    except ModelFileError as error:
        raise named(path, error) from error.__cause__


def loads(data: bytes | bytearray | memoryview, max_size: int = MAX_SIZE) -> Any:
    """Read a model from the bytes that `dumps` has returned.

    Parameters
    ----------
    data
        The bytes.
    max_size
        As in `load`.

    """
    return _model(unpack(io.BytesIO(data), len(data), max_size))


def inspect(path: Path, max_size: int = MAX_SIZE) -> dict[str, Any]:
    """Describe a file without loading the model.

    Only the header is read and verified.

    Parameters
    ----------
    path
        The file.
    max_size
        As in `load`.

    Returns
    -------
    A dict of the version of the format, those of the libraries that wrote the file, the class of
    the model and its parameters, including those of models within it, the size of the file in
    bytes, and the bytes that it takes in memory, as counted for `max_size`.

    Examples
    --------

    >>> import pathlib, tempfile
    >>> from river_trapezoid import linear_model, persist, preprocessing

    >>> model = preprocessing.StandardScaler() | linear_model.OFSClassifier(B=100)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "plant.model")
    ...     persist.save(model, path)
    ...     about = persist.inspect(path)
    >>> about["class"]
    'river.compose.Pipeline'

    >>> about["parameters"]["steps"]["OFSClassifier"]["parameters"]["B"]
    100

    """
    contents = read_file(path, max_size, with_body=False)
    header = contents.header
    try:
        return {
            "format": FORMAT,
            "river_trapezoid": header["river_trapezoid"],
            "river": header["river"],
            **_Outline(header["arrays"]).of(header["model"]),
            "size": contents.size,
            "memory": contents.memory,
        }
    except (AttributeError, KeyError, IndexError, RecursionError, TypeError, ValueError) as error:
        raise named(path, ModelFileError(f"the header is incomplete ({error})")) from error


def check_loads(data: bytes, max_size: int = _ANY_SIZE) -> None:
    """Raise a `ModelFileError` if bytes that are about to be written could not be loaded."""
    try:
        loads(data, max_size)
    except ModelFileError as error:
        raise ModelFileError(
            f"the model is not saved, as its file could not be loaded: {error}"
        ) from error


def pieces(model: Any) -> list[Any]:
    """Return the content of a model's file, in pieces."""
    if by_class(type(model)) is None:
        raise unsupported(model, "the model")
    arrays = ArrayWriter()
    node = Encoder(by_class, arrays).encode(model, type(model).__name__)
    header = {
        "river_trapezoid": __version__,
        "river": river.__version__,
        "memory": arrays.memory,
        "model": node,
        "arrays": arrays.table,
    }
    return pack(header, arrays.chunks, arrays.size)


def _model(contents: Contents) -> Any:
    header = contents.header
    arrays = ArrayReader(header.get("arrays"), contents.body, header["memory"])
    node = header.get("model")
    if type(node) is not dict or "class" not in node:
        raise ModelFileError("the header has no model")
    try:
        return Decoder(by_tag, arrays).decode(node)
    except ModelFileError as error:
        version = header.get("river_trapezoid")
        if version == __version__:
            raise
        raise ModelFileError(
            f"{error} (version {shortened(version)} wrote the file; this is version {__version__!r})"
        ) from error.__cause__
    except MemoryError:
        raise
    except Exception as error:
        # Any error that the content of a file causes is an error of the file.
        raise ModelFileError(
            f"the file cannot be read ({type(error).__name__}: {error})"
        ) from error


class _Outline:
    """The classes and parameters of a model, as nodes of the header hold them.

    Parameters
    ----------
    arrays
        The table of arrays.

    """

    def __init__(self, arrays: list[dict[str, Any]]):
        self._arrays = arrays

    def of(self, node: Any) -> Any:
        """Return the outline of a node."""
        if type(node) is list:
            return [self.of(item) for item in node]
        if type(node) is not dict:
            return node
        if "class" in node:
            parameters = node["parameters"].items()
            return {
                "class": node["class"],
                "parameters": {name: self.of(value) for name, value in parameters},
            }
        if "dict" in node and type(node["dict"]) is list and type(node["values"]) is list:
            return dict(zip(map(str, node["dict"]), map(self.of, node["values"]), strict=True))
        if "array" in node:
            entry = self._arrays[node["array"]]
            return f"array of {entry['dtype']}, {entry['shape']}"
        kind, value = next(iter(node.items()), ("value", None))
        return self.of(value) if type(value) in (list, str) else f"a long {kind}"
