"""The weight `w` of an instance: in `learn_one`, in mini-batches, and through wrappers."""

from __future__ import annotations

import math
import pickle
import random

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from river import compose, datasets, multiclass
from scipy import sparse

from river_trapezoid import active, preprocessing, semi_supervised
from river_trapezoid.linear_model import (
    EvidenceClassifier,
    MulticlassOLSFClassifier,
    OFSClassifier,
    OLSFClassifier,
)
from tests.estimators import seeded
from tests.linear_model.test_mini_batch import LEARNERS, answers, row_lists

WEIGHTED = {
    name: model
    for name, model in LEARNERS.items()
    if isinstance(
        model, EvidenceClassifier | MulticlassOLSFClassifier | OFSClassifier | OLSFClassifier
    )
}
ROWS = [{"a": 1.0, "b": -2.0}, {"b": 0.5, "c": 1.0}, {"a": -1.0}, {"c": 2.0, "d": 0.0}]
LABELS = [True, False, False, True]


def learned(model, weights, rows=ROWS, labels=LABELS):
    for x, y, w in zip(rows, labels, weights, strict=True):
        model.learn_one(x, y, w=w)
    return model


def repeated(model, weights, rows=ROWS, labels=LABELS):
    for x, y, w in zip(rows, labels, weights, strict=True):
        for _ in range(w):
            model.learn_one(x, y)
    return model


@pytest.mark.parametrize(("w", "difference"), [(2, 0.006), (10, 0.021), (100, 0.045)])
def test_evidence_learns_a_weight_in_one_step_that_is_not_as_many_steps(w, difference):
    # The figures of the docstring.
    stream = list(datasets.Phishing())
    rows, labels = zip(*stream[:200], strict=True)
    weighted = learned(EvidenceClassifier(mixture=False), [w] * 200, rows, labels)
    repeats = repeated(EvidenceClassifier(mixture=False), [w] * 200, rows, labels)
    found = [
        abs(weighted.predict_proba_one(x)[True] - repeats.predict_proba_one(x)[True])
        for x, _ in stream[200:]
    ]
    assert sum(found) / len(found) == pytest.approx(difference, abs=0.0005)


@pytest.mark.parametrize("learn_intercept", [False, True])
def test_a_whole_number_is_as_many_instances_to_the_passive_aggressive_step(learn_intercept):
    parameters = {"mode": 1, "C": 0.01, "B": 1.0, "radius": None}
    model = OLSFClassifier(**parameters, learn_intercept=learn_intercept)
    twin = model.clone()
    for weights in ([1, 3, 2, 0], [50, 1, 7, 1], [0, 2, 2, 400]):
        learned(model, weights)
        repeated(twin, weights)
        assert model.weights == pytest.approx(twin.weights, rel=1e-9)
        assert model.intercept == pytest.approx(twin.intercept, rel=1e-9)
    assert model.n_features_seen == twin.n_features_seen


def test_the_perceptron_takes_a_step_of_the_weight():
    model = OLSFClassifier(step="perceptron", update_on="mistake", B=1.0, radius=None)
    model.learn_one({"a": 2.0}, True, w=2.5)
    assert model.weights == {"a": 5.0}


def test_ofs_shrinks_as_often_as_the_weight_says():
    model = OFSClassifier(B=1.0, eta=0.5, lam=0.1)
    model.learn_one({"a": 1.0}, True, w=2.0)
    model.learn_one({"b": 1.0}, True, w=3.0)
    assert model.weights == pytest.approx({"a": 0.95**3, "b": 1.5})


@pytest.mark.parametrize("w", [1e6, 1e9, 1e30])
def test_a_large_weight_leaves_nothing_but_its_instance_to_ofs(w):
    model = OFSClassifier(B=1.0, lam=0.01)
    model.learn_one({"b": 1.0}, False)
    model.learn_one({"a": 3.0, "c": -4.0}, True, w=w)
    assert model.weights["a"] == pytest.approx(6.0)
    assert model.weights["c"] == pytest.approx(-8.0)
    assert model.weights.get("b", 0.0) == pytest.approx(0.0)


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_a_tiny_weight_moves_next_to_nothing(mode):
    for model in (OLSFClassifier(mode=mode), MulticlassOLSFClassifier(mode=mode)):
        model.learn_one({"a": 1.0}, False)
        model.learn_one({"b": 1.0}, True, w=5e-324)
        if mode:
            assert model.predict_proba_one({"b": 1.0})[True] == 0.5
        assert model.n_features_seen == 2


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_weight_of_one_is_no_weight(name):
    model, twin = seeded(WEIGHTED[name]), seeded(WEIGHTED[name])
    learned(model, [1.0] * 4)
    repeated(twin, [1] * 4)
    assert answers(model, ROWS) == answers(twin, ROWS)


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_weight_of_zero_changes_nothing_but_is_checked(name):
    model = seeded(WEIGHTED[name])
    learned(model, [1, 2, 1, 0.5])
    before = pickle.dumps(model)
    model.learn_one({"a": 5.0, "new": 1.0}, False, w=0)
    model.learn_one({"a": 5.0, "new": 1.0}, 1, w=0.0)
    model.learn_many(pd.DataFrame({"new": [1.0, 2.0]}), [False, True], w=0)
    assert pickle.dumps(model) == before
    for x, y, error in (
        ({"a": ["red"]}, True, TypeError),
        ({"a": math.inf}, True, ValueError),
        ({1j: 1.0}, True, TypeError),
        ({"a": 1.0}, None, ValueError),
    ):
        with pytest.raises(error):
            model.learn_one(x, y, w=0)
    if not isinstance(model, MulticlassOLSFClassifier):
        with pytest.raises(ValueError, match="unknown label 'spam'"):
            model.learn_one({"a": 1.0}, "spam", w=0)
        with pytest.raises(ValueError, match="row 1: unknown label 'spam'"):
            model.learn_many(pd.DataFrame({"a": [1.0, 1.0]}), [True, "spam"], w=[1, 0])
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize("w", [-1, -1e-9, math.nan, math.inf, -math.inf, "2", None, [1.0], 1j])
def test_what_is_no_weight_is_refused_by_name(name, w):
    model = seeded(WEIGHTED[name])
    learned(model, [1, 2, 1, 0.5])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="w must be a finite number >= 0"):
        model.learn_one({"a": 1.0}, True, w=w)
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match="row 1: w must be a finite number >= 0"):
        model.learn_many(X, [True, False, True], w=[1.0, w, 2.0] if w != [1.0] else [1, "x", 2])
    if w is not None and w != [1.0]:
        with pytest.raises(ValueError, match="w must be a finite number >= 0"):
            model.learn_many(X, [True, False, True], w=w)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("name", WEIGHTED)
def test_there_is_a_weight_for_each_row(name):
    model = seeded(WEIGHTED[name])
    before = pickle.dumps(model)
    X = pd.DataFrame({"a": [1.0, 2.0]})
    with pytest.raises(ValueError, match="w must have a number for each of 2 rows; got 3"):
        model.learn_many(X, [True, False], w=[1, 2, 3])
    with pytest.raises(ValueError, match=r"w must be .* have one dimension; got 2"):
        model.learn_many(X, [True, False], w=np.ones((2, 1)))
    assert pickle.dumps(model) == before


def test_a_weight_that_is_too_large_for_evidence_changes_nothing():
    model = EvidenceClassifier()
    model.learn_one({"a": 1.0}, True)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"row 1: w must be .* <= 1000000\.0; got 2000000\.0"):
        model.learn_many(pd.DataFrame({"a": [1.0, 2.0]}), [True, False], w=[1.0, 2e6])
    assert pickle.dumps(model) == before


KINDS = {
    "list": list,
    "array": np.array,
    "float32": lambda w: np.array(w, dtype=np.float32),
    "pandas": pd.Series,
    "nullable pandas": lambda w: pd.Series(w, dtype="Float64"),
    "polars": pl.Series,
}


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=10)
@given(data=st.data(), rows=row_lists)
def test_a_batch_with_weights_is_its_rows_one_by_one(name, kind, data, rows):
    # Zeros among the weights make it matter which row a feature is seen in first.
    values = st.sampled_from([0.0, 0.0, 0.5, 1.0, 3.0, 100.0])
    weights = data.draw(st.lists(values, min_size=len(rows), max_size=len(rows)))
    labels = [random.Random(i).random() < 0.5 for i in range(len(rows))]
    one, many = seeded(WEIGHTED[name]), seeded(WEIGHTED[name])
    learned(one, weights, rows, labels)
    many.learn_many(pd.DataFrame(rows, dtype=float), labels, w=KINDS[kind](weights))
    assert answers(many, rows) == answers(one, rows)


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize("as_matrix", [pd.DataFrame, sparse.csr_array])
def test_a_zero_in_a_row_without_weight_is_not_what_a_feature_is_seen_by(name, as_matrix):
    values = np.zeros((4, 30))
    values[:, 0] = 1.0
    X = as_matrix(values)
    one, many = seeded(WEIGHTED[name]), seeded(WEIGHTED[name])
    rows = (
        [dict(enumerate(row)) for row in values.tolist()]
        if as_matrix is pd.DataFrame
        else [{0: 1.0}] * 4
    )
    learned(one, [0, 1, 2, 0], rows)
    many.learn_many(X, LABELS, w=[0, 1, 2, 0])
    assert answers(many, rows) == answers(one, rows)


@pytest.mark.parametrize("name", WEIGHTED)
def test_one_weight_for_all_rows(name):
    one, many = seeded(WEIGHTED[name]), seeded(WEIGHTED[name])
    learned(one, [2.5] * 4)
    many.learn_many(pd.DataFrame(ROWS), LABELS, w=2.5)
    assert answers(many, ROWS) == answers(one, ROWS)


def test_values_whose_squares_overflow_are_taken_as_row_by_row():
    rows = [{"a": 1.0}, {"a": 1e160}, {"a": 1e-170, "b": 1e160}, {"b": 2.0}]
    one, many = OLSFClassifier(mode=0), OLSFClassifier(mode=0)
    repeated(one, [1] * 4, rows)
    many.learn_many(pd.DataFrame(rows), LABELS)
    assert many.weights == one.weights
    assert many.n_features_seen == one.n_features_seen == 2


WRAPPERS = {
    "pipeline": lambda model: compose.Pipeline(preprocessing.StandardScaler(), model),
    "one versus rest": multiclass.OneVsRestClassifier,
    "margin sampler": lambda model: active.MarginSampler(model, seed=1),
    "budget sampler": lambda model: active.BudgetSampler(model, seed=1),
    "random sampler": lambda model: active.RandomSampler(model, ratio=0.5, seed=1),
    "pseudo-labels": semi_supervised.PseudoLabelClassifier,
    "scarce labels": lambda model: semi_supervised.ScarceLabels(model, ratio=1.0),
    "scarce labels and pseudo-labels": lambda model: semi_supervised.ScarceLabels(
        semi_supervised.PseudoLabelClassifier(model), ratio=1.0
    ),
}


def told(model, x):
    answer = model.predict_proba_one(x)
    return answer[0] if isinstance(answer, tuple) else answer


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_wrappers_pass_weights_on(wrapper):
    model = WRAPPERS[wrapper](OLSFClassifier(C=0.001, B=1.0))
    plain = model.clone()
    learned(model, [5, 5, 0.5, 5])
    learned(plain, [1, 1, 1, 1])
    heavy = WRAPPERS[wrapper](OLSFClassifier(C=0.005, B=1.0))
    learned(heavy, [1, 1, 0.1, 1])
    for x in ROWS:
        assert told(model, x) == pytest.approx(told(heavy, x))
    assert [told(model, x) for x in ROWS] != [told(plain, x) for x in ROWS]


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_wrappers_refuse_what_is_no_weight(wrapper):
    model = WRAPPERS[wrapper](OLSFClassifier())
    with pytest.raises(ValueError, match="w must be a finite number >= 0"):
        model.learn_one({"a": 1.0}, True, w=-1.0)


@pytest.mark.parametrize("mode", [1, 2])
def test_a_weight_multiplies_the_price_of_the_loss_for_several_classes(mode):
    rows = [{"a": 1.0}, {"b": 1.0, "a": 0.5}, {"c": 1.0}, {"a": 1.0, "c": -1.0}]
    labels = ["x", "y", "z", "y"]
    model = MulticlassOLSFClassifier(mode=mode, C=0.01)
    twin = MulticlassOLSFClassifier(mode=mode, C=0.03)
    learned(model, [3] * 4, rows, labels)
    repeated(twin, [1] * 4, rows, labels)
    for label, weights in twin.weights.items():
        assert model.weights[label] == pytest.approx(weights)
