from __future__ import annotations

import math
import random

import pytest
from river import ensemble, feature_extraction, multiclass
from river import linear_model as river_linear_model

from river_trapezoid import preprocessing
from river_trapezoid.labelling import explain
from river_trapezoid.linear_model import (
    EvidenceClassifier,
    FESLClassifier,
    MulticlassOLSFClassifier,
    OCDSClassifier,
    OLSFClassifier,
)
from tests.labelling.labellers import pages, texts


def learned(model, instances, labels):
    for x, y in zip(instances, labels, strict=True):
        model.learn_one(x, y)
    return model


def total(explanation):
    return explanation.constant + math.fsum(weight for _, weight in explanation.reasons)


@pytest.fixture(scope="module")
def evidence():
    instances, truth = pages(400)
    return learned(EvidenceClassifier(), instances, [label == "phishing" for label in truth])


@pytest.mark.parametrize(
    "model",
    [
        EvidenceClassifier(),
        EvidenceClassifier(mixture=False),
        EvidenceClassifier(n_paired=0),
        OLSFClassifier(learn_intercept=True),
        OCDSClassifier(),
        FESLClassifier(max_overlap=10),
        preprocessing.StandardScaler() | OLSFClassifier(B=0.5, learn_intercept=True),
    ],
    ids=str,
)
def test_constant_and_reasons_add_up_to_the_margin(model):
    instances, truth = pages(400)
    learned(model, instances[:300], [label == "phishing" for label in truth[:300]])
    for x in instances[300:]:
        guess = model.predict_one(x)
        explanation = explain(model, x, guess)
        probabilities = model.predict_proba_one(x)
        log_odds = math.log(probabilities[guess] / probabilities[not guess])
        assert explanation.margin == pytest.approx(log_odds, abs=1e-9)
        assert total(explanation) == pytest.approx(explanation.margin, abs=1e-9)
        assert (explanation.label, explanation.other) == (guess, not guess)


def test_labels_may_be_of_any_kind_that_the_model_learns():
    instances, truth = pages(100)
    model = learned(OLSFClassifier(), instances, [1 if y == "honest" else -1 for y in truth])
    explanation = explain(model, instances[0], model.predict_one(instances[0]))
    assert {explanation.label, explanation.other} == {-1, 1}
    assert explanation.margin > 0


def test_the_threshold_of_a_balanced_decision_is_part_of_the_constant():
    instances, truth = pages(400)
    few = [(x, y == "phishing") for x, y in zip(instances, truth, strict=True)]
    rng = random.Random(1)
    few = [(x, y) for x, y in few if not y or rng.random() < 0.1]
    plain, balanced = EvidenceClassifier(), EvidenceClassifier(decision="balanced")
    for model in (plain, balanced):
        learned(model, *zip(*few, strict=True))
    x = next(x for x in instances if plain.predict_one(x) != balanced.predict_one(x))
    explanation = explain(balanced, x, True)
    assert explanation.margin > 0 > explain(plain, x, True).margin
    assert total(explanation) == pytest.approx(explanation.margin)
    assert explanation.reasons == explain(plain, x, True).reasons
    several = {
        name: learned(multiclass.OneVsRestClassifier(model), *zip(*few, strict=True))
        for name, model in (("plain", plain.clone()), ("balanced", balanced.clone()))
    }
    assert explain(several["plain"], x, False) == explain(several["balanced"], x, False)


def test_an_explanation_of_one_label_is_the_reverse_of_that_of_the_other(evidence):
    x = pages(401)[0][-1]
    for_it, against = explain(evidence, x, True), explain(evidence, x, False)
    assert (for_it.margin, for_it.constant) == (-against.margin, -against.constant)
    assert [(features, -weight) for features, weight in for_it.reasons] == list(against.reasons)
    sizes = [abs(reason.weight) for reason in for_it.reasons]
    assert sizes == sorted(sizes, reverse=True)


def test_pairs_are_told_apart_from_their_features(evidence):
    x = pages(401)[0][-1]
    explanation = explain(evidence, x, True)
    assert {len(reason.features) for reason in explanation.reasons} == {1, 2}
    contributions = evidence.contributions_one(x)
    weights = math.fsum(reason.weight for reason in explanation.reasons)
    assert weights == pytest.approx(math.fsum(contributions.values()))


def test_words_explain_texts():
    instances, truth = texts(200)
    model = feature_extraction.BagOfWords() | EvidenceClassifier()
    learned(model, instances, [label == "spam" for label in truth])
    explanation = explain(model, "claim your free prize at home", True)
    weights = {reason.features: reason.weight for reason in explanation.reasons}
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
def test_one_of_many_classes_is_compared_with_the_likeliest_of_the_others(classifier):
    instances, truth = texts(300, classes=["ham", "spam", "news"])
    model = learned(feature_extraction.BagOfWords() | classifier.clone(), instances, truth)
    explanation = explain(model, "parliament vote", "news")
    in_favour = {reason.features for reason in explanation.reasons if reason.weight > 0}
    assert in_favour >= {("parliament",), ("vote",)}
    assert explain(model, "parliament vote", "ham").margin < 0
    assert explain(model, "parliament vote", "no class") is None
    for text in instances[:50]:
        guess = model.predict_one(text)
        explanation = explain(model, text, guess)
        assert explanation.margin >= 0
        assert total(explanation) == pytest.approx(explanation.margin, abs=1e-9)
        probabilities = model.predict_proba_one(text)
        others = [label for label in probabilities if label != guess]
        assert explanation.other == max(others, key=probabilities.__getitem__)


def test_each_model_of_one_versus_rest_gets_the_instance_once_through_its_own_pipeline():
    instances, truth = pages(300)
    binary = preprocessing.StandardScaler() | OLSFClassifier(radius=None)
    model = learned(multiclass.OneVsRestClassifier(binary), instances, truth)
    x = instances[0]
    margins = {}
    for label, member in model.classifiers.items():
        scaled = member["StandardScaler"].transform_one(x)
        margins[label] = member["OLSFClassifier"].margin_one(scaled)
    explanation = explain(model, x, "honest")
    assert explanation.margin == pytest.approx(margins["honest"] - margins["phishing"])
    assert explanation.constant == pytest.approx(0.0, abs=1e-9)


def test_other_models_are_not_explained():
    instances, truth = pages(50)
    labels = [label == "phishing" for label in truth]
    for model in (
        ensemble.BaggingClassifier(OLSFClassifier(), n_models=2),
        river_linear_model.LogisticRegression(),
    ):
        assert explain(learned(model, instances, labels), instances[0], True) is None


def test_a_label_without_an_alternative_is_not_explained():
    instances, _ = pages(10)
    for model in (MulticlassOLSFClassifier(), multiclass.OneVsRestClassifier(OLSFClassifier())):
        learned(model, instances, ["honest"] * 10)
        assert explain(model, instances[0], "honest") is None
