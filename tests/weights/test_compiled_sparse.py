"""The compiled weights against the pure ones, operation by operation and bit by bit."""

from __future__ import annotations

import collections
import decimal
import fractions
import math
import os
import pathlib
import pickle
import random
import subprocess
import sys

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from river_trapezoid import weights
from river_trapezoid.linear_model import OFSClassifier, OLSFClassifier
from tests.contracts import outputs
from tests.weights.kinds import COMPILED, NEEDS_BOTH, PURE, RULES, assert_same

pytestmark = NEEDS_BOTH

KEYS = st.one_of(
    st.integers(0, 12).map(lambda i: f"k{i}"),
    st.integers(-3, 5),
    st.tuples(st.integers(0, 2), st.text("ab", max_size=1)),
    st.sampled_from([None, b"bytes", 2.5, "", "é", "日本", ()]),
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.5, 3, True, 1e-320, 1e300, -1e308, 2**60 + 1, -(10**300)]),
    st.floats(-10, 10),
    FLOATS,
)
INSTANCES = st.dictionaries(KEYS, VALUES, max_size=12)
STEPS = st.one_of(st.sampled_from([1.0, -0.5, 0.1]), st.floats(-5, 5))
RADII = st.one_of(st.none(), st.sampled_from([1, 30.0, 1e-3]), st.floats(1e-6, 100))
BUDGETS = st.one_of(st.integers(1, 10), st.floats(0.05, 1.0), st.just(fractions.Fraction(1, 3)))
OPERATIONS = st.one_of(
    st.tuples(st.just("update"), INSTANCES, STEPS, RADII),
    st.tuples(st.just("update"), INSTANCES, STEPS, RADII),
    st.tuples(st.just("random"), INSTANCES, STEPS, RADII, st.integers(0, 9)),
    st.tuples(st.just("scale_by"), st.sampled_from([0.5, 0.999, 2.0**-70, 1e-40])),
    st.tuples(st.just("observe"), INSTANCES),
)


def applied(weights, operation):
    """What an operation returns or raises."""
    name, *arguments = operation
    try:
        if name == "random":
            *arguments, seed = arguments
            return weights.update(*arguments, rng=random.Random(seed))
        return getattr(weights, name)(*arguments)
    except Exception as error:
        return type(error), str(error)


@settings(max_examples=200)
@given(BUDGETS, st.sampled_from([0, 1, 2]), st.lists(OPERATIONS, max_size=40))
@example(1.0, 1, [("update", {"a": 1e308}, 1.0, None), ("update", {"b": 1e308}, 1.0, None)])
def test_every_operation_has_the_same_result(budget, order, operations):
    pure, compiled = PURE(budget, order), COMPILED(budget, order)
    for operation in operations:
        assert applied(pure, operation) == applied(compiled, operation)
        assert_same(pure, compiled)
        if operation[0] != "scale_by":
            x = operation[1]
            assert applied(pure, ("dot", x)) == applied(compiled, ("dot", x))
            assert pure.sample_sizes(x) == compiled.sample_sizes(x)
            assert [pure.get(key) for key in x] == [compiled.get(key) for key in x]
            assert [key in pure for key in x] == [key in compiled for key in x]


@settings(max_examples=500)
@given(st.lists(FLOATS, max_size=40), st.randoms())
@example([1.0, 2.0**-53, 2.0**-106], random.Random(0))
@example([1.0, 2.0**-53, -(2.0**-106)], random.Random(0))
@example([1e16, 1.0, -1e16, 2.0**-1074], random.Random(0))
@example([0.1] * 10 + [-1.0], random.Random(0))
@example([0.1] * 14, random.Random(0))
@example([0.1, 0.3, -0.1, -0.3], random.Random(0))
@example([1e308, 1e308, -1e308], random.Random(0))
def test_sums_are_exactly_rounded(terms, rng):
    compiled = COMPILED(1.0, 0)
    compiled.update({i: 1.0 for i in range(len(terms))}, 1.0)
    pure = PURE(1.0, 0)
    pure.update({i: 1.0 for i in range(len(terms))}, 1.0)
    # Many a sum is half-way between two doubles.
    halves = [term * 2.0 ** -rng.randint(0, 60) for term in terms] + [1.0, 2.0**-53]
    for values in (terms, halves[: len(terms)]):
        x = dict(enumerate(values))
        assert compiled.dot(x) == pure.dot(x)


def test_long_streams_stay_the_same():
    for norm in (0, 1, 2):
        for budget in (0.3, 40):
            rng = random.Random(norm)
            pure, compiled = PURE(budget, norm), COMPILED(budget, norm)
            for t in range(3000):
                keys = rng.sample(range(20 + t // 4), 8)
                x = {f"k{key}": rng.choice([1.0, -1.0, rng.gauss(0, 1)]) for key in keys}
                for kind in (pure, compiled):
                    kind.update(x, 0.1, 5.0)
                assert pure.dot(x) == compiled.dot(x)
            assert_same(pure, compiled)


class Twos(dict):
    """A dict that gives other values than it holds."""

    def items(self):
        return [(key, 2.0) for key in self]

    def values(self):
        return [2.0 for _ in self]

    def __getitem__(self, key):
        return 2.0


KINDS_OF_VALUE = st.one_of(
    VALUES,
    st.floats(),
    st.sampled_from(
        [
            None,
            np.float32(0.1),
            np.float64(0.1),
            np.int8(-3),
            np.bool_(True),
            np.float32("nan"),
            fractions.Fraction(1, 3),
            decimal.Decimal("0.3"),
            10**400,
            2**53 + 1,
            "red",
            [1.0],
            1j,
        ]
    ),
)
KINDS_OF_INSTANCE = st.builds(
    lambda kind, x: kind(x),
    st.sampled_from([dict, dict, dict, collections.OrderedDict, collections.Counter, Twos]),
    st.dictionaries(KEYS, st.one_of(st.floats(-3, 3), KINDS_OF_VALUE), max_size=8),
)
MODELS = st.one_of(
    st.builds(
        dict,
        mode=st.sampled_from([0, 1, 2]),
        C=st.sampled_from([0.1, 1, 1e-320]),
        B=st.sampled_from([0.5, 1.0, 0.01, 3]),
        radius=st.sampled_from([None, 30.0, 1]),
        learn_intercept=st.booleans(),
        step=st.sampled_from(["pa", "pa", "perceptron"]),
        update_on=st.sampled_from(["loss", "mistake"]),
        selection=st.sampled_from(["largest", "largest", "random"]),
        seed=st.just(1),
    ).map(lambda parameters: (OLSFClassifier, parameters)),
    st.builds(
        dict,
        B=st.sampled_from([0.4, 3]),
        epsilon=st.sampled_from([None, 0.3]),
        predict_from=st.sampled_from(["all", "observed"]),
        seed=st.just(1),
    ).map(lambda parameters: (OFSClassifier, parameters)),
)

LABELS = st.one_of(
    st.booleans(),
    st.booleans(),
    st.sampled_from([0, 1, -1, 1.0, np.True_, np.int64(0), "red", None, [], math.nan]),
)


def answers(model, x, y):
    """What a model says to an instance and does with it."""
    for method, arguments in (
        ("margin_one", [x]),
        ("predict_one", [x]),
        ("predict_proba_one", [x]),
        ("learn_one", [x, y]),
    ):
        try:
            yield getattr(model, method)(*arguments)
        except Exception as error:
            yield type(error), str(error)
    yield model.weights
    yield model.intercept
    yield repr(model._labels)


def of_kind(model, kind):
    """A fresh model with the kind of weights asked for, whatever the package has chosen."""
    weights = kind(model._weights.budget, model._weights.order)
    if isinstance(model, OLSFClassifier):
        rng = random.Random(model.seed) if model.selection == "random" else None
        model._rule = RULES[kind](weights, rng=rng)
    else:
        model._w = weights
    return model


@settings(max_examples=200)
@given(MODELS, st.lists(st.tuples(KINDS_OF_INSTANCE, LABELS), max_size=20))
def test_learners_give_the_same_answers(model, instances):
    cls, parameters = model
    pure, compiled = (of_kind(cls(**parameters), kind) for kind in (PURE, COMPILED))
    for x, y in instances:
        assert list(answers(pure, x, y)) == list(answers(compiled, x, y))


def test_state_crosses_between_the_kinds():
    for one, other in ((PURE, COMPILED), (COMPILED, PURE)):
        for budget in (0.4, 7):
            source, fresh = one(budget), other(budget)
            for i in range(20):
                source.update({f"k{i % 13}": 1.0, i: -0.3}, 0.7, 3.0)
            fresh.__setstate__(source.__getstate__())
            assert_same(*((source, fresh) if one is PURE else (fresh, source)))
            x = {"a": -2.0, "z": 1.5}
            for kind in (source, fresh):
                kind.update(x, 0.7, 3.0)
            assert source.to_dict() == fresh.to_dict()
            assert source.norm == fresh.norm


GO_ON = """
import pickle, sys
from river_trapezoid import weights
from tests.contracts import outputs
model = pickle.load(sys.stdin.buffer)
assert type(model._weights) is weights.SparseWeights
sys.stdout.buffer.write(pickle.dumps((weights.KERNEL, list(outputs(model)), model)))
"""


def test_pickled_models_cross_between_processes_with_and_without_the_kernel():
    model = OLSFClassifier(B=0.4, learn_intercept=True)
    rng = random.Random(0)
    for _ in range(100):
        x = {f"f{rng.randrange(20)}": rng.gauss(0, 1) for _ in range(5)}
        model.learn_one(x, rng.random() < 0.5)
    elsewhere = subprocess.run(
        [sys.executable, "-c", GO_ON],
        cwd=pathlib.Path(__file__).parents[2],
        env={**os.environ, "RIVER_TRAPEZOID_PURE": str(int(weights.KERNEL == "compiled"))},
        input=pickle.dumps(model),
        capture_output=True,
        check=True,
    )
    kind, answered, returned = pickle.loads(elsewhere.stdout)
    assert {kind, weights.KERNEL} == {"pure", "compiled"}
    assert answered == list(outputs(model))
    assert type(returned._weights) is weights.SparseWeights
    assert list(outputs(returned, seed=3)) == list(outputs(model, seed=3))


def test_the_package_says_which_kind_it_uses():
    assert weights.SparseWeights is (COMPILED if weights.KERNEL == "compiled" else PURE)
