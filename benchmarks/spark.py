"""What one model per key costs on Spark, and in a loop.

    python -m benchmarks.spark [--keys 10 100 1000 10000] [--rows 1 10 100 1000] [--csv FILE]

Micro-batches with a number of rows for each of a number of keys, 10,000 rows at most; each row has
ten features and its label, and is predicted, label and probability, and learned from. The first
micro-batch, in which processes start and models are new, is not measured, the ones after it are, on
one machine, after each other:

- `in memory`: a model for each key in a dict, and a loop;
- `ModelPerKey`: a state for each key in a dict, and one call per key and micro-batch;
- `Spark`: `spark.learn_by_key` with two threads, from a Parquet file per micro-batch to no sink, and
  with its checkpoint on a local disk. The time is that of the whole trigger.
"""

from __future__ import annotations

import argparse
import pathlib
import random
import tempfile
import time

import pyarrow as pa
from pyarrow import parquet

from benchmarks import data
from river_trapezoid import keyed, linear_model
from river_trapezoid.keyed import spark

MODEL = linear_model.EvidenceClassifier
SCHEMA = "key string, order long, features map<string, double>, label boolean"
MOST_ROWS = 10_000


def micro_batches(n_keys: int, n_rows: int, n: int) -> list[list[tuple[str, list[keyed.Row]]]]:
    """For each of `n` micro-batches, rows for each key."""
    rng = random.Random(0)

    def row(order):
        x = {f"feature {j}": rng.gauss(0.0, 1.0) for j in range(10)}
        return keyed.Row(order, x, sum(x.values()) + rng.gauss(0.0, 1.0) > 0.0)

    return [
        [(f"key {key}", [row(batch * n_rows + i) for i in range(n_rows)]) for key in range(n_keys)]
        for batch in range(n)
    ]


def seconds_in_memory(batches):
    models, times = {}, []
    for batch in batches:
        start = time.perf_counter()
        for key, rows in batch:
            model = models.get(key)
            if model is None:
                model = models[key] = MODEL()
            for row in rows:
                model.predict_one(row.features)
                model.predict_proba_one(row.features)
                model.learn_one(row.features, row.label)
        times.append(time.perf_counter() - start)
    return times


def seconds_of_steps(batches):
    step, states, times = keyed.ModelPerKey(MODEL()), {}, []
    for batch in batches:
        start = time.perf_counter()
        for key, rows in batch:
            states[key], _ = step.run(states.get(key), rows)
        times.append(time.perf_counter() - start)
    return times


def seconds_on_spark(batches, session):
    table = pa.schema(
        [
            ("key", pa.string()),
            ("order", pa.int64()),
            ("features", pa.map_(pa.string(), pa.float64())),
            ("label", pa.bool_()),
        ]
    )
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "rows").mkdir()
        for i, batch in enumerate(batches):
            rows = [
                {
                    "key": key,
                    "order": r.order,
                    "features": list(r.features.items()),
                    "label": r.label,
                }
                for key, own in batch
                for r in own
            ]
            path = folder / "rows" / f"{i:04}.parquet"
            parquet.write_table(pa.Table.from_pylist(rows, schema=table), path)
        stream = session.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        answers = spark.learn_by_key(
            stream.parquet(str(folder / "rows")), keyed.ModelPerKey(MODEL())
        )
        query = (
            answers.writeStream.format("noop")
            .option("checkpointLocation", str(folder / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        done = [step for step in query.recentProgress if step.numInputRows]
    assert len(done) == len(batches)
    return [step.durationMs["triggerExecution"] / 1e3 for step in done]


def measured(n_keys: int, n_rows: int, n: int, session) -> dict[str, float]:
    """Rows a second, from the second micro-batch on."""
    batches = micro_batches(n_keys, n_rows, n + 1)
    rows = n * n_keys * n_rows
    return {
        "in memory": rows / sum(seconds_in_memory(batches)[1:]),
        "ModelPerKey": rows / sum(seconds_of_steps(batches)[1:]),
        "Spark": rows / sum(seconds_on_spark(batches, session)[1:]),
    }


def main(arguments: list[str] | None = None) -> list[dict]:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, nargs="+", default=[10, 100, 1_000, 10_000])
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 10, 100, 1_000])
    parser.add_argument("--batches", type=int, default=3)
    parser.add_argument("--csv")
    options = parser.parse_args(arguments)
    session = spark.local_session()
    session.sparkContext.setLogLevel("ERROR")
    records = []
    print("keys, rows per key and micro-batch, rows a second: in memory, ModelPerKey, Spark")
    for n_keys in options.keys:
        for n_rows in options.rows:
            if n_keys * n_rows > MOST_ROWS:
                continue
            speeds = measured(n_keys, n_rows, options.batches, session)
            records.append(
                {
                    "keys": n_keys,
                    "rows": n_rows,
                    **{name: round(speed) for name, speed in speeds.items()},
                }
            )
            print(*records[-1].values(), sep=", ", flush=True)
    if options.csv:
        data.write(options.csv, records)
    return records


if __name__ == "__main__":
    main()
