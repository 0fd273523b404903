from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import base, datasets, evaluate, linear_model, metrics, preprocessing

from river_trapezoid.semi_supervised import ScarceLabels


def test_labels_reach_the_model_at_the_given_rate():
    seen = []

    class Recorder(linear_model.LogisticRegression):
        def learn_one(self, x, y, w=1.0):
            seen.append(y)
            if y is not None:
                super().learn_one(x, y, w)

    model = preprocessing.StandardScaler() | ScarceLabels(Recorder(), ratio=0.2, seed=1)
    metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    labelled = [y for y in seen if y is not None]
    assert len(seen) == 1250
    assert 200 < len(labelled) < 300
    assert model["ScarceLabels"].n_labels == len(labelled)
    assert metric.cm.n_samples == 1250


def test_unlabelled_instances_can_be_skipped():
    model = ScarceLabels(linear_model.LogisticRegression(), ratio=0.0, pass_unlabelled=False)
    model.learn_one({"a": 1.0}, True)
    assert model.classifier.weights == {}


class Listener(base.Classifier):
    """Remembers which instances had a label; refuses negative features."""

    def __init__(self):
        self.labelled = []

    def learn_one(self, x, y):
        if x["a"] < 0:
            raise ValueError("a is negative")
        self.labelled.append(y is not None)

    def predict_proba_one(self, x):
        return {}


@given(ratio=st.floats(0.0, 1.0), seed=st.integers(0, 100))
def test_an_exact_share_of_labels_is_never_off_by_a_label(ratio, seed):
    model = ScarceLabels(Listener(), ratio, exact=True, seed=seed)
    for n in range(1, 200):
        model.learn_one({"a": n}, True)
        assert abs(model.n_labels - ratio * n) < 1 + 1e-9
    assert model.n_labels == sum(model.classifier.labelled)


@pytest.mark.parametrize("ratio", [0.1, 0.29, 0.7])
def test_the_instances_of_an_exact_share_are_random(ratio):
    n_runs = 1000
    counts = np.zeros(100)
    for seed in range(n_runs):
        model = ScarceLabels(Listener(), ratio, exact=True, seed=seed)
        for n in range(100):
            model.learn_one({"a": n}, True)
        assert model.n_labels == round(100 * ratio)
        counts += model.classifier.labelled
    assert (abs(counts / n_runs - ratio) <= 5 * math.sqrt(ratio * (1 - ratio) / n_runs)).all()


@pytest.mark.parametrize("exact", [False, True])
def test_a_refused_instance_is_not_counted(exact):
    models = [ScarceLabels(Listener(), 0.3, exact=exact, seed=1) for _ in range(2)]
    for n in range(100):
        for model in models:
            model.learn_one({"a": n}, True)
        with pytest.raises(ValueError, match="a is negative"):
            models[0].learn_one({"a": -1}, True)
    assert models[0].classifier.labelled == models[1].classifier.labelled


@pytest.mark.parametrize(
    ("name", "value"), [("ratio", 1.5), ("pass_unlabelled", 1), ("exact", 1), ("seed", "a")]
)
def test_invalid_parameters_are_named(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be .*got"):
        ScarceLabels(linear_model.LogisticRegression(), **{name: value})
