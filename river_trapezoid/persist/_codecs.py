"""How objects are taken apart into named values, and put together from them."""

from __future__ import annotations

import functools
import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from river import base
from river.utils import VectorDict

from ._values import DEFAULTS

__all__ = ["Attributes", "Fields", "Functions"]

Fields = dict[str, Any]

_NUMBERS = (bool, int, float)


@dataclass(frozen=True)
class Attributes:
    """Objects that are what their constructor was given, and what their attributes have become.

    An object is made by its constructor, which checks its arguments, and then its other attributes
    are set. Those have to be the ones that a new object has, each of the type it has there; where
    it is None in a new object, any type.

    Parameters
    ----------
    cls
        The class. Objects of its subclasses are not meant.
    parameters
        The arguments of the constructor and the attributes they are found in. None if each has the
        name of its attribute.
    state
        The other attributes that are saved. None for all there are.
    derived
        Attributes that follow from the others and need not be saved.
    later
        Arguments and attributes that files of earlier versions lack; what a new object has is right
        for those.
    check
        Raises a `ValueError` if the attributes do not go together.

    """

    cls: type
    parameters: Mapping[str, str] | None = None
    state: tuple[str, ...] | None = None
    derived: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    check: Callable[[Any], None] | None = None

    @functools.cached_property
    def _arguments(self) -> Mapping[str, str]:
        if self.parameters is not None:
            return self.parameters
        signature = inspect.signature(self.cls.__init__)  # type: ignore[misc]
        names = [
            name
            for name, p in list(signature.parameters.items())[1:]
            if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
        return dict(zip(names, names, strict=True))

    def _others(self, thing: Any) -> set[str]:
        """The attributes of an object that are saved as its state."""
        others = vars(thing).keys() - self._arguments.values() - set(self.derived)
        unknown = set() if self.state is None else others - set(self.state)
        if unknown:
            raise TypeError(
                f"{self.cls.__name__} cannot be saved: it has an attribute that is not known, "
                f"{min(unknown)!r}; is this version of River a later one?"
            )
        return others

    def take_apart(self, thing: Any) -> tuple[Fields, Fields]:
        """The arguments of the constructor, and the other attributes."""
        parameters = {name: getattr(thing, place) for name, place in self._arguments.items()}
        others = self._others(thing)
        return parameters, {
            name: _without_defaults(value) for name, value in vars(thing).items() if name in others
        }

    def put_together(self, parameters: Fields, state: Fields) -> Any:
        """The object of these arguments and attributes."""
        self._check_names("parameter", parameters, self._arguments.keys())
        thing = self.cls(**parameters)
        self._check_names("attribute", state, self._others(thing))
        for name, value in state.items():
            setattr(thing, name, _fitted(name, getattr(thing, name), value))
        if isinstance(thing, base.Wrapper) and not isinstance(thing._wrapped_model, base.Estimator):
            raise TypeError("what it wraps is no estimator")
        if self.check is not None:
            self.check(thing)
        return thing

    def _check_names(self, kind: str, found: Fields, known: Set[str]) -> None:
        wrong = (known - found.keys() - set(self.later)) | (found.keys() - known)
        if wrong:
            raise ValueError(f"{kind} {min(wrong)!r} is missing, or should be")


class Functions:
    """Objects that two functions take apart and put together.

    Parameters
    ----------
    cls
        The class. Objects of its subclasses are not meant.
    take_apart
        Gives the arguments of the constructor, and what else there is to know, both by name.
    put_together
        Gives an object of these. Any exception means that they do not belong to one.
    names
        The names of both.

    """

    def __init__(
        self,
        cls: type,
        take_apart: Callable[[Any], tuple[Fields, Fields]],
        put_together: Callable[[Fields, Fields], Any],
        names: Iterable[str],
    ):
        self.cls = cls
        self.take_apart = take_apart
        self._put_together = put_together
        self._names = frozenset(names)

    def put_together(self, parameters: Fields, state: Fields) -> Any:
        """The object of these arguments and what else there is to know."""
        wrong = self._names.symmetric_difference([*parameters, *state])
        if wrong:
            raise ValueError(f"{min(wrong)!r} is missing, or should be")
        return self._put_together(parameters, state)


def _without_defaults(value: Any) -> Any:
    """The value, or what is in it if its default is code, which a new object has itself.

    A named tuple becomes a plain one: a new object knows the names.
    """
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return tuple(value)
    if type(value) is defaultdict and value.default_factory not in DEFAULTS.values():
        return {key: _without_defaults(item) for key, item in value.items()}
    return value


def _fitted(name: str, new: Any, value: Any) -> Any:
    """What an attribute is set to, given what a new object has there."""
    if type(new) is defaultdict:
        return _with_default(name, new, value)
    if hasattr(new, "_fields") and type(value) is tuple:
        return type(new)(
            *(_fitted(name, part, part_value) for part, part_value in zip(new, value, strict=True))
        )
    fits = (
        new is None
        or type(new) is type(value)
        or (type(new) in _NUMBERS and type(value) in _NUMBERS)
    )
    if fits and type(new) is tuple and new:
        for part, part_value in zip(new, value, strict=True):
            _fitted(name, part, part_value)
    if fits and type(new) is np.ndarray:
        fits = new.dtype == value.dtype
    if not fits:
        raise _unfit(name, new, value)
    if type(new) is VectorDict:
        # It has its default from the object.
        new.update(value.to_dict())
        return new
    return value


def _with_default(name: str, new: defaultdict[Any, Any], value: Any) -> defaultdict[Any, Any]:
    """A dict with the values of one and the default of the other."""
    if type(value) is defaultdict and value.default_factory is new.default_factory:
        return value
    if type(value) is not dict or new.default_factory is None:
        raise _unfit(name, new, value)
    example = new.default_factory()
    for key, item in value.items():
        if type(example) is defaultdict:
            item = _with_default(name, new.default_factory(), item)
        elif type(item) is not type(example):
            raise _unfit(name, example, item)
        new[key] = item
    return new


def _unfit(name: str, new: Any, value: Any) -> TypeError:
    return TypeError(
        f"attribute {name!r} is a {type(value).__name__} where a {type(new).__name__} belongs"
    )
