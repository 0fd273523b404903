"""What a linear model sees and keeps, however deep it sits in pipelines, samplers and wrappers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from river import base, compose

from river_trapezoid.evaluate.examinee import Examinee

__all__ = ["Weight", "features_of", "innermost", "taught", "title_of", "weights_of"]

# A feature, and what its weight is for, where it has several: a label, its value, its evidence.
Weight: TypeAlias = tuple[Hashable, tuple[Any, ...]]


def innermost(model: Any) -> Any:
    """The learner inside pipelines, samplers and other wrappers."""
    return _reach(model)[0]


def features_of(model: Any, x: Any) -> dict[Hashable, Any]:
    """The features of an instance as the learner inside a model, if any, gets them."""
    learner, x = _reach(model, x)
    members = _members(learner)
    if members is not None:
        inner = members.values() or [learner._wrapped_model]
        return {key: value for m in inner for key, value in features_of(m, x).items()}
    if not isinstance(x, Mapping):
        raise TypeError(
            f"x must be a dict of features; got {x!r}: give a model that makes features of it, for "
            "instance a pipeline that starts with river.feature_extraction.BagOfWords"
        )
    return {key: value for key, value in x.items() if value is not None and value == value}


def weights_of(model: Any) -> dict[Weight, float]:
    """The weights of the learner inside a model."""
    learner = innermost(model)
    members = _members(learner)
    if members is not None:
        weights = {label: weights_of(member) for label, member in members.items()}
        return {
            (feature, (label, *part)): weight
            for label, own in weights.items()
            for (feature, part), weight in own.items()
        }
    if hasattr(learner, "value_weights") and hasattr(learner, "evidence_weights"):
        parts = {"value": learner.value_weights, "evidence": learner.evidence_weights}
    else:
        plain = getattr(learner, "weights", None)
        if not isinstance(plain, Mapping):
            raise TypeError(
                f"model must be a linear model with weights, or end in one; got {learner}"
            )
        if not any(isinstance(value, Mapping) for value in plain.values()):
            return {(feature, ()): float(weight) for feature, weight in plain.items()}
        parts = dict(plain)
    return {
        (feature, (part,)): float(weight)
        for part, own in parts.items()
        for feature, weight in own.items()
    }


def taught(learner: Examinee, stream: Iterable[tuple[Any, Any]], n_points: int) -> Iterator[int]:
    """Teach a model, and yield after how many instances it has come to each point in time."""
    instances = list(stream)
    points = set(np.linspace(0, len(instances), n_points + 1).astype(int)[1:].tolist())
    for t, (x, y) in enumerate(instances, start=1):
        learner.teach(x, y)
        if t in points:
            yield t


def title_of(weight: Weight) -> str:
    """How a weight is called in a legend."""
    feature, part = weight
    return f"{feature} ({', '.join(map(str, part))})" if part else str(feature)


def _reach(model: Any, x: Any = None) -> tuple[Any, Any]:
    while True:
        if isinstance(model, compose.Pipeline):
            x = None if x is None else model.transform_one(x)
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
