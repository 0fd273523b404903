from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets, metrics, utils
from river import evaluate as river_evaluate

from river_trapezoid import evaluate, stream
from river_trapezoid.linear_model import OCDSClassifier, OLSFClassifier
from river_trapezoid.metrics import AverageCumulativeLoss


def loss_of_the_paper(y, margin):
    return (1 / math.log(2)) * math.log(1 + math.exp(-y * margin))


@given(st.lists(st.tuples(st.sampled_from([-1, 1]), st.floats(-100, 100)), min_size=1, max_size=30))
def test_it_is_the_mean_loss_of_the_margins(rows):
    signed, plain = AverageCumulativeLoss(), AverageCumulativeLoss()
    model = OLSFClassifier(mode=0, B=1.0, radius=None)
    for label in (1, -1):
        model.learn_one({"q": float(label)}, label)
    for y, margin in rows:
        assert model.margin_one({"q": margin}) == margin
        proba = model.predict_proba_one({"q": margin})
        signed.update(y, proba)
        plain.update(y > 0, {False: proba[-1], True: proba[1]})
    expected = sum(loss_of_the_paper(y, margin) for y, margin in rows) / len(rows)
    assert signed.get() == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert plain.get() == signed.get()


@pytest.mark.parametrize("negative", [False, 0, -1])
def test_on_a_stream_from_its_first_instance_on(negative):
    rows = [(x, 1 if y else negative)
            for x, y in stream.Capricious(datasets.Phishing(), seed=1).take(300)]  # fmt: skip
    metric = AverageCumulativeLoss()
    river_evaluate.progressive_val_score(rows, OCDSClassifier(), metric)
    model, total = OCDSClassifier(), 0.0
    for x, y in rows:
        total += loss_of_the_paper(1 if y == 1 else -1, model.margin_one(x))
        model.learn_one(x, y)
    assert metric.get() == pytest.approx(total / 300)
    comparison = evaluate.compare(
        OCDSClassifier(), rows, AverageCumulativeLoss(), n_points=3, progress=False
    )
    assert [record["step"] for record in comparison.records] == [100, 200, 300]
    assert comparison.records[-1]["value"] == pytest.approx(metric.get())
    assert not comparison.records[-1]["bigger_is_better"]


def test_it_is_log_loss_in_bits():
    rng = random.Random(0)
    ours, theirs = AverageCumulativeLoss(), metrics.LogLoss()
    for _ in range(50):
        y, p = rng.random() < 0.5, rng.random()
        ours.update(y, p)
        theirs.update(y, p)
    assert ours.get() == pytest.approx(theirs.get() / math.log(2))
    assert str(ours) == "AverageCumulativeLoss: 1.4988"


def test_a_loss_is_finite():
    metric = AverageCumulativeLoss()
    metric.update(True, {False: 1.0, True: 0.0})
    assert metric.get() == 1074.0
    metric.update(False, {False: 1.0})
    assert metric.get() == 537.0


def test_a_window_and_a_clone():
    rolling = utils.Rolling(AverageCumulativeLoss, window_size=2)
    for p in (0.9, 0.5, 0.25):
        rolling.update(True, p)
    assert rolling.get() == pytest.approx(1.5)
    metric = AverageCumulativeLoss()
    metric.update(True, 0.5)
    assert (metric.get(), metric.clone().get()) == (1.0, 0.0)
