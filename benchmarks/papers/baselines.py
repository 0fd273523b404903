"""The baselines of every table: an online learner of River, ours, and an offline ceiling."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from .data import Data
from .job import Job
from .paper import BASELINES, OFFLINE, Paper, Plan, Seeds
from .published import Published

__all__ = ["N_REPEATS", "beside"]

# Enough to compare with.
N_REPEATS = 5
_SAID = dict(
    zip(
        BASELINES,
        (
            "River's, behind a StandardScaler, default parameters",
            "default parameters",
            "logistic regression on all features and labels, five-fold cross-validation",
        ),
        strict=True,
    )
)


def beside(paper: Paper, figure: Published, data: Data, seeds: Seeds) -> list[Plan]:
    """The plans of the baselines of a published figure, each of a figure without a value."""
    params, protocol, stream = paper.beside(figure)
    own_seeds = seeds(protocol, data)[:N_REPEATS]
    return [
        Plan(
            dataclasses.replace(figure, algorithm=system, params=params, mean=math.nan, std=None),
            "text",
            _setting(system, data, protocol, stream, own_seeds),
            against="none",
        )
        for system in paper.baselines
    ]


def _setting(
    system: str, data: Data, protocol: str, stream: Mapping[str, Any], seeds: Sequence[int]
) -> dict[str, tuple[Job, ...]]:
    said = _SAID[system]
    if system == OFFLINE:
        said += " within each chunk" if protocol == "chunks" else ""
        stream, protocol = _rows_of(stream), OFFLINE
    else:
        # Words are not scaled.
        stream = {**stream, "scaled": system != "EvidenceClassifier" and data.form != "sparse"}
    if "n_rows" in stream:
        said += f"; {stream['n_rows']:,} rows"
    return {said: tuple(Job(data, stream, system, {}, protocol, seed) for seed in seeds)}


def _rows_of(stream: Mapping[str, Any]) -> dict[str, Any]:
    """What determines the rows of a stream, rather than what is shown of them."""
    return {
        name: value
        for name, value in stream.items()
        if name in ("n_rows", "chunk", "drift", "n_chunks")
    }
