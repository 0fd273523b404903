from __future__ import annotations

import decimal
import math
import pickle

import numpy as np
import pytest
from river import active as river_active
from river import linear_model as river_linear_model
from river import tree

from river_trapezoid import active, drift, persist
from river_trapezoid.linear_model import OLSFClassifier


def restarting():
    return drift.RestartOnNewFeatures(OLSFClassifier(mode=1, B=1.0))


def learned(*instances):
    model = restarting()
    for x, y in instances:
        model.learn_one(x, y)
    return model


def test_a_new_feature_restarts_the_classifier_with_that_instance():
    model = learned(({"a": 1.0}, True), ({"a": 1.0, "b": -1.0}, False))
    alone = OLSFClassifier(mode=1, B=1.0)
    alone.learn_one({"a": 1.0, "b": -1.0}, False)
    assert model.n_restarts == 1
    assert model.classifier.weights == alone.weights


@pytest.mark.parametrize(
    "x",
    [
        {"a": 2.0},
        {},
        {"b": 1.0},
        {"a": 1.0, "c": None},
        {"a": 1.0, "c": math.nan},
        {"a": 1.0, "c": np.float32("nan")},
        {"a": 1.0, "c": decimal.Decimal("nan")},
    ],
)
def test_known_and_absent_features_restart_nothing(x):
    model = learned(({"a": 1.0, "b": 1.0}, True))
    plain = OLSFClassifier(mode=1, B=1.0)
    plain.learn_one({"a": 1.0, "b": 1.0}, True)
    for one in (model, plain):
        one.learn_one(x, False)
    assert model.n_restarts == 0
    assert model.classifier.weights == plain.weights


def test_other_features_in_the_same_number_restart():
    model = learned(({"a": 1.0, "b": 1.0}, True), ({"a": 1.0, "c": 1.0}, True))
    assert model.n_restarts == 1
    assert set(model.classifier.weights) == {"a", "c"}
    model.learn_one({"b": 1.0}, True)
    assert model.n_restarts == 1


def test_the_current_classifier_predicts_until_the_new_features_are_learned():
    model = learned(({"a": 1.0}, True))
    before = model.predict_proba_one({"a": 1.0})
    assert model.predict_proba_one({"a": 1.0, "b": 5.0}) == before
    assert model.n_restarts == 0


@pytest.mark.parametrize(
    ("x", "y"), [({"a": 1.0, "new": "red"}, True), ({"a": 1.0, "new": 1.0}, "spam")]
)
def test_an_instance_that_cannot_be_learned_restarts_nothing(x, y):
    model = learned(({"a": 1.0}, True))
    before = pickle.dumps(model)
    with pytest.raises((TypeError, ValueError)):
        model.learn_one(x, y)
    assert pickle.dumps(model) == before


def test_parameters_stay_and_the_wrapper_clones_to_a_fresh_one():
    model = learned(({"a": 1.0}, True), ({"b": 1.0}, True))
    assert model.classifier.B == 1.0
    fresh = model.clone()
    assert fresh.n_restarts == 0
    fresh.learn_one({"a": 1.0}, True)
    assert fresh.n_restarts == 0


def test_a_saved_model_knows_the_features_that_it_has_seen():
    model = persist.loads(persist.dumps(learned(({"a": 1.0}, True), ({"b": 1.0}, True))))
    assert model.n_restarts == 1
    model.learn_one({"a": 1.0}, True)
    assert model.n_restarts == 1
    model.learn_one({("c", 1): 1.0}, True)
    assert model.n_restarts == 2


def test_the_kind_of_label_outlives_a_restart():
    model = learned(({"a": 1.0}, -1), ({"a": 1.0}, 1), ({"a": 1.0, "b": 1.0}, 1))
    assert model.n_restarts == 1
    assert list(model.predict_proba_one({"a": 1.0})) == [-1, 1]


def test_a_sampler_queries_with_the_confidence_of_the_classifier_inside():
    model = learned(({"a": 1.0}, True))
    sampler = active.MarginSampler(model, rho=0.1, seed=1)
    assert isinstance(sampler, river_active.base.ActiveLearningClassifier)
    margin = model.classifier.margin_one({"a": 1.0})
    assert sampler.confidence_one({"a": 1.0}) == pytest.approx(abs(margin))


def test_it_wraps_any_classifier_of_river():
    logistic = drift.RestartOnNewFeatures(river_linear_model.LogisticRegression())
    for x in ({"a": 1.0}, {"a": 1.0, "b": 1.0}):
        logistic.learn_one(x, True)
    assert set(logistic.classifier.weights) == {"a", "b"}
    model = drift.RestartOnNewFeatures(tree.HoeffdingTreeClassifier())
    model.learn_one({"colour": "red"}, "spam")
    model.learn_one({"colour": "blue", "size": 2.0}, "ham")
    assert model.n_restarts == 1
    assert model.predict_one({"colour": "red"}) == "ham"


def test_a_class_is_refused():
    with pytest.raises(TypeError, match=r"classifier must be an instance.*OLSFClassifier\(\)"):
        drift.RestartOnNewFeatures(OLSFClassifier)
