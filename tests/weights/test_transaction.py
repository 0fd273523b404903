"""Transactions: several steps that are learned whole or not at all."""

from __future__ import annotations

import contextlib
import pickle
import random

import numpy as np
import pytest

from river_trapezoid._frame import Rows
from river_trapezoid.weights import KERNEL, transaction
from tests.interrupts import interrupted
from tests.weights.families import families
from tests.weights.kinds import COMPILED, COMPILED_EVIDENCE, KINDS, NEEDS_BOTH, RULES


def instances(n, seed=0, n_names=40):
    rng = random.Random(seed)
    for _ in range(n):
        size = rng.choice([1, 5, 12])
        yield {f"k{rng.randrange(n_names)}": rng.gauss(0, 1) for _ in range(size)}


def steps(family, weights, n, seed=0, n_names=40):
    for t, x in enumerate(instances(n, seed, n_names)):
        family.step(weights, -1 if t % 3 else 1)(x)


@contextlib.contextmanager
def undone(columns, *parts, attributes=None):
    """A transaction that ends in an interrupt."""
    with (
        contextlib.suppress(KeyboardInterrupt),
        transaction(columns, *parts, attributes=attributes),
    ):
        yield
        raise KeyboardInterrupt


@families
@pytest.mark.parametrize("kind", ["pure", pytest.param("compiled", marks=NEEDS_BOTH)])
@pytest.mark.parametrize("budget", [1.0, 0.3, 7])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("n", [1, 60])
def test_what_is_rolled_back_was_never_learned(family, kind, budget, named, n):
    weights, twin = (family.make(getattr(family, kind), budget) for _ in range(2))
    for one in (weights, twin):
        steps(family, one, 50)
    before = family.frozen(weights)
    columns = [f"k{i}" for i in range(300)] if named else None
    for turn in range(3):
        with undone(columns, weights):
            # New features as well as known ones, and enough of both that the table grows.
            steps(family, weights, n, seed=turn, n_names=300)
            assert family.frozen(weights) != before
        assert family.frozen(weights) == before
    for one in (weights, twin):
        steps(family, one, 100, seed=9, n_names=300)
    assert family.frozen(weights) == family.frozen(twin)


@families
@pytest.mark.parametrize("kind", ["pure", pytest.param("compiled", marks=NEEDS_BOTH)])
@pytest.mark.parametrize("budget", [1.0, 0.3, 7])
def test_what_is_committed_is_what_is_learned_without_a_transaction(family, kind, budget):
    weights, twin = (family.make(getattr(family, kind), budget) for _ in range(2))
    for turn in range(20):
        with transaction(None, weights):
            steps(family, weights, 30, seed=turn, n_names=20 * turn + 5)
        steps(family, twin, 30, seed=turn, n_names=20 * turn + 5)
        assert family.frozen(weights) == family.frozen(twin)


@families
@pytest.mark.parametrize("kind", ["pure", pytest.param("compiled", marks=NEEDS_BOTH)])
def test_the_outer_of_two_transactions_decides(family, kind):
    weights = family.make(getattr(family, kind), 0.5)
    steps(family, weights, 20)
    before = family.frozen(weights)
    with undone(None, weights):
        with transaction(None, weights):
            steps(family, weights, 20, seed=1)
        assert family.frozen(weights) != before
    assert family.frozen(weights) == before


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("named", [True, False])
def test_a_rule_is_rolled_back_with_its_intercept_and_its_generator(kind, named):
    rng = random.Random(3)
    rule = RULES[kind](kind(0.4), C=1.0, learn_intercept=True, rng=rng)
    columns = [f"c{i}" for i in range(8)]
    values = np.random.default_rng(0).standard_normal((30, 8))
    signs = np.array([1, -1, -1] * 10, dtype=np.int8)
    rule.learn_rows(Rows(values[:10], columns), signs[:10])
    before = pickle.dumps(rule), rng.getstate()
    with undone(columns if named else None, rule):
        rule.learn_rows(Rows(values[10:20], columns), signs[10:20])
        for row in values[20:]:
            rule.learn(dict(zip(columns, row.tolist(), strict=True)), 1)
        assert pickle.dumps(rule) != before[0]
    assert (pickle.dumps(rule), rng.getstate()) == before


def test_generators_and_attributes_are_brought_back():
    rng, attributes = random.Random(1), {"a": 1, "b": 2}
    state = rng.getstate()
    with undone(None, rng, attributes=attributes):
        rng.random()
        attributes.update(a=5, c=6)
    assert (rng.getstate(), attributes) == (state, {"a": 1, "b": 2})
    with transaction(None, rng, attributes=attributes):
        rng.random()
        attributes["a"] = 5
    assert rng.getstate() != state
    assert attributes == {"a": 5, "b": 2}


class Pair:
    """Two weights and a label that change together."""

    def __init__(self, kind, budget):
        self.one, self.other, self.label = kind(budget=budget), kind(budget=budget), None

    def learn(self, x, label):
        with transaction(None, self.one, self.other, attributes=vars(self)):
            self.step(self.one, x, 1)
            self.step(self.other, x, -1)
            self.label = label

    @staticmethod
    def step(weights, x, sign):
        if isinstance(weights, COMPILED):
            weights.update(x, 0.5 * sign, 3.0)
            weights.scale_by(0.9)
        else:
            weights.learn(x, sign)

    def __getstate__(self):
        return self.one, self.other, self.label

    def __setstate__(self, state):
        self.one, self.other, self.label = state


@NEEDS_BOTH
@pytest.mark.skipif(KERNEL == "pure", reason="the pure weights do not promise it")
@pytest.mark.parametrize("kind", [COMPILED, COMPILED_EVIDENCE], ids=["sparse", "evidence"])
@pytest.mark.parametrize("budget", [1.0, 0.4, 6])
def test_an_interrupt_at_any_bytecode_leaves_the_step_whole_or_undone(kind, budget):
    model = Pair(kind, budget)
    for t, x in enumerate(instances(30)):
        model.learn(x, t % 2)
    x = {"k1": 0.5, "k2": -1.5, "new": 2.0}
    before = pickle.dumps(model)
    whole = pickle.loads(before)
    whole.learn(x, "third")
    after = pickle.dumps(whole)
    counts = {before: 0, after: 0}
    for twin in interrupted(model, lambda m: m.learn(x, "third"), (__name__,)):
        state = pickle.dumps(twin)
        assert state in counts
        counts[state] += 1
        # The transaction is over: what is learned next is final.
        twin.learn({"later": 1.0}, "fourth")
        assert twin.label == "fourth"
    assert counts[before] > 20
    assert counts[after] >= 2


@pytest.mark.skipif(KERNEL == "pure", reason="the pure weights do not promise it")
@families
@pytest.mark.parametrize("budget", [1.0, 0.5, 20])
def test_without_memory_a_transaction_is_undone(family, budget):
    testcapi = pytest.importorskip("_testcapi")
    n_failed = 0
    for allowed in range(60):
        weights = family.make(family.compiled, budget)
        steps(family, weights, 40, n_names=200)
        before = family.frozen(weights)
        rows = list(instances(8, seed=allowed, n_names=400))
        calls = [family.step(weights, -1 if t % 3 else 1) for t in range(8)]
        failed = False
        testcapi.set_nomemory(allowed, allowed + 2 + 3 * (allowed % 4))
        try:
            with transaction(None, weights):
                for call, x in zip(calls, rows, strict=True):
                    call(x)
        except MemoryError:
            failed = True
        finally:
            testcapi.remove_mem_hooks()
        if failed:
            n_failed += 1
            assert family.frozen(weights) == before
        twin = family.make(family.compiled, budget)
        twin.__setstate__(weights.__getstate__())
        for one in (weights, twin):
            steps(family, one, 5, seed=3, n_names=400)
        assert family.frozen(weights) == family.frozen(twin)
    assert n_failed > 5


@NEEDS_BOTH
def test_the_journal_stays_as_small_as_the_table():
    weights = COMPILED_EVIDENCE()
    steps_of = list(instances(50))
    for x in steps_of:
        weights.learn(x, 1)
    before = weights.__getstate__()
    with undone(None, weights):
        # Far more notes than features, so that repeated ones are left out on the way.
        for turn in range(40):
            for x in steps_of:
                weights.learn(x, 1 if turn % 2 else -1)
    assert weights.__getstate__() == before
