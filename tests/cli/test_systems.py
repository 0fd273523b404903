from __future__ import annotations

import itertools
import pickle

import pytest
from river import compose, datasets, metrics

from river_trapezoid import evaluate, preprocessing
from river_trapezoid.cli.scaler import scaler_for
from river_trapezoid.cli.systems import SYSTEMS
from river_trapezoid.preprocessing.table_scaler import TableScaler


@pytest.mark.parametrize(
    ("is_multiclass", "budget"), list(itertools.product([False, True], [None, 0.5]))
)
def test_every_learner_can_be_made_for_any_task(is_multiclass, budget):
    rows = (
        list(datasets.ImageSegments())[::70]
        if is_multiclass
        else list(datasets.Phishing().take(30))
    )
    models = {
        name: learner.make(scaler_for(None), is_multiclass, budget)
        for name, learner in SYSTEMS.items()
        if is_multiclass or not learner.only_multiclass
    }
    outcome = evaluate.compare(
        models, {"rows": rows}, metrics.Accuracy(), progress=False, learn_during_predict=True
    )
    assert outcome.failures == []
    if budget:
        for row in outcome.summary():
            if SYSTEMS[row["model"]].sampler is None:
                assert row["labels_used"] < 0.9


def test_a_system_is_its_class_with_its_settings():
    for name, system in SYSTEMS.items():
        assert system.name == name
        classifier = system.classifier()
        if system.wrapper is not None:
            classifier = classifier.classifier
        assert type(classifier) is system.learner
        own = {name: getattr(classifier, name) for name in system.settings}
        assert {name: repr(value) for name, value in system.settings.items()} == {
            name: repr(value) for name, value in own.items()
        }


def test_each_call_makes_a_model_that_has_learned_nothing():
    for name in "OLSF", "LogisticRegression-AdaGrad":
        first, second = (SYSTEMS[name].classifier() for _ in range(2))
        first.learn_one({"a": 1.0}, True)
        assert len(first.weights) == 1
        assert len(second.weights) == 0
    # The step sizes of AdaGrad depend on all gradients so far.
    assert len(first.optimizer.g2) == 1
    assert len(second.optimizer.g2) == 0


def test_every_system_but_ours_and_rivers_names_its_paper():
    without = [name for name, system in SYSTEMS.items() if not system.paper]
    assert without == [
        "Evidence",
        "Evidence-single",
        "Evidence-balanced",
        "LogisticRegression",
        "LogisticRegression-AdaGrad",
        "AdPredictor",
        "PAClassifier",
    ]


def test_variants_differ_from_their_system_as_the_papers_say():
    # OLSF-all keeps all weights and the ball around them; FESL as published has no intercept.
    assert SYSTEMS["OLSF-all"].classifier().radius == SYSTEMS["OLSF-I"].classifier().radius == 30.0
    assert SYSTEMS["OLSF-all"].classifier().B == 1.0
    assert SYSTEMS["RFESL"].classifier().learn_intercept is False


def test_ofs_p_predicts_from_observed_features():
    assert SYSTEMS["OFS_P"].classifier().predict_from == "observed"


def test_the_scaler_centres_numbers_and_keeps_categories():
    scaler = scaler_for(["a"])
    for value in (1.0, 3.0):
        scaler.learn_one({"a": value, "colour=red": 1.0})
    scaled = scaler.transform_one({"a": 3.0, "colour=red": 1.0})
    assert scaled == {"a": pytest.approx(1.0), "colour=red": 1.0}
    copy = pickle.loads(pickle.dumps(scaler))
    assert copy.transform_one({"a": 3.0}) == {"a": scaled["a"]}
    assert scaler.clone().transform_one({"a": 3.0}) == {"a": 0.0}


def test_a_scaler_learns_during_predictions_if_asked():
    model = scaler_for(["age_of_domain"]) | SYSTEMS["OLSF-I"].classifier()
    assert isinstance(model["TableScaler"], TableScaler)
    with compose.learn_during_predict():
        for x, _ in datasets.Phishing().take(5):
            model.predict_one(x)
    assert model["TableScaler"]._of_numbers.counts == {"age_of_domain": 5}


def test_a_table_of_one_kind_needs_one_scaler():
    assert isinstance(scaler_for(None), preprocessing.StandardScaler)
    assert scaler_for(()).with_mean is False
