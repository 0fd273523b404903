from __future__ import annotations

import math
import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_trapezoid.metrics import BinnedROCAUC, ExactROCAUC

# Apart in log-odds by more than a bin.
APART = st.integers(0, 20).map(lambda i: i / 20)
PREDICTIONS = st.lists(st.tuples(st.booleans(), APART, st.integers(1, 3)), min_size=2, max_size=40)


def told(metric, predictions):
    for y, p, *w in predictions:
        metric.update(y, {True: p, False: 1 - p}, *w)
    return metric


@given(PREDICTIONS)
def test_bins_that_hold_one_score_each_give_the_exact_area_with_ties_and_weights(predictions):
    exact = told(ExactROCAUC(), predictions).get()
    for most in (0, 3, 10_000):
        binned = told(BinnedROCAUC(max_scores=most), predictions)
        assert binned.get() == pytest.approx(exact, nan_ok=True)


@given(st.integers(0, 10_000), st.sampled_from([0.02, 0.3, 2.0, 20.0]))
def test_random_scores_give_nearly_the_exact_area(seed, spread):
    rng = random.Random(seed)
    rows = []
    for _ in range(500):
        y = rng.random() < 0.4
        rows.append((y, 1 / (1 + math.exp(-spread * rng.gauss(0.5 * y - 1, 1)))))
    exact = told(ExactROCAUC(), rows).get()
    assert told(BinnedROCAUC(), rows).get() == exact
    binned = told(BinnedROCAUC(max_scores=100), rows).get()
    assert binned == pytest.approx(exact, abs=1e-3 if spread > 0.1 else 5e-3)


@given(PREDICTIONS, PREDICTIONS, st.sampled_from([0, 5, 10_000]))
def test_a_reverted_update_has_no_effect(kept, taken_back, most):
    metric = told(BinnedROCAUC(max_scores=most), kept + taken_back)
    for y, p, w in taken_back:
        metric.revert(y, {True: p}, w)
    alone = told(BinnedROCAUC(max_scores=most), kept)
    assert metric.get() == pytest.approx(alone.get(), nan_ok=True)


def test_scores_close_together_are_ranked():
    rng = random.Random(3)
    rows = [(y, 0.5 + 0.001 * rng.gauss(y, 1)) for y in (rng.random() < 0.5 for _ in range(3000))]
    exact = told(ExactROCAUC(), rows).get()
    assert exact > 0.7
    assert told(BinnedROCAUC(), rows).get() == exact


def test_memory_does_not_grow_with_the_number_of_scores():
    rng = random.Random(5)
    metric = told(
        BinnedROCAUC(max_scores=1000),
        ((i % 2, 1 / (1 + math.exp(rng.gauss(0, 0.5)))) for i in range(20_000)),
    )
    assert len(metric._weights) < 2500


def test_certain_predictions_are_the_ends():
    rows = [(True, 1.0), (False, 0.0), (True, 1 - 1e-16), (False, 5e-324), (False, 0.5)]
    assert told(BinnedROCAUC(max_scores=0), rows).get() == 1.0


@pytest.mark.parametrize("most", [0, 10_000])
def test_copies(most):
    metric = told(BinnedROCAUC(pos_val=1, max_scores=most), [(1, 0.6), (0, 0.3), (0, 0.7)])
    again = pickle.loads(pickle.dumps(metric))
    assert again.get() == metric.get() == 0.5
    assert math.isnan(metric.clone().get())
    assert metric.clone().max_scores == most


def test_values_that_are_not_probabilities_are_refused_and_not_counted():
    metric = told(BinnedROCAUC(), [(True, 0.6), (False, 0.3)])
    for wrong in (1.5, -0.1, math.nan):
        with pytest.raises(ValueError, match="y_pred must be a probability"):
            metric.update(True, wrong)
    assert metric.get() == 1.0
    with pytest.raises(ValueError, match="max_scores"):
        BinnedROCAUC(max_scores=-1)
