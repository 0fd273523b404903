from __future__ import annotations

import itertools
import math
import random

import matplotlib.pyplot as plt
import numpy as np
import pytest
from river import datasets, multiclass, naive_bayes, preprocessing

from river_trapezoid import plot
from river_trapezoid.active import RandomSampler
from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier

PHISHING = list(datasets.Phishing().take(300))


def _xor(n, seed=1):
    rng = random.Random(seed)
    for _ in range(n):
        x = {"a": rng.uniform(-1, 1), "b": rng.gauss(5, 2)}
        yield x, ((x["a"] > 0) != (x["b"] > 5)) ^ (rng.random() < 0.1)


def _learned(model, rows):
    for x, y in rows:
        model.learn_one(x, y)
    return model


class Recount:
    """Evidence of two features, counted from scratch at each call.

    All is as the equations have it, for counts that do not decay; nothing is shared with the
    learner.
    """

    BINS, SMOOTHING = 10, 2.0

    def __init__(self, rows):
        self.rows = []
        for x, y in rows:
            known = {key: self._shares(key, x[key]) for key in x}
            self.rows.append((x, y, known))

    def _shares(self, key, value):
        values = np.array([*(x[key] for x, _, _ in self.rows), value])
        z = (value - values.mean()) / values.std() if values.std() else 0.0
        position = (self.BINS - 1) * (1.0 + math.erf(np.clip(z, -4, 4) / math.sqrt(2.0))) / 2.0
        return np.maximum(0.0, 1.0 - np.abs(np.arange(self.BINS) - position))

    @property
    def log_odds(self):
        n_positive = sum(y for _, y, _ in self.rows)
        return math.log((n_positive + 1) / (len(self.rows) - n_positive + 1))

    def _counts(self, cells):
        """Negative and positive labels in each cell."""
        return [
            sum(c for c, (_, y, _) in zip(cells, self.rows, strict=True) if y == label)
            for label in (0, 1)
        ]

    def _said(self, key, value):
        prior = 1.0 / (1.0 + math.exp(-self.log_odds))
        n_positive = sum(y for _, y, _ in self.rows)
        own = (n_positive + self.SMOOTHING * prior) / (len(self.rows) + self.SMOOTHING)
        negative, positive = self._counts([known[key] for _, _, known in self.rows])
        here = self._shares(key, value)
        odds = (here @ positive + self.SMOOTHING * own) / (
            here @ negative + self.SMOOTHING * (1.0 - own)
        )
        return math.log(odds) - self.log_odds

    def evidence(self, key, value):
        n = len(self.rows)
        return n / (n + 20) * self._said(key, value)

    def pair_evidence(self, a, b):
        apart = self.log_odds + self._said("a", a) + self._said("b", b)
        p = 1.0 / (1.0 + math.exp(-apart))
        # A pair is met first when both features are known, which is with the second instance.
        cells = [np.outer(known["a"], known["b"]) for _, _, known in self.rows]
        negative, positive = self._counts([np.zeros_like(cells[0]), *cells[1:]])
        here = np.outer(self._shares("a", a), self._shares("b", b))
        c_0, c_1 = (here * negative).sum(), (here * positive).sum()
        n = len(self.rows)
        odds = (c_1 + self.SMOOTHING * p) / (c_0 + self.SMOOTHING * (1.0 - p))
        return n / (n + 20) * (math.log(odds) - apart)


def test_evidence_agrees_with_a_count_from_scratch():
    rows = list(_xor(150))
    recount = Recount(rows)
    curve = plot.evidence_curve(rows, EvidenceClassifier(decay=1.0), "b").get_lines()[1]
    points = list(zip(*curve.get_data(), strict=True))[::20]
    assert len({round(y, 6) for _, y in points}) == len(points) > 10
    for value, says in points:
        assert says == pytest.approx(recount.evidence("b", value), abs=1e-9)


def test_evidence_curves_are_the_evidence_of_the_model_at_each_time():
    rows = [({"a": None if t % 7 == 0 else t % 5}, t % 5 > 2) for t in range(200)]
    model = EvidenceClassifier()
    ax = plot.evidence_curve(rows, model, "a", after=[200, 0, 50])
    zero, *curves = ax.get_lines()
    assert set(zero.get_ydata()) == set(curves[0].get_ydata()) == {0.0}
    for step, curve in zip((50, 200), curves[1:], strict=True):
        twin = EvidenceClassifier()
        for x, y in rows[:step]:
            twin.learn_one(x, y)
        ends = [twin.evidence_one({"a": value})["a"] for value in (0.0, 4.0)]
        assert [curve.get_ydata()[0], curve.get_ydata()[-1]] == ends
    assert model.value_weights == {}
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[:3] == ["after 0 instances", "after 50 instances", "after 200 instances"]
    assert sorted(texts[3:]) == ["False", "True"]


def test_evidence_behind_a_sampler_and_a_scaler():
    rows = [({"a": float(t % 5)}, t % 5 > 2) for t in range(200)]
    model = preprocessing.StandardScaler() | RandomSampler(EvidenceClassifier(), 0.5, seed=1)
    curve = plot.evidence_curve(rows, model, "a").get_lines()[1]
    twin, scaled = model.clone(), []
    for x, y in rows:
        if twin.predict_one(x)[1]:
            twin.learn_one(x, y)
        scaled.append(twin["StandardScaler"].transform_one(x)["a"])
    ends = [min(scaled), max(scaled)]
    assert list(curve.get_xdata()[[0, -1]]) == pytest.approx(ends)
    evidence = [twin["RandomSampler"].classifier.evidence_one({"a": end})["a"] for end in ends]
    assert list(curve.get_ydata()[[0, -1]]) == pytest.approx(evidence)


def _mesh(ax):
    """What a heat map shows, as a matrix, and the values along its axes."""
    (mesh,) = ax.collections
    edges = np.asarray(mesh.get_coordinates())
    centres = (edges[1:, 1:] + edges[:-1, :-1]) / 2.0
    return np.asarray(mesh.get_array()), centres[0, :, 0], centres[:, 0, 1]


def test_pair_evidence_agrees_with_a_count_from_scratch():
    rows = list(_xor(150))
    model = _learned(EvidenceClassifier(decay=1.0), rows)
    says, across, up = _mesh(plot.pair_evidence(model, "a", "b", rows, n_points=7))
    recount = Recount(rows)
    for (row, b), (column, a) in itertools.product(enumerate(up), enumerate(across)):
        assert says[row, column] == pytest.approx(recount.pair_evidence(a, b), abs=1e-9)
    # The labels are an exclusive or: the corners alternate.
    assert np.sign(says[[1, 1, -2, -2], [1, -2, 1, -2]]).tolist() == [-1, 1, 1, -1]


def test_the_axes_of_a_pair_have_the_given_ranges():
    rows = list(_xor(150))
    model = _learned(EvidenceClassifier(), rows)
    ax = plot.pair_evidence(model, "a", "b", rows, n_points=5)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")
    says, across, up = _mesh(ax)
    for values, key in (across, "a"), (up, "b"):
        observed = [x[key] for x, _ in rows]
        assert [values[0], values[-1]] == pytest.approx([min(observed), max(observed)])
    turned, across, up = _mesh(
        plot.pair_evidence(model, "b", "a", rows, b_range=(across[0], across[-1]), n_points=5)
    )
    assert turned.T.tolist() == says.tolist()
    _, across, up = _mesh(plot.pair_evidence(model, "a", "b", a_range=(-2, 3), b_range=(0.5, 4.0)))
    assert [across[0], across[-1], up[0], up[-1]] == pytest.approx([-2.0, 3.0, 0.5, 4.0])


def test_zero_is_white_in_the_heat_map_of_a_pair():
    model = _learned(EvidenceClassifier(), _xor(150))
    (mesh,) = plot.pair_evidence(model, "a", "b", a_range=(-1, 1), b_range=(0, 3)).collections
    low, high = mesh.get_clim()
    assert high == -low == np.abs(mesh.get_array()).max() > 0.0
    assert min(mesh.to_rgba(0.0)[:3]) > 0.95
    assert mesh.to_rgba(high)[0] > 2.0 * mesh.to_rgba(high)[2]  # Red.
    assert mesh.to_rgba(low)[2] > 2.0 * mesh.to_rgba(low)[0]  # Blue.


def test_a_pair_without_evidence_is_white():
    # The two are never large at once.
    rows = [({"a": a, "b": 9 - a}, t % 2 == 0) for t in range(20) for a in range(10)]
    model = _learned(EvidenceClassifier(), rows)
    (mesh,) = plot.pair_evidence(model, "a", "b", a_range=(8.5, 9), b_range=(8.5, 9)).collections
    assert np.abs(mesh.get_array()).max() < 1e-12
    assert mesh.to_rgba(mesh.get_array()).ravel().min() > 0.95


def test_a_pair_behind_a_sampler_and_a_scaler():
    rows = list(_xor(200))
    model = preprocessing.StandardScaler() | RandomSampler(EvidenceClassifier(), 0.5, seed=1)
    for x, y in rows:
        if model.predict_one(x)[1]:
            model.learn_one(x, y)
    learner = model["RandomSampler"].classifier
    before = learner.head_shares, learner.evidence_weights, learner.n_pairs
    says, across, up = _mesh(plot.pair_evidence(model, "a", "b", rows, n_points=5))
    scaled = [model["StandardScaler"].transform_one(x) for x, _ in rows]
    corner = {key: min(x[key] for x in scaled) for key in ("a", "b")}
    assert (across[0], up[0]) == pytest.approx((corner["a"], corner["b"]))
    assert says[0, 0] == pytest.approx(learner.pair_evidence_one(corner)["a", "b"])
    assert (learner.head_shares, learner.evidence_weights, learner.n_pairs) == before


def test_keys_of_a_pair_may_be_anything():
    rows = [({1: x["a"], ("b", 2): x["b"]}, y) for x, y in _xor(100)]
    model = _learned(EvidenceClassifier(), rows)
    one = _mesh(plot.pair_evidence(model, 1, ("b", 2), rows, n_points=4))[0]
    other = _mesh(plot.pair_evidence(model, ("b", 2), 1, rows, n_points=4))[0]
    assert one.T.tolist() == other.tolist()


@pytest.mark.parametrize(
    ("model", "learner_of"),
    [
        (EvidenceClassifier(), lambda model: model),
        (EvidenceClassifier(n_paired=0), lambda model: model),
        (preprocessing.StandardScaler() | EvidenceClassifier(), lambda model: model[-1]),
        (RandomSampler(EvidenceClassifier(), 0.4, seed=1), lambda model: model.classifier),
    ],
    ids=["learner", "without pairs", "pipeline", "sampler"],
)
def test_shares_of_heads_are_those_of_a_model_trained_in_a_loop(model, learner_of):
    ax = plot.head_shares(PHISHING, model, n_points=4)
    prior = {"both": 0.3, "recent": 0.3, "values": 0.3, "evidence": 0.1, "pairs": 0.1}
    # A clone has learned.
    assert learner_of(model).head_shares.items() <= prior.items()
    twin = model.clone()
    inner = learner_of(twin)
    expected = {head: [prior[head]] for head in inner.head_shares}
    assert len(expected) == (5 if inner.n_paired else 4)
    for t, (x, y) in enumerate(PHISHING, start=1):
        asked = twin.predict_one(x)
        if not isinstance(asked, tuple) or asked[1]:
            twin.learn_one(x, y)
        if t % 75 == 0:
            for head, share in inner.head_shares.items():
                expected[head].append(share)
    zero, *lines = ax.get_lines()
    assert set(zero.get_ydata()) == {0.0}
    assert {line.get_label(): list(line.get_ydata()) for line in lines} == expected
    assert all(list(line.get_xdata()) == [0, 75, 150, 225, 300] for line in lines)
    # The legend has the heads in the order in which their lines end, from above.
    shown = [text.get_text() for text in ax.get_legend().get_texts()]
    assert shown == sorted(expected, key=lambda head: -expected[head][-1])
    assert len({line.get_color() for line in lines}) == len(lines)


def test_plots_of_evidence_are_drawn_on_the_given_axes():
    figure, (left, right) = plt.subplots(1, 2)
    rows = list(_xor(60))
    assert plot.head_shares(rows, EvidenceClassifier(), ax=left) is left
    model = _learned(EvidenceClassifier(), rows)
    assert plot.pair_evidence(model, "a", "b", rows, n_points=3, ax=right) is right
    assert set(plt.get_fignums()) == {figure.number}


def test_models_without_evidence_are_refused():
    rows = list(_xor(10))
    other = preprocessing.StandardScaler() | naive_bayes.GaussianNB()
    for model in (OLSFClassifier(), other, multiclass.OneVsRestClassifier(EvidenceClassifier())):
        with pytest.raises(
            TypeError, match=r"model must have evidence_one, .*got .*" + str(model)[:9]
        ):
            plot.evidence_curve(rows, model, "a")
        with pytest.raises(TypeError, match=r"model must have pair_evidence_one, .*got "):
            plot.pair_evidence(model, "a", "b", rows)
        with pytest.raises(TypeError, match=r"model must have head_shares, .*got "):
            plot.head_shares(rows, model)


def test_heads_that_are_not_mixed_have_no_shares_to_show():
    with pytest.raises(
        ValueError, match=r"model must have several heads, .*mixture=True; got Evid"
    ):
        plot.head_shares(PHISHING, EvidenceClassifier(mixture=False))
    with pytest.raises(ValueError, match="n_points must be an integer >= 1; got 0"):
        plot.head_shares(PHISHING, EvidenceClassifier(), n_points=0)


def test_pairs_that_cannot_be_shown_are_named():
    rows = list(_xor(50))
    for parameters in ({"n_paired": 0}, {"n_paired": 1}, {"mixture": False}):
        model = _learned(EvidenceClassifier(**parameters), rows)
        with pytest.raises(ValueError, match=r"model must pair features, .*got EvidenceClass"):
            plot.pair_evidence(model, "a", "b", rows)
    model = _learned(EvidenceClassifier(), [*rows, ({"c": 1.0}, True)])
    with pytest.raises(ValueError, match=r"^a must be a feature that the model has obs.*; got 'd'"):
        plot.pair_evidence(model, "d", "b", rows)
    with pytest.raises(ValueError, match=r"^b must be a feature that the model has obs.*; got 'd'"):
        plot.pair_evidence(model, "a", "d", rows)
    with pytest.raises(ValueError, match=r"^b must differ from a; got 'a'"):
        plot.pair_evidence(model, "a", "a", rows)
    # Both are known, but were never observed together.
    with pytest.raises(ValueError, match=r"^a and b must be a pair .*got 'a' and 'c'"):
        plot.pair_evidence(model, "a", "c", rows)


def test_ranges_that_cannot_be_shown_are_named():
    rows = list(_xor(50))
    model = _learned(EvidenceClassifier(), rows)
    with pytest.raises(ValueError, match=r"^a_range or stream must be given; got neither"):
        plot.pair_evidence(model, "a", "b")
    with pytest.raises(ValueError, match=r"^b_range or stream must be given; got neither"):
        plot.pair_evidence(model, "a", "b", a_range=(0, 1))
    with pytest.raises(ValueError, match=r"^b_range must be given, .*two values of 'b'"):
        plot.pair_evidence(model, "a", "b", [({"a": t, "b": 1.0}, None) for t in (1.0, 2.0)])
    for wrong in ((1.0, 1.0), (2.0, 1.0), (1.0, 2.0, 3.0)):
        with pytest.raises(ValueError, match=r"^a_range must be two numbers in ascending"):
            plot.pair_evidence(model, "a", "b", rows, a_range=wrong)
    with pytest.raises(ValueError, match=r"^b_range must be a finite number; got inf"):
        plot.pair_evidence(model, "a", "b", rows, b_range=(0.0, math.inf))
    with pytest.raises(ValueError, match="n_points must be an integer >= 2; got 1"):
        plot.pair_evidence(model, "a", "b", rows, n_points=1)
    assert not plt.get_fignums()


def test_unknown_features_and_times_are_refused():
    with pytest.raises(ValueError, match=r"^feature must be .*'http'"):
        plot.evidence_curve(PHISHING, EvidenceClassifier(), "http")
    with pytest.raises(ValueError, match=r"^after must be .*300; got 301"):
        plot.evidence_curve(PHISHING, EvidenceClassifier(), "https", after=[301])
