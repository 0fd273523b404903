from __future__ import annotations

import copy
import math
import pickle
import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import compose, datasets, evaluate, linear_model, metrics
from river import preprocessing as river_preprocessing
from scipy import sparse

from river_trapezoid import weights
from river_trapezoid.linear_model import OLSFClassifier
from river_trapezoid.preprocessing import StandardScaler
from river_trapezoid.weights.moments import FeatureMoments as PureMoments

NAN = float("nan")
NAMES = ["a", "b", "c", 7, ("d", 1)]
SETTINGS = [{}, {"with_std": False}, {"with_mean": False}, {"max_features": 3}]
values = st.one_of(st.sampled_from([0.0, 1.0, -1.0, None, NAN]), st.floats(-1e6, 1e6))
rows_of_values = st.lists(st.dictionaries(st.sampled_from(NAMES), values), max_size=30)


def close(ours, theirs):
    return ours.keys() == theirs.keys() and all(
        math.isclose(ours[key], theirs[key], rel_tol=1e-9, abs_tol=1e-9) for key in ours
    )


def told(scaler):
    return scaler.counts, scaler.means, scaler.vars


@pytest.mark.parametrize("with_std", [True, False])
@pytest.mark.parametrize(
    "make", [datasets.Phishing, datasets.ImageSegments, datasets.TrumpApproval]
)
def test_it_is_rivers_scaler_where_all_values_are_numbers(make, with_std):
    ours = StandardScaler(with_std=with_std)
    theirs = river_preprocessing.StandardScaler(with_std=with_std)
    for x, _ in make().take(500):
        assert close(ours.transform_one(x), theirs.transform_one(x))
        ours.learn_one(x)
        theirs.learn_one(x)
        assert close(ours.transform_one(x), theirs.transform_one(x))
    assert ours.counts == dict(theirs.counts)
    assert close(ours.means, dict(theirs.means))
    if with_std:
        assert close(ours.vars, dict(theirs.vars))


@pytest.mark.parametrize("make", [datasets.Phishing, datasets.ImageSegments])
def test_mini_batches_are_those_of_rivers_scaler(make):
    X = pd.DataFrame([x for x, _ in make().take(300)])
    ours, theirs = StandardScaler(), river_preprocessing.StandardScaler()
    for part in (X[:100], X[100:300]):
        ours.learn_many(part)
        theirs.learn_many(part)
    # River divides by a deviation of 1e-8 that is rounding where a column is constant.
    varied = [name for name in X if X[name].nunique() > 1]
    pd.testing.assert_frame_equal(
        ours.transform_many(X)[varied], theirs.transform_many(X)[varied], check_dtype=False
    )


@pytest.mark.parametrize("settings", SETTINGS)
@given(rows=rows_of_values)
def test_the_two_kinds_of_moments_agree_to_the_last_bit(settings, rows):
    scaler = StandardScaler(**settings)
    pure = PureMoments(scaler.with_mean, scaler.with_std, scaler.max_features)
    rng = random.Random(len(rows))
    for x in rows:
        keys = list(x)
        rng.shuffle(keys)
        shuffled = {key: x[key] for key in keys}
        assert scaler.transform_one(x) == pure.transform(shuffled)
        scaler.learn_one(x)
        pure.learn(shuffled)
        assert scaler._moments.to_dict() == pure.to_dict()
    if scaler.max_features:
        assert scaler._moments.__getstate__() == pure.__getstate__()
    twin = pickle.loads(pickle.dumps(scaler))
    pure = pickle.loads(pickle.dumps(pure))
    for x in rows:
        for one in (scaler, twin):
            one.learn_one(x)
        pure.learn(x)
        assert twin._moments.to_dict() == scaler._moments.to_dict() == pure.to_dict()


@pytest.mark.parametrize("settings", SETTINGS)
@given(
    rows=st.lists(
        st.dictionaries(st.sampled_from("abc"), st.floats(-100, 100), min_size=1), min_size=1
    ),
    where=st.integers(0, 99),
    key=st.sampled_from("abcd"),
    gap=st.sampled_from([None, NAN, np.nan, np.float32("nan"), pd.NA]),
)
def test_what_is_missing_changes_nothing(settings, rows, where, key, gap):
    row = where % len(rows)
    with_gap = copy.deepcopy(rows)
    with_gap[row][key] = gap
    without = copy.deepcopy(rows)
    without[row].pop(key, None)
    scaler, twin = StandardScaler(**settings), StandardScaler(**settings)
    for x, y in zip(with_gap, without, strict=True):
        assert scaler.transform_one(x) == twin.transform_one(y)
        scaler.learn_one(x)
        twin.learn_one(y)
        assert told(scaler) == told(twin)


def test_a_gap_at_any_place_of_a_stream_is_an_absent_value():
    rows = list(datasets.Phishing().take(20))
    for i in range(len(rows)):
        for key in rows[i][0]:
            for gap in (None, NAN):
                model = StandardScaler() | OLSFClassifier()
                twin = StandardScaler() | OLSFClassifier()
                for j, (x, y) in enumerate(rows):
                    gone = {k: v for k, v in x.items() if j != i or k != key}
                    x = {k: v if k in gone else gap for k, v in x.items()}
                    assert model.predict_proba_one(x) == twin.predict_proba_one(gone)
                    model.learn_one(x, y)
                    twin.learn_one(gone, y)


def phishing_with_a_row_of(gap):
    for i, (x, y) in enumerate(datasets.Phishing()):
        yield (dict.fromkeys(x, gap) if i == 100 else x), y


def test_a_row_of_gaps_costs_no_accuracy():
    def accuracy(stream):
        model = StandardScaler() | OLSFClassifier()
        return evaluate.progressive_val_score(stream, model, metrics.Accuracy()).get()

    whole = accuracy(datasets.Phishing())
    assert whole > 0.86
    assert abs(accuracy(phishing_with_a_row_of(NAN)) - whole) < 0.002
    assert abs(accuracy(phishing_with_a_row_of(None)) - whole) < 0.002


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_order_of_features_changes_nothing(settings):
    scaler, twin = StandardScaler(**settings), StandardScaler(**settings)
    rng = random.Random(0)
    for _ in range(200):
        x = {key: rng.gauss(0, 1) for key in rng.sample(NAMES, rng.randint(1, 5))}
        backwards = dict(reversed(x.items()))
        assert scaler.transform_one(x) == twin.transform_one(backwards)
        scaler.learn_one(x)
        twin.learn_one(backwards)
        assert told(scaler) == told(twin)


def test_features_that_are_always_one_stay_one():
    scaler = StandardScaler(with_mean=False)
    for _ in range(5):
        assert scaler.transform_one({"a": 1, "b": True}) == {"a": 1.0, "b": 1.0}
        scaler.learn_one({"a": 1, "b": True})
    assert scaler.transform_one({"a": 0.0}) == {"a": 0.0}


@pytest.mark.parametrize(
    ("settings", "unseen", "once"),
    [
        ({}, 0.0, 0.0),
        ({"with_std": False}, 3.0, 0.0),
        ({"with_mean": False}, 1.0, 1.0),
        ({"with_mean": False, "with_std": False}, 3.0, 3.0),
    ],
)
def test_features_seen_never_or_once(settings, unseen, once):
    scaler = StandardScaler(**settings)
    assert scaler.transform_one({"a": 3.0}) == {"a": unseen}
    assert len(scaler._moments) == 0
    scaler.learn_one({"a": 3.0})
    assert scaler.transform_one({"a": 3.0}) == {"a": once}


def test_the_feature_learned_from_longest_ago_goes_first():
    scaler = StandardScaler(max_features=2)
    scaler.learn_one({"b": 1.0, "a": 1.0})
    scaler.learn_one({"c": 1.0})
    assert set(scaler.counts) == {"b", "c"}
    scaler.transform_one({"b": 1.0})
    scaler.learn_one({"c": 2.0, "a": 1.0})
    assert scaler.counts == {"c": 2, "a": 1}
    rng = random.Random(0)
    latest = {}
    for t in range(500):
        x = {f"k{rng.randint(0, 9)}": rng.random()}
        scaler.learn_one(x)
        latest.update(dict.fromkeys(x, t))
        if len(latest) < 2:
            continue
        assert set(scaler.counts) == set(sorted(latest, key=latest.get)[-2:])


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        ({"a": 1.0, "b": "red"}, TypeError, "feature 'b' has the value 'red'"),
        ({"a": 1.0, "b": math.inf}, ValueError, "feature 'b' is infinite"),
        ({"a": 1.0, 1j: 1.0}, TypeError, "feature 1j"),
        ("text", TypeError, "x must be a dict"),
    ],
)
def test_bad_input_changes_nothing(settings, x, error, message):
    scaler = StandardScaler(**settings)
    scaler.learn_one({"a": 2.0, "c": 3.0})
    before = pickle.dumps(scaler)
    with pytest.raises(error, match=message):
        scaler.learn_one(x)
    assert pickle.dumps(scaler) == before
    if message != "feature 1j":
        with pytest.raises(error, match=message):
            scaler.transform_one(x)


def test_values_too_large_for_a_variance_are_refused_by_name():
    scaler = StandardScaler()
    scaler.learn_one({"a": 1.0, "b": 1.0})
    before = pickle.dumps(scaler)
    with pytest.raises(OverflowError, match=r"feature 'b' = 1e\+200"):
        scaler.learn_one({"a": 2.0, "b": 1e200})
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, 1e200, 2.0]})
    with pytest.raises(OverflowError, match=r"row 1: feature 'b' = 1e\+200"):
        scaler.learn_many(X)
    new = X.rename(columns={"b": "c"})
    with pytest.raises(OverflowError, match=r"row 1: feature 'c' = 1e\+200"):
        scaler.learn_many(sparse.csr_array(new.to_numpy()), columns=list(new))
    assert pickle.dumps(scaler) == before
    assert scaler.transform_one({"a": 1e308, "b": -1e308}) == {"a": 0.0, "b": 0.0}
    scaler.learn_one({"a": 1.0 + 1e-9})
    assert scaler.transform_one({"a": 1.7e308}) == {"a": 1.7976931348623157e308}


FRAMES = {
    "pandas": lambda X: X,
    "nullable": lambda X: X.astype("Float64"),
    "sparse": lambda X: X.astype(pd.SparseDtype(float, NAN)),
    "polars": lambda X: pl.from_pandas(X),
    "pyarrow": lambda X: pa.Table.from_pandas(X),
    "numpy": lambda X: X.to_numpy(),
    "csr": lambda X: sparse.csr_array(
        (X.to_numpy()[X.notna()], np.nonzero(X.notna().to_numpy())), shape=X.shape
    ),
}


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("gaps", [False, True])
def test_a_mini_batch_is_its_rows_one_by_one(kind, settings, gaps):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(40, 5)) * [1, 10, 100, 0, 1], columns=list("abcde"))
    X["e"] = 1.0
    if gaps:
        X = X.mask(rng.random(X.shape) < 0.3)
    names = {"columns": list(X)} if kind in ("numpy", "csr") else {}
    one, many = StandardScaler(**settings), StandardScaler(**settings)
    for part in (X[:15], X[15:16], X[16:]):
        frame = FRAMES[kind](part)
        rows = part.to_dict("records")
        expected = [one.transform_one(x) for x in rows]
        answer = many.transform_many(frame, **names)
        if kind == "csr":
            assert answer.nnz == frame.nnz
            answer = np.where(part.notna(), answer.toarray(), NAN)
        else:
            assert type(answer) is type(frame)
        table = pd.DataFrame(
            answer.to_pandas() if kind in ("polars", "pyarrow") else np.asarray(answer, float)
        )
        got = [
            {k: v for k, v in zip(X, row, strict=True) if v == v}
            for row in table.to_numpy().tolist()
        ]
        assert got == expected
        for x in rows:
            one.learn_one(x)
        many.learn_many(frame, **names)
        assert told(one) == told(many)


def test_pipelines():
    for last in (OLSFClassifier(), linear_model.LogisticRegression()):
        pipeline = StandardScaler() | last.clone()
        scaler, twin = StandardScaler(), last.clone()
        for x, y in datasets.Phishing().take(100):
            assert pipeline.predict_proba_one(x) == twin.predict_proba_one(scaler.transform_one(x))
            pipeline.learn_one(x, y)
            scaler.learn_one(x)
            twin.learn_one(scaler.transform_one(x), y)
        assert "StandardScaler" in pipeline.debug_one(x)


def test_it_may_learn_during_prediction():
    pipeline = StandardScaler() | OLSFClassifier()
    with compose.learn_during_predict():
        for x, y in datasets.Phishing().take(50):
            pipeline.predict_one(x)
            pipeline.learn_one(x, y)
    assert set(pipeline["StandardScaler"].counts.values()) == {50}


def test_it_joins_other_transformers():
    model = (StandardScaler() + river_preprocessing.MinMaxScaler()) | OLSFClassifier()
    model = compose.Select("https", "is_popular") | model
    metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    assert metric.get() > 0.7


def test_clones_and_copies():
    scaler = StandardScaler(with_mean=False, max_features=5)
    for x, _ in datasets.Phishing().take(10):
        scaler.learn_one(x)
    assert "with_mean=False" in repr(scaler)
    fresh = scaler.clone()
    assert (fresh.with_mean, fresh.max_features, fresh.counts) == (False, 5, {})
    twin = copy.deepcopy(scaler)
    assert told(twin) == told(scaler)
    twin.learn_one({"a": 1.0})
    assert "a" not in scaler.counts
    full = scaler.clone(include_attributes=True)
    assert told(full) == told(scaler)


@pytest.mark.parametrize(
    ("name", "value"), [("with_std", 1), ("with_mean", "no"), ("max_features", 0)]
)
def test_parameters_are_checked(name, value):
    with pytest.raises(ValueError, match=name):
        StandardScaler(**{name: value})


def test_a_state_that_is_none_is_refused():
    moments = weights.FeatureMoments(budget=2)
    for state in ([("a", 0, 0.0, 0.0)], [("a", 1, NAN, 0.0)], [("a", 1)], [("a", 1, 0, 0)] * 2, 3):
        with pytest.raises(ValueError, match="expected a state of FeatureMoments"):
            moments.__setstate__(state)
        with pytest.raises(ValueError, match="expected a state of FeatureMoments"):
            PureMoments(budget=2).__setstate__(state)
