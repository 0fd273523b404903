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
    """Return a Spark session on this machine, with the settings that `learn_by_key` needs.

    The state store is RocksDB, and the workers run the Python of this process unless `PYSPARK_PYTHON`
    is set. The number of partitions is the number of threads, rather than 200. Spark's web page and
    progress bars are off, and Spark listens on 127.0.0.1 only. If there is a session already, it is
    returned, with those of these settings that can still be changed.

    Parameters
    ----------
    threads
        Number of partitions that are processed in parallel.
    conf
        Other settings of Spark, by their names; they override those above.

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
    """Raise a `ValueError` unless the state store is RocksDB, as state in Python requires."""
    provider = session.conf.get(_PROVIDER)
    if "RocksDB" not in str(provider):
        raise ValueError(
            f"the setting {_PROVIDER} must be {_ROCKSDB}, as in "
            f"spark.local_session(); got {provider}"
        )
