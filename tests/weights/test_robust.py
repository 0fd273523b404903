"""Weights in the hands of keys, states and settings that misbehave."""

from __future__ import annotations

import contextlib
import gc
import math
import random

import pytest

from tests.weights.families import Evil, Sparse, Told, families, trained
from tests.weights.kinds import (
    COMPILED,
    COMPILED_EVIDENCE,
    COMPILED_RULE,
    NEEDS_BOTH,
    PURE,
    PURE_EVIDENCE,
    RULES,
)

pytestmark = NEEDS_BOTH


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
        with pytest.raises(RuntimeError, match="neither a key that is being compared"):
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


@pytest.mark.parametrize("budget", [0.5, 1.0, 4])
@families
def test_a_key_that_is_compared_with_one_that_is_seen_may_empty_the_instance(family, budget):
    def act(event):
        if loaded:
            x.clear()

    loaded = False

    # A feature that is known has the hash of one that is new.
    class Same(Evil):
        def __hash__(self):
            return hash("text0!")

        def __eq__(self, other):
            self.act("eq")
            return self is other

    same = Same("same", act)
    weights = family.make(family.compiled, budget)
    family.step(weights)({same: 1.0})
    x = {f"text{i}!": 1.0 for i in range(50)}
    loaded = True
    family.step(weights)(x)
    assert not x
    assert weights.n_seen == (None if budget == 4 else 51)


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


class Shifty(int):
    """An integer that gives itself out for another one."""

    def item(self):
        return 5

    def __int__(self):
        return 5

    __index__ = __int__


@pytest.mark.parametrize("kind", [PURE, COMPILED, PURE_EVIDENCE, COMPILED_EVIDENCE])
def test_the_number_that_was_checked_is_the_one_in_use(kind):
    with pytest.raises(ValueError, match="budget must be"):
        kind(budget=Shifty(-3))
    assert type(kind(budget=Shifty(3)).budget) is int
    assert kind(budget=Shifty(3)).budget == 3


@pytest.mark.parametrize("kind", [PURE, COMPILED])
def test_a_budget_may_change_but_stays_of_its_kind(kind):
    weights = kind(5)
    weights.update({f"k{i}": 1.0 + i for i in range(5)}, 1.0)
    weights.budget = 2
    weights.update({"k0": 1.0}, 1.0)
    assert len(weights) == 2
    for wrong in (0.5, 0, "many"):
        with pytest.raises(ValueError, match="budget must"):
            weights.budget = wrong
    assert weights.budget == 2


@pytest.mark.parametrize("kind", [PURE_EVIDENCE, COMPILED_EVIDENCE])
@pytest.mark.parametrize("n_bins", [-3, 0, 1, 10_001, 2**56, 2**70, 2.0, Shifty(-3)])
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


def test_weights_that_were_never_initialised_are_those_of_the_defaults():
    class Lazy(COMPILED_EVIDENCE or object):
        def __init__(self):
            pass

    weights = Lazy()
    weights.learn({"a": 1.0}, 1)
    assert len(weights) == 1


def test_a_rule_without_weights_has_empty_ones():
    rule = COMPILED_RULE.__new__(COMPILED_RULE)
    assert rule.margin({"a": 1.0}) == 0.0
    rule.learn({"a": 1.0}, 1)
    assert rule.weights.n_seen == 1


def test_a_key_may_give_the_rule_other_weights():
    rule, other = COMPILED_RULE(COMPILED(1.0), C=1.0), COMPILED(1.0)

    def act(event):
        if loaded:
            rule.__init__(other)

    loaded = False
    x = {Evil("evil", act): 1.0, **{f"k{i}": 1.0 for i in range(50)}}
    weights = rule.weights
    weights.update({Evil("evil"): 1.0}, 0.1)
    loaded = True
    rule.learn(x, 1)
    assert rule.weights is other
    assert len(other) == 0
    assert weights.n_seen == 51


def summed_slowly(monkeypatch, act):
    """Have exact sums that are hard to round run some code."""
    from river_trapezoid.weights import exact_sum
    from river_trapezoid.weights.compiled import _exact_sum

    monkeypatch.setattr(_exact_sum, "exact_sum", lambda terms: act() or exact_sum.exact_sum(terms))
    return {"z0": 1.0, "z1": 2.0**-53, "z2": 2.0**-120}


def test_a_budget_must_not_change_in_the_middle_of_a_step(monkeypatch):
    weights = COMPILED(5000)
    weights.update({f"k{i}": 1.0 + i for i in range(5000)}, 1.0)
    caught = []

    def act():
        with pytest.raises(RuntimeError, match="being read or changed") as error:
            weights.budget = 1
        caught.append(error)

    weights.update(summed_slowly(monkeypatch, act), 1.0)
    assert caught
    assert len(weights) == weights.budget == 5000


def test_weights_may_change_in_the_middle_of_a_sum(monkeypatch):
    weights = COMPILED(10, 0)
    x = summed_slowly(monkeypatch, lambda: weights.__init__(3))
    weights.update({key: 1e308 for key in x}, 1.0)
    assert weights.dot({key: 1e308 for key in x}) > 1e308
    assert len(weights) == 0


@pytest.mark.parametrize("kind", [PURE, COMPILED])
@pytest.mark.parametrize("absent", [None, math.nan])
def test_an_overflow_names_a_feature_that_was_observed(kind, absent):
    rule = RULES[kind](kind(1.0), step="perceptron")
    with pytest.raises(OverflowError, match=r"feature 'a' = 1e\+308"):
        rule.learn({"c": absent, "a": 1e308, "b": 1e308}, 1)


@pytest.mark.parametrize("kind", [PURE, COMPILED])
@pytest.mark.parametrize("radius", [-0.5, math.nan, -math.inf])
def test_a_ball_has_a_radius(kind, radius):
    weights = kind(1.0)
    weights.update({"a": 1.0}, 1.0)
    with pytest.raises(ValueError, match="radius must be"):
        weights.update({"a": 1.0}, 1.0, radius=radius)
    assert weights.to_dict() == {"a": 1.0}


STATES = [
    (0.0, 1.0, 0.0, {"a": 1.0}, None),
    (-1.0, 1.0, 0.0, {"a": 1.0}, None),
    (1.0, math.nan, 0.0, {"a": 1.0}, None),
    (1.0, 1.0, math.inf, {"a": 1.0}, None),
    (1.0, 1.0, 0.0, {"a": math.nan}, None),
    (1.0, 1.0, 0.0, {"a": 0.0}, None),
    (1.0, 1.0, 0.0, {frozenset(): 1.0}, None),
    (1.0, 1.0, 0.0, {"a": 1.0}, ["a"]),
    (1.0, 1.0, 0.0, {"a": "red"}, None),
    (1.0, 1.0, 0.0),
    None,
]


@pytest.mark.parametrize("kind", [PURE, COMPILED])
@pytest.mark.parametrize("state", STATES, ids=str)
def test_what_is_no_state_is_refused_and_changes_nothing(kind, state):
    weights = kind(2)
    weights.update({"c": 1.0, "d": 2.0}, 1.0)
    before = weights.__getstate__()
    with pytest.raises((ValueError, TypeError)):
        weights.__setstate__(state)
    assert weights.__getstate__() == before
