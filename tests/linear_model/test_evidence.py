from __future__ import annotations

import math
import pickle
import random
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets, evaluate, linear_model, metrics, preprocessing

from river_trapezoid.linear_model import EvidenceClassifier
from river_trapezoid.stream import Capricious, Shuffled
from tests.contracts import growing_stream

FIELDS = ["n", "n_positive", "mean", "deviations", "w", "w_variance", "v", "v_variance"]


def beliefs(model):
    """All that a model knows of each feature."""
    _, _, _, features, *_ = model._weights.__getstate__()
    return {
        key: types.SimpleNamespace(counts=state[8:], **dict(zip(FIELDS, state, strict=False)))
        for key, state in features.items()
    }


class FromHistory:
    """The same model, computed anew from all instances so far, for streams that are short.

    Of the past it only remembers the instances, the z-scores with which they were counted, and
    the weights with their variances.
    """

    def __init__(self, n_bins=10, smoothing=2.0, forgetting=0.0):
        self.K, self.alpha, self.ff = n_bins, smoothing, forgetting
        self.history = []
        self.mean = {"b": 0.0}
        self.variance = {"b": 1.0}

    def prior(self, name):
        if name == "b":
            return 0.0, 1.0
        return {"w": (0.0, 0.1), "v": (0.2, 0.1)}[name[0]]

    def z(self, key, value):
        values = [x[key] for x, _, _ in self.history if key in x] + [value]
        spread = np.std(values)
        return float(np.clip((value - np.mean(values)) / spread, -4, 4)) if spread else 0.0

    def bins(self, z):
        u = (self.K - 1) * 0.5 * (1 + math.erf(z / math.sqrt(2)))
        a = min(math.floor(u), self.K - 2)
        shares = np.zeros(self.K)
        shares[a], shares[a + 1] = 1 - (u - a), u - a
        return shares

    def evidence(self, key, z):
        labels = np.array([y for _, y, _ in self.history])
        pi = (labels.sum() + 1) / (len(labels) + 2)
        own = [(y, scores[key]) for _, y, scores in self.history if key in scores]
        counts = np.zeros((2, self.K))
        for y, score in own:
            counts[y] += self.bins(score)
        c_0, c_1 = counts @ self.bins(z)
        pi_j = (sum(y for y, _ in own) + self.alpha * pi) / (len(own) + self.alpha)
        odds = (c_1 + self.alpha * pi_j) / (c_0 + self.alpha * (1 - pi_j))
        return math.log(odds) - math.log(pi / (1 - pi))

    def inputs(self, x):
        scores = {key: self.z(key, value) for key, value in x.items()}
        inputs = {"b": 1.0}
        for key, z in scores.items():
            inputs["w", key] = z
            inputs["v", key] = self.evidence(key, z)
        return scores, inputs

    def margin(self, inputs):
        f = sum(self.mean.get(k, self.prior(k)[0]) * v for k, v in inputs.items())
        V = sum(self.variance.get(k, self.prior(k)[1]) * v**2 for k, v in inputs.items())
        return f / math.sqrt(1 + math.pi * V / 8), V

    def learn(self, x, y):
        scores, inputs = self.inputs(x)
        F, V = self.margin(inputs)
        p = 1 / (1 + math.exp(-F))
        lam = max(p * (1 - p), 1e-4)
        D = 1 + lam * V
        for k, v in inputs.items():
            mean, prior = self.prior(k)
            S = self.variance.get(k, prior)
            self.mean[k] = self.mean.get(k, mean) + S * v * (y - p) / D
            S -= lam * S**2 * v**2 / D
            self.variance[k] = min((1 + self.ff) * S, prior)
        self.history.append((x, int(y), scores))


def wild_stream(n, seed):
    """Features of other scales, constants, counts and outliers among them."""
    rng = random.Random(seed)
    draws = {
        "normal": lambda: rng.gauss(3.0, 2.0),
        "large": lambda: rng.gauss(-1e5, 1e4),
        "flag": lambda: 1.0,
        "count": lambda: float(rng.choice([1, 1, 1, 2, 7])),
        "binary": lambda: float(rng.random() < 0.2),
        "outliers": lambda: rng.gauss(0.0, 1.0) * (1000.0 if rng.random() < 0.03 else 1.0),
    }
    for t in range(n):
        x = {key: draw() for key, draw in draws.items() if rng.random() < 0.3 + 0.7 * t / n}
        y = (abs(x.get("normal", 3.0) - 3.0) < 1.5) == (x.get("binary", 0.0) < rng.random())
        yield x, y


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"n_bins": 2},
        {"n_bins": 7, "smoothing": 0.5},
        {"forgetting": 0.05},
    ],
    ids=str,
)
@pytest.mark.parametrize("stream", [growing_stream, wild_stream])
def test_follows_the_model_computed_from_the_whole_history(params, stream):
    model, twin = EvidenceClassifier(**params), FromHistory(**params)
    for x, y in stream(120, seed=3):
        scores, inputs = twin.inputs(x)
        assert model.margin_one(x) == pytest.approx(twin.margin(inputs)[0], rel=1e-7, abs=1e-9)
        for key, evidence in model.evidence_one(x).items():
            assert evidence == pytest.approx(inputs["v", key], rel=1e-7, abs=1e-9)
        twin.learn(x, y)
        model.learn_one(x, y)
    assert len(scores) > 1
    assert model.intercept == pytest.approx(twin.mean["b"])
    assert model.value_weights == pytest.approx(
        {k: twin.mean["w", k] for k in model.value_weights}, abs=1e-9
    )
    assert model.evidence_weights == pytest.approx(
        {k: twin.mean["v", k] for k in model.evidence_weights}
    )
    for key, feature in beliefs(model).items():
        assert feature.w_variance == pytest.approx(twin.variance["w", key])
        assert feature.v_variance == pytest.approx(twin.variance["v", key])


values = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 1.0])
instances = st.lists(
    st.tuples(st.dictionaries(st.sampled_from("abcde"), values), st.booleans()), max_size=40
)


@given(instances, st.sampled_from([0.0, 0.002, 1.0]))
def test_variances_stay_positive_and_below_the_prior(stream, forgetting):
    model = EvidenceClassifier(forgetting=forgetting)
    seen = {}
    for x, y in stream:
        model.learn_one(x, y)
        assert 0.0 < model._weights.__getstate__()[0] <= 1.0
        for key, feature in beliefs(model).items():
            now = feature.w_variance, feature.v_variance
            assert all(0.0 < s <= 0.1 for s in now)
            if not forgetting:
                before = seen.get(key, (0.1, 0.1))
                assert now[0] <= before[0]
                assert now[1] <= before[1]
            seen[key] = now


@given(instances)
def test_any_finite_values_give_finite_margins(stream):
    model = EvidenceClassifier()
    for x, y in stream:
        assert math.isfinite(model.margin_one(x))
        assert sum(model.predict_proba_one(x).values()) == pytest.approx(1.0)
        assert all(map(math.isfinite, model.evidence_one(x).values()))
        model.learn_one(x, y)
    weights = [*model.value_weights.values(), *model.evidence_weights.values()]
    assert all(map(math.isfinite, weights))


@given(instances)
def test_counts_add_up_to_the_observations(stream):
    model = EvidenceClassifier()
    for x, y in stream:
        model.learn_one(x, y)
    for key, feature in beliefs(model).items():
        own = [y for x, y in stream if key in x]
        assert sum(feature.counts[1::2]) == pytest.approx(sum(own))
        assert sum(feature.counts[::2]) == pytest.approx(len(own) - sum(own))
        assert all(count >= 0.0 for count in feature.counts)


@given(instances, st.sampled_from("abcde"))
def test_a_feature_that_is_absent_does_not_change(stream, key):
    model = EvidenceClassifier(forgetting=0.01)
    for x, y in stream:
        before = beliefs(model).get(key)
        model.learn_one({k: v for k, v in x.items() if k != key}, y)
        assert beliefs(model).get(key) == before
        model.learn_one(x, y)


def test_shift_and_scale_of_a_feature_do_not_matter():
    # By powers of two and whole numbers, so that rounding does not matter either.
    rng = random.Random(0)
    model, twin = EvidenceClassifier(), EvidenceClassifier()
    for _ in range(200):
        x = {key: float(rng.randint(-20, 20)) for key in "abc"}
        other = {key: 1024.0 * value + 4096.0 for key, value in x.items()}
        assert model.margin_one(x) == pytest.approx(twin.margin_one(other), abs=1e-9)
        y = x["a"] + x["b"] > 0
        model.learn_one(x, y)
        twin.learn_one(other, y)


def test_labels_that_are_swapped_swap_the_probabilities():
    model, twin = EvidenceClassifier(), EvidenceClassifier()
    for x, y in growing_stream():
        p, q = model.predict_proba_one(x), twin.predict_proba_one(x)
        assert p[True] == pytest.approx(q[False], rel=1e-9)
        model.learn_one(x, y)
        twin.learn_one(x, not y)


def test_learns_a_feature_that_is_informative_in_its_middle():
    rng = random.Random(1)
    model, metric = EvidenceClassifier(), metrics.Accuracy()
    for t in range(3000):
        x = {"a": rng.gauss(5.0, 3.0), "b": rng.gauss(0.0, 1.0)}
        y = abs(x["a"] - 5.0) < 2.0
        if t >= 1000:
            metric.update(y, model.predict_one(x))
        model.learn_one(x, y)
    assert metric.get() > 0.9
    curve = [model.evidence_one({"a": value})["a"] for value in (-1.0, 5.0, 11.0)]
    assert curve[0] < 0.0 < curve[1] > 0.0 > curve[2]


def test_forgetting_helps_after_the_target_has_turned():
    accuracy = {}
    for forgetting in (0.0, 0.02):
        rng = random.Random(2)
        model, metric = EvidenceClassifier(forgetting=forgetting), metrics.Accuracy()
        for t in range(6000):
            x = {key: rng.gauss(0.0, 1.0) for key in "abc"}
            y = (x["a"] + x["b"] > 0) == (t < 3000)
            if t >= 3000:
                metric.update(y, model.predict_one(x))
            model.learn_one(x, y)
        accuracy[forgetting] = metric.get()
    assert accuracy[0.02] > accuracy[0.0] + 0.05


def test_explanation_adds_up():
    model = EvidenceClassifier()
    for x, y in growing_stream():
        model.learn_one(x, y)
    inputs, known = model._weights.inputs(x), beliefs(model)
    total = model.intercept + sum(z * w + evidence * v for _, z, w, evidence, v in inputs)
    variance = model._weights.__getstate__()[0] + sum(
        known[key].w_variance * z**2 + known[key].v_variance * evidence**2
        for key, z, _, evidence, _ in inputs
    )
    table = model.debug_one(x)
    contributions = [float(line.split()[-1]) for line in table.splitlines()[1:]]
    assert len(contributions) == 2 * len(x) + 1
    assert sum(contributions) == pytest.approx(total, abs=1e-3)
    assert model.margin_one(x) == pytest.approx(total / math.sqrt(1 + math.pi * variance / 8))
    assert "f0 (value)" in table
    assert "f0 (evidence)" in table


class Sorted:
    """Truncation by sorting all features each time."""

    def __init__(self, B):
        self.B, self.seen = B, set()
        self.model = EvidenceClassifier()

    def learn(self, x, y):
        self.model.learn_one(x, y)
        self.seen |= set(x)
        k = self.B if isinstance(self.B, int) else max(1, int(self.B * len(self.seen)))
        weights = self.model._weights
        pairs = weights.to_dict()
        ranked = sorted(pairs, key=lambda key: (sum(map(abs, pairs[key])), key))
        *counts, features, seen = weights.__getstate__()
        kept = {key: features[key] for key in ranked[max(0, len(ranked) - k) :]}
        weights.__setstate__((*counts, kept, seen))


@pytest.mark.parametrize("B", [1, 7, 200, 0.1, 0.5, 0.99])
def test_truncation_keeps_the_strongest_features(B):
    rng = random.Random(0)
    model, twin = EvidenceClassifier(B=B), Sorted(B)
    for _ in range(1500):
        x = {
            f"f{int(rng.paretovariate(0.5)) % 300}": rng.choice([1.0, rng.gauss(0, 1)])
            for _ in range(6)
        }
        y = sum(hash_free(key) for key in x) + rng.gauss(0, 1) > 0
        assert model.margin_one(x) == twin.model.margin_one(x)
        model.learn_one(x, y)
        twin.learn(x, y)
        assert model.value_weights == twin.model.value_weights
        assert model.n_features_seen == (None if isinstance(B, int) else len(twin.seen))


def hash_free(key):
    """A weight for a name, the same in every process."""
    return math.sin(int(key[1:]))


def test_dropped_features_leave_nothing_behind():
    rng = random.Random(0)
    model = EvidenceClassifier(B=100)
    sizes = []
    for t in range(20_000):
        model.learn_one({rng.randrange(1_000_000): 1.0 for _ in range(5)}, rng.random() < 0.5)
        if t % 5000 == 4999:
            sizes.append(len(pickle.dumps(model)))
    assert len(model.value_weights) == 100
    assert max(sizes) < 100_000


def test_all_features_are_kept_by_default():
    model, seen = EvidenceClassifier(), set()
    for x, y in growing_stream():
        model.learn_one(x, y)
        seen |= set(x)
    assert set(model.value_weights) == set(model.evidence_weights) == seen
    assert model.n_features_seen == len(seen)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n_bins", [1, 0, -3, 2.0, "10", None, True, 2**60]),
        ("smoothing", [0, 1e-320, -1.0, 1e306, math.inf, math.nan, "1", None]),
        ("forgetting", [-0.1, 1.1, math.nan, "1", None]),
        ("B", [0, -3, 0.0, 1.1, math.nan, "1", None, True]),
    ],
)
def test_wrong_parameters_are_named(name, values):
    for value in values:
        with pytest.raises(ValueError, match=f"^{name} must be .*got"):
            EvidenceClassifier(**{name: value})


def test_gains_on_logistic_regression_where_features_come_and_go():
    def accuracy(model, seed):
        rows = Shuffled(datasets.Phishing(), seed=seed)
        rows = Capricious(rows, seed=seed)
        return evaluate.progressive_val_score(rows, model, metrics.Accuracy()).get()

    gains = []
    for seed in range(3):
        baseline = preprocessing.StandardScaler() | linear_model.LogisticRegression()
        gains.append(accuracy(EvidenceClassifier(), seed) - accuracy(baseline, seed))
    assert min(gains) > 0.0
