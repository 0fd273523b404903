from __future__ import annotations

import pytest

from benchmarks import spark


@pytest.mark.spark
def test_spark_and_loops_are_measured(tmp_path):
    path = tmp_path / "speeds.csv"
    records = spark.main(
        ["--keys", "2", "--rows", "3", "100000", "--batches", "1", "--csv", str(path)]
    )
    assert [list(record)[2:] for record in records] == [["in memory", "ModelPerKey", "Spark"]]
    assert all(speed > 0 for speed in records[0].values())
    assert path.read_text().startswith("keys,rows,in memory,ModelPerKey,Spark\n2,3,")
