"""The compiled weights of evidence against the pure ones, bit by bit."""

from __future__ import annotations

import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_trapezoid import weights
from river_trapezoid.linear_model import EvidenceClassifier
from tests.weights.kinds import COMPILED_EVIDENCE, NEEDS_BOTH, PURE_EVIDENCE, assert_same_evidence
from tests.weights.test_compiled_sparse import KINDS_OF_INSTANCE

pytestmark = NEEDS_BOTH

PARAMETERS = st.fixed_dictionaries(
    {
        "n_bins": st.sampled_from([10, 2, 3, 7]),
        "smoothing": st.sampled_from([2.0, 2, 0.001, 50.5]),
        "decay": st.sampled_from([0.997, 0.5, 1]),
        "n_paired": st.sampled_from([10, 10, 3, 2, 1, 0]),
        "max_pairs": st.sampled_from([1000, 5, 1]),
        "mixture": st.sampled_from([True, True, True, False]),
        "budget": st.sampled_from([1.0, 1.0, 0.5, 0.01, 3, 1, 10**30]),
    }
)
WEIGHTS = st.sampled_from([1.0, 1, 1.0, 0.5, 0.0, 7, 1e-5, 1e6])


def applied(operation, *arguments):
    """What an operation returns or raises."""
    try:
        return operation(*arguments)
    except Exception as error:
        return type(error), str(error)


def readings(weights, x):
    """All that weights say of an instance, or raise."""
    n_heads = len(weights.heads({}))
    said = {
        name: applied(getattr(weights, name), x) for name in ("margin", "pairs", "heads", "mixed")
    }
    for head in range(n_heads):
        said[head] = tuple(weights.head(head)), applied(weights.inputs, x, head)
    return said


def made(**params):
    return PURE_EVIDENCE(**params), COMPILED_EVIDENCE(**params)


def crossed(pure, compiled, **params):
    """Weights of both kinds, each with the state of the other, by way of a pickle."""
    states = [pickle.loads(pickle.dumps(w.__getstate__())) for w in (compiled, pure)]
    both = made(**params)
    for w, state in zip(both, states, strict=True):
        w.__setstate__(state)
    return both


@settings(max_examples=300)
@given(PARAMETERS, st.lists(st.tuples(KINDS_OF_INSTANCE, st.booleans(), WEIGHTS), max_size=30))
def test_every_operation_has_the_same_result(params, instances):
    pure, compiled = made(**params)
    for x, y, weight in instances:
        assert readings(pure, x) == readings(compiled, x)
        arguments = x, 1 if y else -1, weight
        assert applied(pure.learn, *arguments) == applied(compiled.learn, *arguments)
        assert_same_evidence(pure, compiled)


FEW_KEYS = st.dictionaries(
    st.sampled_from("abcdefgh"), st.sampled_from([1.0, 1.0, 2.0, -1.5, 0.0]), max_size=8
)


@settings(max_examples=200)
@given(PARAMETERS, st.lists(st.tuples(FEW_KEYS, st.booleans(), WEIGHTS), max_size=40))
def test_pairs_and_equally_strong_features_have_the_same_result(params, instances):
    pure, compiled = made(**params)
    for t, (x, y, weight) in enumerate(instances):
        assert readings(pure, x) == readings(compiled, x)
        for w in (pure, compiled):
            w.learn(x, 1 if y else -1, weight)
        assert_same_evidence(pure, compiled)
        if t % 10 == 9:
            pure, compiled = crossed(pure, compiled, **params)


def long_stream(n, seed):
    """Keys that become more, values of several kinds, and a concept that turns."""
    rng = random.Random(seed)
    for t in range(n):
        keys = rng.sample(range(20 + t // 4), 8)
        x = {f"k{key}": rng.choice([1.0, 2, rng.gauss(0, 1)]) for key in keys}
        x["a"], x["b"] = rng.gauss(0, 1), rng.gauss(5, 100)
        target = x["a"] * (x["b"] - 5) + sum(x[f"k{key}"] for key in keys) - 8
        yield x, 1 if (target + rng.gauss(0, 1) > 0) == (t // 400 % 2 == 0) else -1


@pytest.mark.parametrize("budget", [1.0, 0.3, 40])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"n_paired": 0},
        {"n_paired": 3, "max_pairs": 20},
        {"max_pairs": 50, "n_bins": 4},
        {"decay": 0.5, "smoothing": 0.5},
        {"mixture": False},
    ],
    ids=str,
)
def test_long_streams_stay_the_same(params, budget):
    params = {**params, "budget": budget}
    rng = random.Random(1)
    pure, compiled = made(**params)
    for t, (x, sign) in enumerate(long_stream(1200, seed=0)):
        assert pure.margin(x) == compiled.margin(x)
        weight = rng.choice([1.0, 1.0, 0.3, 4])
        for w in (pure, compiled):
            w.learn(x, sign, weight)
        if t % 300 == 299:
            assert readings(pure, x) == readings(compiled, x)
            assert_same_evidence(pure, compiled)
            pure, compiled = crossed(pure, compiled, **params)
            assert_same_evidence(pure, compiled)


def test_a_new_intercept_is_taken_by_both():
    pure, compiled = made()
    for w in (pure, compiled):
        w.learn({"a": 1.0}, 1)
        w.intercept = 0.25
        assert w.intercept == 0.25
    assert_same_evidence(pure, compiled)
    assert readings(pure, {"a": 1.0}) == readings(compiled, {"a": 1.0})


@pytest.mark.parametrize("kind", ["pure", "compiled"])
def test_a_head_that_is_not_there_is_refused(kind):
    w = made(n_paired=0)[kind == "compiled"]
    w.learn({"a": 1.0}, 1)
    for head in (4, 100):
        with pytest.raises(IndexError):
            w.inputs({"a": 1.0}, head)
        with pytest.raises(IndexError):
            w.head(head)


def test_a_pickle_of_either_kind_becomes_the_one_in_use():
    kind = weights.EvidenceWeights
    params = {"n_bins": 4, "decay": 0.9, "n_paired": 3, "max_pairs": 5, "budget": 0.5}
    for w in made(**params):
        for x, sign in long_stream(50, seed=0):
            w.learn(x, sign)
        restored = pickle.loads(pickle.dumps(w))
        assert type(restored) is kind
        assert_same_evidence(w, restored)
        # The parameters are the same, too.
        for x, sign in long_stream(50, seed=1):
            w.learn(x, sign)
            restored.learn(x, sign)
        assert_same_evidence(w, restored)


def test_the_package_uses_the_kind_it_says():
    kind = COMPILED_EVIDENCE if weights.KERNEL == "compiled" else PURE_EVIDENCE
    assert weights.EvidenceWeights is kind
    assert type(pickle.loads(pickle.dumps(EvidenceClassifier()))._weights) is kind
