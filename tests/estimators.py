"""All estimators that the package exports; exporting a new one is enough to test it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

from river import base, checks, compose

import river_trapezoid
from river_trapezoid import active, drift, linear_model, semi_supervised


def exported() -> Iterator[type[base.Estimator]]:
    for info in pkgutil.iter_modules(river_trapezoid.__path__):
        if info.ispkg:
            module = importlib.import_module(f"river_trapezoid.{info.name}")
            for name in getattr(module, "__all__", []):
                value = getattr(module, name)
                if (
                    inspect.isclass(value)
                    and issubclass(value, base.Estimator)
                    and not inspect.isabstract(value)
                ):
                    yield value


def instances() -> Iterator[tuple[str, base.Estimator]]:
    """Yield a name and an instance for every exported estimator and each of its test settings."""
    for cls in exported():
        for i, params in enumerate(cls._unit_test_params()):
            yield f"{cls.__name__}-{i}", cls(**params)


def ours() -> Iterator[tuple[str, base.Estimator]]:
    """Yield every exported estimator; wrappers are around a learner of the package."""
    for name, model in instances():
        if not isinstance(model, base.Wrapper):
            yield name, model
    learner = linear_model.OLSFClassifier()
    yield "ScarceLabels", semi_supervised.ScarceLabels(learner, ratio=1.0)
    yield "PseudoLabelClassifier", semi_supervised.PseudoLabelClassifier(learner)
    yield "ChallengedClassifier", drift.ChallengedClassifier(learner)
    yield "RestartOnNewFeatures", drift.RestartOnNewFeatures(learner)
    yield "MarginSampler", active.MarginSampler(learner)
    yield "MarginSampler-pipeline", active.MarginSampler(compose.Discard("f0") | learner)
    yield "RandomSampler", active.RandomSampler(learner)
    yield "BudgetSampler", active.BudgetSampler(learner, explore=0.2)
    yield "UncertaintySampler", active.UncertaintySampler(learner)


def classifiers() -> Iterator[tuple[str, base.Classifier]]:
    """Yield the classifiers among them."""
    for name, model in ours():
        if isinstance(model, base.Classifier):
            yield name, model


def seeded(model: base.Estimator) -> base.Estimator:
    return model.clone(checks.utils.seed_params(model._get_params(), seed=7))
