"""How objects become named values, and are made again from them."""

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
    """Saves an object as the arguments of its constructor and its other attributes.

    Loading calls the constructor, which checks its arguments, and then sets the other attributes.
    Their names must be those of a new object, and each value must have the type that it has in a
    new object; where a new object has None, any type is accepted. Named tuples are saved as plain
    tuples.

    Parameters
    ----------
    cls
        The class. It does not cover subclasses.
    parameters
        For each argument of the constructor, the attribute that holds it. By default, an argument
        and its attribute have the same name.
    state
        The other attributes that are saved; an object with others cannot be saved. All other
        attributes by default.
    derived
        Attributes that are not saved, as the constructor computes them.
    later
        Arguments and attributes that may be missing from files of earlier versions, which load with
        the value of a new object.
    check
        A function that raises an error if the attributes of an object do not fit together.

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
        """Return the names of the attributes that are saved beside the arguments."""
        others = vars(thing).keys() - self._arguments.values() - set(self.derived)
        unknown = set() if self.state is None else others - set(self.state)
        if unknown:
            raise TypeError(
                f"{self.cls.__name__} cannot be saved: unknown attribute {min(unknown)!r}; is the "
                "installed River newer than this version of river_trapezoid supports?"
            )
        return others

    def take_apart(self, thing: Any) -> tuple[Fields, Fields]:
        """Return the arguments of the constructor and the other attributes, by name."""
        parameters = {name: getattr(thing, place) for name, place in self._arguments.items()}
        others = self._others(thing)
        return parameters, {
            name: _saved_form(value) for name, value in vars(thing).items() if name in others
        }

    def put_together(self, parameters: Fields, state: Fields) -> Any:
        """Return an object with these arguments and attributes."""
        _check_names("parameter", parameters, self._arguments.keys(), self.later)
        thing = self.cls(**parameters)
        _check_names("attribute", state, self._others(thing), self.later)
        for name, value in state.items():
            setattr(thing, name, _fitted(name, getattr(thing, name), value))
        if isinstance(thing, base.Wrapper) and not isinstance(thing._wrapped_model, base.Estimator):
            raise TypeError(
                f"the wrapped model must be an estimator; got {type(thing._wrapped_model).__name__}"
            )
        if self.check is not None:
            self.check(thing)
        return thing


class Functions:
    """Saves and loads objects by two functions.

    Parameters
    ----------
    cls
        The class. It does not cover subclasses.
    take_apart
        Returns the arguments of the constructor and the state of an object, both by name.
    put_together
        Returns an object with these arguments and this state. Any exception means that they do not
        fit.
    names
        The names of all arguments and parts of the state.
    later
        Those that may be missing from files of earlier versions.

    """

    def __init__(
        self,
        cls: type,
        take_apart: Callable[[Any], tuple[Fields, Fields]],
        put_together: Callable[[Fields, Fields], Any],
        names: Iterable[str],
        later: Iterable[str] = (),
    ):
        self.cls = cls
        self.take_apart = take_apart
        self._put_together = put_together
        self._names, self._later = frozenset(names), frozenset(later)

    def put_together(self, parameters: Fields, state: Fields) -> Any:
        """Return an object with these arguments and this state."""
        _check_names("field", {**parameters, **state}, self._names, self._later)
        return self._put_together(parameters, state)


def _check_names(
    kind: str, found: Fields, expected: Set[str], optional: Iterable[str] = ()
) -> None:
    unknown = found.keys() - expected
    if unknown:
        raise ValueError(f"unknown {kind} {min(unknown)!r}")
    missing = expected - found.keys() - set(optional)
    if missing:
        raise ValueError(f"{kind} {min(missing)!r} is missing")


def _saved_form(value: Any) -> Any:
    """Return the value to save: no default that is code, and no class of a named tuple."""
    if type(value) is defaultdict and value.default_factory not in DEFAULTS.values():
        # A new object has the default itself.
        return {key: _saved_form(item) for key, item in value.items()}
    return tuple(value) if _is_named_tuple(value) else value


def _is_named_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(type(value), "_fields")


def _fitted(name: str, new: Any, value: Any) -> Any:
    """Return what to set an attribute to, given its value in a new object."""
    if type(new) is defaultdict:
        return _with_default(name, new, value)
    if _is_named_tuple(new) and type(value) is tuple:
        return type(new)(*(_fitted(name, *pair) for pair in zip(new, value, strict=True)))
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
    """Return a dict with the items of `value` and the default of `new`."""
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
        f"attribute {name!r} must be a {type(new).__name__}; got a {type(value).__name__}"
    )
