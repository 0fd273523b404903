from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest
import scipy.io
from river import metrics

from river_trapezoid.linear_model import OLSFClassifier


@pytest.mark.parametrize("stream", ["grow", "words", "vanish"])
def test_golden_traces(shared, stream):
    trace = json.loads((shared / "golden" / "olsf" / f"olsf_{stream}.json").read_text())
    assert len(trace["runs"]) == 21
    for run in trace["runs"]:
        model = OLSFClassifier(mode=run["mode"], C=run["C"], B=run["B"], radius=run["lam"])
        for instance, step in zip(trace["instances"], run["steps"], strict=True):
            x = dict(instance["x"])
            assert model.margin_one(x) == pytest.approx(step["margin"], rel=1e-9, abs=1e-9)
            model.learn_one(x, instance["y"])
            expected = {key: w for key, w in step["w"].items() if w}
            assert model.weights == pytest.approx(expected, rel=1e-9, abs=1e-9)
            assert model.n_features_seen == step["n_seen"]


def test_errors_on_german_over_the_authors_permutations(shared):
    mat = scipy.io.loadmat(shared / "data" / "german" / "german.mat")
    X, y = mat["data"][:, 1:].astype(float), mat["data"][:, 0].astype(int)
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    n, d = X.shape
    rows = [dict(enumerate(row)) for row in X.tolist()]
    shown = [max(1, math.floor((t // (n // 10) + 1) / 10 * d)) for t in range(n)]

    errors = {mode: [] for mode in (0, 1, 2)}
    for permutation in mat["ID_ALL"] - 1:
        for mode, counts in errors.items():
            model = OLSFClassifier(mode=mode, C=0.1, B=0.5, radius=30)
            wrong = 0
            for t, i in enumerate(permutation):
                x = {j: rows[i][j] for j in range(shown[t])}
                wrong += y[i] * model.margin_one(x) <= 0
                model.learn_one(x, int(y[i]))
            counts.append(wrong)
    assert [np.mean(counts).round(1) for counts in errors.values()] == [426.1, 353.4, 348.7]
    assert [np.std(counts, ddof=1).round(1) for counts in errors.values()] == [16.7, 11.7, 10.7]


def _instances(n=300, seed=0):
    rng = random.Random(seed)
    for _ in range(n):
        x = {f"f{i}": rng.gauss(0, 1) for i in rng.sample(range(12), 6)}
        yield x, sum(x.values()) > 0


def test_all_features_is_a_plain_passive_aggressive_learner():
    model, w = OLSFClassifier(mode=1, C=0.3, B=1.0, radius=None), {}
    for x, y in _instances():
        sign = 1 if y else -1
        loss = max(0.0, 1 - sign * sum(w.get(k, 0.0) * v for k, v in x.items()))
        tau = min(0.3, loss / sum(v * v for v in x.values()))
        for k, v in x.items():
            w[k] = w.get(k, 0.0) + tau * sign * v
        model.learn_one(x, y)
    assert model.weights == pytest.approx(w, rel=1e-9)


@pytest.mark.parametrize(("update_on", "threshold"), [("loss", 1.0), ("mistake", 0.0)])
def test_perceptron_step(update_on, threshold):
    model = OLSFClassifier(step="perceptron", update_on=update_on, B=1.0, radius=None)
    w = {}
    for x, y in _instances():
        sign = 1 if y else -1
        q = sign * sum(w.get(k, 0.0) * v for k, v in x.items())
        if q < threshold or q == 0.0:
            for k, v in x.items():
                w[k] = w.get(k, 0.0) + sign * v
        model.learn_one(x, y)
    assert model.weights == pytest.approx(w, rel=1e-9)


def test_intercept_is_the_weight_of_a_constant_feature():
    with_intercept = OLSFClassifier(mode=2, learn_intercept=True, B=1.0, radius=None)
    with_constant = OLSFClassifier(mode=2, B=1.0, radius=None)
    for x, y in _instances():
        with_intercept.learn_one(x, y)
        with_constant.learn_one({**x, "constant": 1.0}, y)
    weights = with_constant.weights
    assert with_intercept.intercept == pytest.approx(weights.pop("constant"))
    assert with_intercept.weights == pytest.approx(weights)


def test_intercept_is_neither_projected_nor_truncated():
    model = OLSFClassifier(mode=0, learn_intercept=True, B=1, radius=1e-6)
    for _ in range(20):
        model.learn_one({"a": 0.1}, True)
    assert model.intercept > 0.5
    assert abs(model.weights["a"]) <= 1e-6


def test_random_selection_keeps_to_the_budget_and_does_worse():
    accuracy = {}
    for selection in ("largest", "random"):
        model, metric = OLSFClassifier(B=0.3, selection=selection, seed=1), metrics.Accuracy()
        for x, y in _instances(1500):
            metric.update(y, model.predict_one(x))
            model.learn_one(x, y)
            assert len(model.weights) <= max(1, int(0.3 * model.n_features_seen))
        accuracy[selection] = metric.get()
    assert accuracy["random"] < accuracy["largest"]


def test_zero_valued_features_are_seen_but_have_no_weight():
    model = OLSFClassifier(B=1.0)
    model.learn_one({"a": 1.0, "b": 0.0, "c": None}, True)
    assert model.n_features_seen == 2
    assert set(model.weights) == {"a"}
    assert model.sparsity == 0.5


def test_absolute_budget_counts_no_features():
    model = OLSFClassifier(B=2)
    for x, y in _instances():
        model.learn_one(x, y)
        assert len(model.weights) <= 2
    assert model.n_features_seen is None
    assert model.sparsity is None


def test_model_stays_small_over_a_million_features():
    rng = random.Random(0)
    model = OLSFClassifier(B=1000)
    for _ in range(200_000):
        model.learn_one({rng.randrange(1_000_000): 1.0 for _ in range(5)}, rng.random() < 0.5)
    assert len(model.weights) == 1000
    assert model._raw_memory_usage < 2_000_000


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("mode", [3, -1, 1.0, "1", None, True]),
        ("C", [0, -1, math.inf, math.nan, "1", None]),
        ("B", [0, -3, 0.0, 1.1, math.nan, "1", None, True]),
        ("radius", [0, -1.0, math.inf, math.nan, "1"]),
        ("learn_intercept", [1, 0, None, "yes"]),
        ("step", ["PA", None, 1]),
        ("update_on", ["error", None]),
        ("selection", ["best", None]),
        ("seed", [1.5, "1"]),
    ],
)
def test_wrong_parameters_are_named(name, values):
    for value in values:
        with pytest.raises(ValueError, match=f"^{name} must be .*got"):
            OLSFClassifier(**{name: value})
