"""The classes of this package that can be saved, and generators of random numbers.

A new estimator joins by a line in `_ROOMS`. That is all if its constructor stores its arguments
under their own names, and all its other attributes are plain values, arrays, generators, or objects
of classes that are known here or in `_river`. Classes of which that is not true, such as the
weights, come with a function that takes an object apart and one that puts it together again.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from river import base

from river_trapezoid import active, drift, linear_model, preprocessing, semi_supervised, weights
from river_trapezoid.active import budget
from river_trapezoid.linear_model import fesl
from river_trapezoid.linear_model.base import LinearClassifier
from river_trapezoid.linear_model.mini_batch import RowwiseClassifier
from river_trapezoid.semi_supervised import _kernel, _standardiser
from river_trapezoid.semi_supervised import base as chunks

from ._codecs import Attributes
from ._generators import GENERATORS
from ._run import Run, check_run
from ._values import Part
from ._weights import WEIGHTS, floats

__all__ = ["OWN"]


def _check_space(space: Any) -> None:
    n = len(space.slots)
    floats(space.experts, 2)
    floats(space.intercepts, 1)
    if space.metric is not None:
        floats(space.metric, space.metric.ndim)
    if space.experts.shape[1] != n or space.intercepts.shape != (len(space.experts),):
        raise ValueError("its experts and features do not go together")
    if sorted(space.slots.values()) != list(range(n)):
        raise ValueError("its slots are not numbered")


def _check_overlap(overlap: Any) -> None:
    for joined, present in overlap.rows:
        floats(joined, 1)
        floats(present, 1)


def _check_labels(model: Any) -> None:
    if not all(type(label) in (bool, int, float) for label in model._labels):
        raise ValueError("a label is none")


def _check_decisions(sampler: Any) -> None:
    t, _, _, recent, ranked, draws = sampler._state
    if sorted(recent) != ranked or len(recent) != min(t, budget.WINDOW):
        raise ValueError("its confidences are not in order")
    if len(draws) not in (0, 2 * budget.WINDOW):
        raise ValueError("it has not drawn as much as it needs")
    if not all(type(number) is float for number in recent + draws):
        raise TypeError("a number is none")


def _check_queue(queue: Any) -> None:
    if not isinstance(queue.model, base.Estimator):
        raise TypeError("its model is none")
    entries = list(queue._waiting.values())
    if any(type(entry) is not tuple or len(entry) != 2 for entry in entries):
        raise TypeError("an instance that waits is none")
    numbers = [number for number, _ in entries]
    if any(type(number) is not int for number in (queue._n_instances, *numbers)):
        raise TypeError("a number is none")
    if any(a >= b for a, b in itertools.pairwise([0, *numbers, queue._n_instances + 1])):
        raise ValueError("its instances are not in order")
    if len(entries) > queue.max_waiting or len(queue._done) > queue.max_remembered:
        raise ValueError("it keeps more than it may")
    if queue._done.keys() & queue._waiting.keys():
        raise ValueError("a key is both waiting and done with")
    if any(value is not None for value in queue._done.values()):
        raise TypeError("a key that is done with has a value")
    for count in (queue.n_learned, queue.n_dropped, queue.n_ignored):
        if type(count) is not int or count < 0:
            raise ValueError("it counts backwards")


def _check_moments(scaler: Any) -> None:
    moments = scaler._moments
    settings = moments.centred, moments.scaled, moments.budget
    if settings != (scaler.with_mean, scaler.with_std, scaler.max_features):
        raise ValueError("its moments are those of other settings")


def _check_rows(model: Any) -> None:
    if not all(type(row) is weights.SparseWeights for row in model._rows.values()):
        raise TypeError("the weights of a label are none")


def _check_chunk(model: Any) -> None:
    if not isinstance(model._model, chunks._Model | None):
        raise TypeError("its model is none")
    if model._n_gathered > len(model._chunk):
        raise ValueError("its chunk is shorter than it should be")
    if any(type(instance) is not tuple or len(instance) != 2 for instance in model._chunk):
        raise TypeError("an instance of its chunk is none")


def _check_chunk_model(model: Any) -> None:
    n, n_features = len(model.intercepts), len(model.standardiser.columns)
    floats(model.support, 2)
    floats(model.weights, 2)
    row = model.standardiser.scale.shape
    if row != (max(1, n_features),) or (n and model.weights.shape[0] != n):
        raise ValueError("its weights and features do not go together")


def _check_standardiser(standardiser: Any) -> None:
    for name in ("scale", "mean", "stretch", "absent"):
        floats(getattr(standardiser, name), 1)


# What has to be true of the objects of a class, and of its subclasses.
_CHECKS: dict[type, Callable[[Any], None]] = {
    active.BudgetSampler: _check_decisions,
    active.LabelQueue: _check_queue,
    linear_model.MulticlassOLSFClassifier: _check_rows,
    preprocessing.StandardScaler: _check_moments,
    chunks.ChunkClassifier: _check_chunk,
    LinearClassifier: _check_labels,
}


def _estimator(cls: type) -> Attributes:
    checks = (check for parent, check in _CHECKS.items() if issubclass(cls, parent))
    later = ("_y_name",) if issubclass(cls, RowwiseClassifier) else ()
    return Attributes(cls, later=later, check=next(checks, None))


# The estimators of each sub-package.
_ROOMS: dict[str, tuple[type, ...]] = {
    "active": (
        active.BudgetSampler,
        active.LabelQueue,
        active.MarginSampler,
        active.RandomSampler,
        active.UncertaintySampler,
    ),
    "drift": (drift.RestartOnNewFeatures,),
    "linear_model": (
        linear_model.EvidenceClassifier,
        linear_model.FESLClassifier,
        linear_model.MulticlassOLSFClassifier,
        linear_model.OCDSClassifier,
        linear_model.OFSClassifier,
        linear_model.OLSFClassifier,
    ),
    "preprocessing": (preprocessing.StandardScaler,),
    "semi_supervised": (
        semi_supervised.PseudoLabelClassifier,
        semi_supervised.RKTS3VMClassifier,
        semi_supervised.RelationalKMeans,
        semi_supervised.S3VMClassifier,
        semi_supervised.SVMClassifier,
        semi_supervised.TS3VMClassifier,
        semi_supervised.TrSVMClassifier,
    ),
    "stream": (semi_supervised.ScarceLabels,),
}

# What estimators are made of, under names that are not those of private classes.
_PIECES: dict[str, Part] = {
    "linear_model.FESLSpace": Attributes(fesl._Space, {"slots": "slots"}, check=_check_space),
    "linear_model.FESLOverlap": Attributes(fesl._Overlap, derived=("map",), check=_check_overlap),
    "persist.Run": Attributes(Run, check=check_run),
    "semi_supervised.ChunkModel": Attributes(chunks._Model, check=_check_chunk_model),
    "semi_supervised.Standardiser": Attributes(
        _standardiser.Standardiser, check=_check_standardiser
    ),
    "semi_supervised.Kernel": Attributes(_kernel.Kernel),
}

OWN: dict[str, Part] = {
    **{
        f"river_trapezoid.{room}.{cls.__name__}": _estimator(cls)
        for room, classes in _ROOMS.items()
        for cls in classes
    },
    **{f"river_trapezoid.{name}": part for name, part in _PIECES.items()},
    **WEIGHTS,
    **GENERATORS,
}
