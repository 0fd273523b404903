from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchmarks.papers.bounds import flls_bound
from river_trapezoid.active import MarginSampler
from river_trapezoid.linear_model import OLSFClassifier

PRICES = st.sampled_from([0.05, 0.5, 5.0])
RHOS = st.sampled_from([0.05, 0.5, 1.0, 2.0, 10.0])
TENTHS = st.integers(-20, 20).map(lambda i: i / 10)


def learner(mode, C=1.0, **params):
    return OLSFClassifier(mode=mode, C=C, **{"B": 1.0, "radius": None, **params})


@st.composite
def trapezoids(draw, n, of_length_one=False):
    """Labelled instances with one, two and then three features, and weights of these."""
    data = []
    for t in range(draw(st.integers(1, n))):
        width = 1 + min(2, 3 * t // n)
        x = {key: value for key, value in enumerate(draw(st.tuples(*[TENTHS] * width))) if value}
        length = math.hypot(*x.values())
        if length:
            scale = length if of_length_one else 1.0
            data.append(({key: v / scale for key, v in x.items()}, draw(st.sampled_from([-1, 1]))))
    assume(data)
    return data, draw(st.tuples(TENTHS, TENTHS, TENTHS))


def margins_of(data, u):
    return np.array([y * sum(u[key] * value for key, value in x.items()) for x, y in data])


def hinge(data, u):
    return np.maximum(0.0, 1.0 - margins_of(data, u))


def separable(data, u):
    """The same instances, with labels that scaled weights give without a loss."""
    margins = margins_of(data, u)
    kept = [
        (x, y if m > 0 else -y) for (x, y), m in zip(data, margins, strict=True) if abs(m) > 0.01
    ]
    assume(kept)
    smallest = min(abs(m) for m in margins if abs(m) > 0.01)
    u = [weight / smallest * (1 + 1e-9) for weight in u]
    assert not hinge(kept, u).any()
    return kept, u


def longest(data):
    R = max(math.hypot(*x.values()) for x, _ in data)
    return 1.0 if math.isclose(R, 1.0) else R


def expected(data, mode, rho, C=1.0):
    """Expected mistakes, and losses in them, after each instance: exactly, over all draws."""
    mistakes, losses = np.zeros(len(data)), np.zeros(len(data))

    def walk(model, t, weight):
        if t == len(data):
            return
        x, y = data[t]
        margin = y * model.margin_one(x)
        if margin <= 0.0:
            mistakes[t] += weight
            losses[t] += weight * (1.0 - margin)
        p = MarginSampler(model, rho).query_probability_one(x) if margin < 1.0 else 0.0
        if p > 0.0:
            learned = copy.deepcopy(model)
            learned.learn_one(x, y)
            walk(learned, t + 1, weight * p)
        if p < 1.0:
            walk(model, t + 1, weight * (1.0 - p))

    walk(learner(mode, C), 0, 1.0)
    return np.cumsum(mistakes), np.cumsum(losses)


def assert_obeyed(data, mode, u, rho, C=1.0):
    bound = flls_bound(mode, rho, math.hypot(*u), hinge(data, u), longest(data), C)
    above = bound * (1 + 1e-9) + 1e-9
    mistakes, losses = expected(data, mode, rho, C)
    assert bound.shape == (len(data),)
    assert (mistakes <= above).all()
    if mode != 1:
        assert (losses <= above).all()


@given(trapezoids(7), st.sampled_from([1, 2]), RHOS, PRICES)
def test_expected_mistakes_obey_theorems_3_and_4(drawn, mode, rho, C):
    data, u = drawn
    assert_obeyed(data, mode, u, rho, C)


@given(trapezoids(7, of_length_one=True), RHOS)
def test_expected_mistakes_obey_theorem_2_as_it_is_mended(drawn, rho):
    data, u = drawn
    assert_obeyed(data, 0, u, rho)


@given(trapezoids(7), st.sampled_from([0, 1, 2]), RHOS, PRICES)
def test_expected_mistakes_on_separable_streams_obey_the_theorems_of_all_modes(drawn, mode, rho, C):
    data, u = separable(*drawn)
    assert_obeyed(data, mode, u, rho, C)


@given(trapezoids(30), st.sampled_from([0, 1, 2]), RHOS, PRICES, st.integers(0, 99))
def test_every_run_obeys_the_inequality_that_the_proofs_start_from(drawn, mode, rho, C, seed):
    data, u = drawn
    sampler = MarginSampler(learner(mode, C), rho, seed=seed)
    theta = max(1.0, (rho + 1) / 2)
    left, right = 0.0, theta**2 * math.hypot(*u) ** 2
    for (x, y), loss in zip(data, hinge(data, u), strict=True):
        margin = y * sampler.classifier.margin_one(x)
        if not sampler.predict_one(x)[1]:
            continue
        square = sum(value**2 for value in x.values())
        own = max(0.0, 1.0 - margin)
        tau = (own / square, min(C, own / square), own / (square + 1 / (2 * C)))[mode]
        term = tau * (2 * theta - 1 - margin)
        # Correct predictions may be left out, and a mistake counts ρ + |q|, the inverse of its chance.
        assert term >= (tau * (rho - margin) * (1 - 1e-9) if margin <= 0.0 else 0.0)
        left += term
        right += 2 * C * theta**2 * loss**2 if mode == 2 else 2 * theta * tau * loss
        sampler.learn_one(x, y)
        assert left <= right * (1 + 1e-9) + 1e-9


def outliers(d, rounds):
    """A feature at a time, all positive, and now and then all of them at once, negative."""
    x = dict.fromkeys(range(d), d**-0.5)
    return ([({i: 1.0}, 1) for i in range(d)] * 2 + [(x, -1)]) * rounds


def mean_mistakes(data, mode, rho, n_runs, **params):
    counts = []
    for seed in range(n_runs):
        sampler = MarginSampler(learner(mode, **params), rho, seed=seed)
        counts.append(0)
        for x, y in data:
            counts[-1] += y * sampler.classifier.margin_one(x) <= 0
            if sampler.predict_one(x)[1]:
                sampler.learn_one(x, y)
    return np.mean(counts), np.std(counts, ddof=1) / math.sqrt(n_runs)


@pytest.mark.parametrize(("d", "rho"), [(36, 6.0), (64, 8.0), (36, 3.0)])
def test_theorem_2_as_printed_is_broken(d, rho):
    data = outliers(d, rounds=20)
    losses = hinge(data, [1.0] * d)
    printed = (rho + 1 / rho + 2) / 4 * d + (1 / rho + 1) * losses.sum()
    mean, error = mean_mistakes(data, 0, rho, n_runs=20)
    assert mean - 4 * error > printed
    assert mean + 4 * error < flls_bound(0, rho, d**0.5, losses)[-1]


def test_at_a_rho_of_one_theorem_2_is_right():
    losses = [0.5, 0.0, 2.0]
    bound = flls_bound(0, 1.0, 3.0, losses)
    assert bound == pytest.approx(9.0 + 2.0 * np.cumsum(losses))


def test_bounds_are_those_of_the_paper():
    losses, rho = [1.0, 0.0, 2.0], 3.0
    assert flls_bound(0, rho, 2.0, [0.0], R=5.0) == pytest.approx(25 / 4 * (rho + 1 / rho + 2) * 4)
    assert flls_bound(1, rho, 2.0, losses, R=0.5, C=0.1)[-1] == pytest.approx(
        1 / rho * 10 * (((rho + 1) / 2) ** 2 * 4 + (rho + 1) * 0.1 * 3)
    )
    assert flls_bound(1, rho, 2.0, losses, R=5.0, C=0.1)[-1] == pytest.approx(
        1 / rho * 25 * (((rho + 1) / 2) ** 2 * 4 + (rho + 1) * 0.1 * 3)
    )
    assert flls_bound(2, rho, 2.0, losses, R=5.0, C=0.1)[-1] == pytest.approx(
        (25 + 5) / rho * (((rho + 1) / 2) ** 2 * 4 + 0.2 * ((rho + 1) / 2) ** 2 * 5)
    )
    # And where every label is asked for, as there is a margin of zero, those of OLSF.
    data = [({i: 1.0}, 1) for i in range(12)]
    for mode in (0, 1):
        bound = flls_bound(mode, 1.0, 12**0.5, [0.0] * 12, C=1.0)
        assert expected(data, mode, 1.0)[0][-1] == pytest.approx(bound[-1]) == pytest.approx(12)


@pytest.mark.parametrize("params", [{"B": 1}, {"radius": 0.1}])
def test_truncation_and_the_ball_break_the_bounds(params):
    data = [({"a": 1.0}, 1), ({"a": 1.0, "b": 1.0}, -1)] * 200
    u = {"a": 1.0, "b": -2.0}
    losses = hinge(data, u)
    assert not losses.any()
    for mode in (0, 1, 2):
        bound = flls_bound(mode, 1.0, 5**0.5, losses, R=2**0.5, C=1.0)[-1]
        assert mean_mistakes(data, mode, 1.0, n_runs=10)[0] < bound
        mean, error = mean_mistakes(data, mode, 1.0, n_runs=10, **params)
        assert mean - 4 * error > bound


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 1.0, 1.0, [0.0]), "mode must be one of 0, 1, 2; got 3"),
        ((0, 0.0, 1.0, [0.0]), "rho must be a finite number > 0; got 0.0"),
        ((1, 1.0, 1.0, [0.0]), "C must be a finite number > 0; got None"),
        ((0, 1.0, -1.0, [0.0]), "norm must be a finite number >= 0; got -1.0"),
        ((0, 1.0, 1.0, [0.0], 0.0), "R must be a finite number > 0; got 0.0"),
        ((0, 1.0, 1.0, [0.0, 0.5], 2.0), "R must be 1, the length of every instance"),
        ((1, 1.0, 1.0, [-1.0], 1.0, 1.0), "losses must be finite numbers >= 0"),
        ((1, 1.0, 1.0, [[0.0]], 1.0, 1.0), "losses must be finite numbers >= 0"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        flls_bound(*arguments)
