from __future__ import annotations

import pathlib
import shutil
import sys
from typing import TYPE_CHECKING, Any

from river_trapezoid import keyed

from ._installed import check_pyspark
from ._processor import ANSWER, KeyProcessor
from ._session import check_state_store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["learn_by_key"]


def learn_by_key(
    frame: DataFrame,
    model_per_key: keyed.ModelPerKey,
    *,
    key: str = "key",
    features: str = "features",
    label: str = "label",
    order: str = "order",
    id: str | None = None,
) -> DataFrame:
    """One model for each key of a stream: predict each row, and learn from those with labels.

    The answers are those of `keyed.ModelPerKey` on the rows of each key, to the last bit, whatever
    micro-batches they come in and wherever these are run, as long as the rows of a key come in
    their order from one micro-batch to the next. Within one, they are sorted.

    The state of a key, a model and the instances that wait for their labels, is in Spark's state
    store, as bytes of `persist`, and part of the query's checkpoint. It is read and written once
    per key and micro-batch. It stays for as long as the checkpoint does: a model that is changed
    here is the one of keys that are new. A frame that is no stream is one batch, and its states are
    not kept.

    Parameters
    ----------
    frame
        The rows, of a session whose state store is RocksDB, as that of `local_session` is.
    model_per_key
        What is done with the rows of a key.
    key
        The column that says whose model it is: text or an integer.
    features
        The column of features: a map from names (text or integers) to numbers. It is null where a
        row brings a label only.
    label
        The column of labels: boolean, an integer, or text; null where it is not known.
    order
        The column that rows of a key are sorted by: an integer, text, a date or a timestamp. It
        should be unique within a key.
    id
        The column by which a label that comes in a later row is joined, text or an integer; None if
        labels come with their features or never.

    Returns
    -------
    The columns `key`, `order` and `id`, under their own names, and those of `keyed.Answer`:
    `prediction`, of the type of the labels, `probability`, `ask`, `labels_spent` and `error`. A
    model that has seen no label yet and predicts `False` is taken to say 0 where labels are
    integers, and nothing (null) where they are text.

    Examples
    --------

    >>> from river_trapezoid import keyed, linear_model
    >>> from river_trapezoid.keyed import spark

    >>> session = spark.local_session()
    >>> rows = session.createDataFrame(
    ...     [
    ...         ("pump 7", {"temperature": 71.0, "noise": 3.2}, True, 1),
    ...         ("pump 8", {"temperature": 20.0}, False, 1),
    ...         ("pump 7", {"temperature": 80.0}, None, 2),
    ...         ("pump 8", {"temperature": float("inf")}, None, 2),
    ...     ],
    ...     "key string, features map<string, double>, label boolean, order long",
    ... )
    >>> step = keyed.ModelPerKey(linear_model.EvidenceClassifier())
    >>> answers = spark.learn_by_key(rows, step).orderBy("key", "order")
    >>> answers.select("key", "order", "prediction", "labels_spent", "error").show(truncate=False)
    +------+-----+----------+------------+----------------------------------------------------------+
    |key   |order|prediction|labels_spent|error                                                     |
    +------+-----+----------+------------+----------------------------------------------------------+
    |pump 7|1    |false     |1           |NULL                                                      |
    |pump 7|2    |true      |1           |NULL                                                      |
    |pump 8|1    |false     |1           |NULL                                                      |
    |pump 8|2    |NULL      |1           |feature 'temperature' is infinite or too large for a float|
    +------+-----+----------+------------+----------------------------------------------------------+

    """
    check_pyspark()
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    if not isinstance(frame, DataFrame):
        raise TypeError(f"frame must be a DataFrame of PySpark; got {type(frame).__name__}")
    if not isinstance(model_per_key, keyed.ModelPerKey):
        raise TypeError(
            f"model_per_key must be a keyed.ModelPerKey; got {type(model_per_key).__name__}"
        )
    names = {"key": key, "features": features, "label": label, "order": order}
    if id is not None:
        names["id"] = id
    types = _types(frame, names)
    kept = {role: name for role, name in names.items() if role in ("key", "order", "id")}
    answered = [*kept.values(), *ANSWER[3:]]
    for name in answered:
        if answered.count(name) > 1:
            raise ValueError(f"the answers would have two columns {name!r}; rename that of frame")
    check_state_store(frame.sparkSession)
    _check_workers(frame.sparkSession)

    columns = {role: F.col(_quoted(name)) for role, name in names.items()}
    columns.setdefault("id", F.lit(None).cast("string"))
    in_microseconds = isinstance(types["order"], T.TimestampType)
    if in_microseconds:
        # As an integer, a moment means the same in every time zone.
        columns["order"] = F.unix_micros(columns["order"])
    rows = frame.select(*(column.alias(role) for role, column in columns.items()))
    within = T.StructType(
        [
            T.StructField("key", types["key"]),
            T.StructField("order", rows.schema["order"].dataType),
            T.StructField("id", rows.schema["id"].dataType),
            T.StructField("prediction", types["label"]),
            T.StructField("probability", T.DoubleType()),
            T.StructField("ask", T.BooleanType()),
            T.StructField("labels_spent", T.LongType()),
            T.StructField("error", T.StringType()),
        ]
    )
    label_type = {T.BooleanType: bool, T.StringType: str}.get(type(types["label"]), int)
    answers = rows.groupBy("key").transformWithState(
        KeyProcessor(model_per_key, label_type), within, "Append", "None"
    )
    if in_microseconds:
        answers = answers.withColumn("order", F.timestamp_micros("order"))
    return answers.select(*(F.col(role).alias(name) for role, name in kept.items()), *ANSWER[3:])


def _types(frame: DataFrame, names: dict[str, str]) -> dict[str, Any]:
    """The types of the columns, by what they are for, if they are there and can be used."""
    from pyspark.sql import types as T

    for role, name in names.items():
        if name not in frame.columns:
            raise ValueError(
                f"frame has no column {name!r}, for {role}; it has {', '.join(frame.columns)}"
            )
    types = {role: frame.schema[name].dataType for role, name in names.items()}
    plain = T.StringType, T.IntegralType
    wanted: dict[str, tuple[Any, str]] = {
        "key": (plain, "text or an integer"),
        "features": (T.MapType, "a map from names to numbers"),
        "label": ((T.BooleanType, *plain), "boolean, an integer or text"),
        "order": (
            (T.DateType, T.TimestampType, *plain),
            "an integer, text, a date or a timestamp",
        ),
        "id": (plain, "text or an integer"),
    }
    for role, of in types.items():
        allowed, said = wanted[role]
        fits = isinstance(of, allowed)
        if fits and isinstance(of, T.MapType):
            numbers = T.NumericType, T.BooleanType
            fits = isinstance(of.keyType, plain) and isinstance(of.valueType, numbers)
        if not fits:
            raise TypeError(
                f"column {names[role]!r}, for {role}, must be {said}; it is {of.simpleString()}"
            )
    return types


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _check_workers(session: SparkSession) -> None:
    """Raise a `RuntimeError` if the workers are on this machine, but not of this environment."""
    context = session.sparkContext
    if str(context.master).startswith("local"):
        worker = shutil.which(context.pythonExec)
        here = pathlib.Path(sys.executable)
        if worker is None or pathlib.Path(worker).parent.resolve() != here.parent.resolve():
            raise RuntimeError(
                f"PYSPARK_PYTHON must be {here} when the session is made, as Spark's workers need "
                f"what is installed for it; they are run by {worker or context.pythonExec}"
            )
