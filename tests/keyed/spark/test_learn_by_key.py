from __future__ import annotations

import datetime
import os

import pytest

from river_trapezoid import linear_model, preprocessing
from river_trapezoid.keyed import Answer, ModelPerKey, Row, spark

from .streams import SAMPLER, SCHEMA, batches, content, plain_loop, write

pytestmark = pytest.mark.spark


def run(session, folder, step, **options):
    """Take what there is in the folder's files, one of them after the other; return all answers."""
    stream = session.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    answers = spark.learn_by_key(stream.json(str(folder / "rows")), step, id="id", **options)
    query = (
        answers.writeStream.format("parquet")
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(folder / "answers"))
    )
    query.awaitTermination()
    # The sink lists what is finished, and is read by that list.
    return sorted(tuple(row) for row in session.read.parquet(str(folder / "answers")).collect())


def test_answers_are_those_of_a_plain_loop_also_after_a_restart(session, setting, tmp_path):
    # As many as never come to Python at once.
    setting("spark.sql.execution.arrow.maxRecordsPerBatch", "7")
    step = ModelPerKey(SAMPLER, max_waiting=20)
    found = batches(4, 60, n_keys=3)
    write(tmp_path / "rows", found[:2])
    states, expected = plain_loop(step, found[:2])
    assert run(session, tmp_path, step) == expected
    write(tmp_path / "rows", found[2:], first=2)

    # Another model is that of new keys only.
    other = ModelPerKey(linear_model.OLSFClassifier())
    new = [("new", Row(1, {"a": 1.0}, True)), ("new", Row(2, {"a": 1.0}))]
    write(tmp_path / "rows", [new], first=4)
    answers = run(session, tmp_path, other)

    states, expected = plain_loop(step, found)
    own, answers_of_new = plain_loop(other, [new])
    assert any(answer[-1] for answer in expected)
    assert any(answer[5] is False for answer in expected)
    kept = {
        row.key: row.state for row in spark.read_states(session, tmp_path / "checkpoint").collect()
    }
    assert kept.keys() == states.keys() | own.keys()
    assert ModelPerKey.model(kept["new"]).weights == ModelPerKey.model(own["new"]).weights
    for key, state in states.items():
        assert content(kept[key]) == content(state)
    assert answers == sorted(expected + answers_of_new)


def batch(session, rows, columns, model=None, **options):
    frame = session.createDataFrame(rows, columns)
    step = ModelPerKey(model or linear_model.OLSFClassifier())
    return spark.learn_by_key(frame, step, **options)


@pytest.mark.parametrize(
    ("kind", "labels", "model", "expected"),
    [
        ("boolean", [True, True, False], linear_model.OLSFClassifier(), [False, True, True]),
        ("tinyint", [1, 1, -1], linear_model.OLSFClassifier(), [0, 1, 1]),
        ("bigint", [2, 2, 3], linear_model.MulticlassOLSFClassifier(), [None, 2, 2]),
        ("string", ["x", "x", "y"], linear_model.MulticlassOLSFClassifier(), [None, "x", "x"]),
        ("string", ["x", "x", "y"], linear_model.OLSFClassifier(), [None, None, None]),
    ],
)
def test_predictions_are_of_the_type_of_the_labels(session, kind, labels, model, expected):
    rows = [(7, i, {1: i}, label) for i, label in enumerate(labels, start=1)]
    columns = f"`the key` int, `at` short, x map<int, int>, y {kind}"
    names = {"key": "the key", "order": "at", "features": "x", "label": "y"}
    answers = batch(session, rows, columns, model, **names)
    assert answers.columns == ["the key", "at", *Answer._fields[2:]]
    assert dict(answers.dtypes)["prediction"] == kind
    found = sorted(answers.collect(), key=lambda row: row["at"])
    assert [row.prediction for row in found] == expected
    learned = isinstance(model, linear_model.MulticlassOLSFClassifier) or kind != "string"
    assert [row.labels_spent for row in found] == ([1, 2, 3] if learned else [0, 0, 0])
    assert [row.error is None for row in found] == [learned] * 3


@pytest.mark.parametrize(
    ("kind", "orders"),
    [
        ("date", [datetime.date(2024, 2, 28 + i) for i in (0, 1)]),
        ("string", ["a", "b"]),
        # One hour apart, and the same on a clock in Berlin.
        ("timestamp", [datetime.datetime(2024, 10, 27, h, tzinfo=datetime.UTC) for h in (0, 1)]),
    ],
)
def test_rows_of_a_key_are_taken_in_their_order(session, setting, kind, orders):
    setting("spark.sql.session.timeZone", "Europe/Berlin")
    columns = f"key string, order {kind}, features map<string, double>, label boolean"
    rows = [("k", orders[i], {"a": 1.0}, True) for i in (1, 0)]
    frame = batch(session, rows, columns)
    assert dict(frame.dtypes)["order"] == kind
    seconds = "cast(order as double)" if kind == "timestamp" else "order"
    found = frame.selectExpr(f"{seconds} as order", "labels_spent").orderBy("labels_spent")
    if kind == "timestamp":
        orders = [order.timestamp() for order in orders]
    assert [tuple(row) for row in found.collect()] == [(orders[0], 1), (orders[1], 2)]


def test_raw_cells_are_taken_behind_a_row_encoder(session):
    model = preprocessing.RowEncoder(one_hot=True) | linear_model.EvidenceClassifier()
    columns = "key string, order long, features map<string, string>, label boolean"
    cells = [
        {"plan": "premium" if i % 2 else "basic", "since": "2024-01-31", "bill": f"${i}.50"}
        for i in range(12)
    ]
    rows = [("k", i, {**x, "note": None}, bool(i % 2)) for i, x in enumerate(cells)]
    found = sorted(batch(session, rows, columns, model).collect(), key=lambda row: row.order)
    for row, x in zip(found, cells, strict=True):
        assert row.error is None
        assert row.prediction == model.predict_one(x)
        model.learn_one(x, bool(row.order % 2))


def test_rows_that_cannot_be_learned_are_reported(session):
    columns = "key string, order long, features map<string, double>, label boolean"
    rows = [(None, 1, {"a": 1.0}, True), ("k", None, {"a": 1.0}, True), ("k", 1, {"a": None}, None)]
    found = sorted(row.error or "" for row in batch(session, rows, columns).collect())
    assert found == ["", "key is missing", "order is missing"]


@pytest.mark.parametrize("key", [None, "k"])
def test_bad_rows_stop_the_query_if_they_are_to(session, key):
    from pyspark.errors import PySparkException

    columns = "key string, order long, features map<string, double>, label boolean"
    frame = session.createDataFrame([(key, 7, {"a": float("inf")}, True)], columns)
    step = ModelPerKey(linear_model.OLSFClassifier(), errors="raise")
    with pytest.raises(PySparkException, match="row with order 7: "):
        spark.learn_by_key(frame, step).collect()


GOOD = {
    "key": "string",
    "order": "long",
    "id": "string",
    "features": "map<string, double>",
    "label": "boolean",
}


@pytest.mark.parametrize(
    ("column", "kind", "message"),
    [
        ("key", "double", "key must be a column of text or integers; got 'key', of type double"),
        ("order", "double", "order must be a column of integers, text, dates or timestamps; got"),
        ("id", "double", "id must be a column of text or integers; got 'id', of type double"),
        (
            "features",
            "string",
            "features must be a column of maps from names to numbers or text; got",
        ),
        ("features", "map<string, date>", "of type map<string,date>"),
        ("features", "map<double, double>", "of type map<double,double>"),
        ("label", "double", "label must be a column of booleans, integers or text; got 'label'"),
    ],
)
def test_columns_of_a_wrong_type_are_refused(session, column, kind, message):
    columns = ", ".join(f"`{name}` {of}" for name, of in {**GOOD, column: kind}.items())
    with pytest.raises(TypeError, match=message):
        batch(session, [], columns, id="id")


def test_columns_have_to_be_there(session):
    columns = ", ".join(f"{name} {of}" for name, of in GOOD.items())
    with pytest.raises(
        ValueError, match="label must be a column of frame; got 'y', and frame has key"
    ):
        batch(session, [], columns, label="y")
    with pytest.raises(ValueError, match="the answers would have two columns 'order'"):
        batch(session, [], columns, id="order")


def test_arguments_of_other_types_are_refused(session):
    with pytest.raises(TypeError, match="frame must be a DataFrame of PySpark; got list"):
        spark.learn_by_key([], ModelPerKey(linear_model.OLSFClassifier()))
    with pytest.raises(TypeError, match=r"must be a keyed\.ModelPerKey; got OLSFClassifier"):
        spark.learn_by_key(session.range(1), linear_model.OLSFClassifier())


def test_the_state_store_has_to_be_rocksdb(session, setting):
    columns = ", ".join(f"{name} {of}" for name, of in GOOD.items())
    name = "spark.sql.streaming.stateStore.providerClass"
    setting(name, "org.example.OtherProvider")
    with pytest.raises(ValueError, match=f"{name} must be .*RocksDB.*got org.example.Other"):
        batch(session, [], columns)
    with pytest.raises(ValueError, match=f"{name} must be .*RocksDB"):
        spark.read_states(session, "checkpoint")


def test_the_workers_have_to_be_run_by_this_python(session, monkeypatch):
    columns = ", ".join(f"{name} {of}" for name, of in GOOD.items())
    monkeypatch.setattr(session.sparkContext, "pythonExec", os.devnull)
    with pytest.raises(RuntimeError, match="PYSPARK_PYTHON must be"):
        batch(session, [], columns)


def test_a_checkpoint_without_models_is_refused(session, tmp_path):
    write(tmp_path / "rows", batches(1, 1, 1))
    stream = session.readStream.schema(SCHEMA).json(str(tmp_path / "rows"))
    query = stream.writeStream.format("noop").trigger(availableNow=True)
    query.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()
    with pytest.raises(ValueError, match="one learn_by_key"):
        spark.read_states(session, tmp_path / "checkpoint")
