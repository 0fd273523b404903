from __future__ import annotations

import math
import random

import pytest
from river import linear_model as river_linear_model
from river import naive_bayes

from river_trapezoid import linear_model
from river_trapezoid.semi_supervised import PseudoLabelClassifier, SVMClassifier


class Recorder(river_linear_model.LogisticRegression):
    """Remembers what it has been taught, and is as sure as it is told to be."""

    def __init__(self, probability=0.95):
        super().__init__()
        self.probability = probability
        self.taught = []

    def learn_one(self, x, y):
        self.taught.append(y)

    def predict_proba_one(self, x):
        return {True: self.probability, False: 1 - self.probability}


def test_labelled_instances_are_learned_as_they_are():
    model = PseudoLabelClassifier(Recorder())
    for y in (True, False, False):
        model.learn_one({"a": 1.0}, y)
    assert model.classifier.taught == [True, False, False]
    assert (model.n_labels, model.n_pseudo_labels) == (3, 0)


def test_unlabelled_instances_are_learned_with_the_label_predicted():
    model = PseudoLabelClassifier(Recorder(0.9), threshold=0.9)
    for y in (True, False, None):
        model.learn_one({"a": 1.0}, y)
    assert model.classifier.taught == [True, False, True]
    assert model.n_pseudo_labels == 1


def test_nothing_is_learned_from_a_prediction_that_is_not_sure():
    model = PseudoLabelClassifier(Recorder(0.89), threshold=0.9)
    for y in (True, False, None):
        model.learn_one({"a": 1.0}, y)
    assert model.classifier.taught == [True, False]


def test_no_pseudo_labels_before_two_labels_are_known():
    model = PseudoLabelClassifier(Recorder(), max_ratio=100.0)
    for y in (None, True, None, True, None):
        model.learn_one({"a": 1.0}, y)
    assert model.n_pseudo_labels == 0


def test_no_pseudo_label_that_was_never_learned():
    model = PseudoLabelClassifier(Recorder(), max_ratio=100.0)
    for y in ("spam", "ham", None):
        model.learn_one({"a": 1.0}, y)
    assert model.classifier.taught == ["spam", "ham"]


@pytest.mark.parametrize(("max_ratio", "expected"), [(0.0, 0), (0.5, 1), (1.0, 2), (2.5, 5)])
def test_pseudo_labels_are_rationed(max_ratio, expected):
    model = PseudoLabelClassifier(Recorder(), max_ratio=max_ratio)
    for y in [True, False] + 20 * [None]:
        model.learn_one({"a": 1.0}, y)
    assert model.n_pseudo_labels == expected


@pytest.mark.parametrize(
    "classifier",
    [linear_model.OLSFClassifier(), naive_bayes.GaussianNB(), SVMClassifier(chunk_size=30)],
    ids=lambda classifier: type(classifier).__name__,
)
def test_goes_with_any_classifier(classifier):
    model, rng = PseudoLabelClassifier(classifier, threshold=0.6), random.Random(0)
    hits = 0
    for i in range(600):
        y = rng.random() < 0.5
        x = {name: rng.gauss(1.0 if y else -1.0, 0.7) for name in "abc"}
        hits += model.predict_one(x) == y
        model.learn_one(x, y if i < 10 or rng.random() < 0.1 else None)
    assert hits > 480
    assert 0 < model.n_pseudo_labels <= model.n_labels


def test_wrong_parameters_are_named():
    for threshold in (-0.1, 1.1, math.nan, None):
        with pytest.raises(ValueError, match=r"^threshold must be .*got"):
            PseudoLabelClassifier(Recorder(), threshold=threshold)
    for max_ratio in (-1, math.inf, None):
        with pytest.raises(ValueError, match=r"^max_ratio must be .*got"):
            PseudoLabelClassifier(Recorder(), max_ratio=max_ratio)
