from __future__ import annotations

import math
import operator
import random

import pytest
from river import datasets, naive_bayes, preprocessing
from river import linear_model as river_linear_model

from river_trapezoid import linear_model, semi_supervised
from river_trapezoid.semi_supervised import PseudoLabelClassifier, SVMClassifier


class Recorder(river_linear_model.LogisticRegression):
    """Remembers what it has been taught, and is as sure as it is told to be."""

    def __init__(self, probability=0.995):
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


@pytest.mark.parametrize(("probability", "n_expected"), [(0.98, 0), (0.995, 1)])
def test_by_default_only_the_surest_probabilities_count(probability, n_expected):
    model = PseudoLabelClassifier(Recorder(probability))
    for y in (True, False, None):
        model.learn_one({"a": 1.0}, y)
    assert model.n_pseudo_labels == n_expected


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
def test_pseudo_labels_are_rationed_label_by_label(max_ratio, expected):
    model = PseudoLabelClassifier(Recorder(), max_ratio=max_ratio)
    for y in [True, False, True, False, False] + 20 * [None]:
        model.learn_one({"a": 1.0}, y)
    # The recorder would have everything be true, of which there were two.
    assert model.n_pseudo_labels == expected
    assert model.classifier.taught.count(True) == 2 + expected


MARGIN_LEARNERS = {
    "OLSF": linear_model.OLSFClassifier(mode=0),
    "OLSF-I": linear_model.OLSFClassifier(mode=1),
    "OLSF-II": linear_model.OLSFClassifier(mode=2),
    "OFS": linear_model.OFSClassifier(),
    "PA": river_linear_model.PAClassifier(),
}


@pytest.mark.parametrize("name", MARGIN_LEARNERS)
@pytest.mark.parametrize("in_pipeline", [False, True], ids=["bare", "pipeline"])
def test_pseudo_labels_move_the_weights_of_a_margin_learner(name, in_pipeline):
    learner = MARGIN_LEARNERS[name].clone()
    scaler = preprocessing.StandardScaler()
    model = PseudoLabelClassifier(scaler | learner if in_pipeline else learner)
    moved, learned = [], []
    for i, (x, y) in enumerate(datasets.Phishing()):
        if not in_pipeline:
            scaler.learn_one(x)
            x = scaler.transform_one(x)
        before, n_before = dict(learner.weights), model.n_pseudo_labels
        model.learn_one(x, y if i % 10 == 0 else None)
        if i % 10:
            moved.append(dict(learner.weights) != before)
            learned.append(model.n_pseudo_labels > n_before)
    assert moved.count(True) > 20
    if in_pipeline:
        # The scaler learns first, which takes some of the instances to a margin above one.
        assert all(map(operator.le, moved, learned))
    else:
        assert moved == learned


def test_a_margin_learner_learns_from_margins_between_the_threshold_and_one():
    model = PseudoLabelClassifier(linear_model.OLSFClassifier(C=1.0, B=1.0), 0.5, max_ratio=9.0)
    model.learn_one({"a": 1.0, "b": -1.0}, True)
    model.learn_one({"a": -1.0, "b": 1.0}, False)
    assert model.classifier.weights == {"a": 0.5, "b": -0.5}
    for value, n_expected in [(0.9, 0), (2.1, 0), (-4.0, 0), (1.1, 1), (-1.2, 1)]:
        model.learn_one({"a": value})
        assert model.n_pseudo_labels == n_expected
        # A weight of 0.5 grows to what gives the instance a margin of one.
        assert model.classifier.weights["a"] == (0.5 if not n_expected else pytest.approx(1 / 1.1))


def test_pseudo_labels_of_several_classes():
    learner = linear_model.MulticlassOLSFClassifier()
    model = preprocessing.StandardScaler() | semi_supervised.ScarceLabels(
        PseudoLabelClassifier(learner), ratio=0.1, seed=1
    )
    for x, y in datasets.ImageSegments():
        model.learn_one(x, y)
    wrapped = model["ScarceLabels"].classifier
    assert 0 < wrapped.n_pseudo_labels <= wrapped.n_labels
    assert set(learner.weights) == {y for _, y in datasets.ImageSegments()}


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
    for threshold in (-0.1, 1.1, math.nan, "1"):
        with pytest.raises(ValueError, match=r"^threshold must be .*got"):
            PseudoLabelClassifier(Recorder(), threshold=threshold)
    for learner in MARGIN_LEARNERS.values():
        with pytest.raises(ValueError, match=r"^threshold must be .*< 1.*got 1"):
            PseudoLabelClassifier(preprocessing.StandardScaler() | learner.clone(), threshold=1)
    for max_ratio in (-1, math.inf, None):
        with pytest.raises(ValueError, match=r"^max_ratio must be .*got"):
            PseudoLabelClassifier(Recorder(), max_ratio=max_ratio)
