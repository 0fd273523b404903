from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from river_trapezoid._parameters import check_number

from ._installed import check_java, check_pyspark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["check_state_store", "local_session"]

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def local_session(threads: int = 2, conf: Mapping[str, str] | None = None) -> SparkSession:
    """A Spark session on this machine, with what `learn_by_key` needs.

    That is the state store RocksDB, and this process's Python for the workers, unless
    `PYSPARK_PYTHON` is set. There are as many partitions as threads, rather than Spark's 200, neither
    Spark's web page nor its progress bars, and nothing listens but on 127.0.0.1. If there is a session already, it is
    taken, with these settings as far as they can be changed.

    Parameters
    ----------
    threads
        How many partitions are worked on at the same time.
    conf
        Further settings of Spark, or others than the above, by their names.

    Examples
    --------

    >>> from river_trapezoid.keyed import spark

    >>> session = spark.local_session(conf={"spark.sql.shuffle.partitions": "4"})
    >>> session.conf.get("spark.sql.shuffle.partitions")
    '4'

    """
    check_pyspark()
    check_number("threads", threads, at_least=1, integer=True)
    check_java()
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings: dict[str, Any] = {
        _PROVIDER: _ROCKSDB,
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": str(threads),
        "spark.ui.showConsoleProgress": "false",
        "spark.ui.enabled": "false",
        **(conf or {}),
    }
    builder = SparkSession.builder.master(f"local[{threads}]").appName("river_trapezoid")
    return builder.config(map=settings).getOrCreate()


def check_state_store(session: SparkSession) -> None:
    """Raise a `ValueError` unless the state store is RocksDB, the only one for state in Python."""
    provider = session.conf.get(_PROVIDER)
    if "RocksDB" not in str(provider):
        raise ValueError(
            f"the session's setting {_PROVIDER} must be {_ROCKSDB}, as it is in "
            f"spark.local_session(); it is {provider}"
        )
