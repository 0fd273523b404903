from __future__ import annotations

import math
import pickle
import random

import pytest
from river import datasets, evaluate, metrics, multiclass, preprocessing

from river_trapezoid.linear_model import OLSFClassifier
from river_trapezoid.linear_model.multiclass_olsf import MulticlassOLSFClassifier


def _instances(n=400, n_classes=4, seed=0):
    rng = random.Random(seed)
    for t in range(n):
        # Features and classes both keep appearing.
        names = range(4 + t * 8 // n)
        label = rng.randrange(2 + t * (n_classes - 2) // n)
        yield {f"f{i}": rng.gauss(1.5 * (i % n_classes == label), 1.0) for i in names}, label


def _plain_step(rows, seen, x, y, mode, C, B, radius):
    """The step on dicts, written out."""
    seen.update(x)
    rows.setdefault(y, {})
    scores = {k: sum(w.get(f, 0.0) * v for f, v in x.items()) for k, w in sorted(rows.items())}
    rivals = {k: s for k, s in scores.items() if k != y}
    if not rivals:
        return
    rival = max(rivals, key=rivals.get)
    loss = max(0.0, 1 - scores[y] + scores[rival])
    square = 2 * sum(v * v for v in x.values())
    tau = {0: loss / square, 1: min(C, loss / square), 2: loss / (square + 1 / (2 * C))}[mode]
    if not loss:
        return
    for label, step in ((y, tau), (rival, -tau)):
        w = rows[label]
        for f, v in x.items():
            w[f] = w.get(f, 0.0) + step * v
        norm = sum(map(abs, w.values()))
        shrink = min(1.0, radius / norm) if radius and norm else 1.0
        k = B if isinstance(B, int) else max(1, math.floor(B * len(seen)))
        kept = sorted(w, key=lambda f: (abs(w[f]), f), reverse=True)[:k]
        rows[label] = {f: shrink * w[f] for f in kept}


@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize(("B", "radius"), [(1.0, None), (0.4, 3.0), (3, 5.0)])
def test_steps_are_those_of_the_plain_twin(mode, B, radius):
    model = MulticlassOLSFClassifier(mode=mode, C=0.2, B=B, radius=radius)
    rows, seen = {}, set()
    for x, y in _instances():
        model.learn_one(x, y)
        _plain_step(rows, seen, x, y, mode, 0.2, B, radius)
        for label, w in rows.items():
            assert model.weights[label] == pytest.approx(
                {f: v for f, v in w.items() if v}, rel=1e-9, abs=1e-12
            )


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_two_classes_are_decided_as_by_the_binary_learner(mode):
    many = MulticlassOLSFClassifier(mode=mode, C=0.1, B=0.5, radius=2.0)
    binary = OLSFClassifier(mode=mode, C=0.2, B=0.5, radius=4.0)
    # The first instance of the only class moves no row: let both learners start with both.
    for y in (False, True):
        many.learn_one({}, y)
    for x, y in _instances(n_classes=2):
        scores = many._scores(x)
        assert scores[True] - scores[False] == pytest.approx(binary.margin_one(x), abs=1e-9)
        many.learn_one(x, bool(y))
        binary.learn_one(x, bool(y))


def test_a_class_may_appear_at_any_time():
    model = MulticlassOLSFClassifier(B=1.0)
    assert model.predict_one({"a": 1.0}) is None
    assert model.predict_proba_one({"a": 1.0}) == {}
    model.learn_one({"a": 1.0}, "first")
    assert model.predict_proba_one({"a": 1.0}) == {"first": 1.0}
    for _ in range(20):
        model.learn_one({"a": 1.0}, "first")
        model.learn_one({"a": -1.0}, "second")
    for _ in range(20):
        model.learn_one({"b": 1.0}, "third")
    assert model.predict_one({"b": 1.0}) == "third"
    assert list(model.predict_proba_one({"a": 1.0})) == ["first", "second", "third"]


def test_an_instance_moves_two_rows_at_most():
    model = MulticlassOLSFClassifier()
    for x, y in _instances():
        before = model.weights
        model.learn_one(x, y)
        after = model.weights
        assert sum(before.get(label, {}) != after[label] for label in after) <= 2


def test_rows_keep_to_the_budget():
    model = MulticlassOLSFClassifier(B=0.25)
    for x, y in _instances():
        model.learn_one(x, y)
        most = max(1, int(0.25 * model.n_features_seen))
        assert all(len(row) <= most for row in model.weights.values())
    assert MulticlassOLSFClassifier(B=3).n_features_seen is None


def test_one_matrix_beats_one_against_the_rest_on_image_segments():
    accuracy = [
        evaluate.progressive_val_score(
            datasets.ImageSegments(), preprocessing.StandardScaler() | model, metrics.Accuracy()
        ).get()
        for model in (
            MulticlassOLSFClassifier(),
            multiclass.OneVsRestClassifier(OLSFClassifier()),
        )
    ]
    assert accuracy[0] > accuracy[1] + 0.05


@pytest.mark.parametrize("x", [{"a": 1e-200, "b": 1.0e-190}, {"a": 1e300}])
def test_a_step_out_of_range_changes_nothing(x):
    model = MulticlassOLSFClassifier(mode=0, radius=None)
    for instance, y in _instances(50):
        model.learn_one(instance, y)
    before = pickle.dumps(model)
    for label in (0, 1):
        try:
            model.learn_one(x, label)
        except OverflowError:
            assert pickle.dumps(model) == before


def test_none_is_no_label():
    with pytest.raises(ValueError, match="label None"):
        MulticlassOLSFClassifier().learn_one({"a": 1.0}, None)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("mode", [3, 1.0, None]),
        ("C", [0, -1, math.inf]),
        ("B", [0, 0.0, 1.1, None]),
        ("radius", [0, -1.0]),
    ],
)
def test_wrong_parameters_are_named(name, values):
    for value in values:
        with pytest.raises(ValueError, match=f"^{name} must be .*got"):
            MulticlassOLSFClassifier(**{name: value})


def test_a_share_of_the_weights_is_that_of_the_decimal_number():
    model = MulticlassOLSFClassifier(B=0.7)
    x = {f"k{i}": 1.0 + i for i in range(90)}
    for label in "ab":
        model.learn_one(x, label)
    assert [len(row) for row in model.weights.values()] == [63, 63]
