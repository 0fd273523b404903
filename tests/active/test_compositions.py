"""The systems of the papers that are compositions, as the table in `active` gives them."""

from __future__ import annotations

import pytest
from river import compose, datasets, evaluate, metrics

from river_trapezoid import active, stream
from river_trapezoid.linear_model import FESLClassifier, OLSFClassifier

INITIAL = list(next(iter(stream.Trapezoidal(datasets.Phishing())))[0])


def by_width(x):
    return {(len(x), k): v for k, v in x.items()}


PERCEPTRON = {"step": "perceptron", "B": 1.0, "radius": None}
SYSTEMS = {
    "FLLS": active.MarginSampler(OLSFClassifier(mode=0), seed=1),
    "FLLS-I": active.MarginSampler(OLSFClassifier(mode=1), seed=1),
    "FLLS-II": active.MarginSampler(OLSFClassifier(mode=2), seed=1),
    "RFLLS-I": active.RandomSampler(OLSFClassifier(mode=1), 0.1, seed=1),
    "PEA": active.MarginSampler(OLSFClassifier(update_on="mistake", **PERCEPTRON), seed=1),
    "PEA on loss": active.MarginSampler(OLSFClassifier(update_on="loss", **PERCEPTRON), seed=1),
    "RPEA": active.RandomSampler(OLSFClassifier(update_on="mistake", **PERCEPTRON), seed=1),
    "RFESL": active.RandomSampler(FESLClassifier(max_overlap=1), 0.1, seed=1),
    "FLLS-I_SN": active.MarginSampler(
        compose.FuncTransformer(by_width) | OLSFClassifier(B=1.0), seed=1
    ),
    "FLLS-I_SI": active.MarginSampler(compose.Select(*INITIAL) | OLSFClassifier(B=1.0), seed=1),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_learns_from_some_of_the_labels(name):
    model = SYSTEMS[name].clone()
    *_, last = evaluate.iter_progressive_val_score(
        stream.Trapezoidal(datasets.Phishing()), model, metrics.Accuracy(), step=1250
    )
    assert 0 < last["Samples used"] < 1250
    assert last["Accuracy"].get() > 0.4


def test_all_features_from_the_start():
    model = active.MarginSampler(OLSFClassifier(mode=1), rho=0.1, seed=1)
    score = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    assert score.get() > 0.7


def test_a_new_model_whenever_features_are_added():
    model = compose.FuncTransformer(by_width) | OLSFClassifier(B=1.0)
    model.learn_one({"a": 1.0}, True)
    assert model.predict_proba_one({"a": 1.0})[True] > 0.5
    assert model.predict_proba_one({"a": 1.0, "b": 1.0})[True] == 0.5


def test_the_initial_features_only():
    model = compose.Select(*INITIAL) | OLSFClassifier(B=1.0)
    for x, y in stream.Trapezoidal(datasets.Phishing()):
        model.learn_one(x, y)
    assert set(model["OLSFClassifier"].weights) <= set(INITIAL)
