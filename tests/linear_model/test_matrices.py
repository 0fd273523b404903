"""Mini-batches that are arrays and sparse matrices of scipy: their names, their format, their memory."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from river_trapezoid._frame import Rows
from river_trapezoid.linear_model import MulticlassOLSFClassifier, OLSFClassifier
from river_trapezoid.preprocessing import StandardScaler
from tests.estimators import seeded
from tests.linear_model.test_mini_batch import LEARNERS, NAMES, answers, row_lists

MATRICES = {
    "numpy": np.array,
    "list": np.ndarray.tolist,
    "masked": lambda a: np.ma.masked_invalid(a),
    "fortran": np.asfortranarray,
    "float32": lambda a: a.astype(np.float32),
    **{
        f"{kind.__name__}": kind
        for kind in (
            *(sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix),
            *(sparse.lil_array, sparse.dok_matrix),
        )
    },
}


def rows_of(X, values):
    """What is observed: in a sparse matrix, what it stores."""
    stored = hasattr(X, "tocsr")
    return [
        {n: v for n, v in zip(NAMES, row, strict=True) if v == v and not (stored and v == 0)}
        for row in values.tolist()
    ]


@pytest.mark.parametrize("kind", MATRICES)
@pytest.mark.parametrize("name", LEARNERS)
@settings(max_examples=5)
@given(rows=row_lists, seed=st.integers(0, 99))
def test_a_matrix_is_its_rows_one_by_one(name, kind, rows, seed):
    values = np.array([[row.get(n, np.nan) for n in NAMES] for row in rows], dtype=np.float32)
    values = values.astype(float)
    if "_" in kind:
        values = np.nan_to_num(values)
    X = MATRICES[kind](values)
    rows = rows_of(X, values)
    labels = [random.Random(seed + i).random() < 0.5 for i in range(len(rows))]
    one, many = seeded(LEARNERS[name]), seeded(LEARNERS[name])
    for x, y in zip(rows, labels, strict=True):
        one.learn_one(x, y)
    many.learn_many(X, labels, columns=NAMES)
    assert many.predict_many(X, NAMES).tolist() == [one.predict_one(x) for x in rows]
    assert many.predict_proba_many(X, NAMES).tolist() == [
        list(one.predict_proba_one(x).values()) for x in rows
    ]
    assert answers(many, rows) == answers(one, rows)


@pytest.mark.parametrize("X", [np.eye(3), sparse.eye_array(3, format="csr"), np.eye(3).tolist()])
def test_columns_are_numbered_unless_they_are_named(X):
    model = OLSFClassifier(B=1.0)
    model.learn_many(X, [True, False, True])
    assert sorted(model.weights) == [0, 1, 2]


def test_columns_that_do_not_fit_are_refused():
    model = OLSFClassifier()
    before = pickle.dumps(model)
    y = [True, False]
    with pytest.raises(ValueError, match="columns must have a name for each of 2 columns; got 1"):
        model.learn_many(np.eye(2), y, columns=["a"])
    with pytest.raises(ValueError, match="X must have distinct column names; got 'a' twice"):
        model.learn_many(np.eye(2), y, columns=["a", "a"])
    with pytest.raises(ValueError, match="columns must be None for a frame"):
        model.learn_many(pd.DataFrame(np.eye(2)), y, columns=["a", "b"])
    with pytest.raises(ValueError, match="X must have two dimensions; got 1"):
        model.learn_many(np.ones(2), y)
    with pytest.raises(TypeError, match="unhashable"):
        model.learn_many(np.eye(2), y, columns=["a", ["b"]])
    assert pickle.dumps(model) == before


def malformed(indices, indptr, kind=sparse.csr_array):
    X = kind((2, 3))
    X.data, X.indices = np.ones(len(indices)), np.array(indices, dtype=np.int32)
    X.indptr = np.array(indptr, dtype=np.int32)
    return X


@pytest.mark.parametrize(
    "X",
    [
        malformed([0, 3], [0, 1, 2]),
        malformed([0, -1], [0, 1, 2]),
        malformed([0, 1], [0, 2, 1]),
        # Nothing is stored by the last number, so that scipy does not look at those before it.
        malformed([0, 1], [0, 2, 0]),
        malformed([0, 1], [0, 1, 5]),
        malformed([0, 1], [0, 2]),
        malformed([0, 2], [0, 1, 1, 2], sparse.csc_array),
    ],
)
def test_malformed_matrices_are_refused(X):
    model, scaler = OLSFClassifier(), StandardScaler()
    before = pickle.dumps((model, scaler))
    for call in (
        lambda: model.learn_many(X, [True, False]),
        lambda: model.predict_many(X),
        lambda: scaler.learn_many(X),
        lambda: scaler.transform_many(X),
    ):
        with pytest.raises(ValueError, match=r"ind(ex|ices|ptr)"):
            call()
    assert pickle.dumps((model, scaler)) == before


def test_a_matrix_is_left_as_it_is():
    # With room behind what is stored, twice the same place, and places out of order.
    X = malformed([2, 0, 0, 1, 9, 9], [0, 3, 4])
    before = X.data.copy(), X.indices.copy(), X.indptr.copy()
    attributes = dict(vars(X))
    assert list(Rows(X)) == [{0: 2.0, 2: 1.0}, {1: 1.0}]
    OLSFClassifier().learn_many(X, [True, False])
    assert vars(X) == attributes or all(vars(X)[k] is v for k, v in attributes.items())
    for now, then in zip((X.data, X.indices, X.indptr), before, strict=True):
        assert now.tolist() == then.tolist()


def test_values_that_do_not_lie_side_by_side():
    X = sparse.csr_array(np.eye(3))
    X.data = np.array([1.0, 9.0, 2.0, 9.0, 3.0, 9.0])[::2]
    model = OLSFClassifier(step="perceptron", B=1.0)
    model.learn_many(X, [True, False, True])
    assert model.weights == {0: 1.0, 1: -2.0, 2: 3.0}


def test_what_is_scaled_shares_no_memory_with_what_was_given():
    X = sparse.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 2.0]]))
    scaled = StandardScaler().transform_many(X)
    for part in ("data", "indices", "indptr"):
        assert not np.shares_memory(getattr(X, part), getattr(scaled, part))
    scaled.eliminate_zeros()
    assert X.toarray().tolist() == [[1.0, 0.0, 2.0], [0.0, 3.0, 2.0]]


@pytest.mark.parametrize("value", [1e-200, 1e-160, 3.0, 1e160, 1e200, 1.7e308])
def test_a_feature_not_learned_from_is_scaled_to_its_sign(value):
    scaler = StandardScaler(with_mean=False)
    expected = {"a": 1.0, "b": -1.0, "c": 0.0}
    assert scaler.transform_one({"a": value, "b": -value, "c": 0.0}) == expected
    assert scaler.transform_many([[value, -value, 0.0]]).tolist() == [[1.0, -1.0, 0.0]]


def test_an_interrupted_batch_leaves_the_features_seen_in_their_order(monkeypatch):
    model = MulticlassOLSFClassifier(mode=0, radius=None)
    for i in range(5):
        model.learn_one({f"k{i}": 1.0}, "xy"[i % 2])
    before = pickle.dumps(model)
    steps = iter([1.0])
    monkeypatch.setattr(MulticlassOLSFClassifier, "_step_size", lambda *_: next(steps))
    with pytest.raises(StopIteration):
        model.learn_many(np.ones((2, 200)), ["x", "y"], columns=[f"n{i}" for i in range(200)])
    assert pickle.dumps(model) == before


def test_a_class_without_an_order_is_told_by_its_row():
    model = MulticlassOLSFClassifier()
    with pytest.raises(ValueError, match="row 1: y must be a label that can be sorted"):
        model.learn_many(np.eye(2), ["x", 1j])
