"""What stands beside every table: an online learner of River, ours, and an offline ceiling."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from .data import Data
from .job import Cell
from .paper import Beside, Plan, Seeds, Setting
from .published import Published

__all__ = ["N_REPEATS", "OFFLINE", "beside"]

# They are there to compare with, and need no more.
N_REPEATS = 5
OFFLINE = "offline"
_SAID = {
    "LogisticRegression": "River's, behind a StandardScaler, default parameters",
    "EvidenceClassifier": "default parameters",
    OFFLINE: "logistic regression on all features and labels, five-fold cross-validation",
}
_IN_CHUNKS = f"{_SAID[OFFLINE]} within each chunk"


def beside(
    figure: Published, data: Data, place: Beside, seeds: Seeds
) -> list[tuple[Published, Plan]]:
    """The baselines of a published figure, each as a figure without a value, and its plan."""
    own_seeds = seeds(place.protocol, data)[:N_REPEATS]
    systems = (OFFLINE,) if place.offline_only else tuple(_SAID)
    return [
        (
            dataclasses.replace(
                figure, algorithm=system, params=place.params, mean=math.nan, std=None
            ),
            Plan("text", (_setting(system, data, place, own_seeds),), against="none"),
        )
        for system in systems
    ]


def _setting(system: str, data: Data, place: Beside, seeds: Sequence[int]) -> Setting:
    said, stream, protocol = _SAID[system], place.stream, place.protocol
    if system == OFFLINE:
        said = _IN_CHUNKS if protocol == "chunks" else said
        stream, protocol = _rows_of(stream), OFFLINE
    else:
        # Words are not scaled.
        stream = {**stream, "scaled": system != "EvidenceClassifier" and data.form != "sparse"}
    if "n_rows" in stream:
        said += f"; {stream['n_rows']:,} rows"
    cells = tuple(Cell(data, stream, system, {}, protocol, seed) for seed in seeds)
    return Setting(said, cells)


def _rows_of(stream: Mapping[str, Any]) -> dict[str, Any]:
    """What of a stream says which rows there are, rather than what is shown of them."""
    return {
        name: value
        for name, value in stream.items()
        if name in ("n_rows", "chunk", "drift", "n_chunks")
    }
