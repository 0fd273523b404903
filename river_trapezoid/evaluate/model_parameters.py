"""The parameters of a model and of its components: find them by name, set them in a clone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from river import base, compose

__all__ = ["Keys", "parameter_keys", "seeded", "takes_seed", "with_parameters"]

# The path to a parameter: names of arguments and steps, and indices of lists.
Keys: TypeAlias = tuple[Any, ...]


class _Place(NamedTuple):
    """A parameter, and the possible names of each element of its path, the proper name first."""

    keys: Keys
    names: tuple[tuple[str, ...], ...]
    is_leaf: bool

    def __str__(self) -> str:
        first, *rest = self.names
        # The names of the steps are enough for a pipeline.
        shown = rest if first == (compose.Pipeline.__name__,) else [first, *rest]
        return ".".join(names[0] for names in shown)

    def ends_with(self, path: list[str]) -> bool:
        end = self.names[-len(path) :]
        return len(end) == len(path) and all(p in names for p, names in zip(path, end, strict=True))


def parameter_keys(name: Any, model: base.Estimator, parameter: str) -> Keys:
    """Return the path to the parameter with a name, in a model or one of its components.

    Parameters
    ----------
    name
        The name of the model in errors.
    model
        The model.
    parameter
        The name of the parameter, or a dotted path that ends with it. The elements of a path are
        names of arguments, of the steps of a pipeline, or of classes.

    """
    places = list(_places(model))
    path = parameter.split(".")
    found = [place for place in places if place.ends_with(path)]
    if len(found) > 1:
        found = [place for place in found if str(place) == parameter] or found
    if not found:
        known = ", ".join(str(place) for place in places if place.is_leaf)
        raise ValueError(
            f"parameter must be a parameter of model {name!r}, which has {known or 'none'}; "
            f"got {parameter!r}"
        )
    if len(found) > 1:
        raise ValueError(
            f"parameter must be unambiguous for model {name!r}; got {parameter!r}, which can be "
            f"{' or '.join(map(str, found))}"
        )
    return found[0].keys


def with_parameters(model: base.Estimator, values: Mapping[Keys, Any]) -> base.Estimator:
    """Return a clone of a model and its components, with some parameters replaced."""
    return _rebuilt(model, values)


def seeded(model: base.Estimator, seed: int | None) -> base.Estimator:
    """Return a clone of a model and its components, with every `seed` parameter replaced."""
    return with_parameters(model, dict.fromkeys(_seeds(model), seed))


def takes_seed(model: base.Estimator) -> bool:
    """Whether a model or one of its components has a `seed` parameter."""
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
        # The values of a starred argument have no name.
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
    """Return the class of a value, if it is a River object, and the values in it, if any."""
    if isinstance(value, base.Base):
        return type(value), value._get_params()
    # River represents an argument that is an object like this.
    if type(value) is tuple and len(value) == 2:
        kind, arguments = value
        if isinstance(kind, type) and isinstance(arguments, dict):
            return kind, arguments
    return None, value if type(value) in (dict, list, tuple) and value else None


def _items(inside: Any) -> Iterator[tuple[Any, Any]]:
    return iter(inside.items() if isinstance(inside, dict) else enumerate(inside or ()))
