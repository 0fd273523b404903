from __future__ import annotations

import itertools
import json
import math
import pickle
import random
import tracemalloc

import numpy as np
import pytest
from river import linear_model, optim

from river_trapezoid import stream
from river_trapezoid.linear_model import FESLClassifier
from tests.interrupts import interrupted


@pytest.mark.parametrize(("mode", "scores"), [("combine", "fesl_c"), ("select", "fesl_s")])
def test_golden_trace(shared, mode, scores):
    trace = json.loads((shared / "golden" / "fesl" / "fesl_tie.json").read_text())
    horizon = len(trace["X"]) - trace["T1"]
    model = FESLClassifier(mode=mode, horizon=horizon, learn_intercept=False)
    for t, (x, y) in enumerate(zip(trace["X"], trace["y"], strict=True)):
        assert model.margin_one(x) == pytest.approx(trace[scores][t], rel=1e-9, abs=1e-9)
        if t > trace["T1"]:
            experts = model._space.experts @ model._space.values(x)
            expected = [trace["f1"][t], trace["f2"][t]]
            assert experts == pytest.approx(expected, rel=1e-9, abs=1e-9)
        model.learn_one(x, y)
    assert model.n_evolutions == 2


def test_oco_is_a_setting_of_rivers_logistic_regression(shared):
    steps = json.loads((shared / "golden" / "ocds" / "ocds_default.json").read_text())["steps"]
    scores = json.loads((shared / "golden" / "fesl" / "oco.json").read_text())["scores"]
    sgd = optim.SGD(optim.schedulers.InverseScaling(1 / math.log(2)))
    oco = linear_model.LogisticRegression(sgd, intercept_lr=0)
    ours = FESLClassifier(max_overlap=None, learn_intercept=False)
    everything = dict.fromkeys("abcdef", 0.0)
    for step, score in zip(steps, scores, strict=True):
        p = oco.predict_proba_one(step["x"])
        assert math.log(p[True] / p[False]) == pytest.approx(score, rel=1e-9, abs=1e-9)
        # With one space from the start, FESL is nothing else.
        x = {**everything, **step["x"]}
        assert ours.margin_one(x) == pytest.approx(score, rel=1e-9, abs=1e-9)
        oco.learn_one(step["x"], step["y"] > 0)
        ours.learn_one(x, step["y"])
    assert ours.intercept == 0.0


def _periods(sizes=(4, 3, 5), length=60, overlap=10, seed=0):
    """Instances of several spaces, each a linear map of the same two hidden causes."""
    rng = np.random.default_rng(seed)
    maps = [rng.normal(size=(2, size)) for size in sizes]
    for p in range(len(sizes)):
        for t in range(length):
            cause = rng.normal(size=2)
            shown = [p, p + 1] if t >= length - overlap and p + 1 < len(sizes) else [p]
            yield (
                {
                    (q, i): float(v) + 0.1 * rng.normal()
                    for q in shown
                    for i, v in enumerate(cause @ maps[q])
                },
                1 if cause[0] > 0 else -1,
            )


class Twin:
    """FESL-c as it is told, with the overlap stored, both weight vectors and the map.

    The intercept is the weight of a last feature that is always 1, or 0 where there is none.
    """

    def __init__(self, intercept):
        self.constant = float(intercept)
        self.space, self.joined, self.rows = (), (), []
        self.w1, self.w2, self.M = np.zeros(1), None, None
        self.k, self.L1, self.L2 = 0, 0.0, 0.0

    def vector(self, x, keys):
        return np.array([x.get(key, 0.0) for key in keys])

    def weights(self):
        if self.w2 is None:
            return self.w1
        eta = math.sqrt(8 * math.log(2) / (self.k + 1))
        share = 1 / (1 + math.exp(eta * (self.L1 - self.L2)))
        return share * self.M @ self.w1 + (1 - share) * self.w2

    def evolve(self, x):
        w1 = self.weights()
        if self.space:
            new = np.array([self.vector(row, self.joined) for row in self.rows])
            old = np.array([self.vector(row, self.space) for row in self.rows])
            self.M = np.pad(np.linalg.lstsq(new, old, rcond=None)[0], (0, 1))
            self.M[-1, -1] = 1.0
            self.space, self.w1 = self.joined, w1
            self.w2 = np.append(np.zeros(len(self.joined)), w1[-1])
        else:
            self.space = tuple(sorted(x))
            self.M, self.w1 = np.eye(len(x) + 1), np.zeros(len(x) + 1)
        self.k, self.L1, self.L2, self.rows = 0, 0.0, 0.0, []

    def score_and_learn(self, x, y):
        if not set(x) & set(self.space):
            self.evolve(x)
        joined = tuple(sorted(set(x) - set(self.space)))
        if joined:
            self.joined = joined
            self.rows.append(x)
        z = np.append(self.vector(x, self.space), self.constant)
        score = self.weights() @ z
        self.k += 1
        scores = {"1": self.w1 @ self.M.T @ z, "2": 0.0 if self.w2 is None else self.w2 @ z}
        losses = {k: math.log1p(math.exp(-y * f)) / math.log(2) for k, f in scores.items()}
        steps = {k: y / (1 + math.exp(y * f)) / math.log(2) / math.sqrt(self.k)
                 for k, f in scores.items()}  # fmt: skip
        self.w1 = self.w1 + steps["1"] * self.M.T @ z
        if self.w2 is not None:
            self.w2 = self.w2 + steps["2"] * z
            self.L1 += losses["1"]
            self.L2 += losses["2"]
        return score


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("overlap", [2, 3, 20, 55])
def test_agrees_with_the_algorithm_told_step_by_step_through_several_evolutions(overlap, intercept):
    model, twin = FESLClassifier(learn_intercept=intercept), Twin(intercept)
    for x, y in _periods(sizes=(4, 3, 5, 2), overlap=overlap):
        margin = model.margin_one(x)
        assert margin == pytest.approx(twin.score_and_learn(x, y), rel=1e-6, abs=1e-6)
        model.learn_one(x, y)
    assert model.n_evolutions == 4


@pytest.mark.parametrize("mode", ["combine", "select"])
def test_the_overlap_helps(mode):
    right = {}
    for overlap in (0, 10):
        right[overlap] = 0
        for seed in range(20):
            model = FESLClassifier(mode=mode)
            for t, (x, y) in enumerate(_periods(sizes=(4, 4), overlap=overlap, seed=seed)):
                if 62 <= t < 80:
                    right[overlap] += model.predict_one(x) == y
                model.learn_one(x, y)
    assert right[10] > right[0]


@pytest.mark.parametrize("mode", ["combine", "select"])
def test_the_old_expert_gives_the_first_answer_in_a_new_space(mode):
    right = 0
    for seed in range(100):
        model = FESLClassifier(mode=mode)
        for t, (x, y) in enumerate(_periods(sizes=(4, 4), seed=seed)):
            if t == 60:
                right += model.predict_one(x) == y
            model.learn_one(x, y)
    assert right > 85


def test_without_an_overlap_learning_starts_anew_but_for_the_intercept():
    model = FESLClassifier()
    for x, y in _periods(sizes=(4,)):
        model.learn_one(x, y)
    assert model.intercept != 0.0
    fresh = FESLClassifier()
    fresh._space.intercepts[:] = fresh.intercept = model.intercept
    for x, y in _periods(sizes=(3,), seed=1):
        x = {("other", key): value for key, value in x.items()}
        assert model.margin_one(x) == fresh.margin_one(x)
        model.learn_one(x, y)
        fresh.learn_one(x, y)


def test_both_experts_go_on_from_the_intercept():
    model = FESLClassifier()
    for _ in range(20):
        model.learn_one({"a": 0.0}, True)
    model.learn_one({"a": 0.0, "b": 0.0}, True)
    before = model.intercept
    assert before > 1.0
    assert model.margin_one({"b": 0.0}) == before
    model.learn_one({"b": 0.0}, True)
    first, second = model._space.intercepts
    assert first == second == model.intercept > before


@pytest.mark.parametrize("mode", ["combine", "select"])
def test_an_intercept_helps_where_labels_are_uneven(mode):
    right = {}
    for intercept in (False, True):
        model = FESLClassifier(mode=mode, learn_intercept=intercept)
        rng = random.Random(0)
        right[intercept] = 0
        for t in range(400):
            x = {key: rng.gauss(0, 1) for key in ("abcd" if 190 <= t < 200 else "ab" if t < 200
                                                  else "cd")}  # fmt: skip
            y = rng.random() < 0.8
            right[intercept] += model.predict_one(x) == y
            model.learn_one(x, y)
    assert right[True] > 300 > right[False]


def test_missing_values_are_no_evolution():
    rng = random.Random(0)
    model = FESLClassifier()
    model.learn_one({"a": 1.0, "b": 1.0, "c": 1.0}, True)
    for _ in range(100):
        x = {key: rng.gauss(0, 1) for key in rng.sample("abc", rng.randint(0, 3))}
        model.learn_one(x, rng.random() < 0.5)
    assert model.n_evolutions == 1


def test_new_features_wait_for_the_old_to_go_or_to_stay():
    model = FESLClassifier(max_overlap=5, learn_intercept=False)
    model.learn_one({"a": 1.0}, True)
    for _ in range(5):
        assert model.weights.keys() == {"a"}
        margin = model.margin_one({"a": 1.0})
        assert model.margin_one({"a": 1.0, "b": 9.0}) == margin
        model.learn_one({"a": 1.0, "b": 1.0}, True)
    assert model.weights.keys() == {"a", "b"}
    # Both experts start even, the new one from nothing.
    a = model._space.experts[0][0]
    assert model.margin_one({"a": 1.0, "b": 9.0}) == pytest.approx(a / 2)
    model.learn_one({"a": 1.0, "b": 1.0}, True)
    old, new = model._space.experts
    assert old[0] > a
    assert old[1] == 0.0
    assert new[0] == new[1] > 0.0


def test_memory_does_not_grow_with_the_overlap():
    model = FESLClassifier(max_overlap=None)
    sizes = []
    for t in range(600):
        x = {key: math.sin(t * (i + 1)) for i, key in enumerate("abcdef"[: 3 if t < 10 else 6])}
        model.learn_one(x, t % 3 == 0)
        sizes.append(model._raw_memory_usage)
    assert max(sizes[100:]) <= max(sizes[:100])


def test_wide_instances_take_memory_and_time_of_their_own_order():
    old = {f"a{i}": math.sin(i) for i in range(10_000)}
    new = {f"b{i}": math.cos(i) for i in range(10_000)}
    model = FESLClassifier()
    tracemalloc.start()
    model.learn_one(old, True)
    for _ in range(5):
        model.learn_one({**old, **new}, True)
    _, peak = tracemalloc.get_traced_memory()
    # The products of all pairs would take 800 MB.
    assert peak < 1e8
    assert model.predict_one(new) is True
    model.learn_one(new, True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1e8
    assert model.n_evolutions == 2


def test_the_map_is_fitted_once_for_all_predictions(monkeypatch):
    model = FESLClassifier()
    for x, y in _periods(sizes=(4, 3)):
        if all(q == 1 for q, _ in x):
            break
        model.learn_one(x, y)
    before = pickle.dumps(model)
    calls = []
    svd = np.linalg.svd
    monkeypatch.setattr(np.linalg, "svd", lambda *args, **kw: calls.append(1) or svd(*args, **kw))
    margins = {model.margin_one(x) for _ in range(5)}
    assert len(margins) == len(calls) == 1
    assert model.margin_one({(1, 2): 1.0, "unheard of": 2.0}) != model.intercept
    assert len(calls) == 1
    assert pickle.dumps(model) == before
    assert {pickle.loads(before).margin_one(x)} == margins


def test_joining_features_that_are_zero_say_nothing():
    model = FESLClassifier()
    for t in range(5):
        model.learn_one({"a": 1.0, **({"b": 0.0, "c": 0.0} if t > 2 else {})}, True)
    assert model.margin_one({"b": 1.0}) == model.intercept
    model.learn_one({"b": 1.0}, True)
    assert model.n_evolutions == 2


@pytest.mark.parametrize("learn_intercept", [False, True])
@pytest.mark.parametrize("max_overlap", [11, None])
def test_an_interrupted_step_is_whole_or_nothing(max_overlap, learn_intercept):
    model = FESLClassifier(max_overlap=max_overlap, learn_intercept=learn_intercept)
    for x, y in itertools.islice(_periods(sizes=(4, 3)), 60):
        model.learn_one(x, y)
    assert model._space.overlap.n_instances == 10
    for x in ({(1, 0): 1.0, "new": 2.0}, {(0, 0): 1.0, (1, 0): -1.0, "new": 2.0}):
        before = pickle.dumps(pickle.loads(pickle.dumps(model)))
        calls = interrupted(model, _learn(x), ("river_trapezoid.linear_model.fesl",))
        states = [pickle.dumps(twin) for twin in calls]
        assert len(states) > 300
        assert set(states) == {before, states[-1]}
        assert states[-1] != before


def _learn(x):
    return lambda model: model.learn_one(x, 1)


def test_a_step_out_of_range_changes_nothing():
    model = FESLClassifier()
    for x, y in _periods(sizes=(4, 3)):
        model.learn_one(x, y)
    before = pickle.dumps(model)
    for x in ({(1, 0): 1e200, (1, 1): 1.0}, {(1, 0): 1.0, "new": 1e200}, {"apart": 1e200}):
        with pytest.raises(OverflowError, match="1e\\+200"):
            model.learn_one(x, 1)
        assert pickle.dumps(model) == before
        assert math.isfinite(model.margin_one(x))


def test_a_huge_value_is_refused_at_any_time_of_an_overlap():
    model = FESLClassifier(max_overlap=None)
    model.learn_one({"a": 1.0}, True)
    for t in range(80):
        before = pickle.dumps(model)
        with pytest.raises(OverflowError, match="'b' = 1e\\+200"):
            model.learn_one({"a": 1.0, "b": 1e200, "c": 1.0}, True)
        assert pickle.dumps(model) == before
        model.learn_one({"a": 1.0, "b": math.sin(t), "c": math.cos(t)}, t % 2)


def test_contributions_add_up_to_the_margin():
    model = FESLClassifier()
    for x, y in _periods():
        contributions = [value * weight for _, value, weight in model._terms(x)]
        expected = sum(contributions) + model.intercept
        assert model.margin_one(x) == pytest.approx(expected, rel=1e-9, abs=1e-12)
        model.learn_one(x, y)


@pytest.mark.parametrize("mode", ["combine", "select"])
def test_nothing_diverges_on_real_data(shared, mode):
    rows = np.loadtxt(shared / "data" / "german" / "german.data-numeric").tolist()
    data = [({f"f{i:02}": v for i, v in enumerate(r[:-1])}, r[-1] == 1) for r in rows]
    for transform in (stream.Capricious(data, seed=1), stream.Evolvable(data, n_spaces=4),
                      stream.Trapezoidal(data)):  # fmt: skip
        model = FESLClassifier(mode=mode)
        for x, y in transform:
            assert math.isfinite(model.margin_one(x))
            model.learn_one(x, y)
        assert all(map(math.isfinite, model.weights.values()))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("mode", ["c", None, 1]),
        ("learning_rate", [0, -1, math.inf, None]),
        ("horizon", [1, 2.5, "1"]),
        ("max_overlap", [0, 1.5]),
        ("learn_intercept", [1, None]),
    ],
)
def test_wrong_parameters_are_named(name, values):
    for value in values:
        with pytest.raises(ValueError, match=f"^{name} must be .*got"):
            FESLClassifier(**{name: value})


def test_the_share_of_the_old_expert_is_one_until_the_space_evolves():
    model = FESLClassifier()
    for i in range(20):
        value = (-1.0) ** i
        x = {"old": value} | ({"new": value} if i >= 10 else {})
        model.learn_one(x, value > 0)
        assert model.old_share == 1.0
    model.learn_one({"new": 1.0}, True)
    assert 0.5 < model.old_share < 1.0
