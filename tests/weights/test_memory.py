"""The memory of the compiled weights: freed, enough of it or not, and for long."""

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

from tests.weights.families import Evil, Sparse, families
from tests.weights.kinds import COMPILED, NEEDS_BOTH

pytestmark = NEEDS_BOTH


@families
def test_keys_are_freed_with_the_weights_and_with_what_they_refer_to(family):
    weights = family.make(family.compiled, 1.0)
    key = Evil("key")
    key.weights = weights
    alive = weakref.ref(key)
    family.step(weights)({key: 1.0})
    del key, weights
    gc.collect()
    assert alive() is None


@families
def test_keys_that_are_dropped_are_freed(family):
    weights = family.make(family.compiled, 5)
    keys = weakref.WeakSet()
    for i in range(2000):
        key = Evil(i)
        keys.add(key)
        family.step(weights, 1 if i % 3 else -1)({key: 1.0 + i % 7})
    del key
    assert len(weights) == 5
    assert len(keys) < 100


@families
@pytest.mark.parametrize("budget", [1.0, 0.5, 20])
def test_without_memory_a_step_is_taken_whole_or_not_at_all(family, budget):
    testcapi = pytest.importorskip("_testcapi")
    rng = random.Random(0)
    n_failed = 0
    for allowed in range(24):
        pure, compiled = (family.make(kind, budget) for kind in (family.pure, family.compiled))
        for size in (5, 200, 40, 300):
            x = {f"k{rng.randrange(900)}": rng.gauss(0, 1) for _ in range(size)}
            before = family.frozen(compiled)
            step = family.step(compiled, -1)
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
                assert family.frozen(compiled) == before
                step(x)
            family.step(pure, -1)(x)
            family.assert_same(pure, compiled)
    assert n_failed


def soak(family, weights, n, rng):
    big = {f"b{i}": 1.0 for i in range(300)}
    for t in range(n):
        x = {("t", rng.randrange(500)): rng.gauss(0, 1) for _ in range(6)}
        x |= {f"k{rng.randrange(500)}": rng.choice([1.0, 1, None, math.nan]) for _ in range(6)}
        margin = family.readings(weights)[-1]
        margin(x)
        family.step(weights, rng.choice([-1, 1]))(x)
        if t % 200 == 0:
            for reading in family.readings(weights):
                reading(big)
            margin({"a": np.float32(1.0)})
            margin(collections.Counter(x.keys()))
            pickle.loads(pickle.dumps(weights))
            for bad in ({"a": [1.0]}, {"a": math.inf}, {("u", 1): 1j}):
                with pytest.raises((TypeError, ValueError)):
                    family.step(weights)(bad)
            if family is Sparse:
                with pytest.raises(OverflowError):
                    weights.update({("v", t): 1e308}, 1e10)


@families
@pytest.mark.parametrize("budget", [1.0, 0.5, 100])
def test_memory_does_not_grow_over_many_steps(family, budget):
    rng = random.Random(0)
    compiled = family.make(family.compiled, budget)
    tracemalloc.start()
    try:
        soak(family, compiled, 600, rng)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        soak(family, compiled, 1200, rng)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 100_000


@families
def test_size_tells_the_memory_that_is_held(family):
    tracemalloc.start()
    try:
        begin, _ = tracemalloc.get_traced_memory()
        compiled = family.make(family.compiled, 1.0)
        for start in range(10_000, 30_000, 50):
            x = {key: key % 97 + 1.0 for key in range(start, start + 50)}
            family.step(compiled, 1 if start % 100 else -1)(x)
        gc.collect()
        end, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    size = sys.getsizeof(compiled)
    assert size / len(compiled) <= family.bytes_per_weight
    # Beside it there are the keys, integers of 28 bytes.
    assert end - begin <= size + 20_000 * 32 + 10_000


@families
def test_a_wide_instance_is_forgotten_under_an_absolute_budget(family):
    weights = family.make(family.compiled, 10)
    rng = random.Random(0)
    gc.collect()
    tracemalloc.start()
    try:
        family.step(weights)({f"wide{i}": 1.0 + i % 7 for i in range(100_000)})
        for t in range(3000):
            x = {f"k{rng.randrange(50)}": rng.gauss(0, 1) for _ in range(5)}
            family.step(weights, 1 if t % 2 else -1)(x)
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 100_000
    assert sys.getsizeof(weights) < 50_000
    assert len(weights) == 10


def test_a_kept_feature_takes_at_most_a_hundred_bytes_beside_its_key():
    # Half of the features are only remembered, and share in the hundred bytes.
    weights = COMPILED(0.5)
    sizes = []
    for start in range(0, 100_000, 50):
        weights.update({key: 1.0 + key * 7919 % 997 for key in range(start, start + 50)}, 0.1)
        if start > 5000:
            sizes.append(sys.getsizeof(weights) / len(weights))
    assert len(weights) == 50_000
    assert max(sizes) <= 100
