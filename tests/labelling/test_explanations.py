from __future__ import annotations

import math

import pytest
from river import ensemble, feature_extraction, multiclass
from river import linear_model as river_linear_model

from river_trapezoid import preprocessing
from river_trapezoid.labelling import reasons
from river_trapezoid.linear_model import (
    EvidenceClassifier,
    MulticlassOLSFClassifier,
    OLSFClassifier,
)
from tests.labelling.labellers import pages, texts


def learned(model, instances, labels):
    for x, y in zip(instances, labels, strict=True):
        model.learn_one(x, y)
    return model


@pytest.fixture(scope="module")
def evidence():
    instances, truth = pages(400)
    return learned(EvidenceClassifier(), instances, [label == "phishing" for label in truth])


def test_reasons_for_one_label_are_reasons_against_the_other(evidence):
    x = pages(401)[0][-1]
    for_it = reasons(evidence, x, True, k=1000)
    against = reasons(evidence, x, False, k=1000)
    assert [(r.features, -r.weight) for r in for_it] == list(against)
    sizes = [abs(reason.weight) for reason in for_it]
    assert sizes == sorted(sizes, reverse=True)
    assert reasons(evidence, x, True, k=3) == for_it[:3]


def test_pairs_are_told_apart_from_their_features(evidence):
    x = pages(401)[0][-1]
    told = reasons(evidence, x, True, k=1000)
    assert {len(reason.features) for reason in told} == {1, 2}
    contributions = evidence.contributions_one(x)
    assert math.fsum(r.weight for r in told) == pytest.approx(math.fsum(contributions.values()))


def test_words_are_told_of_texts():
    instances, truth = texts(200)
    model = feature_extraction.BagOfWords() | EvidenceClassifier()
    learned(model, instances, [label == "spam" for label in truth])
    told = reasons(model, "claim your free prize at home", True, k=10)
    weights = {reason.features: reason.weight for reason in told}
    assert weights["free",] > 0
    assert weights["home",] < 0
    assert ("your",) not in weights


@pytest.mark.parametrize(
    "classifier",
    [
        multiclass.OneVsRestClassifier(OLSFClassifier(B=1.0, radius=None)),
        multiclass.OneVsRestClassifier(preprocessing.StandardScaler() | EvidenceClassifier()),
        MulticlassOLSFClassifier(B=1.0, radius=None),
    ],
    ids=["one versus rest", "of pipelines", "matrix"],
)
def test_reasons_of_many_classes_are_those_of_the_class(classifier):
    instances, truth = texts(300, classes=["ham", "spam", "news"])
    model = learned(feature_extraction.BagOfWords() | classifier.clone(), instances, truth)
    told = reasons(model, "parliament vote", "news")
    assert {reason.features for reason in told if reason.weight > 0} >= {("parliament",), ("vote",)}
    other = {r.features: r.weight for r in reasons(model, "parliament vote", "ham")}
    assert other.get(("parliament",), 0.0) <= 0.0
    assert reasons(model, "parliament vote", "no class") == ()


def test_nothing_is_known_of_other_models():
    instances, truth = pages(50)
    labels = [label == "phishing" for label in truth]
    for model in (
        ensemble.BaggingClassifier(OLSFClassifier(), n_models=2),
        river_linear_model.LogisticRegression(),
    ):
        assert reasons(learned(model, instances, labels), instances[0], True) == ()
