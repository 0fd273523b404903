from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import itertools
import pickle
import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_trapezoid.weights import in_order
from river_trapezoid.weights.key_order import check_keys, rank
from tests.weights.families import families
from tests.weights.kinds import NEEDS_BOTH


class Colour(enum.IntEnum):
    RED = 1
    BLUE = 2


PLAIN = st.one_of(
    st.integers(-3, 3),
    st.floats(allow_nan=False),
    st.booleans(),
    st.text("ab", max_size=2),
    st.binary(max_size=2),
    st.none(),
    st.sampled_from(
        [
            np.int64(1),
            np.float32(0.5),
            np.float64(2.0),
            np.str_("a"),
            np.bool_(True),
            fractions.Fraction(1, 3),
            decimal.Decimal("0.5"),
            decimal.Decimal("Infinity"),
            Colour.RED,
            datetime.date(2020, 1, 1),
            datetime.date(2019, 1, 1),
        ]
    ),
)
KEYS = st.recursive(PLAIN, lambda keys: st.tuples(keys, keys) | st.tuples(keys), max_leaves=4)


@given(st.lists(KEYS, max_size=4))
def test_keys_have_a_total_order_that_agrees_with_equality(keys):
    check_keys(keys)
    for a, b in itertools.product(keys, repeat=2):
        # By way of a set, as numpy compares with tuples element by element.
        assert (rank(a) < rank(b)) + (rank(b) < rank(a)) + (a in {b}) == 1
    for a, b, c in itertools.product(keys, repeat=3):
        if rank(a) < rank(b) < rank(c):
            assert rank(a) < rank(c)


@given(st.lists(KEYS, max_size=8), st.randoms())
def test_the_order_does_not_depend_on_where_it_starts(keys, rng):
    keys = list(dict.fromkeys(keys))
    shuffled = rng.sample(keys, len(keys))
    assert in_order(shuffled) == in_order(keys)


def test_kinds_come_one_after_the_other():
    keys = [None, ("b", 2), "b", b"x", 10, ("b", 1), 2.5, "a", (1,), True, ()]
    assert in_order(keys) == [True, 2.5, 10, "a", "b", b"x", None, (), (1,), ("b", 1), ("b", 2)]


WITHOUT_ORDER = [
    frozenset([1]),
    float("nan"),
    ("a", float("nan")),
    np.float32("nan"),
    decimal.Decimal("nan"),
    1j,
    object(),
    np.datetime64("NaT"),
    ("a", frozenset()),
]


@families
@pytest.mark.parametrize("kind", ["pure", pytest.param("compiled", marks=NEEDS_BOTH)])
@pytest.mark.parametrize("key", WITHOUT_ORDER, ids=lambda key: type(key).__name__)
@pytest.mark.parametrize("budget", [1.0, 0.5, 2])
def test_keys_without_an_order_are_refused_by_name(family, kind, key, budget):
    kind = getattr(family, kind)
    weights = family.make(kind, budget)
    family.step(weights)({"a": 1.0, 3: -2.0})
    before = pickle.dumps(weights)
    for step in family.steps(weights):
        with pytest.raises(TypeError, match=f"^feature {re.escape(repr(key))} must be"):
            step({"b": 1.0, key: 1.0})
        assert pickle.dumps(weights) == before


@families
@pytest.mark.parametrize("kind", ["pure", pytest.param("compiled", marks=NEEDS_BOTH)])
def test_keys_of_many_kinds_are_truncated_alike_in_any_order(family, kind):
    kind = getattr(family, kind)
    keys = [np.int64(1), (1, 2), "a", np.str_("b"), 2.5, None, b"x", (1, "a"), Colour.BLUE, ("b",)]
    kept = set()
    for seed in range(20):
        order = random.Random(seed).sample(keys, len(keys))
        weights = family.make(kind, 4)
        family.step(weights)(dict.fromkeys(order, 1.0))
        kept.add(frozenset(weights.to_dict()))
    # Of features that say the same, those that rank lower go first.
    assert kept == {frozenset([None, (1, 2), (1, "a"), ("b",)])}
