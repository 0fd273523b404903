"""The systems of the papers that are compositions, as the table in `active` gives them."""

from __future__ import annotations

import pytest
from river import compose, evaluate, metrics
from river import datasets as river_datasets

from river_trapezoid import active, datasets, drift, stream
from river_trapezoid.linear_model import FESLClassifier, OLSFClassifier

PERCEPTRON = {"step": "perceptron", "B": 1.0, "radius": None}
SYSTEMS = {
    "FLLS": lambda _: active.MarginSampler(OLSFClassifier(mode=0), seed=1),
    "FLLS-I": lambda _: active.MarginSampler(OLSFClassifier(mode=1), seed=1),
    "FLLS-II": lambda _: active.MarginSampler(OLSFClassifier(mode=2), seed=1),
    "RFLLS-I": lambda _: active.RandomSampler(OLSFClassifier(mode=1), 0.1, seed=1),
    "PEA": lambda _: active.MarginSampler(
        OLSFClassifier(update_on="mistake", **PERCEPTRON), seed=1
    ),
    "PEA on loss": lambda _: active.MarginSampler(
        OLSFClassifier(update_on="loss", **PERCEPTRON), seed=1
    ),
    "RPEA": lambda _: active.RandomSampler(
        OLSFClassifier(update_on="mistake", **PERCEPTRON), seed=1
    ),
    "RFESL": lambda _: active.RandomSampler(FESLClassifier(max_overlap=1), 0.1, seed=1),
    "FLLS-I_SN": lambda _: active.MarginSampler(new_models(), seed=1),
    "FLLS-I_SI": lambda trapezoid: active.MarginSampler(initial_only(trapezoid), seed=1),
}


def new_models():
    return drift.RestartOnNewFeatures(OLSFClassifier(mode=1, B=1.0))


def initial_only(trapezoid):
    later = trapezoid.visible(-1)[len(trapezoid.visible(0)) :]
    return compose.Discard(*later) | OLSFClassifier(B=1.0)


@pytest.fixture
def sparse(shared, monkeypatch):
    """A data set whose instances leave out three quarters of their features, being zero."""
    monkeypatch.setenv("RIVER_DATA", str(shared / "data"))
    return stream.Shuffled(datasets.DNA(), seed=1)


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("data", ["dense", "sparse"])
def test_every_system_learns_from_some_of_the_labels(name, data, request):
    trapezoid = stream.Trapezoidal(river_datasets.Phishing())
    if data == "sparse":
        trapezoid = stream.Trapezoidal(stream.Dense(request.getfixturevalue("sparse")))
    *_, last = evaluate.iter_progressive_val_score(
        trapezoid, SYSTEMS[name](trapezoid), metrics.Accuracy(), step=trapezoid.n_samples
    )
    assert 0 < last["Samples used"] < trapezoid.n_samples
    assert last["Accuracy"].get() > 0.4


def test_all_features_from_the_start():
    model = active.MarginSampler(OLSFClassifier(mode=1), rho=0.1, seed=1)
    score = evaluate.progressive_val_score(river_datasets.Phishing(), model, metrics.Accuracy())
    assert score.get() > 0.7


def test_a_new_model_for_each_chunk_of_sparse_data(sparse):
    trapezoid = stream.Trapezoidal(stream.Dense(sparse))
    model, apart = new_models(), {}
    for x, y in trapezoid:
        model.learn_one(x, y)
        own = apart.setdefault(len(x), OLSFClassifier(mode=1, B=1.0))
        own.learn_one(x, y)
        assert model.predict_proba_one(x) == own.predict_proba_one(x)
    assert sorted(apart) == trapezoid.n_visible() == list(range(18, 181, 18))
    assert model.n_restarts == 9


@pytest.mark.parametrize("wrap", [lambda d: d, stream.Dense], ids=["sparse", "dense"])
def test_the_initial_features_only(sparse, wrap):
    trapezoid = stream.Trapezoidal(wrap(sparse))
    model = initial_only(trapezoid)
    for x, y in trapezoid:
        model.learn_one(x, y)
    # What is tested on has all features.
    assert all(model.predict_one(x) in (True, False) for x, _ in sparse.take(10))
    initial = [f"f{i}" for i in range(1, 19)]
    assert set(model["OLSFClassifier"].weights) == set(initial) == set(trapezoid.visible(0))


@pytest.mark.parametrize("ratio", [0.1, 1.0])
def test_the_feature_space_evolves_once_for_each_chunk_of_sparse_data(sparse, ratio):
    model = active.RandomSampler(FESLClassifier(max_overlap=1), ratio, seed=1)
    for x, y in stream.Trapezoidal(stream.Dense(sparse)):
        if model.predict_one(x)[1]:
            model.learn_one(x, y)
    assert model.classifier.n_evolutions == 10
    assert len(model.classifier.weights) == 180
