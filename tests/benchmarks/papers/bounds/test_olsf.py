from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from benchmarks.papers.bounds import hindsight_comparator, olsf_bound
from river_trapezoid.linear_model import OLSFClassifier

PRICES = st.sampled_from([0.01, 0.1, 1.0, 10.0])


def matrix(data):
    """The instances in all features, zero where they are not visible, and their signs."""
    features = list(dict.fromkeys(key for x, _ in data for key in x))
    X = np.array([[x.get(key, 0.0) for key in features] for x, _ in data])
    return X, np.array([1.0 if y else -1.0 for _, y in data])


def losses_of(data, u):
    """The hinge losses of weights, each on the features that are visible."""
    margins = [(1 if y else -1) * sum(u[key] * value for key, value in x.items()) for x, y in data]
    return np.maximum(0.0, 1.0 - np.array(margins))


def run(data, mode, C=1.0, B=1.0, radius=None):
    """The number of mistakes and the sum of squared losses after each instance."""
    model = OLSFClassifier(mode=mode, C=C, B=B, radius=radius)
    mistakes, losses = [], []
    for x, y in data:
        margin = (1 if y else -1) * model.margin_one(x)
        mistakes.append(margin <= 0.0)
        losses.append(max(0.0, 1.0 - margin) ** 2)
        model.learn_one(x, y)
    return np.cumsum(mistakes), np.cumsum(losses)


def assert_obeyed(data, mode, u, C=1.0):
    losses = losses_of(data, u)
    norm = math.hypot(*u)
    R = max(math.hypot(*x.values()) for x, _ in data)
    bound = olsf_bound(mode, norm, losses, 1.0 if math.isclose(R, 1.0) else R, C=C)
    mistakes, squares = run(data, mode, C)
    above = bound * (1 + 1e-9) + 1e-9
    assert bound.shape == (len(data),)
    assert (mistakes <= above).all()
    if mode != 1:
        assert (squares <= above).all()


@st.composite
def growing(draw, of_length_one=False, vanishing=False):
    """Instances whose features become more and more, and weights for all of these features."""
    n_features = draw(st.integers(1, 6))
    hundredths = st.integers(-300, 300).map(lambda i: i / 100)
    n = draw(st.integers(1, 40))
    visible = sorted(draw(st.lists(st.integers(1, n_features), min_size=n, max_size=n)))
    data = []
    for width in visible:
        values = draw(st.lists(hundredths, min_size=width, max_size=width))
        x = dict(enumerate(values))
        if vanishing:
            x = {key: x[key] for key in draw(st.sets(st.sampled_from(range(width))))}
        length = math.hypot(*x.values())
        if of_length_one and length:
            x = {key: value / length for key, value in x.items()}
        if length or not of_length_one:
            data.append((x, draw(st.booleans())))
    assume(any(value for x, _ in data for value in x.values()))
    return data, draw(st.lists(hundredths, min_size=n_features, max_size=n_features))


def separable(data, u):
    """The instances on which weights have a margin, with their labels, and weights without loss."""
    margins = [sum(u[key] * value for key, value in x.items()) for x, _ in data]
    kept = [(x, m > 0) for (x, _), m in zip(data, margins, strict=True) if abs(m) > 1e-3]
    assume(kept)
    smallest = min(abs(m) for m in margins if abs(m) > 1e-3)
    u = [weight / smallest * (1 + 1e-9) for weight in u]
    assert not losses_of(kept, u).any()
    return kept, u


@given(growing(), st.sampled_from([1, 2]), PRICES)
def test_noisy_streams_obey_theorems_3_and_4_for_any_weights(drawn, mode, C):
    assert_obeyed(*_args(drawn, mode), C)


@given(growing(vanishing=True), st.sampled_from([1, 2]), PRICES)
def test_features_may_vanish_as_well(drawn, mode, C):
    assert_obeyed(*_args(drawn, mode), C)


@given(growing(of_length_one=True))
def test_noisy_streams_of_length_one_obey_theorem_2_for_any_weights(drawn):
    assert_obeyed(*_args(drawn, 0))


@given(growing(), st.sampled_from([0, 1, 2]), PRICES)
def test_separable_streams_obey_the_theorems_of_all_modes(drawn, mode, C):
    assert_obeyed(*_args(separable(*drawn), mode), C)


def _args(drawn, mode):
    data, u = drawn
    return data, mode, u


def test_bounds_are_those_of_the_paper():
    losses = [1.0, 0.0, 2.0]
    assert olsf_bound(0, 3.0, [0.0, 0.0], R=2.0).tolist() == [36.0, 36.0]
    assert olsf_bound(0, 3.0, losses) == pytest.approx([25, 25, (3 + 2 * 5**0.5) ** 2])
    assert olsf_bound(1, 3.0, losses, R=2.0, C=0.5) == pytest.approx([40, 40, 48])
    assert olsf_bound(1, 3.0, losses, R=2.0, C=0.1) == pytest.approx([92, 92, 96])
    assert olsf_bound(2, 3.0, losses, R=2.0, C=0.5) == pytest.approx([50, 50, 70])


@pytest.mark.parametrize(
    ("mode", "C", "share"), [(0, 1.0, 1.0), (1, 1.0, 1.0), (2, 0.1, 1 / 6), (2, 10.0, 20 / 21)]
)
def test_bounds_are_met_where_every_instance_has_a_feature_of_its_own(mode, C, share):
    data = [({i: 1.0}, i % 3 == 0) for i in range(12)]
    u = [share if y else -share for _, y in data]
    bound = olsf_bound(mode, math.hypot(*u), losses_of(data, u), C=C)
    mistakes, squares = run(data, mode, C)
    assert bound[-1] == pytest.approx(12)
    assert mistakes[-1] == 12
    assert squares[-1] == pytest.approx(12)


BY_TURNS = [({"a": 1.0}, True), ({"b": 1.0}, True)] * 50
CONTRARY = [({"a": 1.0}, True), ({"a": 1.0, "b": 1.0}, False)] * 50


@pytest.mark.parametrize(
    ("data", "u", "broken"),
    [
        (BY_TURNS, {"a": 1.0, "b": 1.0}, {"B": 0.5}),
        (BY_TURNS, {"a": 1.0, "b": 1.0}, {"B": 1}),
        (CONTRARY, {"a": 1.0, "b": -2.0}, {"radius": 0.5}),
        (CONTRARY, {"a": 1.0, "b": -2.0}, {"radius": 0.1}),
    ],
)
@pytest.mark.parametrize("mode", [0, 1, 2])
def test_truncation_and_the_ball_break_the_bound(data, u, broken, mode):
    losses = losses_of(data, u)
    assert not losses.any()
    R = max(math.hypot(*x.values()) for x, _ in data)
    bound = olsf_bound(mode, math.hypot(*u.values()), losses, R, C=1.0)[-1]
    assert run(data, mode)[0][-1] <= bound
    assert run(data, mode, **broken)[0][-1] > 2 * bound


def noisy(n=300, d=8, seed=0, of_length_one=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    # Features appear one after the other.
    X[np.arange(d) > np.arange(n)[:, None] * d / n] = 0.0
    if of_length_one:
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    signs = X @ rng.normal(size=d) + rng.normal(size=n) > 0
    rows = [{f"f{j}": v for j, v in enumerate(row) if v} for row in X.tolist()]
    return list(zip(rows, signs.tolist(), strict=True))


@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize(("mode", "loss"), [(1, "hinge"), (2, "squared_hinge")])
def test_the_comparator_of_modes_1_and_2_is_a_linear_svm(mode, loss, C):
    data = noisy()
    found = hindsight_comparator(data, mode, C)
    X, signs = matrix(data)
    svm = LinearSVC(loss=loss, C=C, fit_intercept=False, dual=True, tol=1e-8, max_iter=100_000)
    u = dict(zip(found.weights, svm.fit(X, signs).coef_[0].tolist(), strict=True))
    best = olsf_bound(mode, math.hypot(*u.values()), losses_of(data, u), found.R, C)
    ours = olsf_bound(mode, found.norm, found.losses, found.R, C)
    assert ours[-1] == pytest.approx(best[-1], rel=1e-4)


def test_the_comparator_has_what_the_bound_needs():
    data = [({"a": 3.0, "b": 4.0, "c": None}, 1), ({"b": float("nan"), "a": -1.0}, -1), ({}, 0)]
    found = hindsight_comparator(iter(data), 2, C=1.0)
    assert list(found.weights) == ["a", "b"]
    assert found.R == 5.0
    assert found.norm == pytest.approx(math.hypot(*found.weights.values()))
    bare = [({"a": 3.0, "b": 4.0}, True), ({"a": -1.0}, False), ({}, False)]
    assert found.losses == pytest.approx(losses_of(bare, found.weights))
    assert found.losses[2] == 1.0


def test_the_comparator_of_mode_0_on_instances_of_length_one():
    data = noisy(of_length_one=True)
    found = hindsight_comparator(data, 0)
    bound = olsf_bound(0, found.norm, found.losses, found.R)[-1]
    rng = np.random.default_rng(1)
    for scale in (0.0, 0.001, 0.1, 1.0):
        u = {f: (1 + scale) * w + scale * rng.normal() for f, w in found.weights.items()}
        other = olsf_bound(0, math.hypot(*u.values()), losses_of(data, u))[-1]
        assert other >= bound * (1 - 1e-6)
    assert run(data, 0)[1][-1] <= bound


@pytest.mark.parametrize("of_length_one", [True, False])
def test_the_comparator_of_mode_0_comes_close_to_the_widest_margin(of_length_one):
    X, _ = matrix(noisy(of_length_one=of_length_one))
    margins = X @ np.linspace(-1, 1, X.shape[1])
    X, labels = X[np.abs(margins) > 0.3], margins[np.abs(margins) > 0.3] > 0
    data = [(dict(enumerate(x)), y) for x, y in zip(X.tolist(), labels.tolist(), strict=True)]
    found = hindsight_comparator(data, 0)
    bound = olsf_bound(0, found.norm, found.losses, found.R)[-1]
    w = LinearSVC(C=1e6, fit_intercept=False, max_iter=100_000).fit(X, labels).coef_[0]
    widest = (found.R * np.linalg.norm(w) / np.abs(X @ w).min()) ** 2
    # With a little loss, Theorem 2 may promise more than Theorem 1 does.
    assert found.losses.any() == of_length_one
    assert bound < widest if of_length_one else bound == pytest.approx(widest, rel=0.1)
    assert run(data, 0)[1][-1] <= bound


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 1.0, [0.0]), "mode must be one of 0, 1, 2; got 3"),
        ((1, 1.0, [0.0]), "C must be a finite number > 0; got None"),
        ((2, 1.0, [0.0], 1.0, 0.0), "C must be a finite number > 0; got 0.0"),
        ((0, -1.0, [0.0]), "norm must be a finite number >= 0; got -1.0"),
        ((0, 1.0, [0.0], 0.0), "R must be a finite number > 0; got 0.0"),
        ((0, 1.0, [0.0, 0.5], 2.0), "R must be 1, the length of every instance"),
        ((1, 1.0, [-1.0], 1.0, 1.0), "losses must be finite numbers >= 0"),
        ((1, 1.0, [math.nan], 1.0, 1.0), "losses must be finite numbers >= 0"),
        ((1, 1.0, [[0.0]], 1.0, 1.0), "losses must be finite numbers >= 0"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        olsf_bound(*arguments)


@pytest.mark.parametrize(
    ("data", "mode", "C", "error", "message"),
    [
        ([], 1, 1.0, ValueError, "stream must have instances with features; it has none"),
        ([({"a": 1.0}, "spam")], 1, 1.0, ValueError, "labels must be .* got 'spam'"),
        ([({"a": "red"}, True)], 1, 1.0, TypeError, "feature 'a' has the value 'red'"),
        ([({"a": 1.0}, True)], 1, None, ValueError, "C must be a finite number > 0; got None"),
        ([({"a": 1.0}, True)], 4, None, ValueError, "mode must be one of 0, 1, 2; got 4"),
        (
            [({"a": 2.0}, True), ({"a": 1.0}, False)],
            0,
            None,
            ValueError,
            "mode 0 has a bound where some weights have no loss, and none were found",
        ),
    ],
)
def test_streams_without_a_comparator_are_refused(data, mode, C, error, message):
    with pytest.raises(error, match=message):
        hindsight_comparator(data, mode, C)
