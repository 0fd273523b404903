from __future__ import annotations

import math
import random

import pytest
from river import active, base, datasets, metrics, naive_bayes
from sklearn import metrics as sk_metrics

from river_trapezoid import evaluate


class Scorer(base.Classifier):
    """Gives each instance the score it carries; remembers what it was taught."""

    def __init__(self):
        self.learned = []

    def learn_one(self, x, y):
        self.learned.append((x, y))

    def predict_proba_one(self, x):
        return {False: 1 - x["score"], True: x["score"]}


def _scored(n, seed=0):
    rng = random.Random(seed)
    return [({"score": round(rng.random(), 1)}, rng.random() < 0.4) for _ in range(n)]


def test_hold_out_scores_agree_with_scikit_learn():
    test = _scored(300)
    result = evaluate.hold_out_score(Scorer(), _scored(50), test)
    y = [label for _, label in test]
    score = [x["score"] for x, _ in test]
    y_pred = [s > 0.5 for s in score]
    assert result["roc_auc"] == pytest.approx(sk_metrics.roc_auc_score(y, score))
    assert result["balanced_accuracy"] == pytest.approx(
        sk_metrics.balanced_accuracy_score(y, y_pred)
    )
    assert result["accuracy"] == pytest.approx(sk_metrics.accuracy_score(y, y_pred))
    assert result["labels_used"] == 1.0


def test_hold_out_gives_active_learners_only_what_they_ask_for():
    scorer = Scorer()
    train = _scored(200, seed=1)
    result = evaluate.hold_out_score(
        active.EntropySampler(scorer, discount_factor=20, seed=1), train, _scored(50)
    )
    assert 0 < len(scorer.learned) < 200
    assert result["labels_used"] == len(scorer.learned) / 200


def test_hold_out_with_one_class_has_no_auc():
    result = evaluate.hold_out_score(Scorer(), _scored(5), [({"score": 0.3}, True)])
    assert math.isnan(result["roc_auc"])


def test_hold_out_understands_every_kind_of_label():
    test = [(x, 1 if y else -1) for x, y in _scored(100)]
    signed = evaluate.hold_out_score(_Signed(), _scored(5), test)
    plain = evaluate.hold_out_score(Scorer(), _scored(5), _scored(100))
    assert signed == plain


class _Signed(Scorer):
    def predict_proba_one(self, x):
        return {-1: 1 - x["score"], 1: x["score"]}


def test_split_is_a_partition():
    train, test = evaluate.split(datasets.Phishing(), test_share=0.3, seed=1)
    assert len(test) == 375
    assert (train, test) == evaluate.split(datasets.Phishing(), test_share=0.3, seed=1)
    assert sorted(train + test, key=repr) == sorted(datasets.Phishing(), key=repr)
    with pytest.raises(ValueError, match="test_share must be"):
        evaluate.split([], test_share=1.0)


def test_chunks_are_predicted_before_they_are_learned():
    order = []

    class Recorder(Scorer):
        def learn_one(self, x, y):
            order.append(("learn", x["t"]))

        def predict_one(self, x):
            order.append(("predict", x["t"]))
            return True

    stream = [({"t": t, "score": 0.5}, t % 4 == 0) for t in range(14)]
    metric = metrics.Accuracy()
    values = evaluate.chunk_val_score(stream, Recorder(), metric, chunk_size=4)
    assert order == [
        *[("learn", t) for t in range(4)],
        *[("predict", t) for t in range(4, 8)],
        *[("learn", t) for t in range(4, 8)],
        *[("predict", t) for t in range(8, 12)],
        *[("learn", t) for t in range(8, 12)],
    ]
    assert values == [0.25, 0.25]
    assert metric.get() == 0.25


def test_chunks_work_with_metrics_of_probabilities():
    metric = metrics.LogLoss()
    values = evaluate.chunk_val_score(datasets.Phishing(), naive_bayes.GaussianNB(), metric, 250)
    assert len(values) == 4
    assert metric.get() == pytest.approx(sum(values) / 4)
