"""Steps of the compiled weights are whole or nothing, whatever comes between."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from river_trapezoid.linear_model import (
    EvidenceClassifier,
    FESLClassifier,
    MulticlassOLSFClassifier,
    OCDSClassifier,
    OFSClassifier,
    OLSFClassifier,
)
from river_trapezoid.weights import KERNEL
from tests.contracts import growing_stream
from tests.interrupts import interrupted

pytestmark = pytest.mark.skipif(KERNEL == "pure", reason="the pure weights do not promise it")

MODELS = {
    "OLSF": OLSFClassifier(learn_intercept=True),
    "OLSF, random": OLSFClassifier(selection="random", seed=1, B=3),
    "OFS": OFSClassifier(),
    "OFS_P": OFSClassifier(epsilon=0.5, seed=1),
    "Evidence": EvidenceClassifier(n_paired=3, B=0.5),
    "Multiclass": MulticlassOLSFClassifier(mode=0),
    "Multiclass, count": MulticlassOLSFClassifier(mode=0, B=3),
    "OCDS": OCDSClassifier(),
    "FESL": FESLClassifier(),
}
X = {"f0": 1.5, "f1": -2.0, "new": 0.5}
CALLS = {
    "known label": lambda model: model.learn_one(X, not model.predict_one(X)),
    "label of another kind": lambda model: model.learn_one(X, 0),
    "weight": lambda model: model.learn_one(X, 0, w=2.5),
    "mini-batch": lambda model: model.learn_many(
        np.array([[1.0, 2.0], [0.5, -1.0], [-3.0, 1.0]]), [1, 0, 1], columns=["f0", "newer"]
    ),
}
# Those of OCDS and FESL that have a test beside their equations, or none.
ELSEWHERE = ("known label", "weight")
CASES = [
    pytest.param(
        MODELS[name],
        call,
        id=f"{name}, {kind}",
        marks=[pytest.mark.long] if (name, kind) == ("FESL", "mini-batch") else [],
    )
    for name in MODELS
    for kind, call in CALLS.items()
    if name not in ("OCDS", "FESL") or kind not in ELSEWHERE
]


def learned(model):
    model = model.clone()
    for x, y in growing_stream(60):
        model.learn_one(x, y)
    return model


def state(model):
    """All there is to a model, the sets in order."""
    seen = getattr(model, "_seen", None)
    others = {key: value for key, value in vars(model).items() if key != "_seen"}
    order = None if seen is None else sorted(seen)
    # Loaded again, as what is shared between objects differs in pickles.
    return pickle.dumps(pickle.loads(pickle.dumps((others, order))))


@pytest.mark.parametrize(("model", "call"), CASES)
def test_an_interrupt_leaves_the_model_before_the_call_or_after_it(model, call):
    model = learned(model)
    before = state(model)
    whole = pickle.loads(pickle.dumps(model))
    call(whole)
    after = state(whole)
    assert before != after
    modules = [
        f"river_trapezoid.linear_model.{name}"
        for name in ("base", "mini_batch", "olsf", "ofs", "evidence", "multiclass_olsf")
    ]
    modules += [f"river_trapezoid.linear_model.{name}" for name in ("ocds", "fesl")]
    outcomes = []
    for twin in interrupted(model, call, (*modules, "river_trapezoid._uninterrupted")):
        found = state(twin)
        outcomes.append([before, after].index(found))
        if not outcomes[-1]:
            call(twin)
            assert state(twin) == after
    assert outcomes == sorted(outcomes)
    assert outcomes[-1] == 1


# Without memory, NumPy crashes.
@pytest.mark.parametrize(
    ("model", "call"), [case for case in CASES if not case.id.startswith(("OCDS", "FESL"))]
)
def test_without_memory_the_model_is_as_before_or_after_the_call(model, call):
    testcapi = pytest.importorskip("_testcapi")
    model = learned(model)
    before = state(model)
    whole = pickle.loads(pickle.dumps(model))
    call(whole)
    after = state(whole)
    frozen = pickle.dumps(model)
    for allowed in range(80):
        twin = pickle.loads(frozen)
        failed = False
        testcapi.set_nomemory(allowed, allowed + 1 + allowed % 4)
        try:
            call(twin)
        except (MemoryError, SystemError):
            # NumPy raises the latter for the former.
            failed = True
        finally:
            testcapi.remove_mem_hooks()
        assert state(twin) in ((before, after) if failed else (after,))
