"""The compiled weights of evidence against the pure ones, bit by bit, and in evil hands."""

from __future__ import annotations

import gc
import math
import pickle
import random
import sys
import tracemalloc
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_trapezoid import weights
from river_trapezoid.linear_model import EvidenceClassifier
from tests.weights.kinds import (
    COMPILED_EVIDENCE,
    KINDS_OF_EVIDENCE,
    NEEDS_BOTH,
    PURE_EVIDENCE,
    Evil,
    Told,
    assert_same_evidence,
)
from tests.weights.test_compiled_sparse import KINDS_OF_INSTANCE

pytestmark = NEEDS_BOTH

PARAMETERS = st.tuples(
    st.sampled_from([10, 2, 3, 7]),
    st.sampled_from([2.0, 2, 0.001, 50.5]),
    st.sampled_from([0.0, 0.002, 1]),
    st.sampled_from([1.0, 1.0, 0.5, 0.01, 3, 1, 10**30]),
)


def applied(weights, name, *arguments):
    """What an operation returns or raises."""
    try:
        return getattr(weights, name)(*arguments)
    except Exception as error:
        return type(error), str(error)


@settings(max_examples=300)
@given(PARAMETERS, st.lists(st.tuples(KINDS_OF_INSTANCE, st.booleans()), max_size=30))
def test_every_operation_has_the_same_result(parameters, instances):
    pure, compiled = PURE_EVIDENCE(*parameters), COMPILED_EVIDENCE(*parameters)
    intercept = 0.0
    for x, y in instances:
        assert applied(pure, "margin", x, intercept) == applied(compiled, "margin", x, intercept)
        assert applied(pure, "inputs", x) == applied(compiled, "inputs", x)
        sign = 1 if y else -1
        stepped = applied(pure, "step", x, sign, intercept)
        assert stepped == applied(compiled, "step", x, sign, intercept)
        assert_same_evidence(pure, compiled)
        if isinstance(stepped, float):
            intercept = stepped


@pytest.mark.parametrize("budget", [1.0, 0.3, 40])
@pytest.mark.parametrize("forgetting", [0.0, 0.01])
def test_long_streams_stay_the_same(budget, forgetting):
    rng = random.Random(0)
    pure = PURE_EVIDENCE(10, 2.0, forgetting, budget)
    compiled = COMPILED_EVIDENCE(10, 2.0, forgetting, budget)
    intercept = 0.0
    for t in range(3000):
        keys = rng.sample(range(20 + t // 4), 8)
        x = {f"k{key}": rng.choice([1.0, 2, rng.gauss(0, 1)]) for key in keys}
        assert pure.margin(x, intercept) == compiled.margin(x, intercept)
        sign = 1 if sum(x.values()) + rng.gauss(0, 1) > 0 else -1
        stepped = pure.step(x, sign, intercept)
        assert stepped == compiled.step(x, sign, intercept)
        intercept = stepped
        if t % 500 == 0:
            # From here on with weights that have come from the other kind.
            pure, compiled = (
                PURE_EVIDENCE(10, 2.0, forgetting, budget),
                pickle.loads(pickle.dumps(compiled)),
            )
            pure.__setstate__(compiled.__getstate__())
            if type(compiled) is not COMPILED_EVIDENCE:
                state = compiled.__getstate__()
                compiled = COMPILED_EVIDENCE(10, 2.0, forgetting, budget)
                compiled.__setstate__(state)
    assert_same_evidence(pure, compiled)


def test_the_package_uses_the_kind_it_says():
    kind = COMPILED_EVIDENCE if weights.KERNEL == "compiled" else PURE_EVIDENCE
    assert weights.EvidenceWeights is kind
    assert type(pickle.loads(pickle.dumps(EvidenceClassifier()))._weights) is kind


def trained(kind, budget=1.0):
    weights = kind(10, 2.0, 0.0, budget)
    for sign in (1, -1, 1):
        weights.step({Evil(f"e{i}"): 1.0 + i % 2 for i in range(6)}, sign, 0.0)
        weights.step({"a": 3.0, "b": 0.5}, sign, 0.0)
    return weights


@pytest.mark.parametrize("kind", KINDS_OF_EVIDENCE)
@pytest.mark.parametrize("event", ["hash", "eq"])
@pytest.mark.parametrize("budget", [1.0, 0.5, 4])
def test_what_a_key_raises_surfaces_and_changes_nothing(kind, event, budget):
    weights = trained(kind, budget)
    loaded = False

    def act(happening):
        if loaded and happening == event:
            raise Told

    x = {"a": 1.0, "new": 1.0, Evil("evil", act): 1.0}
    before = weights.__getstate__()
    loaded = True
    for operation in (
        weights.inputs,
        lambda x: weights.margin(x, 0.0),
        lambda x: weights.step(x, 1, 0.0),
    ):
        with pytest.raises(Told):
            operation(x)
        assert weights.__getstate__() == before
    loaded = False
    weights.step(x, 1, 0.0)


def test_a_key_may_empty_the_instance_while_it_is_compared():
    weights = trained(COMPILED_EVIDENCE)
    loaded = False

    def act(event):
        if loaded:
            x.clear()

    for operation in (
        weights.inputs,
        lambda x: weights.margin(x, 0.0),
        lambda x: weights.step(x, 1, 0.0),
    ):
        loaded = False
        x = {Evil(f"x{i}", act): 1.0 for i in range(4)} | {f"text{i}": 1.0 for i in range(200)}
        loaded = True
        operation(x)
        assert not x


def test_a_key_must_not_change_the_weights_while_it_is_compared():
    weights = trained(COMPILED_EVIDENCE)
    loaded = False

    def act(event):
        if loaded:
            weights.step({f"other{i}": 1.0 for i in range(100)}, 1, 0.0)

    x = {Evil("e1", act): 1.0}
    loaded = True
    for operation in (
        weights.inputs,
        lambda x: weights.margin(x, 0.0),
        lambda x: weights.step(x, 1, 0.0),
    ):
        with pytest.raises(RuntimeError, match="must not change"):
            operation(x)
    loaded = False
    weights.step(x, 1, 0.0)


def test_keys_are_freed_with_the_weights_and_with_what_they_refer_to():
    weights = COMPILED_EVIDENCE()
    key = Evil("key")
    key.weights = weights
    alive = weakref.ref(key)
    weights.step({key: 1.0}, 1, 0.0)
    del key, weights
    gc.collect()
    assert alive() is None


def test_keys_of_dropped_features_are_freed():
    weights = COMPILED_EVIDENCE(10, 2.0, 0.0, 5)
    keys = weakref.WeakSet()
    for i in range(2000):
        key = Evil(i)
        keys.add(key)
        weights.step({key: 1.0 + i % 7}, 1 if i % 3 else -1, 0.0)
    del key
    assert len(keys) < 100


def test_without_memory_a_step_is_taken_whole_or_not_at_all():
    testcapi = pytest.importorskip("_testcapi")
    rng = random.Random(0)
    n_failed = 0
    for allowed in range(24):
        pure, compiled = PURE_EVIDENCE(), COMPILED_EVIDENCE()
        for size in (5, 200, 40, 300):
            x = {f"k{rng.randrange(900)}": rng.gauss(0, 1) for _ in range(size)}
            before = compiled.__getstate__()
            step = compiled.step
            testcapi.set_nomemory(allowed, allowed + 2)
            try:
                step(x, 1, 0.0)
            except MemoryError:
                failed = True
            else:
                failed = False
            finally:
                testcapi.remove_mem_hooks()
            if failed:
                n_failed += 1
                assert compiled.__getstate__() == before
                step(x, 1, 0.0)
            pure.step(x, 1, 0.0)
            assert_same_evidence(pure, compiled)
    assert n_failed


def soak(weights, n, rng):
    for t in range(n):
        x = {("t", rng.randrange(500)): rng.gauss(0, 1) for _ in range(6)}
        x |= {f"k{rng.randrange(500)}": rng.choice([1.0, 1, None, math.nan]) for _ in range(6)}
        weights.margin(x, 0.0)
        weights.step(x, rng.choice([-1, 1]), 0.0)
        if t % 50 == 0:
            weights.inputs(x)
            weights.margin({f"b{i}": 1.0 for i in range(300)}, 0.0)
            pickle.loads(pickle.dumps(weights))
            for bad in ({"a": "red"}, {"a": math.inf}, {("u", 1): 1j}):
                with pytest.raises((TypeError, ValueError)):
                    weights.step(bad, 1, 0.0)


@pytest.mark.parametrize("budget", [1.0, 0.5, 100])
def test_memory_does_not_grow_over_many_steps(budget):
    rng = random.Random(0)
    compiled = COMPILED_EVIDENCE(10, 2.0, 0.0, budget)
    tracemalloc.start()
    try:
        soak(compiled, 2000, rng)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        soak(compiled, 3000, rng)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 100_000


def test_size_tells_the_memory_that_is_held():
    tracemalloc.start()
    try:
        begin, _ = tracemalloc.get_traced_memory()
        compiled = COMPILED_EVIDENCE()
        for start in range(10_000, 30_000, 50):
            compiled.step({key: key % 97 + 1.0 for key in range(start, start + 50)}, 1, 0.0)
        gc.collect()
        end, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    size = sys.getsizeof(compiled)
    assert len(compiled) == 20_000
    assert size / len(compiled) <= 350
    # Beside it there are the keys, integers of 28 bytes.
    assert end - begin <= size + 20_000 * 32 + 10_000
