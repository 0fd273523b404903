from __future__ import annotations

import itertools
import math
import pickle
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.weights.kinds import KINDS

both_kinds = pytest.mark.parametrize("SparseWeights", KINDS)


class PlainWeights:
    """A plain dict that scales every weight and sorts everything: the oracle."""

    def __init__(self, budget, order=1):
        self.budget, self.order = budget, order
        self.w = {}
        self.seen = set()
        self.gap = math.inf

    def norm(self):
        return math.fsum(abs(w) ** self.order for w in self.w.values()) ** (1 / self.order)

    def capacity(self):
        if isinstance(self.budget, int):
            return self.budget
        return max(1, math.floor(self.budget * len(self.seen)))

    def update(self, x, step, radius=None):
        self.seen.update(x)
        for key, value in x.items():
            self.w[key] = self.w.get(key, 0.0) + step * value
        if radius is not None and self.norm() > radius:
            self.scale_by(radius / self.norm())
        ranked = sorted(self.w, key=lambda key: (abs(self.w[key]), key))
        ranked = [key for key in ranked if self.w[key]]
        cut = max(0, len(ranked) - self.capacity())
        if cut:
            kept, lost = abs(self.w[ranked[cut]]), abs(self.w[ranked[cut - 1]])
            self.gap = min(self.gap, (kept - lost) / kept)
        self.w = {key: self.w[key] for key in ranked[cut:]}

    def scale_by(self, factor):
        self.w = {key: factor * w for key, w in self.w.items()}


KEYS = st.integers(0, 25).map(lambda i: f"k{i}")
BUDGETS = st.one_of(st.integers(1, 12), st.sampled_from([0.05, 0.2, 0.5, 0.9, 1.0]))
DYADIC = st.sampled_from([0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -4.0, 1, True])
TIED_OPERATIONS = st.lists(
    st.one_of(
        st.tuples(
            st.dictionaries(KEYS, DYADIC, max_size=12), st.sampled_from([1.0, -1.0, 0.5, 0.25])
        ),
        st.integers(0, 60).map(lambda bits: 2.0**-bits),
    ),
    max_size=60,
)


@both_kinds
@given(BUDGETS, TIED_OPERATIONS)
@example(2, [({"k1": 1.0}, 1.0)] + [2.0**-60] * 12 + [({"k1": 1.0, "k2": 1.0}, 0.25)])
def test_truncation_is_exact_with_ties_everywhere_and_a_vanishing_scale(
    SparseWeights, budget, operations
):
    # Powers of two scale without rounding, so every weight must agree to the last bit.
    ours, oracle = SparseWeights(budget, order=0), PlainWeights(budget)
    shrunk = 1.0
    for operation in operations:
        if isinstance(operation, float):
            if shrunk * operation < 2.0**-800:
                continue
            shrunk *= operation
            ours.scale_by(operation)
            oracle.scale_by(operation)
        else:
            ours.update(*operation)
            oracle.update(*operation)
        assert ours.to_dict() == oracle.w
        assert len(ours) == len(oracle.w)
        if isinstance(budget, float):
            assert ours.n_seen == len(oracle.seen)


@both_kinds
@pytest.mark.parametrize("order", [1, 2])
@given(
    budget=BUDGETS,
    radius=st.one_of(st.none(), st.floats(0.01, 30)),
    sizes=st.sampled_from([(1.0,), (1e-8, 1.0, 1e8), (0.0, 1e-100, 1e90)]),
    seed=st.integers(0, 2**32),
)
def test_long_streams_agree_with_the_oracle(SparseWeights, order, budget, radius, sizes, seed):
    rng = random.Random(seed)
    ours, oracle = SparseWeights(budget, order=order), PlainWeights(budget, order)
    for t in range(150):
        keys = [f"k{i}" for i in rng.sample(range(5 + t // 3), rng.randint(0, 5))]
        x = {key: rng.gauss(0, 1) * rng.choice(sizes) for key in keys}
        step = rng.gauss(0, 1)
        before = SparseWeights.dot(ours, x)
        expected = math.fsum(oracle.w.get(key, 0.0) * value for key, value in x.items())
        terms = math.fsum(abs(oracle.w.get(key, 0.0) * value) for key, value in x.items())
        assert abs(before - expected) <= 1e-9 * terms
        ours.update(x, step, radius)
        oracle.update(x, step, radius)
        if oracle.gap < 1e-9:
            return  # Which of two all but equal weights goes is a matter of rounding.
        # What a projection has shrunk below 1e-290 is on its way out, here sooner, there later.
        weights = {key: w for key, w in ours.to_dict().items() if abs(w) > 1e-290}
        assert weights.keys() == {key for key, w in oracle.w.items() if abs(w) > 1e-290}
        assert all(math.isclose(weights[k], oracle.w[k], rel_tol=1e-9) for k in weights)
        assert math.isclose(ours.norm, oracle.norm(), rel_tol=1e-9)


@both_kinds
def test_norm_does_not_drift_when_huge_weights_come_and_go(SparseWeights):
    rng = random.Random(0)
    weights = SparseWeights(20, order=1)
    for _ in range(5000):
        size = 10 ** rng.uniform(-6, 12)
        x = {rng.randint(0, 60): rng.gauss(0, 1) for _ in range(4)}
        weights.update(x, size, rng.choice([None, 50.0]))
        exact = math.fsum(map(abs, weights.to_dict().values()))
        assert abs(weights.norm - exact) <= 2e-12 * exact


@both_kinds
@pytest.mark.parametrize("order", [1, 2])
def test_weights_that_cancel_have_no_norm(SparseWeights, order):
    weights = SparseWeights(1.0, order=order)
    for step in (-0.3, -0.4, 0.7):
        weights.update({"a": 1.0}, step, 30.0)
        assert weights.norm >= 0.0
    assert weights.norm == len(weights) == 0


@both_kinds
def test_a_million_projections_neither_underflow_nor_drift(SparseWeights):
    weights, a, b = SparseWeights(1.0), 0.0, 0.0
    for t in range(1_000_000):
        if t % 3:
            weights.update({"a": 1.0}, 0.5, 1.0)
            a += 0.5
        else:
            weights.update({"b": 1.0}, -0.25, 1.0)
            b -= 0.25
        norm = abs(a) + abs(b)
        if norm > 1.0:
            a, b = a / norm, b / norm
    assert math.isclose(weights.get("a"), a, rel_tol=1e-9)
    assert math.isclose(weights.get("b"), b, rel_tol=1e-9)
    assert math.isclose(weights.norm, 1.0, rel_tol=1e-12)


@both_kinds
@given(
    st.lists(
        st.dictionaries(
            st.one_of(st.integers(0, 5), st.text("ab", max_size=2), st.tuples(st.integers(0, 2))),
            st.sampled_from([1.0, -1.0, 2.0]),
            max_size=8,
        ),
        max_size=40,
    ),
    st.integers(1, 6),
    st.randoms(),
)
def test_ties_go_by_the_key_and_never_by_the_order_of_insertion(
    SparseWeights, instances, budget, rng
):
    one, other = SparseWeights(budget), SparseWeights(budget)
    for x in instances:
        one.update(x, 1.0, 5.0)
        items = list(x.items())
        rng.shuffle(items)
        other.update(dict(items), 1.0, 5.0)
        assert one.to_dict() == other.to_dict()


@both_kinds
def test_of_equal_weights_the_smaller_key_goes(SparseWeights):
    weights = SparseWeights(2)
    weights.update({3: 1.0, 1: 1.0, 2: -1.0}, 1.0)
    assert set(weights.to_dict()) == {2, 3}
    weights = SparseWeights(2)
    weights.update({3: 1.0, "b": 1.0, 20: -1.0}, 1.0)
    assert set(weights.to_dict()) == {20, "b"}


@both_kinds
@pytest.mark.parametrize("order", [0, 1, 2])
def test_whether_weights_overflow_does_not_depend_on_the_order(SparseWeights, order):
    outcomes = set()
    for items in itertools.permutations({"a": 1e308, "b": 1e308, "c": -1e308, "d": 1e300}.items()):
        weights = SparseWeights(1.0, order)
        try:
            weights.update(dict(items), 1.0)
        except OverflowError as error:
            outcomes.add(str(error)[:20])
        else:
            weights.update(dict(items), -1.0)
            outcomes.add(weights.dot({"a": 1.0, "b": -1.0, "c": 1.0}))
    # Each weight is a float, but their norm is not.
    assert outcomes == ({0.0} if order == 0 else {"the weights leave th"})
    dots = set()
    weights = SparseWeights(1.0, 0)
    weights.update(dict.fromkeys("abcd", 1.0), 1.0)
    for items in itertools.permutations({"a": 1e308, "b": 1e308, "c": -1e308, "d": 1e292}.items()):
        dots.add(weights.dot(dict(items)))
    assert dots == {1e308 + 1e292}


@both_kinds
def test_random_selection_draws_from_all_features_seen(SparseWeights):
    counts = []
    for seed in range(400):
        weights = SparseWeights(0.5)
        weights.observe(dict.fromkeys(range(8), 0.0))
        weights.update({key: 1.0 + key for key in range(4)}, 1.0, rng=random.Random(seed))
        counts.append(len(weights))
    # Four of eight features are drawn, of which the four with a weight get two on average.
    assert 1.8 < sum(counts) / len(counts) < 2.2
    assert set(counts) == {0, 1, 2, 3, 4}


@both_kinds
def test_random_selection_with_an_absolute_budget_keeps_that_many(SparseWeights):
    weights = SparseWeights(3)
    weights.update({key: 1.0 for key in "abcdef"}, 1.0, rng=random.Random(1))
    assert len(weights) == 3


@both_kinds
def test_overflow_is_reported_and_changes_nothing(SparseWeights):
    weights = SparseWeights(1.0)
    weights.update({"a": 1e308}, 1.0)
    before = pickle.dumps(weights)
    with pytest.raises(OverflowError, match="'big'"):
        weights.update({"b": 1.0, "big": 1e308}, 10.0)
    assert pickle.dumps(weights) == before
    assert weights.dot({"a": 1e308, "b": 1.0}) == pytest.approx(1.797e308, rel=1e-3)
    assert weights.dot({"a": -1e308}) == pytest.approx(-1.797e308, rel=1e-3)


@both_kinds
def test_a_norm_that_overflows_is_reported_too(SparseWeights):
    weights = SparseWeights(1.0)
    weights.update({"a": 1.0}, 1.7e308)
    before = pickle.dumps(weights)
    with pytest.raises(OverflowError, match="'b'"):
        weights.update({"b": 1.0}, 1.7e308, radius=1.0)
    assert pickle.dumps(weights) == before


@both_kinds
def test_random_and_largest_selection_may_take_turns(SparseWeights):
    rng = random.Random(0)
    weights = SparseWeights(3)
    for t in range(200):
        x = {f"k{i}": rng.gauss(0, 1) for i in rng.sample(range(12), 5)}
        expected = {k: weights.get(k) + x.get(k, 0.0) for k in {*weights.to_dict(), *x}}
        weights.update(x, 1.0, rng=rng if t % 3 == 0 else None)
        if t % 3:
            largest = sorted(expected, key=lambda k: abs(expected[k]))[-3:]
            assert set(weights.to_dict()) == set(largest)


@both_kinds
def test_memory_does_not_grow_with_the_features_seen_under_an_absolute_budget(SparseWeights):
    rng = random.Random(0)
    weights = SparseWeights(100)
    for _ in range(5000):
        weights.update({rng.random(): rng.gauss(0, 1) for _ in range(5)}, 1.0, 30.0)
    assert len(weights) == 100
    assert len(pickle.dumps(weights)) < 20_000
    assert weights.n_seen is None


@both_kinds
@pytest.mark.parametrize("budget", [0, -1, 0.0, 1.5, math.nan, True, "all", None])
def test_wrong_budget(SparseWeights, budget):
    with pytest.raises(ValueError, match=r"budget must be .*>= 1.*<= 1"):
        SparseWeights(budget)


@both_kinds
@pytest.mark.parametrize(("share", "n", "kept"), [(0.7, 90, 63), (0.1, 30, 3), (0.29, 100, 29)])
def test_a_share_is_that_of_the_decimal_number(SparseWeights, share, n, kept):
    assert int(share * n) <= kept
    weights = SparseWeights(share)
    weights.update({f"k{i}": 1.0 + i for i in range(n)}, 1.0)
    assert len(weights) == weights.capacity == kept
