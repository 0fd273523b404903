"""The parameters of a model and of everything in it: found by name, and set in a clone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from river import base, compose

__all__ = ["Keys", "parameter_keys", "seeded", "takes_seed", "with_parameters"]

# The way to a parameter: names of arguments and steps, and places in lists.
Keys: TypeAlias = tuple[Any, ...]


class _Place(NamedTuple):
    """A parameter, and what each station on the way to it may be called, its own name first."""

    keys: Keys
    names: tuple[tuple[str, ...], ...]
    is_leaf: bool

    def __str__(self) -> str:
        first, *rest = self.names
        # A pipeline is told by the names of its steps.
        shown = rest if first == (compose.Pipeline.__name__,) else [first, *rest]
        return ".".join(names[0] for names in shown)

    def ends_with(self, parts: list[str]) -> bool:
        own = self.names[-len(parts) :]
        return len(own) == len(parts) and all(p in n for p, n in zip(parts, own, strict=True))


def parameter_keys(name: Any, model: base.Estimator, parameter: str) -> Keys:
    """The way to the one parameter of a model, or of something in it, that is meant.

    Parameters
    ----------
    name
        How the model is called in errors.
    model
        The model.
    parameter
        The name of the parameter, or a dotted path that ends in it. Stations of the path are names
        of arguments and of a pipeline's steps, or names of classes.

    """
    places = list(_places(model))
    parts = parameter.split(".")
    found = [place for place in places if place.ends_with(parts)]
    if len(found) > 1:
        found = [place for place in found if str(place) == parameter] or found
    if not found:
        known = ", ".join(str(place) for place in places if place.is_leaf)
        raise ValueError(f"model {name!r} has no parameter {parameter!r}; it has {known or 'none'}")
    if len(found) > 1:
        raise ValueError(
            f"model {name!r} has {parameter!r} in several places; give one of "
            f"{', '.join(map(str, found))}"
        )
    return found[0].keys


def with_parameters(model: base.Estimator, values: Mapping[Keys, Any]) -> base.Estimator:
    """A clone of a model, and of all that it wraps, with some parameters set."""
    return _rebuilt(model, values)


def seeded(model: base.Estimator, seed: int | None) -> base.Estimator:
    """A clone of a model, and of all that it wraps, with every `seed` parameter set."""
    return with_parameters(model, dict.fromkeys(_seeds(model), seed))


def takes_seed(model: base.Estimator) -> bool:
    """Whether a model, or something in it, has a `seed` parameter."""
    return any(True for _ in _seeds(model))


def _seeds(model: base.Estimator) -> Iterator[Keys]:
    return (place.keys for place in _places(model) if place.keys[-1] == "seed")


def _places(
    value: Any, keys: Keys = (), names: tuple[tuple[str, ...], ...] = ()
) -> Iterator[_Place]:
    kind, inside = _opened(value)
    if kind is not None:
        last = names[-1] if names else ()
        if kind.__name__ not in last:
            names = (*names[:-1], (*last, kind.__name__))
    if keys:
        yield _Place(keys, names, is_leaf=not inside)
    for key, member in _items(inside):
        # The values that fill a starred argument have no name.
        if key != "_POSITIONAL_ARGS":
            yield from _places(member, (*keys, key), (*names, (str(key),)))


def _rebuilt(value: Any, new: Mapping[Keys, Any], keys: Keys = ()) -> Any:
    if keys in new:
        return new[keys]
    kind, inside = _opened(value)
    if inside is None:
        return value
    members = {key: _rebuilt(member, new, (*keys, key)) for key, member in _items(inside)}
    if isinstance(value, base.Base):
        return value.clone(members)
    if kind is not None:
        return kind, members
    return members if isinstance(value, dict) else type(value)(members.values())


def _opened(value: Any) -> tuple[type | None, Any]:
    """The class of a value, where it is an object of River's, and the values in it, if any."""
    if isinstance(value, base.Base):
        return type(value), value._get_params()
    # This is how River lists an argument that is an object.
    if type(value) is tuple and len(value) == 2:
        kind, arguments = value
        if isinstance(kind, type) and isinstance(arguments, dict):
            return kind, arguments
    return None, value if type(value) in (dict, list, tuple) and value else None


def _items(inside: Any) -> Iterator[tuple[Any, Any]]:
    return iter(inside.items() if isinstance(inside, dict) else enumerate(inside or ()))
