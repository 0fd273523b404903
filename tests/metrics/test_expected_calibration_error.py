from __future__ import annotations

import math
import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets, naive_bayes, utils
from river import evaluate as river_evaluate
from sklearn.calibration import calibration_curve

from river_trapezoid import evaluate, persist
from river_trapezoid.metrics import ExpectedCalibrationError

PREDICTIONS = st.lists(
    st.tuples(
        st.booleans(), st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 0.5, 1.0])),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=40,
)  # fmt: skip


def updated(metric, predictions):
    for y, p, *w in predictions:
        metric.update(y, {True: p, False: 1 - p}, *w)
    return metric


def by_hand(predictions, n_bins):
    """The error by its definition, from the predictions of each bin."""
    total, error = sum(w for _, _, w in predictions), 0.0
    for i in range(n_bins):
        own = [
            (y, p, w)
            for y, p, w in predictions
            if math.floor(p * n_bins) == i or (i == n_bins - 1 and p == 1.0)
        ]
        weight = sum(w for _, _, w in own)
        if weight:
            share = sum(w for y, _, w in own if y) / weight
            probability = sum(p * w for _, p, w in own) / weight
            error += weight / total * abs(share - probability)
    return error


@given(PREDICTIONS, st.sampled_from([1, 2, 7, 10, 100]))
def test_it_is_the_mean_gap_of_the_bins_with_weights(predictions, n_bins):
    metric = updated(ExpectedCalibrationError(n_bins), predictions)
    assert metric.get() == pytest.approx(by_hand(predictions, n_bins), abs=1e-12)


def test_its_bins_are_those_of_scikit_learn():
    rng = random.Random(1)
    rows = [(rng.random() < 0.3, rng.betavariate(1, 3)) for _ in range(2000)]
    bins = updated(ExpectedCalibrationError(), rows).bins()
    shares, probabilities = calibration_curve(*zip(*rows, strict=True), n_bins=10)
    assert [b.share_positive for b in bins] == pytest.approx(list(shares))
    assert [b.mean_probability for b in bins] == pytest.approx(list(probabilities))
    counts = np.histogram([p for _, p in rows], bins=10, range=(0.0, 1.0))[0]
    assert [b.weight for b in bins] == [count for count in counts if count]


def test_bins_without_instances_are_left_out():
    metric = updated(ExpectedCalibrationError(4), [(True, 0.2), (False, 0.0), (True, 1.0)])
    assert metric.bins() == [(0.0, 0.25, 2.0, 0.1, 0.5), (0.75, 1.0, 1.0, 1.0, 1.0)]


@given(PREDICTIONS, PREDICTIONS)
def test_a_reverted_update_has_no_effect(kept, reverted):
    metric = updated(ExpectedCalibrationError(), kept + reverted)
    for y, p, w in reverted:
        metric.revert(y, {True: p}, w)
    alone = updated(ExpectedCalibrationError(), kept)
    assert metric.get() == pytest.approx(alone.get(), abs=1e-12)
    assert [b.weight for b in metric.bins()] == [b.weight for b in alone.bins()]


def test_true_probabilities_have_a_small_error_and_distorted_ones_a_large_one():
    rng = random.Random(2)
    true, distorted = ExpectedCalibrationError(), ExpectedCalibrationError()
    for _ in range(20_000):
        p = rng.random()
        y = rng.random() < p
        true.update(y, p)
        distorted.update(y, p * p)
    assert true.get() < 0.01
    # The mean of p - p² over p in [0, 1].
    assert distorted.get() == pytest.approx(1 / 6, abs=0.01)


def test_the_share_of_positives_as_probability_has_no_error():
    rows = [(i % 4 == 0, 0.25) for i in range(100)]
    assert updated(ExpectedCalibrationError(), rows).get() == 0.0


def test_without_instances_there_is_none():
    metric = ExpectedCalibrationError()
    assert math.isnan(metric.get())
    assert metric.bins() == []


@pytest.mark.parametrize(
    ("pos_val", "positive", "negative"),
    [(True, 1, -1), (1, True, False), ("spam", "spam", "ham"), (False, False, True)],
)
def test_the_positive_label_may_be_any(pos_val, positive, negative):
    metric = ExpectedCalibrationError(pos_val=pos_val)
    metric.update(positive, {positive: 0.9, negative: 0.1})
    metric.update(negative, {positive: 0.7, negative: 0.3})
    assert metric.get() == pytest.approx((0.1 + 0.7) / 2)


def test_invalid_predictions_are_refused_and_not_counted():
    metric = updated(ExpectedCalibrationError(), [(True, 0.6), (False, 0.3)])
    before = metric.bins()
    for y, p in (True, 1.5), (True, -0.1), (True, math.nan), ("ham", 0.5):
        with pytest.raises(ValueError, match=r"^y_(true|pred) must be .*; got"):
            metric.update(y, p)
    assert metric.bins() == before
    with pytest.raises(ValueError, match="n_bins must be an integer >= 1; got 0"):
        ExpectedCalibrationError(n_bins=0)


def test_it_is_a_metric_like_those_of_river():
    model = naive_bayes.GaussianNB()
    metric = ExpectedCalibrationError()
    river_evaluate.progressive_val_score(datasets.Phishing(), model, metric)
    comparison = evaluate.compare(
        model.clone(), datasets.Phishing(), ExpectedCalibrationError(), progress=False
    )
    assert 0.0 < comparison.summary()[0]["mean"] == metric.get() < 0.5
    assert str(metric) == f"ExpectedCalibrationError: {metric.get():.2%}"
    assert not metric.bigger_is_better
    assert pickle.loads(pickle.dumps(metric)).get() == metric.get()
    assert metric.clone(new_params={"n_bins": 5}).n_bins == 5
    assert math.isnan(metric.clone().get())


def test_it_rolls_over_a_window():
    rows = [(i % 3 == 0, (i * 7 % 10) / 10) for i in range(50)]
    rolling = utils.Rolling(ExpectedCalibrationError, window_size=20)
    for y, p in rows:
        rolling.update(y, p)
    assert rolling.get() == pytest.approx(updated(ExpectedCalibrationError(), rows[-20:]).get())


def test_a_saved_metric_continues_as_it_would_have():
    metric = updated(ExpectedCalibrationError(7, pos_val=1), [(1, 0.6), (0, 0.3), (0, 0.7)])
    loaded = persist.loads(persist.dumps(metric))
    for each in (metric, loaded):
        each.update(1, 0.123)
    assert loaded.bins() == metric.bins()
    assert (loaded.n_bins, loaded.pos_val) == (7, 1)


def test_a_saved_metric_whose_bins_do_not_fit_is_refused():
    for name, value in (("_weights", [1.0] * 9), ("_positives", [1] * 10), ("_weights", [])):
        metric = ExpectedCalibrationError()
        setattr(metric, name, value)
        with pytest.raises(ValueError, match=f"{name} must hold n_bins=10 floats"):
            persist.loads(persist.dumps(metric))
