from __future__ import annotations

import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from river import base, checks, compose, datasets, preprocessing

from river_trapezoid._frame import Rows
from river_trapezoid.linear_model import MulticlassOLSFClassifier, OLSFClassifier
from river_trapezoid.linear_model.mini_batch import RowwiseClassifier
from tests.estimators import exported, instances, seeded

LEARNERS = {name: model for name, model in instances() if isinstance(model, RowwiseClassifier)}
NAMES = ["a", "b", "c", "d", "e"]
NAN = float("nan")


def table(rows):
    return {name: [row.get(name) for row in rows] for name in NAMES}


def sparse(fill):
    return lambda rows: pd.DataFrame(
        {
            name: pd.arrays.SparseArray(
                [NAN if value is None else value for value in column], fill_value=fill
            )
            for name, column in table(rows).items()
        }
    )


FRAMES = {
    "pandas": lambda rows: pd.DataFrame(table(rows), dtype=float),
    "nullable pandas": lambda rows: pd.DataFrame(table(rows), dtype="Float64"),
    "pandas of arrow": lambda rows: pd.DataFrame(table(rows), dtype="double[pyarrow]"),
    "pandas of objects": lambda rows: pd.DataFrame(table(rows), dtype=object),
    "sparse pandas of NaN": sparse(NAN),
    "sparse pandas of zeros": sparse(0.0),
    "sparse pandas of ones": sparse(1.0),
    "partly sparse pandas": lambda rows: sparse(0.0)(rows).astype({"a": "float", "d": "Float64"}),
    "polars": lambda rows: pl.DataFrame(table(rows), schema=dict.fromkeys(NAMES, pl.Float64)),
    "pyarrow": lambda rows: pa.table(table(rows), schema=pa.schema([(n, "double") for n in NAMES])),
}
SERIES = {"polars": lambda y: pl.Series("y", y), "pyarrow": lambda y: pa.chunked_array([y])}


def frame_of(kind, rows):
    return FRAMES[kind](rows)


def series_of(kind, labels):
    return SERIES.get(kind, lambda y: pd.Series(y, name="y"))(labels)


def answers(model, rows):
    """All that a model says, now and while it goes on learning."""
    told = [getattr(model, name, None) for name in ("weights", "n_features_seen", "value_weights")]
    for i, x in enumerate(rows):
        told += model.predict_one(x), model.predict_proba_one(x)
        model.learn_one(x, i % 3 == 0)
    return told


def as_lists(answer):
    """Labels of a series, or rows of a frame."""
    if isinstance(answer, pd.DataFrame):
        return answer.to_numpy().tolist()
    if isinstance(answer, pl.DataFrame):
        return [list(row) for row in answer.rows()]
    if isinstance(answer, pa.Table):
        return [list(row) for row in zip(*answer.to_pydict().values(), strict=True)]
    return answer.to_list() if isinstance(answer, pl.Series | pd.Series) else answer.to_pylist()


# Sparse columns do not keep the sign of a zero.
values = st.one_of(
    st.none(),
    st.sampled_from([0.0, 0.0, 0.0, 1.0, -1.0]),
    st.floats(-100, 100, width=32).map(lambda v: v + 0.0),
)
row_lists = st.lists(st.dictionaries(st.sampled_from(NAMES), values), min_size=1, max_size=25).map(
    lambda rows: [{k: v for k, v in row.items() if v is not None} for row in rows]
)


def test_every_linear_learner_takes_mini_batches():
    linear = [
        cls for cls in exported() if cls.__module__.startswith("river_trapezoid.linear_model")
    ]
    assert len(linear) == 6
    assert all(issubclass(cls, base.MiniBatchClassifier) for cls in linear)


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("name", LEARNERS)
@settings(max_examples=5)
@given(rows=row_lists, seed=st.integers(0, 99))
def test_a_batch_is_its_rows_one_by_one(name, kind, rows, seed):
    labels = [random.Random(seed + i).random() < 0.5 for i in range(len(rows))]
    half = len(rows) // 2
    one, many = seeded(LEARNERS[name]), seeded(LEARNERS[name])
    for x, y in zip(rows, labels, strict=True):
        one.learn_one(x, y)
    for part in (slice(half), slice(half, None)):
        many.learn_many(frame_of(kind, rows[part]), series_of(kind, labels[part]))

    X = frame_of(kind, rows)
    assert as_lists(many.predict_many(X)) == [one.predict_one(x) for x in rows]
    assert as_lists(many.predict_proba_many(X)) == [
        list(one.predict_proba_one(x).values()) for x in rows
    ]
    assert answers(many, rows) == answers(one, rows)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("kind", ["sparse pandas of zeros", "sparse pandas of NaN", "pandas"])
def test_wide_frames_that_are_mostly_empty(name, kind):
    rng = random.Random(1)
    keys = [f"k{i}" for i in range(40 if name.startswith(("OCDS", "FESL")) else 300)]
    absent = NAN if kind == "sparse pandas of NaN" else 0.0
    rows = [
        {**dict.fromkeys(keys, absent), **{k: rng.gauss(0, 1) for k in rng.sample(keys, 8)}}
        for _ in range(60)
    ]
    labels = [rng.random() < 0.5 for _ in rows]
    one, many = seeded(LEARNERS[name]), seeded(LEARNERS[name])
    for x, y in zip(rows, labels, strict=True):
        one.learn_one(x, y)
    X = pd.DataFrame(rows)
    if kind != "pandas":
        X = X.astype(pd.SparseDtype(float, absent))
    many.learn_many(X, pd.Series(labels))
    assert answers(many, rows) == answers(one, rows)


@pytest.mark.parametrize("name", [n for n in LEARNERS if not n.startswith("Multiclass")])
@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (False, True)])
def test_answers_are_in_the_kind_of_label_that_was_learned(name, labels):
    model = LEARNERS[name].clone()
    X = pd.DataFrame({"a": [1.0, -1.0], "b": [0.5, 0.25]}, index=["first", "second"])
    model.learn_many(X, pd.Series(labels, name="sold"))
    predicted = model.predict_many(X)
    assert predicted.dtype == pd.Series(labels).dtype
    assert set(predicted) <= set(labels)
    assert predicted.name == "sold"
    proba = model.predict_proba_many(X)
    assert list(proba.columns) == list(labels)
    for answer in (predicted, proba):
        assert list(answer.index) == ["first", "second"]


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("kind", FRAMES)
def test_frames_without_rows(name, kind):
    model = seeded(LEARNERS[name])
    twin = seeded(LEARNERS[name])
    rows = [{"a": 1.0, "b": -1.0}, {"c": 2.0}]
    for learner in (model, twin):
        learner.learn_many(frame_of(kind, rows), series_of(kind, [True, False]))
    model.learn_many(frame_of(kind, rows)[:0], series_of(kind, [True])[:0])
    assert as_lists(model.predict_many(frame_of(kind, rows)[:0])) == []
    assert as_lists(model.predict_proba_many(frame_of(kind, rows)[:0])) == []
    assert answers(model, rows) == answers(twin, rows)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_before_anything_is_learned(kind):
    X = frame_of(kind, [{"a": 1.0}, {}])
    assert as_lists(OLSFClassifier().predict_many(X)) == [False, False]
    assert as_lists(OLSFClassifier().predict_proba_many(X)) == [[0.5, 0.5]] * 2
    assert as_lists(MulticlassOLSFClassifier().predict_many(X)) == [None, None]
    assert MulticlassOLSFClassifier().predict_proba_many(X).shape[1] == 0


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_names_of_classes(kind):
    rows = [{"a": 1.0}, {"b": 1.0}, {"c": 1.0}] * 20
    labels = ["x", "y", "z"] * 20
    model = MulticlassOLSFClassifier()
    model.learn_many(frame_of(kind, rows), series_of(kind, labels))
    X = frame_of(kind, rows[:3])
    assert as_lists(model.predict_many(X)) == ["x", "y", "z"]
    proba = model.predict_proba_many(X)
    columns = proba.column_names if kind == "pyarrow" else proba.columns
    assert list(columns) == ["x", "y", "z"]


def test_any_label_may_name_a_column_of_pandas():
    X = pd.DataFrame([[1.0, 2.0, 0.0], [0.0, -2.0, 1.0]], columns=[("a", 1), 7, "b"])
    for frame in (X, X.astype(pd.SparseDtype(float, 0.0))):
        model = OLSFClassifier(B=1.0)
        model.learn_many(frame, pd.Series([True, False]))
        assert set(model.weights) == {("a", 1), 7, "b"}


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([2**53 + 1, -(2**62) - 1, 0, 3]),
        pd.Series([2**64 - 1, 2**53 + 1, 0, 3], dtype="uint64"),
        pd.Series([2**53 + 1, None, 0, 3], dtype="Int64"),
        pd.Series([True, False, None, True], dtype="boolean"),
        pd.Series([True, False, True, True]),
        pd.Series([0.1, 0.2, 1e-40, NAN], dtype="float32"),
        pd.Series([0.1, pd.NA, None, 3], dtype=object),
        pd.arrays.SparseArray([0, 3, 0, -5], fill_value=0),
        pd.arrays.SparseArray([False, True, False, False], fill_value=False),
        pd.Series([1, 2, 1, 2], dtype="category"),
        pl.Series([2**63 - 1, None, 0, 3]),
        pl.Series([True, None, False, True]),
        pl.Series([0.1, None, NAN, 3.0], dtype=pl.Float32),
        pl.Series([2**64 - 1, 2**53 + 1, 0, 3], dtype=pl.UInt64),
        pl.Series(["0.1", "2.5", None, "3"]).cast(pl.Decimal(10, 3)),
    ],
    ids=lambda column: f"{type(column).__name__} of {column.dtype}",
)
def test_kinds_of_column(column):
    frame = pl.DataFrame if isinstance(column, pl.Series) else pd.DataFrame
    other = [0.5, -1.5, 2.5, 0.0]
    X = frame({"a": column, "b": other})
    cells = [None if value is pd.NA else value for value in column]
    expected = [
        {key: float(v) for key, v in (("a", a), ("b", b)) if v is not None and v == v}
        for a, b in zip(cells, other, strict=True)
    ]
    assert list(Rows(X)) == expected


def test_rows_of_sparse_frames_are_as_long_as_their_values():
    keys = [f"k{i}" for i in range(1000)]
    X = pd.DataFrame(np.diag([0.0, 2.0, *[1.0] * 998])[:10], columns=keys)
    for frame in (X, X.astype(pd.SparseDtype(float, 0.0))):
        assert [len(row) for row in Rows(frame, zeros="none")] == [0, *[1] * 9]
        assert [len(row) for row in Rows(frame, zeros="first")] == [1000, *[1] * 9]
        assert [len(row) for row in Rows(frame, zeros="all")] == [1000] * 10


def test_a_gap_in_a_column_of_zeros_is_not_counted_as_seen():
    X = pd.DataFrame({"a": [NAN, NAN, 0.0, 0.0], "b": [NAN] * 4, "c": [0.0, 1.0, 0.0, 0.0]})
    for frame in (X, X.astype(pd.SparseDtype(float, 0.0))):
        seen = []
        for i in range(4):
            model = OLSFClassifier()
            for row in Rows(frame[: i + 1], zeros="first"):
                model.learn_one(row, True)
            seen.append(model.n_features_seen)
        assert seen == [1, 1, 2, 2]


@pytest.mark.parametrize("name", LEARNERS)
def test_pipelines(name):
    rows = list(datasets.Phishing().take(300))
    X = pd.DataFrame([x for x, _ in rows])
    y = pd.Series([y for _, y in rows])
    model = preprocessing.StandardScaler() | seeded(LEARNERS[name])
    twin_scaler, twin = preprocessing.StandardScaler(), seeded(LEARNERS[name])
    for part in (slice(100), slice(100, 200)):
        model.learn_many(X[part], y[part])
        twin_scaler.learn_many(X[part])
        scaled = twin_scaler.transform_many(X[part]).to_dict("records")
        for x, label in zip(scaled, y[part], strict=True):
            twin.learn_one(x, label)
    scaled = twin_scaler.transform_many(X[200:]).to_dict("records")
    assert model.predict_many(X[200:]).tolist() == [twin.predict_one(x) for x in scaled]
    proba = model.predict_proba_many(X[200:])
    assert proba.to_dict("records") == [twin.predict_proba_one(x) for x in scaled]
    with compose.learn_during_predict():
        model.predict_many(X[200:])


@pytest.mark.parametrize("name", LEARNERS)
def test_river_checks_mini_batches(name):
    names = {check.__name__ for check in checks.yield_checks(LEARNERS[name])}
    assert names >= {
        "check_learn_many_matches_learn_one",
        "check_predict_many_matches_predict_one",
        "check_predict_proba_many_matches_predict_proba_one",
    }
