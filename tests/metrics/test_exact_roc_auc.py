from __future__ import annotations

import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets, metrics, naive_bayes, utils
from river import evaluate as river_evaluate
from sklearn.metrics import roc_auc_score

from river_trapezoid import evaluate
from river_trapezoid.metrics import ExactROCAUC

# Few distinct scores, so that there are ties.
PREDICTIONS = st.lists(
    st.tuples(st.booleans(), st.integers(0, 8).map(lambda i: i / 8), st.integers(1, 3)),
    min_size=2,
    max_size=40,
)


def two(p, negative=False):
    return {negative: 1 - p, True: p}


@given(PREDICTIONS)
def test_the_area_is_that_of_scikit_learn_with_ties_and_weights(predictions):
    labels, scores, weights = zip(*predictions, strict=True)
    metric, plain = ExactROCAUC(), ExactROCAUC()
    for y, p, w in predictions:
        metric.update(y, two(p), w=w)
        plain.update(y, p)
    if len(set(labels)) < 2:
        assert math.isnan(metric.get())
        assert math.isnan(plain.get())
    else:
        expected = roc_auc_score(labels, scores, sample_weight=weights)
        assert metric.get() == pytest.approx(expected)
        assert plain.get() == pytest.approx(roc_auc_score(labels, scores))


@given(PREDICTIONS, PREDICTIONS)
def test_a_reverted_update_has_no_effect(kept, taken_back):
    metric, alone = ExactROCAUC(), ExactROCAUC()
    for y, p, w in kept + taken_back:
        metric.update(y, two(p), w)
    for y, p, w in taken_back:
        metric.revert(y, two(p), w)
    for y, p, w in kept:
        alone.update(y, two(p), w)
    assert metric.get() == pytest.approx(alone.get(), nan_ok=True)
    assert metric._weights == alone._weights


def test_a_window_of_it():
    rows = [(i % 3 == 0, (i * 7 % 10) / 10) for i in range(50)]
    rolling = utils.Rolling(ExactROCAUC, window_size=20)
    for y, p in rows:
        rolling.update(y, two(p))
    labels, scores = zip(*rows[-20:], strict=True)
    assert rolling.get() == pytest.approx(roc_auc_score(labels, scores))


def test_without_two_classes_there_is_no_area():
    metric = ExactROCAUC()
    assert math.isnan(metric.get())
    metric.update(True, two(0.3))
    assert math.isnan(metric.get())
    metric.update(False, two(0.2))
    assert metric.get() == 1.0


@pytest.mark.parametrize("negative", [False, 0, -1])
def test_binary_labels_of_every_kind_are_accepted(negative):
    metric = ExactROCAUC()
    metric.update(1, two(0.4, negative))
    metric.update(negative, two(0.6, negative))
    metric.update(negative, {negative: 1.0})
    assert metric.get() == 0.5


def test_any_label_can_be_the_positive_one():
    metric = ExactROCAUC(pos_val="spam")
    metric.update("spam", {"spam": 0.6, "ham": 0.4})
    metric.update("ham", {"spam": 0.5, "ham": 0.5})
    assert metric.get() == 1.0
    assert metric.clone().pos_val == "spam"
    assert math.isnan(metric.clone().get())


def test_predictions_that_cannot_be_ranked_are_refused_and_not_counted():
    metric = ExactROCAUC()
    with pytest.raises(ValueError, match=r"y_true must be True or False, .*; got 'ham'"):
        metric.update("ham", two(0.5))
    with pytest.raises(ValueError, match="y_pred must be a probability or a score; got NaN"):
        metric.update(True, two(math.nan))
    assert metric._weights == {}


def test_it_is_a_metric_like_those_of_river():
    metric = river_evaluate.progressive_val_score(
        datasets.Phishing(), naive_bayes.GaussianNB(), ExactROCAUC()
    )
    comparison = evaluate.compare(
        naive_bayes.GaussianNB(),
        datasets.Phishing(),
        [ExactROCAUC(), metrics.ROCAUC(n_thresholds=100)],
        progress=False,
    )
    exact, fine = (row["mean"] for row in comparison.summary())
    assert metric.get() == exact == pytest.approx(fine, abs=0.01)
    assert str(metric) == f"ExactROCAUC: {exact:.2%}"
    assert metric.bigger_is_better
    assert pickle.loads(pickle.dumps(metric)).get() == exact
