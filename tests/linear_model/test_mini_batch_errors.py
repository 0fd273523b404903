from __future__ import annotations

import math
import pickle
import random

import pandas as pd
import pytest

from river_trapezoid.linear_model import (
    EvidenceClassifier,
    FESLClassifier,
    MulticlassOLSFClassifier,
    OFSClassifier,
    OLSFClassifier,
)
from tests.estimators import seeded
from tests.linear_model.test_mini_batch import LEARNERS, NAMES

BAD = [
    (lambda X: X.assign(b=[1.0, math.inf, -math.inf]), ValueError, "row 1: feature 'b' is inf"),
    (lambda X: X.assign(b=["x", None, "y"]), TypeError, "row 0: feature 'b' has the value 'x'"),
    (lambda X: X.assign(b=[None, 1.0, [2.0]]), TypeError, r"row 2: feature 'b' .* \[2.0\]"),
    (
        lambda X: X.assign(b=pd.Series([1.0, 2.0, 10**400], dtype=object)),
        ValueError,
        "row 2: feature 'b' is infinite",
    ),
    (lambda X: X.assign(b=pd.to_datetime(["2020-01-01"] * 3)), TypeError, "row 0: feature 'b'"),
    (
        lambda X: X.assign(b=[0.0, 0.0, math.inf]).astype(pd.SparseDtype(float, 0.0)),
        ValueError,
        "row 2: feature 'b' is infinite",
    ),
]


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(("spoil", "error", "message"), BAD)
def test_a_value_that_is_refused_changes_nothing(name, spoil, error, message):
    X = pd.DataFrame({"a": [1.0, 2.0, -1.0], "b": [0.5, 0.0, 2.0]})
    y = pd.Series([True, False, True])
    model = seeded(LEARNERS[name])
    model.learn_many(X, y)
    before = pickle.dumps(model)
    with pytest.raises(error, match=message):
        model.learn_many(spoil(X), y)
    with pytest.raises(error, match=message):
        model.predict_many(spoil(X))
    with pytest.raises(error, match=message):
        model.predict_proba_many(spoil(X))
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([True, "spam", False], "row 1: unknown label 'spam'"),
        ([1, 0, 2], "row 2: unknown label 2"),
        ([True, None, False], "row 1: the label is missing"),
        (pd.array([1, 0, pd.NA], dtype="Int64"), "row 2: the label is missing"),
        ([True, False], "for each of 3 rows; got 2 labels"),
    ],
)
def test_a_label_that_is_refused_changes_nothing(name, labels, message):
    if name.startswith("Multiclass") and "unknown" in message:
        return
    X = pd.DataFrame({"a": [1.0, 2.0, -1.0], "b": [0.5, 0.0, 2.0]})
    model = seeded(LEARNERS[name])
    model.learn_many(X, pd.Series([True, False, True]))
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=message):
        model.learn_many(X, pd.Series(labels))
    assert pickle.dumps(model) == before


def test_an_unhashable_class_is_refused():
    with pytest.raises(TypeError, match="row 1"):
        MulticlassOLSFClassifier().learn_many(
            pd.DataFrame({"a": [1.0, 2.0]}), pd.Series(["x", [1]])
        )


EXTREMES = [
    *(OLSFClassifier(mode=mode, C=C, B=B, radius=radius, learn_intercept=intercept)
      for mode in (0, 1, 2) for C in (0.1, 1e200) for B in (0.5, 3) for radius in (None, 30.0)
      for intercept in (False, True)),
    OLSFClassifier(step="perceptron", radius=None),
    OLSFClassifier(mode=0, selection="random", radius=None, seed=1),
    OFSClassifier(eta=1e100, lam=1e-150),
    OFSClassifier(B=0.5, epsilon=0.3, seed=1),
    OFSClassifier(B=3, eta=1e200, lam=1e-300, epsilon=0.3, seed=1),
    *(MulticlassOLSFClassifier(mode=mode, C=1e200, radius=None) for mode in (0, 1, 2)),
    *(model for name, model in LEARNERS.items() if name.startswith(("OCDS", "FESL", "Evidence"))),
]  # fmt: skip


@pytest.mark.parametrize("model", EXTREMES, ids=repr)
def test_an_overflow_in_a_batch_changes_nothing(model):
    model = seeded(model)
    rng = random.Random(3)
    sizes = [1e-320, 1e-154, 1e-30, 1.0, 1e30, 1e150, 1.6e308]
    n_refused = 0
    for _ in range(60):
        rows = [
            {rng.choice(NAMES): rng.choice([-1, 1]) * rng.choice(sizes) for _ in range(3)}
            for _ in range(6)
        ]
        labels = [rng.random() < 0.5 for _ in rows]
        one = pickle.loads(pickle.dumps(model))
        before = pickle.dumps(model)
        failed = None
        for i, (x, y) in enumerate(zip(rows, labels, strict=True)):
            try:
                one.learn_one(x, y)
            except OverflowError:
                failed = i
                break
        if failed is None:
            model.learn_many(pd.DataFrame(rows), pd.Series(labels))
            continue
        n_refused += 1
        with pytest.raises(OverflowError, match=f"^row {failed}: "):
            model.learn_many(pd.DataFrame(rows), pd.Series(labels))
        assert pickle.dumps(model) == before
    if isinstance(model, EvidenceClassifier):
        assert n_refused == 0
    elif (
        isinstance(model, OFSClassifier | FESLClassifier)
        # Without a ball there is no norm that might overflow, only the weights themselves.
        or (model._get_params().get("step") == "perceptron" and model.radius is not None)
    ):
        assert n_refused > 10


def test_an_overflow_is_told_by_row_and_feature():
    model = OLSFClassifier(step="perceptron", B=1.0)
    X = pd.DataFrame({"a": [1.0, 1.6e308, 1.0], "b": [2.0, 1.7e308, 1.0], "c": [1.0] * 3})
    model.learn_many(X[:1], pd.Series([True]))
    before = pickle.dumps(model)
    with pytest.raises(OverflowError, match=r"row 1: the weights leave .* feature 'b' = 1.7e\+308"):
        model.learn_many(X, pd.Series([False, False, True]))
    assert pickle.dumps(model) == before
