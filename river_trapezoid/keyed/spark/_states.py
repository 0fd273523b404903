from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ._installed import check_pyspark
from ._processor import STATE
from ._session import check_state_store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["read_states"]


def read_states(session: SparkSession, checkpoint: str | os.PathLike[str]) -> DataFrame:
    """Read the states of all keys after the last micro-batch that a query has finished.

    The query may be running. Nothing is changed.

    Parameters
    ----------
    session
        A session whose state store is RocksDB, as in `local_session`.
    checkpoint
        The checkpoint location of a query with `learn_by_key`.

    Returns
    -------
    A frame with the columns `key` and `state`. `keyed.ModelPerKey.model` returns the model in a state.

    """
    check_pyspark()
    check_state_store(session)
    from pyspark.sql import functions as F

    path = os.fspath(checkpoint)
    operators = session.read.format("state-metadata").load(path)
    found = operators.where(F.col("operatorProperties").contains(f'"{STATE}"')).collect()
    if len(found) != 1:
        raise ValueError(
            f"checkpoint must be that of a query with one learn_by_key; got {path}, of a query with "
            f"{len(found)}"
        )
    states = session.read.format("statestore").option("operatorId", found[0].operatorId)
    return (
        states.option("stateVarName", STATE)
        .load(path)
        .select(F.col("key.key").alias("key"), F.col("value.state").alias("state"))
    )
