"""An interrupt at any bytecode leaves every public learner and wrapper before or after its step."""

from __future__ import annotations

import io
import pickle
import sys
from collections import Counter

import pytest

from river_trapezoid.weights import KERNEL
from tests.contracts import answer, growing_stream, learn
from tests.estimators import ours, seeded
from tests.interrupts import interrupted

pytestmark = pytest.mark.skipif(KERNEL == "pure", reason="the pure weights do not promise it")

OURS = dict(ours())
X = {"f0": 1.5, "f1": -2.0, "new": 0.5}
CALLS = {
    "learn_one": lambda model: learn(model, X, True),
    "predict_one": lambda model: getattr(model, "predict_one", getattr(model, "transform_one", 0))(
        X
    ),
}
# The ordinary suite has one of each kind.
SAMPLE = ("OLSFClassifier-0", "StandardScaler-0", "MarginSampler", "RestartOnNewFeatures")
# What is not promised: the wrapped classifier, which may be anyone's, has learned, and the wrapper has
# not counted it yet; a number has been drawn, and the decision that used it is not counted yet.
BETWEEN = {
    ("ChallengedClassifier", "learn_one"),
    ("ScarceLabels", "learn_one"),
    ("PseudoLabelClassifier", "learn_one"),
    ("UncertaintySampler", "predict_one"),
}


class Plain(pickle.Pickler):
    """Pickles sets in order, and nothing by reference to what came before."""

    def __init__(self, file):
        super().__init__(file, protocol=4)
        self.fast = True

    def reducer_override(self, value):
        if type(value) is set:
            return frozenset, (tuple(sorted(value, key=repr)),)
        return NotImplemented


def state(model):
    file = io.BytesIO()
    Plain(file).dump(pickle.loads(pickle.dumps(model)))
    return file.getvalue()


def follow(model):
    """What becomes of a model: its answers, and all there is to it in the end."""
    answers = []
    for x, y in growing_stream(40, seed=1):
        learn(model, x, y)
        answers.append(answer(model, x))
    return repr(answers), state(model)


def check(name, kind):
    """Interrupt a call at every bytecode; return how often it was undone and how often whole."""
    model, call = seeded(OURS[name]), CALLS[kind]
    for x, y in growing_stream(60):
        learn(model, x, y)
    before, whole = state(model), pickle.loads(pickle.dumps(model))
    call(whole)
    after = state(whole)
    modules = tuple(
        module
        for module in sys.modules
        if module.startswith("river_trapezoid.")
        and not module.startswith("river_trapezoid.weights")
    )
    outcomes = Counter()
    for twin in interrupted(model, call, modules):
        found = state(twin)
        if found not in (before, after):
            # What differs may be put right by the next call.
            futures = [follow(pickle.loads(pickle.dumps(one))) for one in (model, whole)]
            future = follow(twin)
            if future not in futures:
                place = f"{name}.{kind} is half done at {sum(outcomes.values())}"
                assert (name, kind) in BETWEEN, place
                outcomes["between"] += 1
                continue
            found = after if future == futures[1] else before
        outcomes["whole" if found == after else "undone"] += 1
    return outcomes


@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize("name", SAMPLE)
def test_an_interrupt_at_any_bytecode_leaves_a_step_whole_or_undone(name, kind):
    assert sum(check(name, kind).values()) > 5


@pytest.mark.long
@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize("name", OURS)
def test_an_interrupt_at_any_bytecode_of_any_learner(name, kind, capsys):
    outcomes = check(name, kind)
    with capsys.disabled():
        print(f"\n{name}.{kind}: {dict(outcomes)}", end="")
