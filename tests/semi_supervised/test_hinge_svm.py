from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from river_trapezoid.semi_supervised._geometry import Features, Gram
from river_trapezoid.semi_supervised._hinge_svm import Hinges, solve

KINDS = [
    "plain",
    "duplicates",
    "all equal",
    "constant features",
    "whole numbers",
    "no features",
    "separable",
    "one instance",
    "all unlabelled",
]


@st.composite
def problems(draw, kinds=KINDS):
    """Features, hinges, and the instances to balance with their target; degenerate ones included."""
    kind = draw(st.sampled_from(kinds))
    n = 1 if kind == "one instance" else draw(st.integers(1, 50))
    d = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(n, d)) * 10 ** rng.uniform(-2, 1)
    sign = np.where(rng.random(n) < rng.random(), 1.0, -1.0)
    if kind == "duplicates":
        X = X[rng.integers(0, max(1, n // 4), size=n)]
    elif kind == "all equal":
        X[:] = X[0]
    elif kind == "constant features":
        X[:, : (d + 1) // 2] = 3.0
    elif kind == "whole numbers":
        X = np.round(X)
    elif kind == "no features":
        X[:] = 0.0
    elif kind == "separable":
        sign = np.where(X @ rng.normal(size=d) > 0, 1.0, -1.0)
    share = 1.0 if kind == "all unlabelled" else rng.choice([0.0, 0.5, 0.9])
    unlabelled = np.flatnonzero(rng.random(n) < share)
    # An unlabelled instance has two hinges, as in the concave-convex procedure.
    instance = np.concatenate([np.arange(n), unlabelled])
    margin = np.concatenate([np.ones(n), -np.ones(len(unlabelled))])
    costs = 10 ** rng.uniform(-2, 2, size=2)
    cost = costs[np.isin(instance, unlabelled).astype(int)]
    hinges = Hinges(instance, sign[instance], margin, cost)
    return X, hinges, unlabelled if len(unlabelled) else None, rng.uniform(-1, 1)


def objective(X, hinges, theta, b):
    f = (X @ theta + b)[hinges.instance]
    return theta @ theta + hinges.cost @ np.maximum(0, hinges.margin - hinges.sign * f)


def violation(X, hinges, balance, solution):
    """How far 2 theta is from the subgradients of the loss, in terms of coefficients."""
    n = len(X)
    f = X @ (X.T @ solution.coefficients) / 2 + solution.intercept
    slack = hinges.sign * f[hinges.instance] - hinges.margin
    most = np.where(slack > 1e-8, 0.0, hinges.cost) * hinges.sign
    least = np.where(slack < -1e-8, hinges.cost, 0.0) * hinges.sign
    low = np.bincount(hinges.instance, np.minimum(most, least), n)
    high = np.bincount(hinges.instance, np.maximum(most, least), n)
    # The multiplier of the balance adds the same to all coefficients of its instances.
    free = np.zeros(n, bool)
    worst = abs(solution.coefficients.sum())
    if balance is not None:
        free[balance] = True
        above = (solution.coefficients - high)[free].max()
        below = (solution.coefficients - low)[free].min()
        worst = max(worst, above - below)
    outside = np.maximum(solution.coefficients - high, low - solution.coefficients)[~free]
    return max([worst, *outside])


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, derandomize=True)
@given(data=st.data())
def test_optimality_conditions_hold(kind, data):
    X, hinges, balance, target = data.draw(problems([kind]))
    for instances in (Features(X), Gram(X @ X.T)):
        solution = solve(hinges, instances, balance, target)
        assert solution.residual < 1e-8
        assert violation(X, hinges, balance, solution) < 1e-8 * max(1.0, hinges.cost.max())
        assert abs(solution.gap) < 1e-9 * max(1.0, solution.objective)
        theta = X.T @ solution.coefficients / 2
        assert solution.objective == pytest.approx(
            objective(X, hinges, theta, solution.intercept), rel=1e-9, abs=1e-9
        )
        np.testing.assert_allclose(
            solution.scores, X @ theta + solution.intercept, rtol=1e-7, atol=1e-7
        )
        if balance is not None:
            assert solution.scores[balance].mean() == pytest.approx(target, abs=1e-8)


@settings(max_examples=50, derandomize=True)
@given(problems())
def test_no_other_point_is_better(problem):
    X, hinges, balance, target = problem
    solution = solve(hinges, Features(X), balance, target)
    theta = X.T @ solution.coefficients / 2
    rng = np.random.default_rng(0)
    for size in (1e-4, 1e-2, 1.0):
        other = theta + size * rng.normal(size=len(theta))
        b = solution.intercept + size * rng.normal()
        if balance is not None:
            b = target - (X[balance] @ other).mean()
        assert objective(X, hinges, other, b) >= solution.objective * (1 - 1e-9) - 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_a_general_solver_finds_nothing_better(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3))
    sign = np.where(rng.random(12) < 0.5, 1.0, -1.0)
    hinges = Hinges(np.arange(12), sign, np.ones(12), rng.uniform(0.1, 2.0, 12))
    solution = solve(hinges, Features(X))
    # Variables: theta, b, and one loss per hinge.
    found = scipy.optimize.minimize(
        lambda v: v[:3] @ v[:3] + hinges.cost @ v[4:],
        np.concatenate([np.zeros(4), np.ones(12)]),
        jac=lambda v: np.concatenate([2 * v[:3], [0.0], hinges.cost]),
        bounds=[(None, None)] * 4 + [(0, None)] * 12,
        constraints={"type": "ineq", "fun": lambda v: sign * (X @ v[:3] + v[3]) - 1 + v[4:]},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert found.success
    assert solution.objective == pytest.approx(found.fun, rel=1e-7)
    np.testing.assert_allclose(X.T @ solution.coefficients / 2, found.x[:3], atol=1e-4)


def test_both_forms_agree():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 6))
    sign = np.where(X[:, 0] + rng.normal(size=40) > 0, 1.0, -1.0)
    hinges = Hinges(np.arange(40), sign, np.ones(40), np.full(40, 0.7))
    by_features, by_gram = solve(hinges, Features(X)), solve(hinges, Gram(X @ X.T))
    np.testing.assert_allclose(by_features.scores, by_gram.scores, atol=1e-10)
    assert by_features.intercept == pytest.approx(by_gram.intercept, abs=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_instances_without_a_hinge_only_balance(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 4)) + 1.0
    sign = np.where(rng.random(30) < 0.5, 1.0, -1.0)
    # With and without a hinge by turns, so that those with one are not the first.
    active, balance = np.arange(0, 30, 2), np.arange(1, 30, 2)
    few = Hinges(active, sign[active], np.ones(15), np.ones(15))
    costs = np.concatenate([np.ones(15), np.full(15, 1e-9)])
    all_but_free = Hinges(np.concatenate([active, balance]), sign[np.concatenate([active, balance])],
                          np.ones(30), costs)  # fmt: skip
    for instances in (Features(X), Gram(X @ X.T)):
        solution = solve(few, instances, balance, 0.3)
        assert solution.residual < 1e-9
        assert solution.scores[balance].mean() == pytest.approx(0.3)
        theta = X.T @ solution.coefficients / 2
        np.testing.assert_allclose(solution.scores, X @ theta + solution.intercept, atol=1e-9)
        other = solve(all_but_free, instances, balance, 0.3)
        np.testing.assert_allclose(solution.scores, other.scores, atol=1e-6)


def test_an_undetermined_intercept_is_the_middle_of_its_interval():
    hinges = Hinges(np.arange(2), np.array([1.0, -1.0]), np.ones(2), np.full(2, 0.1))
    solution = solve(hinges, Features(np.array([[1.0], [-1.0]])))
    # theta = 0.1, so that b is free as long as both hinges stay above zero.
    assert solution.interval == pytest.approx((-0.9, 0.9))
    assert solution.intercept == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_one_sign_is_met_by_the_intercept_alone(sign):
    hinges = Hinges(np.arange(3), np.full(3, sign), np.ones(3), np.ones(3))
    solution = solve(hinges, Features(np.eye(3)))
    assert not solution.coefficients.any()
    assert solution.objective == 0.0
    assert solution.intercept == sign


def test_nothing_is_warned_about(recwarn):
    for scale in (1e-12, 1.0, 1e12):
        X = scale * np.vstack([np.eye(4), np.eye(4)])
        sign = np.repeat([1.0, -1.0], 4)
        hinges = Hinges(np.arange(8), sign, np.ones(8), np.full(8, 1e3))
        solve(hinges, Features(X))
        solve(hinges, Gram(X @ X.T))
    assert not recwarn.list
