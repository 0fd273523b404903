from __future__ import annotations

import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets, naive_bayes, utils
from river import evaluate as river_evaluate
from sklearn.metrics import brier_score_loss

from river_trapezoid import evaluate, persist
from river_trapezoid.metrics import BrierScore

PREDICTIONS = st.lists(
    st.tuples(st.booleans(), st.floats(0.0, 1.0), st.integers(1, 3)), min_size=1, max_size=40
)


def updated(metric, predictions):
    for y, p, *w in predictions:
        metric.update(y, {True: p, False: 1 - p}, *w)
    return metric


@given(PREDICTIONS)
def test_it_is_that_of_scikit_learn_with_weights(predictions):
    labels, probabilities, weights = zip(*predictions, strict=True)
    expected = brier_score_loss(labels, probabilities, sample_weight=weights, pos_label=True)
    assert updated(BrierScore(), predictions).get() == pytest.approx(expected, abs=1e-12)


@given(PREDICTIONS, PREDICTIONS)
def test_a_reverted_update_has_no_effect(kept, reverted):
    metric = updated(BrierScore(), kept + reverted)
    for y, p, w in reverted:
        metric.revert(y, {True: p}, w)
    assert metric.get() == pytest.approx(updated(BrierScore(), kept).get(), abs=1e-9)


@pytest.mark.parametrize(
    ("pos_val", "positive", "negative"),
    [(True, 1, -1), (1, True, False), ("spam", "spam", "ham"), (False, False, True)],
)
def test_the_positive_label_may_be_any(pos_val, positive, negative):
    metric = BrierScore(pos_val=pos_val)
    metric.update(positive, {positive: 0.9, negative: 0.1})
    metric.update(negative, {positive: 0.7, negative: 0.3})
    assert metric.get() == pytest.approx((0.01 + 0.49) / 2)


def test_invalid_predictions_are_refused_and_not_counted():
    metric = updated(BrierScore(), [(True, 0.5)])
    for y, p in (True, 1.5), (True, -0.1), (True, math.nan), ("ham", 0.5):
        with pytest.raises(ValueError, match=r"^y_(true|pred) must be .*; got"):
            metric.update(y, p)
    assert metric.get() == 0.25


def test_it_is_a_metric_like_those_of_river():
    model = naive_bayes.GaussianNB()
    metric = river_evaluate.progressive_val_score(datasets.Phishing(), model, BrierScore())
    comparison = evaluate.compare(model.clone(), datasets.Phishing(), BrierScore(), progress=False)
    assert comparison.summary()[0]["mean"] == metric.get() < 0.2
    assert str(metric) == f"BrierScore: {metric.get():.6f}".rstrip("0")
    assert not metric.bigger_is_better
    assert pickle.loads(pickle.dumps(metric)).get() == metric.get()
    assert metric.clone().get() == 0.0
    assert metric.clone(new_params={"pos_val": "spam"}).pos_val == "spam"


def test_it_rolls_over_a_window():
    rows = [(i % 3 == 0, (i * 7 % 10) / 10) for i in range(50)]
    rolling = utils.Rolling(BrierScore, window_size=20)
    for y, p in rows:
        rolling.update(y, p)
    labels, probabilities = zip(*rows[-20:], strict=True)
    assert rolling.get() == pytest.approx(brier_score_loss(labels, probabilities))


def test_a_saved_metric_continues_as_it_would_have():
    metric = updated(BrierScore(pos_val=1), [(1, 0.6), (0, 0.3), (0, 0.7)])
    loaded = persist.loads(persist.dumps(metric))
    for each in (metric, loaded):
        each.update(1, 0.123)
    assert loaded.get() == metric.get()
    assert loaded.pos_val == 1
