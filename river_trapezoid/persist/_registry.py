"""The classes that can be saved, by the tags under which model files name them.

A class of this package joins by being exported and by stating its tag:

    class OLSFClassifier(...):
        _TAG = "river_trapezoid.linear_model.OLSFClassifier"

A tag never changes, wherever the class moves, as files hold it. Nothing else is needed if the
constructor stores its arguments under their own names, and all other attributes are plain values,
arrays, random generators, or objects of registered classes. Further members are optional:

- `_PARAMETERS`, for each argument of the constructor the attribute that holds it, if a property has
  the name of an argument.
- `_LATER`, the names of arguments and attributes that files of earlier versions lack. Such files
  load with the values that a new object has.
- `_check_state()`, which raises an error if attributes that come from a file do not fit together.
  The type of each of them has been checked before.

A class whose state is not in its attributes, such as compiled weights, has a pair of functions
instead (`_weights.py`).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from river_trapezoid import (
    active,
    drift,
    linear_model,
    metrics,
    preprocessing,
    semi_supervised,
    stream,
    weights,
)
from river_trapezoid._columns import Column, StringSample
from river_trapezoid._columns.values import Values
from river_trapezoid.linear_model import fesl
from river_trapezoid.preprocessing import table_scaler
from river_trapezoid.semi_supervised import _kernel, _standardiser
from river_trapezoid.semi_supervised import base as chunks

from ._codecs import Attributes
from ._generators import GENERATORS
from ._river import RIVER
from ._values import Codec
from ._weights import WEIGHTS

__all__ = ["by_class", "by_tag", "codec_of", "register", "tags"]

_ROOMS: tuple[ModuleType, ...] = (
    active,
    drift,
    linear_model,
    metrics,
    preprocessing,
    semi_supervised,
    stream,
    weights,
)
_by_tag: dict[str, Codec] = {}
_by_class: dict[type, str] = {}


def register(tag: str, codec: Codec) -> None:
    """Register a class under a unique tag, so that its objects can be saved."""
    if tag in _by_tag or codec.cls in _by_class:
        raise ValueError(f"tag and class must be registered once; got {tag!r} and {codec.cls!r}")
    _by_tag[tag] = codec
    _by_class[codec.cls] = tag


def by_tag(tag: str) -> Codec | None:
    """Return the codec of a tag; None if the tag is unknown."""
    return _by_tag.get(tag)


def by_class(cls: type) -> tuple[str, Codec] | None:
    """Return the tag and the codec of a class; None if it has none."""
    tag = _by_class.get(cls)
    return None if tag is None else (tag, _by_tag[tag])


def tags() -> tuple[str, ...]:
    """Return the tags of all classes that can be saved, sorted."""
    return tuple(sorted(_by_tag))


def codec_of(cls: type, **settings: Any) -> Attributes:
    """Return the codec of a class of this package, with the options that the class defines."""
    settings.setdefault("parameters", getattr(cls, "_PARAMETERS", None))
    return Attributes(
        cls,
        later=getattr(cls, "_LATER", ()),
        check=getattr(cls, "_check_state", None),
        **settings,
    )


def _exported() -> Iterator[type]:
    """Yield the exported classes that state a tag; one that is inherited does not count."""
    for room in _ROOMS:
        for name in room.__all__:
            thing = getattr(room, name)
            if inspect.isclass(thing) and "_TAG" in vars(thing):
                yield thing


# Classes that estimators are made of.
_PIECES = (
    codec_of(fesl._Space, parameters={"slots": "slots"}),
    codec_of(fesl._Overlap, derived=("map",)),
    codec_of(chunks._Model),
    codec_of(_standardiser.Standardiser),
    codec_of(_kernel.Kernel),
    codec_of(table_scaler.TableScaler, derived=("_known",)),
    codec_of(Column),
    codec_of(StringSample),
    codec_of(Values),
)

for _codec in (*map(codec_of, _exported()), *_PIECES):
    register(_codec.cls._TAG, _codec)  # type: ignore[attr-defined]
for _tag, _other in (WEIGHTS | GENERATORS | RIVER).items():
    register(_tag, _other)
