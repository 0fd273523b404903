"""Any number of threads may predict while one learns."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier
from tests.contracts import growing_stream
from tests.weights.kinds import COMPILED, COMPILED_EVIDENCE, COMPILED_RULE, NEEDS_BOTH

# The pure weights know nothing of threads.
pytestmark = NEEDS_BOTH


def olsf():
    model = OLSFClassifier()
    model._rule = COMPILED_RULE(COMPILED(5))
    return model


def evidence():
    model = EvidenceClassifier()
    model._weights = COMPILED_EVIDENCE(budget=5)
    return model


@pytest.fixture
def often():
    """Have threads take turns as often as can be."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def instances():
    """Numpy's numbers, which run code when they are read."""
    for x, y in growing_stream(150):
        yield {(key, 1) if key > "f1" else key: np.float32(v) for key, v in x.items()}, y


def together(*jobs):
    """Run functions in threads; return what they raise."""
    raised = []

    def run(job):
        try:
            job()
        except Exception as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=[job]) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


@pytest.mark.parametrize("make", [olsf, evidence])
def test_many_predict_while_one_learns(make, often):
    model, alone = make(), make()
    rows = list(instances())

    def learn(learner):
        for x, y in rows:
            learner.learn_one(x, y)

    def predict():
        for x, _ in rows:
            assert 0.0 <= model.predict_proba_one(x)[True] <= 1.0

    assert not together(lambda: learn(model), predict, predict, predict)
    learn(alone)
    assert [model.margin_one(x) for x, _ in rows] == [alone.margin_one(x) for x, _ in rows]


@pytest.mark.parametrize("make", [olsf, evidence])
def test_two_that_learn_are_told_apart(make, often):
    model = make()

    def learn():
        for x, y in instances():
            model.learn_one(x, y)

    for error in together(learn, learn, learn):
        assert isinstance(error, RuntimeError)
        assert "another thread" in str(error)
    assert np.isfinite(model.margin_one({"f0": 1.0}))
