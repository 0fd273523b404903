"""The rules against oracles: plain Python from the papers' formulas, for both forms of the weights."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_trapezoid._frame import Rows
from river_trapezoid.weights import moments
from tests.weights.kinds import KINDS, MODULES, NEEDS_BOTH, RULES
from tests.weights.test_sparse import PlainWeights

MOMENTS = [
    pytest.param(lambda: moments.FeatureMoments, id="pure"),
    pytest.param(lambda: MODULES["moments"].FeatureMoments, id="compiled", marks=NEEDS_BOTH),
]


class PlainRule:
    """The passive-aggressive step, projected and truncated, as the paper prints it."""

    def __init__(self, budget, mode, C, radius, learn_intercept, step, update_on):
        self.weights = PlainWeights(budget)
        self.mode, self.C, self.radius = mode, C, radius
        self.learn_intercept, self.step, self.update_on = learn_intercept, step, update_on
        self.intercept = 0.0
        # The smallest distance of a margin from the point where the rule begins to move.
        self.doubt = math.inf

    def margin(self, x):
        return math.fsum(self.weights.w.get(k, 0.0) * v for k, v in x.items()) + self.intercept

    def tau(self, loss, square, C):
        if square == 0.0:
            return 0.0
        return {
            0: lambda: loss / square,
            1: lambda: min(C, loss / square),
            2: lambda: loss / (square + 1 / (2 * C)),
        }[self.mode]()

    def learn(self, x, y, w):
        self.weights.seen.update(x)
        loss = 1.0 - y * self.margin(x)
        begin = 0.0 if self.update_on == "loss" else 1.0
        self.doubt = min(self.doubt, abs(loss - begin))
        if loss < begin or (loss == 0.0 and self.update_on == "loss"):
            return
        square = math.fsum(v * v for v in x.values()) + self.learn_intercept
        tau = w if self.step == "perceptron" else self.tau(loss, square, self.C * w)
        if tau:
            self.weights.update(x, tau * y, self.radius)
            self.intercept += tau * y * self.learn_intercept


RULE = st.fixed_dictionaries(
    {
        "mode": st.sampled_from([0, 1, 2]),
        "C": st.sampled_from([0.01, 0.3, 5.0]),
        "radius": st.sampled_from([None, 0.5, 30.0]),
        "learn_intercept": st.booleans(),
        "step": st.sampled_from(["pa", "pa", "perceptron"]),
        "update_on": st.sampled_from(["loss", "mistake"]),
    }
)


def instances(rng, n):
    """Features that appear and vanish, some of them tied or zero, with labels and weights."""
    for t in range(n):
        names = [f"k{i}" for i in range(4 + t // 8)]
        x = {key: rng.gauss(0, 1) for key in rng.sample(names, rng.randint(0, 4))}
        if rng.random() < 0.3:
            x = {key: rng.choice([0.0, 1.0, -1.0]) for key in x}
        yield x, rng.choice([-1, 1]), rng.choice([1.0, 1.0, 0.5, 3.0])


def agree(rule, oracle):
    weights = rule.weights.to_dict()
    assert rule.intercept == pytest.approx(oracle.intercept, rel=1e-9, abs=1e-12)
    assert {k for k, w in weights.items() if abs(w) > 1e-12} == {
        k for k, w in oracle.weights.w.items() if abs(w) > 1e-12
    }
    assert weights == pytest.approx(
        {k: oracle.weights.w.get(k, 0.0) for k in weights}, rel=1e-9, abs=1e-12
    )
    if rule.weights.n_seen is not None:
        assert rule.weights.n_seen == len(oracle.weights.seen)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("in_batches", [False, True])
@settings(max_examples=60)
@given(
    parameters=RULE,
    budget=st.sampled_from([1, 5, 0.2, 0.5, 1.0]),
    seed=st.integers(0, 2**32),
)
def test_the_rule_follows_the_formulas_of_the_paper(kind, in_batches, parameters, budget, seed):
    rng = random.Random(seed)
    rule, oracle = RULES[kind](kind(budget, 1), **parameters), PlainRule(budget, **parameters)
    for _ in range(20):
        block = list(instances(rng, 5))
        if in_batches:
            columns = sorted({key for x, _, _ in block for key in x}) or ["k0"]
            values = np.array([[x.get(key, np.nan) for key in columns] for x, _, _ in block])
            signs = np.array([y for _, y, _ in block], dtype=np.int8)
            rule.learn_rows(Rows(values, columns), signs, np.array([w for _, _, w in block]))
        for x, y, w in block:
            if not in_batches:
                assert rule.margin(x) == pytest.approx(oracle.margin(x), rel=1e-9, abs=1e-9)
                rule.learn(x, y, w)
            oracle.learn(x, y, w)
            if oracle.weights.gap < 1e-9 or oracle.doubt < 1e-9:
                # Rounding decides which of two weights is kept, or whether there is a step.
                return
        agree(rule, oracle)


@pytest.mark.parametrize("kind", MOMENTS)
@pytest.mark.parametrize("in_batches", [False, True])
@settings(max_examples=60)
@given(
    centred=st.booleans(),
    scaled=st.booleans(),
    budget=st.sampled_from([None, 1, 3, 8]),
    seed=st.integers(0, 2**32),
)
def test_moments_are_those_of_all_values(kind, in_batches, centred, scaled, budget, seed):
    rng = random.Random(seed)
    ours = kind()(centred, scaled, budget)
    # All values of each feature since it was added last, and when it was learned from last.
    history, last = {}, {}
    clock = 0
    for _ in range(15):
        block = [x for x, _, _ in instances(rng, 4)]
        if in_batches:
            columns = sorted({key for x in block for key in x}) or ["k0"]
            values = np.array([[x.get(key, np.nan) for key in columns] for x in block])
            ours.learn_rows(Rows(values, columns))
        for x in block:
            if not in_batches:
                ours.learn(x)
            clock += 1
            for key, value in x.items():
                history.setdefault(key, []).append(Fraction(value))
                last[key] = clock
            while budget is not None and len(history) > budget:
                oldest = min(history, key=lambda key: (last[key], key))
                del history[oldest], last[oldest]
        expected = {}
        for key, values in history.items():
            n = len(values)
            mean = sum(values) / n if centred else Fraction(0)
            spread = sum((v - mean) ** 2 for v in values) / n if scaled else Fraction(0)
            expected[key] = (n, float(mean), float(spread))
        found = ours.to_dict()
        assert found.keys() == expected.keys()
        for key, row in expected.items():
            assert found[key] == pytest.approx(row, rel=1e-9, abs=1e-12)
