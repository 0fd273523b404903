"""What the page on Spark shows, but for Kafka."""

from __future__ import annotations

import pathlib
import re

import pytest

from .streams import batches, write

pytestmark = pytest.mark.spark
PAGE = pathlib.Path(__file__).parents[3] / "docs" / "spark.md"


def test_the_blocks_run_one_after_the_other(session, tmp_path):
    text = PAGE.read_text(encoding="utf-8")
    first, second, kafka = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    compile(kafka, "kafka", "exec")
    write(tmp_path / "incoming", batches(1, 100, n_keys=8))
    scope = {}
    # Relative paths are those of the JVM, which has been started somewhere else.
    exec(re.sub(r'"(incoming|state/)', rf'"{tmp_path}/\1', first), scope)
    try:
        scope["query"].processAllAvailable()
        exec(second.replace("state/", f"{tmp_path}/state/"), scope)
    finally:
        scope["query"].stop()
    assert 0 < scope["model"].labels_spent < 100
    assert session.read.parquet(f"{tmp_path}/state/answers").count() == 100
