from __future__ import annotations

import math
import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets, naive_bayes, utils
from river import evaluate as river_evaluate
from sklearn.metrics import average_precision_score

from river_trapezoid import evaluate
from river_trapezoid.metrics import AveragePrecision

# Few distinct scores, so that there are ties; in different bins.
PREDICTIONS = st.lists(
    st.tuples(st.booleans(), st.integers(0, 8).map(lambda i: i / 8), st.integers(1, 3)),
    min_size=2,
    max_size=40,
)


def updated(metric, predictions):
    for y, p, *w in predictions:
        metric.update(y, {True: p, False: 1 - p}, *w)
    return metric


@given(PREDICTIONS, st.sampled_from([0, 3, 10_000]))
def test_it_is_that_of_scikit_learn_with_ties_and_weights(predictions, max_scores):
    labels, scores, weights = zip(*predictions, strict=True)
    metric = updated(AveragePrecision(max_scores=max_scores), predictions)
    if any(labels):
        expected = average_precision_score(labels, scores, sample_weight=weights)
        assert metric.get() == pytest.approx(expected)
    else:
        assert math.isnan(metric.get())


@given(PREDICTIONS, PREDICTIONS, st.sampled_from([0, 5, 10_000]))
def test_a_reverted_update_has_no_effect(kept, reverted, max_scores):
    metric = updated(AveragePrecision(max_scores=max_scores), kept + reverted)
    for y, p, w in reverted:
        metric.revert(y, {True: p}, w)
    alone = updated(AveragePrecision(max_scores=max_scores), kept)
    assert metric.get() == pytest.approx(alone.get(), nan_ok=True)


def test_bins_change_it_little_if_positives_are_rare():
    rng = random.Random(1)
    rows = []
    for _ in range(5000):
        y = rng.random() < 0.02
        rows.append((y, 1 / (1 + math.exp(4 - rng.gauss(3 * y, 1)))))
    exact = updated(AveragePrecision(), rows)
    binned = updated(AveragePrecision(max_scores=100), rows)
    assert exact.get() == pytest.approx(average_precision_score(*zip(*rows, strict=True)))
    assert binned.get() == pytest.approx(exact.get(), abs=2e-3)
    assert len(binned._weights) < len(exact._weights) == 5000


def test_random_scores_have_the_share_of_positives():
    rng = random.Random(2)
    rows = [(rng.random() < 0.1, rng.random()) for _ in range(20_000)]
    assert updated(AveragePrecision(), rows).get() == pytest.approx(0.1, abs=0.01)


def test_without_positives_there_is_none():
    metric = AveragePrecision()
    assert math.isnan(metric.get())
    metric.update(False, 0.3)
    assert math.isnan(metric.get())
    metric.update(True, 0.3)
    assert metric.get() == 0.5


def test_invalid_predictions_are_refused_and_not_counted():
    metric = updated(AveragePrecision(), [(True, 0.6), (False, 0.3)])
    for y, p in (True, 1.5), (True, -0.1), (True, math.nan), ("ham", 0.5):
        with pytest.raises(ValueError, match=r"^y_(true|pred) must be .*; got"):
            metric.update(y, p)
    assert metric.get() == 1.0
    with pytest.raises(ValueError, match="max_scores must be an integer >= 0; got -1"):
        AveragePrecision(max_scores=-1)


def test_it_is_a_metric_like_those_of_river():
    model = naive_bayes.GaussianNB()
    metric = river_evaluate.progressive_val_score(datasets.Phishing(), model, AveragePrecision())
    comparison = evaluate.compare(
        model.clone(), datasets.Phishing(), AveragePrecision(), progress=False
    )
    assert comparison.summary()[0]["mean"] == metric.get() > 0.8
    assert str(metric) == f"AveragePrecision: {metric.get():.2%}"
    assert metric.bigger_is_better
    assert pickle.loads(pickle.dumps(metric)).get() == metric.get()
    assert metric.clone(new_params={"max_scores": 5}).max_scores == 5
    assert math.isnan(metric.clone().get())


def test_it_rolls_over_a_window():
    rows = [(i % 3 == 0, (i * 7 % 10) / 10) for i in range(50)]
    rolling = utils.Rolling(AveragePrecision, window_size=20)
    for y, p in rows:
        rolling.update(y, p)
    assert rolling.get() == pytest.approx(average_precision_score(*zip(*rows[-20:], strict=True)))
