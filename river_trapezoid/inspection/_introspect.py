"""What a learner sees and tells, however deep it sits in pipelines, samplers and wrappers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from river import base, compose

from river_trapezoid._without_learning import without_learning

__all__ = [
    "TELLS",
    "Part",
    "check_pairs",
    "check_tells",
    "features_of",
    "innermost",
    "learner_with",
    "told",
    "weights_of",
]

# A feature, or a pair of them, and what its number is for, where it has several: a label, its
# value, its evidence.
Part: TypeAlias = tuple[Hashable, tuple[Any, ...]]


def innermost(model: Any) -> Any:
    """The learner inside pipelines, samplers and other wrappers."""
    return _reach(model)[0]


def learner_with(attribute: str, model: Any) -> Any:
    """The learner inside a model, which must have an attribute."""
    learner = innermost(model)
    if not hasattr(learner, attribute):
        raise TypeError(f"model must have {attribute}, or end in one that has; got {model}")
    return learner


def features_of(model: Any, x: Any) -> dict[Hashable, Any]:
    """The features of an instance as the learner inside a model, if any, gets them."""
    learner, x = _reach(model, x)
    if _members(learner) is not None:
        return {key: v for member in _several(learner) for key, v in features_of(member, x).items()}
    if not isinstance(x, Mapping):
        raise TypeError(
            f"x must be a dict of features; got {x!r}: give a model that makes features of it, for "
            "instance a pipeline that starts with river.feature_extraction.BagOfWords"
        )
    return {key: value for key, value in x.items() if value is not None and value == value}


def weights_of(model: Any) -> dict[Part, float]:
    """The weights of the learner inside a model."""
    return told("weights", model)


def told(what: str, model: Any, x: Any = None) -> dict[Part, float]:
    """What the learner inside a model tells: its weights, or one of `TELLS` about an instance."""
    learner, x = _reach(model, x)
    members = _members(learner)
    if members is not None:
        return {
            (key, (label, *part)): number
            for label, member in members.items()
            for (key, part), number in told(what, member, x).items()
        }
    return dict(TELLS[what](learner, x))


def check_tells(what: str, model: Any) -> None:
    """Refuse a model that cannot tell one of `TELLS`, and say what it lacks."""
    learner = innermost(model)
    if _members(learner) is not None:
        for member in _several(learner):
            check_tells(what, member)
    elif what == "contributions":
        _contributor(learner)
    elif what == "weights":
        _weights(learner)
    elif what == "evidence":
        learner_with("evidence_one", learner)
    elif what == "pairs":
        check_pairs(learner_with("pair_evidence_one", learner))


def check_pairs(learner: Any) -> None:
    """Refuse a learner that could pair features, but is told not to."""
    if not getattr(learner, "mixture", True) or getattr(learner, "n_paired", 2) < 2:
        raise ValueError(
            f"model must pair features, with mixture=True and n_paired of at least 2; got {learner}"
        )


def _weights(learner: Any, x: Any = None) -> Iterable[tuple[Part, float]]:
    if hasattr(learner, "value_weights") and hasattr(learner, "evidence_weights"):
        return _by_part({"value": learner.value_weights, "evidence": learner.evidence_weights})
    weights = getattr(learner, "weights", None)
    if not isinstance(weights, Mapping):
        raise TypeError(f"model must be a linear model with weights, or end in one; got {learner}")
    return _by_part(weights)


def _contributions(learner: Any, x: Any) -> Iterable[tuple[Part, float]]:
    return _by_part(_contributor(learner)(x))


def _contributor(learner: Any) -> Callable[[Any], Mapping[Any, Any]]:
    """What gives the contributions of the features of an instance."""
    if hasattr(learner, "contributions_one"):
        return learner.contributions_one
    # A factorisation machine has latent factors beside its weights.
    if isinstance(getattr(learner, "weights", None), Mapping) and not hasattr(learner, "latents"):
        return lambda x: _products(learner.weights, features_of(None, x))
    raise TypeError(
        "model must tell what its features contribute, by contributions_one or as weights of a "
        f"linear model, or end in one that does; got {learner}, which has neither"
    )


def _products(weights: Mapping[Any, Any], x: Mapping[Hashable, Any]) -> dict[Any, Any]:
    """Weights times values, for one set of weights or for each of several."""
    if _is_nested(weights):
        return {part: _products(own, x) for part, own in weights.items()}
    return {key: weights.get(key, 0.0) * value for key, value in x.items()}


def _evidence(learner: Any, x: Any) -> Iterable[tuple[Part, float]]:
    return _by_part(learner.evidence_one(x))


def _pair_evidence(learner: Any, x: Any) -> Iterable[tuple[Part, float]]:
    return _by_part(learner.pair_evidence_one(x))


# What a learner may be asked to tell, all but its weights about an instance.
TELLS: dict[str, Callable[[Any, Any], Iterable[tuple[Part, float]]]] = {
    "contributions": _contributions,
    "weights": _weights,
    "evidence": _evidence,
    "pairs": _pair_evidence,
}


def _by_part(numbers: Mapping[Any, Any]) -> Iterator[tuple[Part, float]]:
    if not _is_nested(numbers):
        for key, number in numbers.items():
            yield (key, ()), float(number)
        return
    for part, own in numbers.items():
        for key, number in own.items():
            yield (key, (part,)), float(number)


def _is_nested(numbers: Mapping[Any, Any]) -> bool:
    # The first stands for all, of which there may be many.
    return isinstance(next(iter(numbers.values()), None), Mapping)


def _reach(model: Any, x: Any = None) -> tuple[Any, Any]:
    while True:
        if isinstance(model, compose.Pipeline):
            if x is not None:
                with without_learning():
                    x = model.transform_one(x)
            model = model[-1]
        elif isinstance(model, base.Ensemble):
            raise TypeError(
                f"model must be a linear model, or end in one; got {model}, an ensemble"
            )
        elif isinstance(model, base.Wrapper) and _members(model) is None:
            model = model._wrapped_model
        else:
            return model, x


def _members(model: Any) -> Mapping[Any, Any] | None:
    """The binary classifiers of a multi-class one."""
    members = getattr(model, "classifiers", None)
    return members if isinstance(members, Mapping) else None


def _several(model: Any) -> list[Any]:
    """The same, or the model that they will be clones of, where there is none yet."""
    return list(model.classifiers.values()) or [model._wrapped_model]
