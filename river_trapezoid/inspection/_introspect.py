"""Reports of the learner inside pipelines, samplers and wrappers: its features and their numbers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from river import base, compose

from river_trapezoid._without_learning import without_learning

__all__ = [
    "REPORTS",
    "Term",
    "check_pairs",
    "check_report",
    "features_of",
    "innermost",
    "learner_with",
    "reach",
    "report",
    "weights_of",
]

# A feature or a pair of features, with names that distinguish its numbers if it has several: a
# label, or "value" and "evidence".
Term: TypeAlias = tuple[Hashable, tuple[Any, ...]]


def innermost(model: Any) -> Any:
    """Return the learner inside pipelines, samplers and other wrappers."""
    return reach(model)[0]


def learner_with(attribute: str, model: Any) -> Any:
    """Return the learner inside a model; raise a `TypeError` if it lacks an attribute."""
    learner = innermost(model)
    if not hasattr(learner, attribute):
        raise TypeError(f"model must have {attribute}, or wrap a learner that has it; got {model}")
    return learner


def features_of(model: Any, x: Any) -> dict[Hashable, Any]:
    """Return the observed features of an instance as the learner inside a model receives them.

    Without a model, the features of the instance itself are returned.
    """
    learner, x = reach(model, x)
    if _members(learner) is not None:
        return {key: v for member in _several(learner) for key, v in features_of(member, x).items()}
    if not isinstance(x, Mapping):
        raise TypeError(
            f"x must be a dict of features; got {x!r}. If x is a text, model must extract features, "
            "as a pipeline that starts with river.feature_extraction.BagOfWords does"
        )
    return {key: value for key, value in x.items() if value is not None and value == value}


def weights_of(model: Any) -> dict[Term, float]:
    """Return the weights of the learner inside a model."""
    return report("weights", model)


def report(kind: str, model: Any, x: Any = None) -> dict[Term, float]:
    """Return one of `REPORTS` of the learner inside a model; all but the weights need an instance."""
    learner, x = reach(model, x)
    members = _members(learner)
    if members is not None:
        return {
            (key, (label, *names)): number
            for label, member in members.items()
            for (key, names), number in report(kind, member, x).items()
        }
    return dict(REPORTS[kind](learner, x))


def check_report(kind: str, model: Any) -> None:
    """Raise an error that names what is missing if a model cannot return one of `REPORTS`."""
    learner = innermost(model)
    if _members(learner) is not None:
        for member in _several(learner):
            check_report(kind, member)
    elif kind == "contributions":
        _contributor(learner)
    elif kind == "weights":
        _weights(learner)
    elif kind == "evidence":
        learner_with("evidence_one", learner)
    elif kind == "pairs":
        check_pairs(learner_with("pair_evidence_one", learner))


def check_pairs(learner: Any) -> None:
    """Raise a `ValueError` if the parameters of a learner disable pairs."""
    if not getattr(learner, "mixture", True) or getattr(learner, "n_paired", 2) < 2:
        raise ValueError(
            f"model must pair features, with mixture=True and n_paired of at least 2; got {learner}"
        )


def _weights(learner: Any, x: Any = None) -> Iterable[tuple[Term, float]]:
    if hasattr(learner, "value_weights") and hasattr(learner, "evidence_weights"):
        return _by_term({"value": learner.value_weights, "evidence": learner.evidence_weights})
    weights = getattr(learner, "weights", None)
    if not isinstance(weights, Mapping):
        raise TypeError(f"model must be a linear model with weights, or wrap one; got {learner}")
    return _by_term(weights)


def _contributions(learner: Any, x: Any) -> Iterable[tuple[Term, float]]:
    return _by_term(_contributor(learner)(x))


def _contributor(learner: Any) -> Callable[[Any], Mapping[Any, Any]]:
    """Return the function that computes the contributions of the features of an instance."""
    if hasattr(learner, "contributions_one"):
        return learner.contributions_one
    # A factorisation machine has latent factors besides its weights.
    if isinstance(getattr(learner, "weights", None), Mapping) and not hasattr(learner, "latents"):
        return lambda x: _products(learner.weights, features_of(None, x))
    raise TypeError(
        "model must have contributions_one or the weights of a linear model, or wrap a learner with "
        f"either; got {learner}, which has neither"
    )


def _products(weights: Mapping[Any, Any], x: Mapping[Hashable, Any]) -> dict[Any, Any]:
    """Return weights times values, for one set of weights or for each of several."""
    if _is_nested(weights):
        return {name: _products(members, x) for name, members in weights.items()}
    return {key: weights.get(key, 0.0) * value for key, value in x.items()}


def _evidence(learner: Any, x: Any) -> Iterable[tuple[Term, float]]:
    return _by_term(learner.evidence_one(x))


def _pair_evidence(learner: Any, x: Any) -> Iterable[tuple[Term, float]]:
    return _by_term(learner.pair_evidence_one(x))


# The numbers that a learner can report by feature; all but the weights are those of an instance.
REPORTS: dict[str, Callable[[Any, Any], Iterable[tuple[Term, float]]]] = {
    "contributions": _contributions,
    "weights": _weights,
    "evidence": _evidence,
    "pairs": _pair_evidence,
}


def _by_term(numbers: Mapping[Any, Any]) -> Iterator[tuple[Term, float]]:
    if not _is_nested(numbers):
        for key, number in numbers.items():
            yield (key, ()), float(number)
        return
    for name, members in numbers.items():
        for key, number in members.items():
            yield (key, (name,)), float(number)


def _is_nested(numbers: Mapping[Any, Any]) -> bool:
    # All members are alike, and there may be many: the first one is enough.
    return isinstance(next(iter(numbers.values()), None), Mapping)


def reach(model: Any, x: Any = None) -> tuple[Any, Any]:
    """Return the learner inside a model, and an instance as that learner receives it."""
    while True:
        if isinstance(model, compose.Pipeline):
            if x is not None:
                with without_learning():
                    x = model.transform_one(x)
            model = model[-1]
        elif isinstance(model, base.Ensemble):
            raise TypeError(f"model must be a linear model, or wrap one; got {model}, an ensemble")
        elif isinstance(model, base.Wrapper) and _members(model) is None:
            model = model._wrapped_model
        else:
            return model, x


def _members(model: Any) -> Mapping[Any, Any] | None:
    """Return the binary classifiers of a multi-class one, by label; None for other models."""
    members = getattr(model, "classifiers", None)
    return members if isinstance(members, Mapping) else None


def _several(model: Any) -> list[Any]:
    """Return the binary classifiers or, before the first one exists, the model to be cloned."""
    return list(model.classifiers.values()) or [model._wrapped_model]
