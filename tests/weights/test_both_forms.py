"""Corners where compiled and pure weights once gave different answers."""

from __future__ import annotations

import copy
import math

import pytest

from tests.weights.families import Evidence, Sparse, families
from tests.weights.kinds import KINDS, NEEDS_BOTH, RULES

KIND_NAMES = pytest.mark.parametrize("kind", ["pure", pytest.param("compiled", marks=NEEDS_BOTH)])


@pytest.mark.parametrize("kind", KINDS)
def test_mode_0_has_no_price_of_the_loss_that_could_vanish(kind):
    rule = RULES[kind](kind(), mode=0, C=1e-200)
    rule.learn({"a": 2.0}, 1, 1e-200)
    assert rule.margin({"a": 2.0}) == 1.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", [1, 2])
def test_a_price_of_the_loss_that_vanishes_moves_nothing(kind, mode):
    rule = RULES[kind](kind(), mode=mode, C=1e-200)
    rule.learn({"a": 2.0}, 1, 1e-200)
    assert rule.weights.to_dict() == {}
    assert rule.weights.n_seen == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_that_has_shrunk_to_nothing_has_no_sign(kind):
    weights = kind()
    weights.update({"a": -1e-300, "b": 1.0}, 1.0)
    for _ in range(4):
        weights.scale_by(1e-30)
    assert "a" not in weights
    assert math.copysign(1.0, weights.get("a")) == 1.0


@families
@KIND_NAMES
def test_a_key_without_a_rank_reads_the_weight_of_its_equal_but_learns_nothing(family, kind):
    weights = family.make(getattr(family, kind), 1.0)
    for sign in (1, -1, 1, 1):
        family.step(weights, sign)({1: 3.0, "a": 1.0, "b": -0.5})
    equal, known = {1 + 0j: 3.0, "a": 1.0, "b": -0.5}, {1: 3.0, "a": 1.0, "b": -0.5}
    for reading in family.readings(weights):
        assert reading(equal) == reading(known)
    before = weights.__getstate__()
    for step in family.steps(weights):
        with pytest.raises(TypeError, match="so that features can be sorted"):
            step(equal)
    assert weights.__getstate__() == before


@pytest.mark.parametrize("family", [Evidence])
@KIND_NAMES
def test_features_are_named_as_they_were_learned_first(family, kind):
    weights = family.make(getattr(family, kind), 1.0)
    for sign in (1, -1, 1, 1):
        family.step(weights, sign)({1: 3.0, "a": 1.0})
    for twin in (weights, copy.deepcopy(weights)):
        assert str(twin.inputs({True: 3.0})) == str(twin.inputs({1: 3.0}))
        assert str(twin.pairs({1.0: 3.0, "a": 1.0})) == str(twin.pairs({1: 3.0, "a": 1.0}))


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_without_a_rank_has_the_weight_of_its_equal(kind):
    weights = kind()
    Sparse.step(weights)({1: 3.0})
    assert weights.get(1 + 0j) == weights.get(1) != 0.0
    assert 1 + 0j in weights
