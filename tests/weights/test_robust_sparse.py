"""The compiled weights in the hands of keys that misbehave, without memory, and for long."""

from __future__ import annotations

import collections
import gc
import math
import pickle
import random
import sys
import tracemalloc
import weakref

import numpy as np
import pytest

from tests.weights.kinds import COMPILED, KINDS, NEEDS_BOTH, PURE, Evil, Told, assert_same

pytestmark = NEEDS_BOTH


def trained(kind, budget=0.5):
    weights = kind(budget)
    weights.update({Evil(f"e{i}"): 1.0 + i % 2 for i in range(6)}, 1.0, 30.0)
    weights.update({"a": 3.0, "b": 0.5}, 1.0, 30.0)
    return weights


def pa_step(weights, sign=1, radius=30.0):
    return lambda x: weights.pa_step(x, sign, 0.0, 1, 0.1, radius, False, "pa", "loss", None)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("event", ["hash", "eq"])
@pytest.mark.parametrize("budget", [0.5, 4])
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
        weights.dot,
        weights.margin,
        lambda x: weights.update(x, 1.0, 30.0),
        pa_step(weights),
    ):
        with pytest.raises(Told):
            operation(x)
        assert weights.__getstate__() == before
    loaded = False
    weights.update(x, 1.0, 30.0)
    assert len(weights) <= weights.capacity


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_that_does_not_want_to_be_ranked_leaves_the_weights_in_order(kind):
    loaded = True

    def act(event):
        if loaded and event == "lt":
            raise Told

    weights = kind(3)
    with pytest.raises(Told):
        weights.update({Evil(i, act): 1.0 for i in range(8)}, 1.0, 30.0)
    assert weights.norm == pytest.approx(math.fsum(map(abs, weights.to_dict().values())))
    loaded = False
    weights.update({"a": 2.0}, 1.0, 30.0)
    assert len(weights) == 3
    assert weights.get("a") == 2.0


def test_a_key_may_empty_the_instance_while_it_is_compared():
    weights = trained(COMPILED)
    loaded = False

    def act(event):
        if loaded:
            x.clear()

    for operation in (
        weights.dot,
        weights.margin,
        lambda x: weights.update(x, 1.0),
        pa_step(weights),
    ):
        loaded = False
        x = {Evil(f"x{i}", act): 1.0 for i in range(4)} | {f"text{i}": 1.0 for i in range(200)}
        loaded = True
        operation(x)
        assert not x
        assert len(weights) <= weights.capacity


def test_a_key_must_not_change_the_weights_while_it_is_compared():
    weights = trained(COMPILED)
    loaded = False

    def act(event):
        if loaded:
            weights.update({f"other{i}": 1.0 for i in range(100)}, 1.0)

    x = {Evil("evil", act): 1.0}
    loaded = True
    with pytest.raises(RuntimeError, match="must not change"):
        weights.update(x, 1.0)
    loaded = False
    weights.update(x, 9.0)
    assert x.keys() <= weights.to_dict().keys()


def test_a_key_may_change_the_weights_while_they_are_read():
    weights = trained(COMPILED, budget=50)
    rng = random.Random(0)
    loaded = True

    def act(event):
        nonlocal loaded
        if loaded and event == "eq":
            loaded = False
            for _ in range(50):
                weights.update({rng.random(): 1.0 for _ in range(40)}, 1.0)

    x = {Evil("e3", act): 1.0, "a": 1.0}
    loaded = True
    assert math.isfinite(weights.margin(x))
    assert len(weights) == 50


def test_keys_are_freed_with_the_weights_and_with_what_they_refer_to():
    weights = COMPILED(1.0)
    key = Evil("key")
    key.weights = weights
    alive = weakref.ref(key)
    weights.update({key: 1.0}, 1.0)
    del key, weights
    gc.collect()
    assert alive() is None


def test_keys_that_have_lost_their_weight_are_freed():
    weights = COMPILED(5)
    keys = weakref.WeakSet()
    for i in range(2000):
        key = Evil(i)
        keys.add(key)
        weights.update({key: 1.0 + i % 7}, 1.0)
    del key
    assert len(keys) < 100


def soak(weights, n, rng):
    big = {f"b{i}": 1.0 for i in range(300)}
    for t in range(n):
        x = {("t", rng.randrange(500)): rng.gauss(0, 1) for _ in range(6)}
        x |= {f"k{rng.randrange(500)}": rng.choice([1.0, 1, None, math.nan]) for _ in range(6)}
        weights.margin(x)
        pa_step(weights, rng.choice([-1, 1]), 3.0)(x)
        if t % 50 == 0:
            weights.dot(big)
            weights.margin({"a": np.float32(1.0)})
            weights.margin(collections.Counter(x.keys()))
            pickle.loads(pickle.dumps(weights))
            for bad in ({"a": "red"}, {"a": math.inf}, {("u", 1): 1j}):
                with pytest.raises((TypeError, ValueError)):
                    pa_step(weights)(bad)
            with pytest.raises(OverflowError):
                weights.update({("v", t): 1e308}, 1e10)


@pytest.mark.parametrize("budget", [0.5, 20])
def test_without_memory_a_step_is_taken_whole_or_not_at_all(budget):
    testcapi = pytest.importorskip("_testcapi")
    rng = random.Random(0)
    n_failed = 0
    for allowed in range(24):
        pure, compiled = PURE(budget), COMPILED(budget)
        for size in (5, 200, 40, 300):
            x = {f"k{rng.randrange(900)}": rng.gauss(0, 1) for _ in range(size)}
            before = compiled.__getstate__()
            step = pa_step(compiled, -1, 3.0)
            testcapi.set_nomemory(allowed, allowed + 2)
            try:
                step(x)
            except MemoryError:
                failed = True
            else:
                failed = False
            finally:
                testcapi.remove_mem_hooks()
            if failed:
                n_failed += 1
                assert compiled.__getstate__() == before
                step(x)
            pa_step(pure, -1, 3.0)(x)
            assert_same(pure, compiled)
    assert n_failed


@pytest.mark.parametrize("budget", [0.5, 100])
def test_memory_does_not_grow_over_many_steps(budget):
    rng = random.Random(0)
    compiled = COMPILED(budget)
    tracemalloc.start()
    try:
        soak(compiled, 2000, rng)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        soak(compiled, 4000, rng)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 100_000


def test_size_tells_the_memory_that_is_held():
    tracemalloc.start()
    try:
        begin, _ = tracemalloc.get_traced_memory()
        compiled = COMPILED(0.5)
        keys = range(10_000, 30_000)
        for start in range(0, 20_000, 50):
            compiled.update({key: key % 97 + 1.0 for key in keys[start : start + 50]}, 0.1, 30.0)
        gc.collect()
        end, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    size = sys.getsizeof(compiled)
    assert len(compiled) == 10_000
    assert size / len(compiled) <= 100
    # Beside it there are the keys, integers of 28 bytes.
    assert end - begin <= size + 20_000 * 32 + 10_000
