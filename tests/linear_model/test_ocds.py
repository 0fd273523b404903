from __future__ import annotations

import csv
import itertools
import json
import math
import pickle
import random
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import preprocessing

from river_trapezoid import stream
from river_trapezoid.linear_model import OCDSClassifier
from river_trapezoid.linear_model.feature_graph import FeatureGraph, product
from tests.interrupts import interrupted

NAMES = {"cap": "step_cap", "lap": "laplacian", "T": "horizon", "variant": "prediction"}
VALUES = {"norm": "normalised", "abs": "absolute", "o": "observed", "r": "reconstructed"}


@pytest.mark.parametrize(
    "setting",
    [
        "default", "cap", "lapnorm", "lapabs", "capnorm", "o", "r", "max4", "signedG", "T30",
        "beta0", "gamma05", "nosleep",
    ],
)  # fmt: skip
def test_golden_traces(shared, setting):
    trace = json.loads((shared / "golden" / "ocds" / f"ocds_{setting}.json").read_text())
    params = {NAMES.get(k, k): VALUES.get(v, v) for k, v in trace["params"].items()}
    model = OCDSClassifier(
        **{"graph": trace["G0"], "step_cap": False, "learn_intercept": False, **params}
    )
    assert len(trace["steps"]) == 30
    for step in trace["steps"]:
        assert model.observed_share == pytest.approx(step["p_used"], rel=1e-9, abs=1e-9)
        assert model.margin_one(step["x"]) == pytest.approx(step["y_hat"], rel=1e-9, abs=1e-9)
        model.learn_one(step["x"], step["y"])
        assert model.observed_share == pytest.approx(step["p"], rel=1e-9, abs=1e-9)
        assert model._observed_loss == pytest.approx(step["L_obs"], rel=1e-9)
        assert model._reconstructed_loss == pytest.approx(step["L_rec"], rel=1e-9)
        assert list(model.weights) == step["universe"]
        assert model.weights == pytest.approx(step["w"], rel=1e-9, abs=1e-9)
        for source, row in model.edges.items():
            assert row == pytest.approx(step["G"][source], rel=1e-9, abs=1e-9)


def _instances(n=150, seed=0, d=12):
    rng = random.Random(seed)
    for _ in range(n):
        x = {f"f{i:02}": rng.gauss(0, 1) for i in rng.sample(range(d), rng.randint(0, d))}
        yield x, sum(x.values()) > 0


class Twin:
    """The equations, feature by feature, with dicts for vectors."""

    def __init__(self, edge, alpha, beta1, beta2, max_features, intercept):
        self.edge, self.alpha, self.beta1, self.beta2 = edge, alpha, beta1, beta2
        self.max_features, self.intercept = max_features, intercept
        self.w, self.G, self.b, self.t = {}, {}, 0.0, 0

    def learn(self, x, y):
        w, G, a = self.w, self.G, self.alpha
        for k in sorted(x):
            w.setdefault(k, 0.0)
        for i, j in itertools.product(w, w):
            G.setdefault((i, j), self.edge(i, j))
        self.t += 1
        d = max(1, len(x))
        psi = {j: sum(G[i, j] * x[i] for i in x) / d for j in w}
        r = y - sum(w[j] * psi[j] for j in w) - self.b
        norm = {
            name: sum(u * u for u in v.values()) for name, v in (("x", x), ("p", psi), ("w", w))
        }
        curvature = norm["p"] + norm["x"] * (norm["w"] + a) / d**2 + self.intercept
        tau = min(self.t**-0.5, 1 / (1e-12 + 2 * curvature))
        lap = {i: sum((G[i, j] + G[j, i]) * (w[i] - w[j]) for j in w) for i in w}
        moved = {
            i: w[i] - tau * (-2 * r * psi[i] + self.beta1 * np.sign(w[i]) + self.beta2 * lap[i])
            for i in w
        }
        for i, j in itertools.product(x, w):
            error = x[j] - psi[j] if j in x else 0.0
            G[i, j] += 2 * tau / d * x[i] * (r * w[j] + a * error)
        if self.intercept:
            self.b += 2 * tau * r
        order = sorted(moved, key=lambda k: abs(moved[k]))
        gone = set(order[: max(0, len(order) - self.max_features)])
        self.w = {k: v for k, v in moved.items() if k not in gone}
        self.G = {(i, j): v for (i, j), v in G.items() if i not in gone and j not in gone}


def _edge(source, target):
    return 1.0 * (source == target) + 0.1 * math.sin(sum(map(ord, source + 2 * target)))


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("max_features", [5, 150])
@pytest.mark.parametrize("graph", ["identity", _edge])
def test_agrees_with_the_equations_feature_by_feature(graph, max_features, intercept):
    edge = (lambda i, j: float(i == j)) if graph == "identity" else graph
    twin = Twin(edge, 0.3, 0.01, 0.02, max_features, intercept)
    model = OCDSClassifier(
        alpha=0.3, beta1=0.01, beta2=0.02, graph=graph, max_features=max_features,
        learn_intercept=intercept,
    )  # fmt: skip
    for x, y in _instances():
        twin.learn(x, 1 if y else -1)
        model.learn_one(x, y)
        assert model.weights == pytest.approx(twin.w, rel=1e-9, abs=1e-9)
        assert model.intercept == pytest.approx(twin.b, rel=1e-9, abs=1e-9)
    assert {(i, j): v for i, row in model.edges.items() for j, v in row.items()} == pytest.approx(
        twin.G, rel=1e-9, abs=1e-9
    )


@pytest.mark.parametrize("prediction", ["mixture", "observed", "reconstructed", "universal"])
def test_contributions_add_up_to_the_margin(prediction):
    model = OCDSClassifier(prediction=prediction, learn_intercept=True)
    for x, y in _instances():
        terms = [value * weight for _, value, weight in model._terms(x)]
        assert model.margin_one(x) == pytest.approx(sum(terms) + model.intercept, abs=1e-12)
        model.learn_one(x, y)


def test_label_and_probabilities_agree_at_a_margin_of_zero():
    fresh, learned = OCDSClassifier(), OCDSClassifier(learn_intercept=False)
    learned.learn_one({"a": 1.0}, 1)
    for model, x in ((fresh, {"a": 1.0}), (fresh, {}), (learned, {}), (learned, {"b": 1.0})):
        assert model.margin_one(x) == 0.0
        proba = model.predict_proba_one(x)
        assert model.predict_one(x) == max(proba, key=proba.get) == 0


def test_random_edges_depend_on_their_features_and_the_seed_only():
    one, other, third = (OCDSClassifier(graph="random", seed=seed) for seed in (1, 1, 2))
    keys = [f"f{i}" for i in range(30)]
    for key in keys:
        one.learn_one({key: 0.0}, True)
    other.learn_one(dict.fromkeys(reversed(keys), 0.0), True)
    third.learn_one(dict.fromkeys(keys, 0.0), True)
    assert one.edges == other.edges
    values = [v for row in one.edges.values() for v in row.values()]
    assert len(set(values)) == 900
    assert 0.0 <= min(values) < 0.01 < 0.99 < max(values) < 1.0
    assert sum(values) / 900 == pytest.approx(0.5, abs=0.04)
    assert not set(values) & {v for row in third.edges.values() for v in row.values()}


def _psi(model, x):
    values, _, new = model._graph.read(x)
    return model._graph.reconstruction(x, values, new)


@pytest.mark.parametrize("graph", ["random", _edge])
def test_prediction_counts_new_features_as_learning_does(graph):
    model = OCDSClassifier(graph=graph, seed=3, prediction="universal", alpha=0.0, beta1=0.0)
    for x, y in _instances():
        model.learn_one(x, y)
    x = {"f01": 0.5, "new": 2.0, "newer": -1.0}
    known = list(model._graph.slots.values())
    before, psi = model.margin_one(x), _psi(model, x)[known]
    model._graph.add(["new", "newer"])
    assert model.margin_one(x) == pytest.approx(before, rel=1e-12)
    assert _psi(model, x)[known] == pytest.approx(psi, rel=1e-12)


@given(
    st.lists(st.dictionaries(st.integers(0, 40), st.floats(-2, 2), max_size=12), max_size=25),
    st.integers(1, 8),
)
def test_slots_of_forgotten_features_are_empty_and_used_again(rows, max_features):
    model = OCDSClassifier(max_features=max_features)
    for t, x in enumerate(rows):
        model.learn_one(x, t % 2)
        graph = model._graph
        live = sorted(graph.slots.values())
        assert len(set(live)) == len(live) <= max_features
        unused = np.setdiff1d(np.arange(len(graph.weights)), live)
        assert not graph.weights[unused].any()
        assert not graph.edges[unused].any()
        assert not graph.edges[:, unused].any()
    assert len(model._graph.weights) <= 64 + 4 * max_features


def test_an_instance_with_very_many_features_leaves_no_room_behind():
    model = OCDSClassifier(max_features=10)
    model.learn_one({i: float(i) for i in range(1500)}, True)
    assert len(model.weights) == 10
    assert model._raw_memory_usage < 50_000
    model.learn_one({1499: 1.0, "new": 1.0}, False)
    assert len(model.weights) == 10


@pytest.mark.parametrize("graph", ["identity", "random"])
def test_an_instance_with_very_many_features_takes_little_memory(graph):
    model = OCDSClassifier(graph=graph, seed=1)
    for x, y in _instances(20):
        model.learn_one(x, y)
    wide = {f"w{i}": math.sin(i) for i in range(20_000)}
    tracemalloc.start()
    model.predict_one(wide)
    model.learn_one(wide, True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # All edges would take 3.2 GB.
    assert peak < 2e8
    assert len(model.weights) == 150


def test_of_very_many_features_those_that_can_be_kept_are_looked_at():
    rng = random.Random(0)
    wide = {f"w{i:04}": rng.choice([rng.gauss(0, 1), 1.0, 2.0]) for i in range(2500)}
    bounded, model = (OCDSClassifier(max_features=n, learn_intercept=False) for n in (600, None))
    for x, y in _instances(20):
        bounded.learn_one(x, y)
        model.learn_one(x, y)
    assert bounded.margin_one(wide) == model.margin_one(wide)
    bounded.learn_one(wide, True)
    model.learn_one(wide, True)
    weights = model.weights
    order = sorted(weights, key=lambda key: abs(weights[key]))[-600:]
    kept = {key: weights[key] for key in weights if key in set(order)}
    # The cap on the step is another one, as it goes by the features that are looked at.
    ratio = sum(kept.values()) / sum(bounded.weights.values())
    assert list(bounded.weights) == list(kept)
    assert ratio == pytest.approx(1.0, abs=0.01)


def test_edges_that_do_not_fit_into_memory_name_the_parameter():
    graph = FeatureGraph()
    graph.add(["a"])
    with pytest.raises(MemoryError, match=r"features take .* GB; set max_features"):
        graph._grow(10**9)
    assert len(graph.weights) == 8


@pytest.mark.parametrize("n", [1, 60, 89, 90, 150, 300])
def test_products_by_blocks_are_those_of_the_whole(n):
    rng = np.random.default_rng(n)
    graph = FeatureGraph()
    graph.add(list(range(n)))
    graph.edges[:] = rng.normal(size=graph.edges.shape)
    u, v = rng.normal(size=(2, len(graph.weights)))
    assert product(u, graph.edges) == pytest.approx(u @ graph.edges, abs=1e-12)
    assert product(u, graph.edges.T) == pytest.approx(graph.edges @ u, abs=1e-12)
    expected = graph.edges + np.outer(u, v)
    graph.add_product(u, v, growth=20.0, limit=1e9)
    assert graph.edges == pytest.approx(expected, abs=1e-12)


def test_edges_within_the_limit_are_not_refused_for_a_rough_bound():
    graph = FeatureGraph()
    graph.add(["a"])
    one = np.eye(len(graph.weights))[0]
    graph.add_product(one, one, growth=1e9, limit=10.0)
    assert graph.largest == graph.edges[0, 0] == 2.0
    with pytest.raises(OverflowError):
        graph.add_product(one, 9.0 * one, growth=9.0, limit=10.0)
    assert graph.largest == graph.edges[0, 0] == 2.0


@pytest.mark.parametrize("graph", ["identity", "random", _edge])
def test_no_edge_is_larger_than_known(graph):
    model = OCDSClassifier(graph=graph, seed=1, max_features=6, alpha=1.0)
    for x, y in _instances():
        model.learn_one(x, y)
        assert np.abs(model._graph.edges).max() <= model._graph.largest


def test_a_model_in_memory_that_cannot_be_written_learns_on_a_copy():
    model = OCDSClassifier()
    model.learn_one({"a": 1.0, "b": 1.0}, True)
    twin, edges = pickle.loads(pickle.dumps(model)), model._graph.edges
    edges.flags.writeable = False
    before = edges.copy()
    for each in (model, twin):
        each.learn_one({"a": 1.0, "b": -1.0}, True)
    assert (edges == before).all()
    assert model.edges == twin.edges


def test_a_step_out_of_range_names_the_feature_and_changes_nothing():
    model = OCDSClassifier(step_cap=False, max_features=None)
    for x, y in _instances(d=8):
        model.learn_one(x, y)
    before = pickle.dumps(model)
    for n in (1, 100):
        with pytest.raises(OverflowError, match=r"'f01' = -1e\+200; .*step_cap"):
            model.learn_one({**dict.fromkeys(range(n), 1e100), "f01": -1e200}, True)
        assert pickle.dumps(model) == before
    capped = OCDSClassifier(beta1=1e300)
    capped.learn_one({"f01": 1.0, "f02": 1.0}, True)
    with pytest.raises(OverflowError, match=r"'f01' = 3\.0; scale the features first$"):
        capped.learn_one({"f01": 3.0, "f02": 2.0}, True)


def test_a_step_out_of_range_without_features_is_told():
    model = OCDSClassifier(beta2=1e300, graph=lambda i, j: 0.5)
    model.learn_one({"a": 1.0, "b": 0.0}, True)
    with pytest.raises(OverflowError, match="leave their range; scale"):
        model.learn_one({}, True)


@pytest.mark.parametrize("learn_intercept", [False, True])
@pytest.mark.parametrize("graph", ["identity", "random"])
def test_an_interrupted_step_is_whole_or_nothing(graph, learn_intercept):
    model = OCDSClassifier(
        graph=graph, seed=1, max_features=8, gamma=0.7, learn_intercept=learn_intercept
    )
    for x, y in _instances(20):
        model.learn_one(x, y)
    x = {"f00": 1.0, "f01": -1.0, "new": 2.0, "newer": 0.1}
    modules = ("river_trapezoid.linear_model.ocds", "river_trapezoid.linear_model.feature_graph")
    before = pickle.dumps(pickle.loads(pickle.dumps(model)))
    states = [pickle.dumps(twin) for twin in interrupted(model, _learn(x), modules)]
    assert len(states) > 500
    assert set(states) == {before, states[-1]}
    assert states[-1] != before


def _learn(x):
    return lambda model: model.learn_one(x, True)


@pytest.mark.parametrize("graph", ["identity", "random", _edge])
def test_estimates_are_finite_whatever_the_values(graph):
    model = OCDSClassifier(graph=graph, seed=1, alpha=1.0)
    for x, y in _instances():
        model.learn_one(x, y)
    for x in ({"f00": 1.7e308, "f01": 1.7e308}, {"f00": 1.7e308, "f01": -1.7e308, "new": 1.7e308}):
        universal = model.reconstruct_one(x)
        assert all(map(math.isfinite, universal.values()))
        smaller = model.reconstruct_one({key: value / 1e10 for key, value in x.items()})
        assert universal == pytest.approx({key: 1e10 * v for key, v in smaller.items()}, rel=1e-9)
        assert "nan" not in model.debug_one(x)


def test_reconstruction_keeps_what_is_observed_and_estimates_the_rest():
    rng = random.Random(0)
    model = OCDSClassifier(alpha=1.0)
    error = nothing = 0.0
    for t in range(2000):
        cause = rng.gauss(0, 1)
        x = {f"f{i}": cause + rng.gauss(0, 0.3) for i in range(6)}
        shown = {key: x[key] for key in rng.sample(sorted(x), 4)}
        if t > 1000:
            before = pickle.dumps(model)
            universal = model.reconstruct_one(shown)
            assert model.reconstruct_one({**shown, "new": 7.0, "f9": None}).keys() == {*x, "new"}
            assert pickle.dumps(model) == before
            assert universal.keys() == x.keys()
            assert universal.items() >= shown.items()
            error += sum((universal[key] - x[key]) ** 2 for key in x)
            nothing += sum(x[key] ** 2 for key in x.keys() - shown.keys())
        model.learn_one(shown, cause > 0)
    assert error < nothing


def _ionosphere(shared):
    with (shared / "data" / "ionosphere" / "ionosphere.data").open() as file:
        rows = [({f"f{i:02}": float(v) for i, v in enumerate(row[:-1])}, row[-1] == "g")
                for row in csv.reader(file)]  # fmt: skip
    random.Random(0).shuffle(rows)
    return rows


def _german(shared):
    rows = np.loadtxt(shared / "data" / "german" / "german.data-numeric")
    return [({f"f{i:02}": v for i, v in enumerate(r[:-1])}, r[-1] == 1) for r in rows.tolist()]


@pytest.mark.parametrize("load", [_ionosphere, _german])
def test_nothing_diverges_scaled_or_not(shared, load):
    data = load(shared)[:250]
    streams = [stream.Capricious(data, seed=1), stream.Evolvable(data), stream.Trapezoidal(data)]
    grid = itertools.product(streams, [1e-5, 1.0], [1e-5, 1.0], [1e-5, 1.0], [False, True])
    for instances, alpha, beta1, beta2, scaled in grid:
        model = OCDSClassifier(alpha=alpha, beta1=beta1, beta2=beta2)
        scaler = preprocessing.StandardScaler()
        for x, y in instances:
            if scaled:
                scaler.learn_one(x)
                x = scaler.transform_one(x)
            assert math.isfinite(model.margin_one(x))
            model.learn_one(x, y)
        assert np.isfinite(model._graph.edges).all()
        assert max(map(abs, model.weights.values())) < 1e6


def test_the_printed_step_diverges_where_the_capped_one_does_not(shared):
    model = OCDSClassifier(step_cap=False)

    def learn_all():
        for x, y in _german(shared):
            model.learn_one(x, y)

    with pytest.raises(OverflowError, match="scale the features"):
        learn_all()


def test_given_edges_that_are_missing_are_zero():
    model = OCDSClassifier(graph={"a": {"b": 0.5}})
    model.learn_one({"a": 0.0, "b": 0.0}, True)
    assert model.edges == {"a": {"a": 0.0, "b": 0.5}, "b": {"a": 0.0, "b": 0.0}}


def test_given_edges_that_are_no_numbers_are_refused():
    model = OCDSClassifier(graph=lambda i, j: math.nan if j == "c" else 0.5)
    model.learn_one({"a": 1.0, "b": 1.0}, True)
    before = {**model.weights}, model.edges, len(model._graph.weights)
    with pytest.raises(ValueError, match=r"nan for the edge '\w' -> 'c'"):
        model.learn_one({"a": 1.0, "c": 1.0}, True)
    assert ({**model.weights}, model.edges, len(model._graph.weights)) == before


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("alpha", [-1, math.nan, "1", None]),
        ("beta1", [-1, math.inf, None]),
        ("beta2", [-1, math.inf, None]),
        ("gamma", [0, 1.1, None]),
        ("max_features", [0, 1.5, "1"]),
        ("prediction", ["o", None]),
        ("graph", ["zeros", None, 1]),
        ("laplacian", ["raw", None]),
        ("step_cap", [1, None]),
        ("learn_intercept", [1, None]),
        ("sleep", [0, None]),
        ("horizon", [1, 2.5]),
        ("seed", [1.5, "1"]),
    ],
)
def test_wrong_parameters_are_named(name, values):
    for value in values:
        with pytest.raises(ValueError, match=f"^{name} must be .*got"):
            OCDSClassifier(**{name: value})
