from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets

from benchmarks.papers.bounds import ocds_bound
from river_trapezoid import stream
from river_trapezoid.linear_model import OCDSClassifier

EXPERTS = ("observed", "reconstructed")


def loss(signed_margin):
    return float(np.logaddexp(0.0, -signed_margin) / np.log(2.0))


def mixed(margins, horizon):
    """Losses of two experts, and of their mixture, as Eq. 11 and 12 have it; labels are positive."""
    totals, rows = np.zeros(2), []
    for t, pair in enumerate(margins):
        eta = 8 / math.sqrt(math.log(horizon or max(2, t)))
        weights = np.exp(-eta * (totals - totals.min()))
        own = np.array([loss(margin) for margin in pair])
        rows.append((*own, loss(float(weights @ np.array(pair) / weights.sum()))))
        totals += own
    return np.array(rows).T


def printed(observed, reconstructed):
    T = len(observed)
    root = math.sqrt(math.log(T))
    return min(observed.sum(), reconstructed.sum()) + T / root + math.log(2) / 8 * root


@given(
    st.lists(st.tuples(*[st.floats(-30, 30)] * 2), min_size=2, max_size=40),
    st.booleans(),
)
def test_any_two_experts_obey_theorem_1(margins, anytime):
    horizon = None if anytime else len(margins)
    observed, reconstructed, mixture = mixed(margins, horizon)
    bound = ocds_bound(observed, reconstructed, horizon)
    assert (np.cumsum(mixture) <= bound * (1 + 1e-9)).all()


@given(st.lists(st.tuples(*[st.floats(0, 20)] * 2), min_size=2, max_size=60))
def test_theorem_1_as_printed_holds_for_losses_of_at_most_one(margins):
    observed, reconstructed, mixture = mixed(margins, len(margins))
    assert max(observed.max(), reconstructed.max()) <= 1.0
    bound = ocds_bound(observed, reconstructed, len(margins))[-1]
    assert mixture.sum() <= bound <= printed(observed, reconstructed) * (1 + 1e-9)


@given(
    st.lists(st.tuples(st.floats(-20, 20), st.floats(0, 20)), min_size=2, max_size=60),
    st.booleans(),
)
def test_an_expert_that_is_never_worse_obeys_theorem_2(rows, anytime):
    margins = [(margin, margin - behind) for margin, behind in rows]
    horizon = None if anytime else len(rows)
    observed, reconstructed, mixture = mixed(margins, horizon)
    bound = ocds_bound(observed, reconstructed, horizon, theorem=2)
    assert (np.cumsum(mixture) <= bound * (1 + 1e-9)).all()


def test_theorem_1_as_printed_is_broken_by_experts_that_fail_by_turns():
    margins = [(1.0, 0.0), *([(-10.0, 0.0), (0.0, -10.0)] * 50)]
    observed, reconstructed, mixture = mixed(margins, len(margins))
    assert mixture.sum() > 1.5 * printed(observed, reconstructed)
    assert mixture.sum() <= ocds_bound(observed, reconstructed, len(margins))[-1]


def test_a_better_expert_on_the_whole_has_no_constant():
    beyond = []
    for n in (50, 100, 200):
        margins = [(0.01, 0.0), *([(10.0, -10.0), (-10.0, 10.0)] * n)]
        observed, reconstructed, mixture = mixed(margins, horizon=1000)
        assert (np.cumsum(observed) < np.cumsum(reconstructed)).all()
        beyond.append(mixture.sum() - observed.sum())
    assert beyond[0] > 40.0
    # The loss grows for as long as the experts fail by turns.
    assert beyond[2] - beyond[1] == pytest.approx(2 * (beyond[1] - beyond[0]), rel=1e-6)


def losses_of(data, prediction, **params):
    model = OCDSClassifier(prediction=prediction, sleep=False, **params)
    losses = []
    for x, y in data:
        losses.append(loss(model.margin_one(x) * (1 if y else -1)))
        model.learn_one(x, y)
    return np.array(losses)


PAPER = {"step_cap": False, "graph": "random", "learn_intercept": False, "seed": 1}


@pytest.mark.parametrize("horizon", [None, 400])
@pytest.mark.parametrize("params", [{}, PAPER, {"alpha": 1.0, "laplacian": "absolute"}])
def test_ocds_obeys_theorem_1(params, horizon):
    data = list(stream.Capricious(datasets.Phishing(), seed=1).take(400))
    ocds = losses_of(data, "mixture", horizon=horizon, **params)
    experts = [losses_of(data, expert, horizon=horizon, **params) for expert in EXPERTS]
    bound = ocds_bound(*experts, horizon=horizon)
    assert (np.cumsum(ocds) <= bound * (1 + 1e-9)).all()


def test_ocds_itself_breaks_theorem_1_as_printed():
    data = [({"a": -2.0}, True), ({"a": 2.0}, True)]
    params = {"step_cap": False, "learn_intercept": False, "horizon": 2}
    ocds = losses_of(data, "mixture", **params)
    experts = [losses_of(data, expert, **params) for expert in EXPERTS]
    assert ocds.sum() > 1.5 * printed(*experts)
    assert ocds.sum() <= ocds_bound(*experts, horizon=2)[-1]


def test_no_instances_have_no_bound():
    assert ocds_bound([], []).tolist() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0], [-1.0]), "reconstructed must be finite numbers >= 0"),
        (([math.inf], [1.0]), "observed must be finite numbers >= 0"),
        (([[1.0]], [1.0]), "observed must be finite numbers >= 0"),
        (([1.0], [1.0, 2.0]), "losses on the same instances; got 1 and 2"),
        (([1.0], [1.0], 1), "horizon must be an integer >= 2, or None; got 1"),
        (([1.0], [1.0], None, 3), "theorem must be one of 1, 2; got 3"),
        (([0.0, 2.0], [1.0, 1.0], None, 2), "never worse .* they are in instance 1"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        ocds_bound(*arguments)
