"""Weights in the hands of keys that misbehave, without memory, and for long."""

from __future__ import annotations

import collections
import contextlib
import gc
import math
import pickle
import random
import sys
import tracemalloc
import typing
import weakref

import numpy as np
import pytest

from tests.weights.kinds import (
    COMPILED,
    COMPILED_EVIDENCE,
    NEEDS_BOTH,
    PURE,
    PURE_EVIDENCE,
    assert_same,
    assert_same_evidence,
)

pytestmark = NEEDS_BOTH


class Sparse:
    """What the tests do with sparse weights."""

    pure, compiled, assert_same = PURE, COMPILED, staticmethod(assert_same)
    bytes_per_weight = 100

    @staticmethod
    def make(kind, budget):
        return kind(budget)

    @staticmethod
    def readings(weights):
        return [weights.dot, weights.margin]

    @staticmethod
    def step(weights, sign=1):
        return lambda x: weights.pa_step(x, sign, 0.0, 1, 0.1, 30.0, False, "pa", "loss", None)

    @classmethod
    def steps(cls, weights):
        return [lambda x: weights.update(x, 1.0, 30.0), cls.step(weights)]


class Evidence:
    """What the tests do with weights of evidence."""

    pure, compiled = PURE_EVIDENCE, COMPILED_EVIDENCE
    assert_same = staticmethod(assert_same_evidence)
    bytes_per_weight = 350

    @staticmethod
    def make(kind, budget):
        return kind(10, 2.0, 0.0, budget)

    @staticmethod
    def readings(weights):
        return [weights.inputs, lambda x: weights.margin(x, 0.0)]

    @staticmethod
    def step(weights, sign=1):
        return lambda x: weights.step(x, sign, 0.0)

    @classmethod
    def steps(cls, weights):
        return [cls.step(weights)]


families = pytest.mark.parametrize("family", [Sparse, Evidence])


class Evil:
    """A key that does what it is told to when it is hashed, compared or freed."""

    def __init__(self, name, act=lambda event: None):
        self.name, self.act = name, act

    def __hash__(self):
        self.act("hash")
        return 7

    def __eq__(self, other):
        if not isinstance(other, Evil):
            return False
        self.act("eq")
        other.act("eq")
        return self.name == other.name

    def __lt__(self, other):
        self.act("lt")
        return self.name < other.name if isinstance(other, Evil) else NotImplemented

    def __repr__(self):
        return f"Evil({self.name!r})"


class Told(Exception):
    """What an evil key raises."""


def trained(family, kind, budget=0.5):
    weights = family.make(kind, budget)
    for sign in (1, -1, 1):
        step = family.step(weights, sign)
        step({Evil(f"e{i}"): 1.0 + i % 2 for i in range(6)})
        step({"a": 3.0, "b": 0.5})
    return weights


@families
@pytest.mark.parametrize("kind", ["pure", "compiled"])
@pytest.mark.parametrize("event", ["hash", "eq"])
@pytest.mark.parametrize("budget", [1.0, 0.5, 4])
def test_what_a_key_raises_surfaces_and_changes_nothing(family, kind, event, budget):
    weights = trained(family, getattr(family, kind), budget)
    loaded = False

    def act(happening):
        if loaded and happening == event:
            raise Told

    x = {"a": 1.0, "new": 1.0, Evil("evil", act): 1.0}
    before = weights.__getstate__()
    loaded = True
    for operation in (*family.readings(weights), *family.steps(weights)):
        with pytest.raises(Told):
            operation(x)
        assert weights.__getstate__() == before
    loaded = False
    family.step(weights)(x)


@families
@pytest.mark.parametrize("kind", ["pure", "compiled"])
def test_a_key_that_does_not_want_to_be_ranked_leaves_the_weights_in_order(family, kind):
    loaded = True

    def act(event):
        if loaded and event == "lt":
            raise Told

    weights = family.make(getattr(family, kind), 3)
    with pytest.raises(Told):
        family.step(weights)({Evil(i, act): 1.0 for i in range(8)})
    loaded = False
    family.step(weights)({"a": 2.0})
    assert len(weights) == 3
    if family is Sparse:
        assert weights.norm == pytest.approx(math.fsum(map(abs, weights.to_dict().values())))


@families
def test_a_key_may_empty_the_instance_while_it_is_compared(family):
    weights = trained(family, family.compiled)
    loaded = False

    def act(event):
        if loaded:
            x.clear()

    for operation in (*family.readings(weights), *family.steps(weights)):
        loaded = False
        x = {Evil(f"x{i}", act): 1.0 for i in range(4)} | {f"text{i}": 1.0 for i in range(200)}
        loaded = True
        operation(x)
        assert not x


@families
def test_a_key_must_not_change_the_weights_while_it_is_compared(family):
    weights = trained(family, family.compiled)
    loaded = False

    def act(event):
        if loaded:
            family.step(weights)({f"other{i}": 1.0 for i in range(100)})

    x = {Evil("evil", act): 1.0}
    loaded = True
    for operation in family.steps(weights):
        with pytest.raises(RuntimeError, match="must not change"):
            operation(x)
    loaded = False
    family.step(weights)(x)


@families
def test_a_key_that_changes_the_weights_while_they_are_read_breaks_nothing(family):
    weights = trained(family, family.compiled, budget=50)
    rng = random.Random(0)
    loaded = False

    def act(event):
        nonlocal loaded
        if loaded and event == "eq":
            loaded = False
            for _ in range(50):
                family.step(weights)({rng.random(): 1.0 for _ in range(40)})

    x = {Evil("e3", act): 1.0, "a": 1.0}
    for reading in family.readings(weights):
        loaded = True
        # Whether it is let through or told off.
        with contextlib.suppress(RuntimeError):
            reading(x)
        assert not loaded
    family.step(weights)(x)
    assert len(weights) <= 50


@families
def test_a_key_that_is_seen_or_freed_may_empty_the_instance(family):
    def act(event):
        if loaded:
            x.clear()

    loaded = False
    texts = [f"text{i}" for i in range(50)]
    if family is Sparse:
        weights = COMPILED(0.5)
        seen = {Evil("seen", act): 1.0}
        x = {text + "!": 1.0 for text in texts}
        loaded = True
        weights.update(x, 1.0, seen=seen)
        assert len(weights) <= 1
    else:
        weights = family.make(family.compiled, 0.5)
        # A feature that was seen has the hash of one that is new.
        same = type("Same", (Evil,), {"__hash__": lambda self: hash("text0!")})("same", act)
        state = weights.__getstate__()
        weights.__setstate__((*state[:4], [same]))
        x = {text + "!": 1.0 for text in texts}
        loaded = True
        weights.step(x, 1, 0.0)
        assert weights.n_seen == 51


def test_weights_of_features_that_do_not_count_as_seen():
    pure, compiled = PURE(1.0), COMPILED(1.0)
    for i in range(300):
        for weights in (pure, compiled):
            weights.update({f"w{i}": 1.0}, 1.0, seen={f"s{i}": 1.0})
    assert_same(pure, compiled)


@families
def test_weights_that_are_created_twice_start_anew(family):
    weights = trained(family, family.compiled)

    class Last(Evil):
        def __del__(self):
            with contextlib.suppress(RuntimeError):
                family.step(weights)({"late": 1.0})

    family.step(weights)({Last("last"): 1.0})
    gc.collect()
    weights.__init__()
    assert weights.__getstate__() == type(weights)().__getstate__()


def test_strange_budgets_cost_weights_and_nothing_else():
    class Fickle(float):
        answers: typing.ClassVar = [1e6, 0.0]

        def __mul__(self, other):
            return self.answers.pop(0) if self.answers else 0.0

    for budget in (-5, -1, Fickle(0.5)):
        weights = COMPILED(0.5 if isinstance(budget, float) else 5)
        weights.update({f"k{i}": 1.0 for i in range(300)}, 1.0)
        weights.budget = budget
        weights.update({f"k{i}": 2.0 for i in range(3)}, 1.0)
        assert len(weights) <= 300
    weights = COMPILED(5)
    with pytest.raises(ValueError, match="invalid literal"):
        weights.budget = "many"
    assert weights.budget == 5


@pytest.mark.parametrize("kind", [PURE_EVIDENCE, COMPILED_EVIDENCE])
@pytest.mark.parametrize("n_bins", [-3, 0, 1, 10_001, 2**56, 2**70, 2.0])
def test_wrong_numbers_of_bins(kind, n_bins):
    with pytest.raises(ValueError, match="n_bins must be"):
        kind(n_bins)


@pytest.mark.parametrize("kind", [PURE, COMPILED])
def test_weights_are_not_scaled_out_of_range(kind):
    weights = kind(1.0)
    weights.update({"a": 1.0}, 1.0)
    for factor in (-1.0, 1.5, math.inf, -math.inf, math.nan):
        with pytest.raises(ValueError, match="factor must be"):
            weights.scale_by(factor)
    weights.scale_by(0.0)
    assert len(weights) == 0


def test_weights_that_are_no_numbers_are_not_restored():
    weights = COMPILED(2)
    with pytest.raises(ValueError, match="'b' is not finite"):
        weights.__setstate__((1.0, 2.0, 0.0, {"a": 1.0, "b": math.nan}, None))
    weights.update({"c": 1.0, "d": 2.0, "e": 3.0}, 1.0)
    assert len(weights) == 2


def test_weights_that_were_never_initialised_are_those_of_the_defaults():
    class Lazy(COMPILED_EVIDENCE or object):
        def __init__(self):
            pass

    weights = Lazy()
    weights.step({"a": 1.0}, 1, 0.0)
    assert len(weights) == 1


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
            before = compiled.__getstate__()
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
                assert compiled.__getstate__() == before
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
        if t % 50 == 0:
            for reading in family.readings(weights):
                reading(big)
            margin({"a": np.float32(1.0)})
            margin(collections.Counter(x.keys()))
            pickle.loads(pickle.dumps(weights))
            for bad in ({"a": "red"}, {"a": math.inf}, {("u", 1): 1j}):
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
        soak(family, compiled, 1500, rng)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        soak(family, compiled, 3000, rng)
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
