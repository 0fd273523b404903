"""One model per key on Spark: `python spark_job.py --model plant.model --rows incoming --folder state`."""

from __future__ import annotations

import argparse
import pathlib

from river_trapezoid import keyed, persist
from river_trapezoid.keyed import spark

SCHEMA = "key string, order long, id string, features map<string, double>, label {}"


def main() -> None:
    """Learn from the files of a folder, and write the predictions as Parquet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="model file to start with")
    parser.add_argument("--rows", required=True, help="folder of JSON lines files")
    parser.add_argument(
        "--folder", required=True, type=pathlib.Path, help="folder of output and checkpoint"
    )
    parser.add_argument("--label", default="boolean", choices=["boolean", "long", "string"])
    parser.add_argument(
        "--files", type=int, default=100, help="maximum number of files in a micro-batch"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        help="seconds between checks for new files; by default, end after the last file",
    )
    parser.add_argument("--threads", type=int, default=2, help="number of threads")
    options = parser.parse_args()

    session = spark.local_session(options.threads)
    session.sparkContext.setLogLevel("ERROR")
    step = keyed.ModelPerKey(persist.load(options.model))
    rows = (
        session.readStream.schema(SCHEMA.format(options.label))
        .option("maxFilesPerTrigger", options.files)
        .json(options.rows)
    )
    answers = spark.learn_by_key(rows, step, id="id")
    writer = (
        answers.writeStream.format("parquet")
        .outputMode("append")
        .option("path", str(options.folder / "answers"))
        .option("checkpointLocation", str(options.folder / "checkpoint"))
    )
    if options.seconds is None:
        writer = writer.trigger(availableNow=True)
    else:
        writer = writer.trigger(processingTime=f"{options.seconds} seconds")
    writer.start().awaitTermination()


if __name__ == "__main__":
    main()
