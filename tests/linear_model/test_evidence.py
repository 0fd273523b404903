from __future__ import annotations

import itertools
import json
import math
import pickle
import random
import types

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from river import compose, datasets, evaluate, linear_model, metrics, preprocessing

from river_trapezoid.active import MarginSampler
from river_trapezoid.linear_model import EvidenceClassifier
from river_trapezoid.stream import Capricious, Shuffled
from tests.contracts import growing_stream

# What each head reads (values, evidence, pairs), and how much it forgets.
HEADS = {
    "both": ("we", 0.0),
    "recent": ("we", 0.01),
    "values": ("w", 0.0003),
    "evidence": ("e", 0.0),
    "pairs": ("wep", 0.0),
}


def beliefs(model):
    """All that a model knows of each feature, counts in full."""
    _, _, features, _, _ = model._weights.__getstate__()
    n_heads = len(model._weights.heads({}))
    known = {}
    for key, numbers in features.items():
        n, mean, deviations, unit, *numbers = numbers
        weights = np.reshape(numbers[2 : 2 + 4 * n_heads], (4, n_heads)).tolist()
        known[key] = types.SimpleNamespace(
            n=n,
            mean=mean,
            deviations=deviations,
            labels=[count / unit for count in numbers[:2]],
            counts=[count / unit for count in numbers[2 + 4 * n_heads :]],
            **dict(zip(["w", "w_variance", "v", "v_variance"], weights, strict=True)),
        )
    return known


def pair_beliefs(model):
    """All that a model knows of each pair, counts in full."""
    *_, pairs = model._weights.__getstate__()
    return {
        (a, b): types.SimpleNamespace(w=w, variance=variance, counts=np.array(counts) / unit)
        for a, b, (w, variance, unit, *counts) in pairs
    }


def lead(model):
    """By how much the head that forgets has been ahead."""
    return model._weights.__getstate__()[0][3]


def sigmoid(a):
    return 1 / (1 + math.exp(-a))


def moderated(f, V):
    return f / math.sqrt(1 + math.pi / 8 * V)


def decayed(labels, weights, decays, shares):
    """Sums of shares over the instances with each label, where every instance decays the others."""
    later = np.append(np.cumprod(decays[:0:-1])[::-1], 1.0)
    labels, shares = np.array(labels), np.array(shares)
    factors = np.array(weights) * later
    return [np.tensordot(factors[labels == y], shares[labels == y], 1) for y in (0, 1)]


class FromHistory:
    """The same model, computed anew from all instances so far, for streams that are short.

    Of the past it only remembers the instances with the bins that they were counted in, how much
    the counts decayed at each, and the weights with their variances.
    """

    def __init__(self, n_bins=10, smoothing=2.0, decay=0.997, n_paired=10, mixture=True):
        self.K, self.alpha, self.decay = n_bins, smoothing, decay
        self.n_paired, self.mixture = n_paired if mixture else 0, mixture
        self.names = ["both"]
        if mixture:
            self.names = [name for name in HEADS if name != "pairs" or n_paired]
        # Label, weight and decay of each instance, and what it was beside that, in all, by feature
        # and by pair.
        self.labels = []
        self.features = {}
        self.pairs = {}
        self.mean = {name: {} for name in self.names}
        self.variance = {name: {} for name in self.names}
        self.lead = 0.0
        self.shares = np.array([*(0.3, 0.3, 0.3, 0.1, 0.1)[: len(self.names)], 0, 0, 0])
        self.covariance = 0.1 * np.eye(len(self.shares))

    @property
    def n(self):
        return sum(w for _, w, _ in self.labels)

    @property
    def m(self):
        return 0.2 * self.n / (self.n + 300)

    def log_odds(self, decay=None):
        if not self.labels:
            return 0.0
        labels, weights, decays = zip(*self.labels, strict=True)
        if decay is not None:
            decays = [decay] * len(decays)
        n_0, n_1 = decayed(labels, weights, decays, np.ones(len(labels)))
        return math.log((n_1 + 1) / (n_0 + 1))

    def z(self, key, value):
        past = self.features.get(key, [])
        values = [row[4] for row in past] + [value]
        weights = [row[1] for row in past] + [1.0]
        if min(values) == max(values):
            return 0.0
        mean = np.average(values, weights=weights)
        spread = math.sqrt(np.average((np.array(values) - mean) ** 2, weights=weights))
        return float(np.clip((value - mean) / spread, -4, 4))

    def bins(self, z):
        u = (self.K - 1) * 0.5 * (1 + math.erf(z / math.sqrt(2)))
        a = min(math.floor(u), self.K - 2)
        shares = np.zeros(self.K)
        shares[a], shares[a + 1] = 1 - (u - a), u - a
        return shares

    def says(self, key, bins, L):
        """Log-odds of the bin of a feature, relative to those of all labels."""
        if key not in self.features:
            return 0.0
        *rows, _ = zip(*self.features[key], strict=True)
        counts = decayed(*rows)
        n_0, n_1 = (count.sum() for count in counts)
        c_0, c_1 = (count @ bins for count in counts)
        own = (n_1 + self.alpha * sigmoid(L)) / (n_0 + n_1 + self.alpha)
        return math.log((c_1 + self.alpha * own) / (c_0 + self.alpha * (1 - own))) - L

    def say_together(self, pair, cells, apart):
        """Log-odds of the cells of a pair, relative to those by its features apart."""
        c_0, c_1 = (
            (count * cells).sum() for count in decayed(*zip(*self.pairs[pair], strict=True))
        )
        e = float(np.clip(apart, -20, 20))
        p = sigmoid(e)
        return math.log((c_1 + self.alpha * p) / (c_0 + self.alpha * (1 - p))) - e

    def strength(self, key):
        mean = self.mean["both"]
        return abs(mean.get(("w", key), 0.0)) + abs(0.2 + mean.get(("e", key), 0.0))

    def read(self, x):
        """The inputs of all heads, and the bins of the features and cells of the pairs."""
        L, a = self.log_odds(), self.n / (self.n + 20)
        scores = {key: self.z(key, value) for key, value in x.items()}
        bins = {key: self.bins(z) for key, z in scores.items()}
        says = {key: self.says(key, bins[key], L) for key in x}
        inputs = {("b",): 1.0}
        for key in x:
            inputs["w", key] = scores[key]
            inputs["e", key] = a * says[key]
        known = [key for key in x if key in self.features]
        known.sort(key=lambda key: (-self.strength(key), key))
        cells = {}
        for i, j in itertools.combinations(sorted(known[: self.n_paired]), 2):
            cells[i, j] = np.outer(bins[i], bins[j])
            if (i, j) in self.pairs:
                apart = L + says[i] + says[j]
                inputs["p", i, j] = a * self.say_together((i, j), cells[i, j], apart)
        return inputs, bins, cells

    def head(self, name, inputs):
        """Margin and variance of a head, and the inputs that it reads."""
        kinds, _ = HEADS[name]
        own = {key: value for key, value in inputs.items() if key[0] in "b" + kinds}
        f = sum(
            (self.mean[name].get(key, 0.0) + self.m * (key[0] == "e")) * value
            for key, value in own.items()
        )
        V = sum(self.variance[name].get(key, 0.1) * value**2 for key, value in own.items())
        return f, V, own

    def heads(self, inputs):
        return {name: self.head(name, inputs)[:2] for name in self.names}

    def mixed(self, inputs):
        u = [np.clip(moderated(f, V), -4, 4) for f, V in self.heads(inputs).values()]
        return np.array([*u, 0.3, self.log_odds(0.8), self.log_odds(0.98)])

    def margin(self, inputs):
        if not self.mixture:
            return moderated(*self.heads(inputs)["both"])
        u = self.mixed(inputs)
        return moderated(self.shares @ u, u @ self.covariance @ u)

    def learn(self, x, y, w=1.0):
        if not w:
            return
        inputs, bins, cells = self.read(x)
        d = self.step_mixture(inputs, y, w) if self.mixture else 1.0
        steps = [self.step_head(name, inputs, y, w) for name in self.names]
        for name, (mean, variance) in zip(self.names, steps, strict=True):
            self.mean[name] |= mean
            self.variance[name] |= variance
        label = int(y), w, d
        self.labels.append(label)
        for key, value in x.items():
            self.features.setdefault(key, []).append((*label, bins[key], value))
        for pair, shares in cells.items():
            self.pairs.setdefault(pair, []).append((*label, shares))

    def step_mixture(self, inputs, y, w):
        """Move shares and lead; return what is left of the counts."""
        u = self.mixed(inputs)
        q = self.covariance @ u
        U = u @ q
        p = sigmoid(moderated(self.shares @ u, U))
        c = w * max(p * (1 - p), 1e-4)
        self.shares = self.shares + q * w * (y - p) / (1 + c * U)
        self.covariance = self.covariance - c * np.outer(q, q) / (1 + c * U)
        np.fill_diagonal(self.covariance, np.minimum(np.diag(self.covariance) + 0.0001, 0.1))
        sign = 1 if y else -1
        both, recent = (
            np.logaddexp(0, -sign * moderated(*self.heads(inputs)[name]))
            for name in ("both", "recent")
        )
        self.lead = 0.99 * self.lead + 0.01 * (both - recent)
        return self.decay if self.lead > 0 else 1.0

    def step_head(self, name, inputs, y, w):
        """The weights of a head and their variances, after an instance with these inputs."""
        f, V, own = self.head(name, inputs)
        _, forgetting = HEADS[name]
        p = sigmoid(f)
        c = w * max(p * (1 - p), 0.05)
        mean, variance = {}, {}
        for key, value in own.items():
            s = self.variance[name].get(key, 0.1)
            mean[key] = self.mean[name].get(key, 0.0) + s * value * w * (y - p) / (1 + c * V)
            s -= c * s**2 * value**2 / (1 + c * V)
            variance[key] = min(s + 0.1 * forgetting, 0.1)
        return mean, variance


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


def together_stream(n, seed):
    """Two features that say something only together, among others."""
    rng = random.Random(seed)
    for _ in range(n):
        x = {key: rng.gauss(0.0, 1.0) for key in ("a", "b", "noise") if rng.random() < 0.9}
        x["flag"] = float(rng.random() < 0.5)
        yield x, x.get("a", 1.0) * x.get("b", 1.0) > 0


def turning_stream(n, seed, every=30, present=0.8):
    """A concept that is inverted again and again."""
    rng = random.Random(seed)
    for t in range(n):
        x = {key: rng.gauss(0.0, 1.0) for key in "abc" if rng.random() < present}
        yield x, (sum(x.values()) > 0) == (t // every % 2 == 0)


def words_stream(n, seed):
    """Words of which a few are frequent, all with the value 1, and rare positive labels."""
    rng = random.Random(seed)
    for _ in range(n):
        x = {f"w{int(rng.paretovariate(0.6)) % 40}": 1.0 for _ in range(8)}
        yield x, ("w3" in x) != (rng.random() < 0.1)


def assert_follows(model, twin, stream):
    """Compare all that can be seen of both at each instance, given with label and weight."""
    close = {"rel": 1e-7, "abs": 1e-9}
    for x, y, w in stream:
        inputs, *_ = twin.read(x)
        assert model.margin_one(x) == pytest.approx(twin.margin(inputs), **close)
        heads = {name: (f, V) for name, f, V, _ in model._weights.heads(x)}
        assert list(heads) == twin.names
        for name, expected in twin.heads(inputs).items():
            assert heads[name] == pytest.approx(expected, **close), name
        for key, says in model.evidence_one(x).items():
            assert says == pytest.approx(inputs["e", key], **close), key
        pairs = {("p", *pair): says for pair, says in model.pair_evidence_one(x).items()}
        expected = {key: says for key, says in inputs.items() if key[0] == "p"}
        assert pairs == pytest.approx(expected, **close)
        assert model._weights.log_odds == pytest.approx(twin.log_odds(), **close)
        if twin.mixture:
            names, u, shares = zip(*model._weights.mixed(x), strict=True)
            assert list(names[: len(heads)]) == twin.names
            assert u == pytest.approx(twin.mixed(inputs), **close)
            assert shares == pytest.approx(twin.shares, **close)
            assert model.head_shares == pytest.approx(
                dict(zip(twin.names, twin.shares, strict=False)), **close
            )
            assert lead(model) == pytest.approx(twin.lead, **close)
        model.learn_one(x, y, w=w)
        twin.learn(x, y, w)

    assert model.intercept == pytest.approx(twin.mean["both"]["b",], **close)
    for h, name in enumerate(twin.names):
        mean, variance = twin.mean[name].get, twin.variance[name].get
        assert tuple(model._weights.intercepts[h]) == pytest.approx(
            (mean(("b",)), variance(("b",))), **close
        )
        for key, known in beliefs(model).items():
            for kind, w, s in (("w", known.w, known.w_variance), ("e", known.v, known.v_variance)):
                assert w[h] == pytest.approx(mean((kind, key), 0.0), **close)
                assert s[h] == pytest.approx(variance((kind, key), 0.1), **close)
    for key, known in beliefs(model).items():
        assert model.value_weights[key] == known.w[0]
        assert model.evidence_weights[key] == pytest.approx(twin.m + known.v[0], **close)
        *rows, _ = zip(*twin.features[key], strict=True)
        for y, counts in enumerate(decayed(*rows)):
            assert known.counts[y::2] == pytest.approx(counts, **close)
            assert known.labels[y] == pytest.approx(counts.sum(), **close)
    assert model.n_pairs == len(twin.pairs)
    for pair, known in pair_beliefs(model).items():
        key = ("p", *pair)
        assert known.w == pytest.approx(twin.mean["pairs"].get(key, 0.0), **close)
        assert known.variance == pytest.approx(twin.variance["pairs"].get(key, 0.1), **close)
        for y, counts in enumerate(decayed(*zip(*twin.pairs[pair], strict=True))):
            assert known.counts[y::2] == pytest.approx(counts.ravel(), **close)


def has_decayed(twin):
    return min(d for _, _, d in twin.labels) < 1.0


@pytest.mark.parametrize(
    "stream", [growing_stream, wild_stream, together_stream, turning_stream, words_stream]
)
def test_follows_the_model_computed_from_the_whole_history(stream):
    model, twin = EvidenceClassifier(), FromHistory()
    assert_follows(model, twin, ((x, y, 1.0) for x, y in stream(110, seed=3)))
    assert twin.pairs
    assert has_decayed(twin)


@pytest.mark.parametrize(
    "params",
    [
        {"n_bins": 2},
        {"n_bins": 7, "smoothing": 0.5},
        {"smoothing": 30, "decay": 0.8},
        {"decay": 1},
        {"n_paired": 0},
        {"n_paired": 2},
        {"n_paired": 3, "n_bins": 4},
        {"mixture": False},
    ],
    ids=str,
)
@pytest.mark.parametrize("stream", [wild_stream, turning_stream])
def test_follows_the_model_with_other_settings(params, stream):
    model, twin = EvidenceClassifier(**params), FromHistory(**params)
    assert_follows(model, twin, ((x, y, 1.0) for x, y in stream(90, seed=4)))
    assert bool(twin.pairs) == (params.get("n_paired") != 0 and "mixture" not in params)
    assert has_decayed(twin) == (params.get("decay") != 1 and "mixture" not in params)


@pytest.mark.parametrize("stream", [wild_stream, turning_stream])
@pytest.mark.parametrize("mixture", [True, False])
def test_follows_the_model_with_weights_of_instances(stream, mixture):
    rng = random.Random(0)
    model, twin = EvidenceClassifier(mixture=mixture), FromHistory(mixture=mixture)
    rows = ((x, y, rng.choice([1, 0, 0.25, 2, 3.7])) for x, y in stream(110, seed=5))
    assert_follows(model, twin, rows)
    assert twin.n != len(twin.labels)


def test_follows_the_model_where_all_is_certain():
    rng = random.Random(0)
    rows = []
    for t in range(150):
        sign = rng.choice([1.0, -1.0])
        x = {key: sign * (1.0 + rng.random()) for key in "ab"}
        # Labels that contradict the others, but hardly count.
        rows.append((x, sign > 0, 200.0) if t % 10 else (x, sign < 0, 0.01))
    model, twin = EvidenceClassifier(smoothing=0.1), FromHistory(smoothing=0.1)
    assert_follows(model, twin, rows)
    # Beyond the least curvature of the mixture, and beyond what two features may say apart.
    x, *_ = rows[-1]
    assert abs(model.margin_one(x)) > 9.3
    assert abs(sum(model.evidence_one(x).values())) > 21.0


def test_follows_the_model_while_counts_decay_beyond_the_range_of_a_float():
    # Halved more than 1,074 times, nothing is left of a count, nor of an increment that grows
    # instead and is not rescaled. The twin follows as far as it can in a moment.
    params = {"decay": 0.5, "n_bins": 3}
    model, twin = EvidenceClassifier(**params), FromHistory(**params)
    rows = list(turning_stream(1300, seed=0, every=100, present=1.0))
    assert_follows(model, twin, [(x, y, 1.0) for x, y in rows[:350]])
    n_decayed = sum(d < 1.0 for _, _, d in twin.labels)
    assert n_decayed > 310
    for x, y in rows[350:]:
        assert math.isfinite(model.margin_one(x))
        model.learn_one(x, y)
        n_decayed += lead(model) > 0.0
    assert n_decayed > 1100
    # 1 + 1/2 + 1/4 + ...
    for known in beliefs(model).values():
        assert sum(known.labels) == pytest.approx(2.0)
        assert sum(known.counts) == pytest.approx(2.0)
    for pair in pair_beliefs(model).values():
        assert sum(pair.counts) == pytest.approx(2.0)


FORMS = {"pairs": {}, "mixture": {"n_paired": 0}, "single": {"mixture": False}}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("stream", ["growing", "capricious", "words", "together"])
def test_golden_traces(shared, stream, form):
    trace = json.loads((shared / "golden" / "evidence" / f"{stream}_{form}.json").read_text())
    steps = trace["steps"]
    assert len(steps) == (300 if stream == "together" else 150)
    close = {"rel": 1e-9, "abs": 1e-9}
    model = EvidenceClassifier(**FORMS[form])
    for step in steps:
        x = step["x"]
        assert model.margin_one(x) == pytest.approx(step["margin"], **close)
        if form != "single":
            _, margins, variances, _ = zip(*model._weights.heads(x), strict=True)
            _, _, shares = zip(*model._weights.mixed(x), strict=True)
            assert margins == pytest.approx(step["heads"], **close)
            assert variances == pytest.approx(step["variances"], **close)
            assert shares == pytest.approx(step["shares"], **close)
            assert lead(model) == pytest.approx(step["lead"], **close)
        if form == "pairs":
            pairs = {(a, b): says for a, b, says in step["pairs"]}
            assert model.pair_evidence_one(x) == pytest.approx(pairs, **close)
        model.learn_one(x, step["y"])


values = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 1.0])
instances = st.lists(
    st.tuples(st.dictionaries(st.sampled_from("abcde"), values), st.booleans()), max_size=40
)
settings = st.sampled_from(
    [
        {},
        {"decay": 0.5, "n_bins": 2},
        {"n_paired": 2, "max_pairs": 2, "n_bins": 3},
        {"n_paired": 3, "max_pairs": 4, "B": 0.5},
        {"n_paired": 0, "B": 2},
        {"mixture": False},
    ]
)


def variances(model):
    """All variances of weights, by what they are of."""
    intercepts = model._weights.intercepts
    yield from ((("intercept", h), variance) for h, (_, variance) in enumerate(intercepts))
    for key, known in beliefs(model).items():
        for kind in ("w_variance", "v_variance"):
            yield from (((key, kind, h), s) for h, s in enumerate(getattr(known, kind)))
    yield from ((pair, known.variance) for pair, known in pair_beliefs(model).items())


@given(instances, settings, st.sampled_from([1.0, 0.001, 50.0, 1e6]))
def test_variances_stay_positive_and_below_the_prior(stream, params, weight):
    model = EvidenceClassifier(**params)
    for x, y in stream:
        before = dict(variances(model))
        model.learn_one(x, y, w=weight)
        for name, variance in variances(model):
            assert 0.0 < variance <= 0.1
            # Of the heads, that one does not forget.
            if len(name) == 3 and name[2] == 0:
                assert variance <= before.get(name, 0.1)


@pytest.mark.parametrize("weight", [1e3, 1e6])
def test_a_large_weight_leaves_the_model_able_to_learn(weight):
    model = EvidenceClassifier()
    for t, (x, y) in enumerate(wild_stream(60, seed=0)):
        model.learn_one(x | {"huge": 1e300 * (-1) ** (t // 2)}, y, w=weight)
        assert all(0.0 < variance <= 0.1 for _, variance in variances(model))
        assert all(math.isfinite(known.deviations) for known in beliefs(model).values())


@given(instances, settings)
def test_any_finite_values_give_finite_margins(stream, params):
    model = EvidenceClassifier(**params)
    for x, y in stream:
        assert math.isfinite(model.margin_one(x))
        assert sum(model.predict_proba_one(x).values()) == pytest.approx(1.0)
        assert all(map(math.isfinite, model.evidence_one(x).values()))
        assert all(map(math.isfinite, model.pair_evidence_one(x).values()))
        model.learn_one(x, y)
    weights = [*model.value_weights.values(), *model.evidence_weights.values()]
    assert all(map(math.isfinite, weights))


@given(instances)
def test_counts_add_up_to_the_observations(stream):
    model, known, paired = EvidenceClassifier(decay=1), set(), []
    for x, y in stream:
        model.learn_one(x, y)
        paired.append(({key for key in x if key in known}, y))
        known |= set(x)
    for key, feature in beliefs(model).items():
        own = [y for x, y in stream if key in x]
        assert feature.labels == [len(own) - sum(own), sum(own)]
        assert sum(feature.counts[1::2]) == pytest.approx(sum(own))
        assert sum(feature.counts[::2]) == pytest.approx(len(own) - sum(own))
        assert all(count >= 0.0 for count in feature.counts)
    for (a, b), pair in pair_beliefs(model).items():
        own = [y for keys, y in paired if a in keys and b in keys]
        assert sum(pair.counts[1::2]) == pytest.approx(sum(own))
        assert sum(pair.counts[::2]) == pytest.approx(len(own) - sum(own))
        assert all(count >= 0.0 for count in pair.counts)


@given(instances, st.sampled_from("abcde"))
def test_a_feature_that_is_absent_does_not_change(stream, key):
    model = EvidenceClassifier(decay=0.5)
    for x, y in stream:
        before = beliefs(model).get(key)
        model.learn_one({k: v for k, v in x.items() if k != key}, y)
        assert beliefs(model).get(key) == before
        model.learn_one(x, y)


alike = st.dictionaries(st.sampled_from("abcdefg"), st.sampled_from([1.0, 1.0, 2.0]))


@given(st.lists(st.tuples(alike, st.booleans()), max_size=30), settings, st.randoms())
def test_the_order_of_a_dict_changes_nothing(stream, params, rng):
    # Features of the same values and labels are equally strong, so that the key decides.
    model, twin = EvidenceClassifier(**params), EvidenceClassifier(**params)
    for x, y in stream:
        shuffled = {key: x[key] for key in rng.sample(list(x), len(x))}
        assert model.margin_one(x) == twin.margin_one(shuffled)
        assert model.pair_evidence_one(x) == twin.pair_evidence_one(shuffled)
        assert model.debug_one(x) == twin.debug_one(shuffled)
        model.learn_one(x, y)
        twin.learn_one(shuffled, y)
        *state, seen, pairs = model._weights.__getstate__()
        *state_of_twin, seen_by_twin, pairs_of_twin = twin._weights.__getstate__()
        assert state == state_of_twin
        assert pairs == pairs_of_twin
        assert set(seen or ()) == set(seen_by_twin or ())


@given(instances, settings, st.integers(0, 40))
def test_a_pickle_goes_on_as_if_nothing_happened(stream, params, when):
    model = twin = EvidenceClassifier(**params)
    for t, (x, y) in enumerate(stream):
        if t == when:
            twin = pickle.loads(pickle.dumps(model))
        assert model.margin_one(x) == twin.margin_one(x)
        model.learn_one(x, y)
        if twin is not model:
            twin.learn_one(x, y)
    assert model.debug_one({"a": 1.0, "b": 2.0}) == twin.debug_one({"a": 1.0, "b": 2.0})


@pytest.mark.parametrize("params", [{}, {"mixture": False}, {"B": 2}], ids=str)
def test_an_instance_of_no_weight_changes_nothing(params):
    model = EvidenceClassifier(**params)
    for x, y in growing_stream(60):
        before = model._weights.__getstate__()
        model.learn_one({**x, "new": 3.0}, 0 if y else 1, w=0)
        assert model._weights.__getstate__() == before
        assert type(model.predict_one(x)) is bool
        model.learn_one(x, y, w=1)


def test_wrong_weights_of_instances_are_named_and_change_nothing():
    model = EvidenceClassifier()
    model.learn_one({"a": 1.0}, True)
    before = model._weights.__getstate__()
    for w in (1e7, -1, -1e-9, math.nan, math.inf, "2", None, [1.0]):
        with pytest.raises(ValueError, match=r"^w must be .*got"):
            model.learn_one({"a": 2.0, "b": 1.0}, False, w=w)
        assert model._weights.__getstate__() == before


def test_a_weight_does_about_what_as_many_repetitions_do():
    weighted, repeated, plain = (EvidenceClassifier(mixture=False) for _ in range(3))
    apart = {"repeated": 0.0, "plain": 0.0}
    for t, (x, y) in enumerate(turning_stream(400, seed=1, every=400)):
        if t >= 100:
            margin = weighted.margin_one(x)
            apart["repeated"] += abs(margin - repeated.margin_one(x))
            apart["plain"] += abs(margin - plain.margin_one(x))
        weighted.learn_one(x, y, w=4)
        plain.learn_one(x, y)
        for _ in range(4):
            repeated.learn_one(x, y)
        assert weighted._weights.log_odds == repeated._weights.log_odds
    assert apart["repeated"] < 0.6 * apart["plain"]


@given(values, st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=6))
@example(0.1, [3.0, 3.0])
@example(0.1, [0.1, 0.1])
def test_a_constant_feature_has_no_score_whatever_the_weights_of_instances(value, weights):
    model = EvidenceClassifier()
    for t, w in enumerate(weights):
        model.learn_one({"a": value}, t % 2 == 0, w=w)
        assert model._weights.inputs({"a": value})[0][1] == 0.0


@given(st.lists(st.tuples(values, st.floats(1e-3, 1e3)), min_size=2, max_size=6), values)
def test_scores_stay_in_range_whatever_the_weights_of_instances(observations, value):
    model = EvidenceClassifier()
    for t, (observed, w) in enumerate(observations):
        model.learn_one({"a": observed}, t % 2 == 0, w=w)
        assert beliefs(model)["a"].deviations >= 0.0
        assert -4.0 <= model._weights.inputs({"a": value})[0][1] <= 4.0


def test_weights_of_instances_pass_through_a_pipeline():
    pipeline = compose.Discard("f0") | EvidenceClassifier()
    twin = EvidenceClassifier()
    for t, (x, y) in enumerate(growing_stream(60)):
        pipeline.learn_one(x, y, w=1.0 + t % 3)
        twin.learn_one({key: value for key, value in x.items() if key != "f0"}, y, w=1.0 + t % 3)
    assert pipeline["EvidenceClassifier"]._weights.__getstate__() == twin._weights.__getstate__()


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
    for t in range(2000):
        x = {"a": rng.gauss(5.0, 3.0), "b": rng.gauss(0.0, 1.0)}
        y = abs(x["a"] - 5.0) < 2.0
        if t >= 1000:
            metric.update(y, model.predict_one(x))
        model.learn_one(x, y)
    assert metric.get() > 0.9
    curve = [model.evidence_one({"a": value})["a"] for value in (-1.0, 5.0, 11.0)]
    assert curve[0] < 0.0 < curve[1] > 0.0 > curve[2]


def test_recovers_from_a_concept_that_is_inverted():
    accuracy = {}
    for mixture in (True, False):
        model, metric = EvidenceClassifier(mixture=mixture), metrics.Accuracy()
        for t, (x, y) in enumerate(turning_stream(3000, seed=2, every=1500)):
            if t >= 1500:
                metric.update(y, model.predict_one(x))
            model.learn_one(x, y)
        accuracy[mixture] = metric.get()
    assert accuracy[True] > accuracy[False] + 0.05


def rows_of(table):
    """Name and numbers of each row of a table."""
    rows = {}
    for line in table.splitlines()[1:]:
        *name, value, weight, contribution = line.split()
        rows[" ".join(name)] = tuple(map(float, (value, weight, contribution)))
    return rows


@pytest.mark.parametrize("n_paired", [0, 10])
@pytest.mark.parametrize("stream", [growing_stream, together_stream, words_stream, turning_stream])
def test_explanation_adds_up(stream, n_paired):
    model, twin = EvidenceClassifier(n_paired=n_paired), FromHistory(n_paired=n_paired)
    for x, y in stream(100, seed=1):
        model.learn_one(x, y)
        twin.learn(x, y)
    inputs, *_ = twin.read(x)
    u = twin.mixed(inputs)
    heads, decisive = model.debug_one(x, decimals=9).split("\n\n")
    heads = rows_of(heads)
    assert list(heads) == sorted(heads, key=lambda name: -abs(heads[name][2]))
    assert set(twin.names) < set(heads)
    assert len(heads) == len(u)
    for name, (f, V) in twin.heads(inputs).items():
        assert heads[name][0] == pytest.approx(np.clip(moderated(f, V), -4, 4), abs=1e-6)
        assert heads[name][1] == pytest.approx(model.head_shares[name], abs=1e-6)
    # The margin, before it is brought closer to zero for the uncertainty of the shares.
    total = model.margin_one(x) * math.sqrt(1 + math.pi / 8 * (u @ twin.covariance @ u))
    assert sum(row[2] for row in heads.values()) == pytest.approx(total, abs=1e-6)

    title, table = decisive.split("\n", 1)
    largest = max(twin.names, key=lambda name: abs(heads[name][2]))
    assert title == f"Head {largest}"
    contributions = rows_of(table)
    f, _, own = twin.head(largest, inputs)
    assert len(contributions) == len(own)
    assert sum(row[2] for row in contributions.values()) == pytest.approx(f, abs=1e-6)
    for value, weight, contribution in contributions.values():
        assert contribution == pytest.approx(value * weight, abs=1e-6)


def test_explanation_of_pairs_names_them():
    model = EvidenceClassifier()
    for x, y in together_stream(1500, seed=0):
        model.learn_one(x, y)
    x = {"a": 1.0, "b": 1.0, "noise": 0.0}
    _, decisive = model.debug_one(x).split("\n\n")
    title, table = decisive.split("\n", 1)
    assert title == "Head pairs"
    says, _, _ = rows_of(table)["a, b (together)"]
    assert says == pytest.approx(model.pair_evidence_one(x)["a", "b"], abs=1e-4)
    assert next(iter(rows_of(table))) == "a, b (together)"


def test_explanation_without_a_mixture_is_one_table():
    model, twin = EvidenceClassifier(mixture=False), FromHistory(mixture=False)
    for x, y in growing_stream(100):
        model.learn_one(x, y)
        twin.learn(x, y)
    table = model.debug_one(x, decimals=9)
    assert "\n\n" not in table
    rows = rows_of(table)
    assert len(rows) == 2 * len(x) + 1
    assert rows["Intercept"][2] == pytest.approx(model.intercept, abs=1e-6)
    key = next(iter(x))
    assert rows[f"{key} (value)"][1] == pytest.approx(model.value_weights[key], abs=1e-6)
    assert rows[f"{key} (evidence)"][1] == pytest.approx(model.evidence_weights[key], abs=1e-6)
    f, V, _ = twin.head("both", twin.read(x)[0])
    assert sum(row[2] for row in rows.values()) == pytest.approx(f, abs=1e-6)
    assert model.margin_one(x) == pytest.approx(moderated(f, V))


class Sorted:
    """Truncation by sorting all features each time, with their pairs."""

    def __init__(self, B, max_pairs, **params):
        self.B, self.max_pairs, self.seen = B, max_pairs, set()
        self.model = EvidenceClassifier(**params)

    def learn(self, x, y):
        self.model.learn_one(x, y)
        self.seen |= set(x)
        k = self.B if isinstance(self.B, int) else max(1, int(self.B * len(self.seen)))
        known = beliefs(self.model)
        strength = {key: abs(b.w[0]) + abs(0.2 + b.v[0]) for key, b in known.items()}
        ranked = sorted(strength, key=lambda key: (strength[key], key))
        kept = set(ranked[max(0, len(ranked) - k) :])
        *numbers, features, seen, pairs = self.model._weights.__getstate__()
        features = {key: state for key, state in features.items() if key in kept}
        pairs = [pair for pair in pairs if kept.issuperset(pair[:2])]
        self.model._weights.__setstate__((*numbers, features, seen, pairs[-self.max_pairs :]))


@pytest.mark.parametrize("B", [1, 7, 80, 0.1, 0.5, 0.99])
def test_truncation_keeps_the_strongest_features(B):
    rng = random.Random(0)
    params = {"n_bins": 3, "n_paired": 4, "max_pairs": 50}
    model, twin = EvidenceClassifier(B=B, **params), Sorted(B=B, **params)
    for _ in range(500):
        x = {
            f"f{int(rng.paretovariate(0.5)) % 120}": rng.choice([1.0, rng.gauss(0, 1)])
            for _ in range(6)
        }
        y = sum(hash_free(key) for key in x) + rng.gauss(0, 1) > 0
        assert model.margin_one(x) == twin.model.margin_one(x)
        model.learn_one(x, y)
        twin.learn(x, y)
        assert model.value_weights == twin.model.value_weights
        assert pair_keys(model) == pair_keys(twin.model)
        assert model.n_features_seen == (None if isinstance(B, int) else len(twin.seen))
    assert bool(model.n_pairs) == (B != 1)


def pair_keys(model):
    """The pairs that are known, the one learned from longest ago first."""
    *_, pairs = model._weights.__getstate__()
    return [(a, b) for a, b, _ in pairs]


def hash_free(key):
    """A weight for a name, the same in every process."""
    return math.sin(int(key[1:]))


def test_dropped_features_leave_nothing_behind():
    rng = random.Random(0)
    model = EvidenceClassifier(B=100)
    sizes = []
    for t in range(8000):
        x = {rng.randrange(1_000_000): 1.0 for _ in range(5)}
        model.learn_one(x, rng.random() < 0.5)
        if t % 2000 == 1999:
            sizes.append(len(pickle.dumps(model)))
    assert len(model.value_weights) == 100
    assert max(sizes) < 150_000


def test_all_features_are_kept_by_default():
    model, seen = EvidenceClassifier(), set()
    for x, y in growing_stream():
        model.learn_one(x, y)
        seen |= set(x)
    assert set(model.value_weights) == set(model.evidence_weights) == seen
    assert model.n_features_seen == len(seen)


def rare_stream(n, seed):
    """One label in twenty is positive, by a noisy rule."""
    rng = random.Random(seed)
    for _ in range(n):
        x = {key: rng.gauss(0.0, 1.0) for key in "abc"}
        yield x, x["a"] + x["b"] + rng.gauss(0.0, 1.0) > 2.85


def test_a_balanced_decision_is_made_at_the_log_odds_of_all_labels():
    models = {
        decision: EvidenceClassifier(decision=decision) for decision in ("accuracy", "balanced")
    }
    twin, differ = FromHistory(), 0
    for x, y in rare_stream(150, seed=0):
        margin = models["balanced"].margin_one(x)
        threshold = twin.log_odds()
        assert models["accuracy"].threshold == 0.0
        assert models["balanced"].threshold == pytest.approx(threshold, rel=1e-9)
        proba = models["balanced"].predict_proba_one(x)
        assert proba == models["accuracy"].predict_proba_one(x)
        assert models["accuracy"].predict_one(x) == (margin > 0)
        assert models["balanced"].predict_one(x) == (margin > threshold)
        differ += (margin > 0) != (margin > threshold)
        for model in models.values():
            model.learn_one(x, y)
        twin.learn(x, y)
    assert has_decayed(twin)
    assert differ > 10
    assert models["balanced"].label_at(models["balanced"].threshold) is False


def test_samplers_measure_the_distance_to_the_threshold():
    for decision in ("accuracy", "balanced"):
        model = EvidenceClassifier(decision=decision)
        for x, y in rare_stream(300, seed=0):
            model.learn_one(x, y)
        threshold = model._weights.log_odds if decision == "balanced" else 0.0
        assert abs(model._weights.log_odds) > 1.0
        rows = [x for x, _ in rare_stream(50, seed=1)]
        samplers = [MarginSampler(model, rho=0.3, seed=1) for _ in range(2)]
        pipeline = MarginSampler(compose.Discard("nothing") | model)
        for x in rows:
            distance = abs(model.margin_one(x) - threshold)
            for sampler in (*samplers, pipeline):
                assert sampler.confidence_one(x) == distance
            assert samplers[0].query_probability_one(x) == 0.3 / (0.3 + distance)
            label, asked = samplers[0].predict_one(x)
            assert label == model.predict_one(x)
            assert samplers[1].predict_proba_one(x) == (model.predict_proba_one(x), asked)


def test_a_balanced_decision_recognises_both_labels_where_one_is_rare():
    scores = {}
    for decision in ("accuracy", "balanced"):
        model = EvidenceClassifier(decision=decision)
        metric = metrics.BalancedAccuracy()
        rows = rare_stream(2000, seed=3)
        scores[decision] = evaluate.progressive_val_score(rows, model, metric).get()
    assert 0.03 < sum(y for _, y in rare_stream(2000, seed=3)) / 2000 < 0.07
    assert scores["balanced"] > scores["accuracy"] + 0.1


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n_bins", [1, 0, -3, 2.0, "10", None, True, 2**60]),
        ("smoothing", [0, 1e-320, -1.0, 1e306, math.inf, math.nan, "1", None]),
        ("decay", [0.49, 0, -0.1, 1.1, math.nan, math.inf, "1", None, True]),
        ("n_paired", [-1, 2.0, 2**60, math.nan, "10", None, True]),
        ("max_pairs", [0, -1, 1e3, 2**60, math.nan, "10", None, True]),
        ("mixture", [1, 0, None, "yes"]),
        ("B", [0, -3, 0.0, 1.1, math.nan, "1", None, True]),
        ("decision", ["fair", "", None, True, 0]),
    ],
)
def test_wrong_parameters_are_named(name, values):
    for value in values:
        with pytest.raises(ValueError, match=f"^{name} must be .*got"):
            EvidenceClassifier(**{name: value})


def test_forgetting_is_no_parameter():
    with pytest.raises(TypeError, match="forgetting"):
        EvidenceClassifier(forgetting=0.01)


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
