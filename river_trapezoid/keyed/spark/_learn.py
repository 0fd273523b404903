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
    """Predict the rows of a stream and learn their labels, with a model for each key.

    The answers are those of `keyed.ModelPerKey` on the rows of each key, to the last bit, however the
    rows are split into micro-batches and wherever these are run. From one micro-batch to the next, the
    rows of a key must arrive in their order; within one, they are sorted.

    The state of a key is a model and the instances that wait for their labels. Spark's state store
    holds it as bytes of `persist`, and it is part of the query's checkpoint. It is read and written
    once per key and micro-batch. A query that resumes from a checkpoint uses a changed `model_per_key`
    for new keys only. A frame that is not a stream is a single batch, and its states are discarded.

    Parameters
    ----------
    frame
        The rows. The state store of their session must be RocksDB, as in `local_session`.
    model_per_key
        The step that predicts and learns the rows of a key.
    key
        Column of the key: text or integers.
    features
        Column of the features: maps from names (text or integers) to numbers, or to text for a model
        behind `preprocessing.RowEncoder`; null in a row with the label of an earlier one.
    label
        Column of the labels: booleans, integers or text; null for unknown labels.
    order
        Column by which the rows of a key are sorted: integers, text, dates or timestamps. It should be
        unique within a key.
    id
        Column by which a row with a label is matched to an earlier one: text or integers. None if each
        label arrives with its features or never.

    Returns
    -------
    The columns `key`, `order` and `id`, under their names in `frame`, and those of `keyed.Answer`:
    `prediction`, of the type of the labels, `probability`, `ask`, `labels_spent` and `error`. A model
    that predicts `False` before its first label gives 0 for integer labels and null for text.

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
            raise ValueError(
                f"the answers would have two columns {name!r}; rename the column of frame"
            )
    check_state_store(frame.sparkSession)
    _check_workers(frame.sparkSession)

    columns = {role: F.col(_quoted(name)) for role, name in names.items()}
    columns.setdefault("id", F.lit(None).cast("string"))
    in_microseconds = isinstance(types["order"], T.TimestampType)
    if in_microseconds:
        # An integer does not depend on the time zone.
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
    """Return the type of the column of each role, or raise an error if it cannot be used."""
    from pyspark.sql import types as T

    for role, name in names.items():
        if name not in frame.columns:
            raise ValueError(
                f"{role} must be a column of frame; got {name!r}, and frame has "
                f"{', '.join(frame.columns)}"
            )
    types = {role: frame.schema[name].dataType for role, name in names.items()}
    plain = T.StringType, T.IntegralType
    wanted: dict[str, tuple[Any, str]] = {
        "key": (plain, "text or integers"),
        "features": (T.MapType, "maps from names to numbers or text"),
        "label": ((T.BooleanType, *plain), "booleans, integers or text"),
        "order": (
            (T.DateType, T.TimestampType, *plain),
            "integers, text, dates or timestamps",
        ),
        "id": (plain, "text or integers"),
    }
    for role, of in types.items():
        allowed, said = wanted[role]
        fits = isinstance(of, allowed)
        if fits and isinstance(of, T.MapType):
            values = T.NumericType, T.BooleanType, T.StringType
            fits = isinstance(of.keyType, plain) and isinstance(of.valueType, values)
        if not fits:
            raise TypeError(
                f"{role} must be a column of {said}; got {names[role]!r}, of type "
                f"{of.simpleString()}"
            )
    return types


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _check_workers(session: SparkSession) -> None:
    """Raise a `RuntimeError` if workers on this machine run in another environment."""
    context = session.sparkContext
    if str(context.master).startswith("local"):
        worker = shutil.which(context.pythonExec)
        here = pathlib.Path(sys.executable)
        if worker is None or pathlib.Path(worker).parent.resolve() != here.parent.resolve():
            raise RuntimeError(
                f"PYSPARK_PYTHON must be {here} when the session is created, as the workers need the "
                f"packages of this environment; got {worker or context.pythonExec}"
            )
