from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from river_trapezoid._parameters import check_number

from ._geometry import Array, Indices
from ._transfer import Chunk, Costs, machines
from .base import ChunkClassifier

__all__ = ["TrSVMClassifier", "tasks"]


@dataclass(eq=False, repr=False, kw_only=True)
class TrSVMClassifier(ChunkClassifier):
    """Transfer SVM: two tasks, the tail of the chunk and the rest, that share part of their weights.

    The weights are w + v1 for the labelled instances at the tail of the chunk (type I) and w + v2
    for those before it (type II)[^1]. Predictions are made by w + v2, or by w + v1 if there is no
    type II: the intercept is common, and goes with the task that has most of the labels.

    Parameters
    ----------
    tail
        Share of the chunk, at its end, that is taken to be of the concept to predict.
    C1
        Cost of the difference between the common weights and those of the tail.
    C2
        Cost of the difference between the common weights and those of the rest of the chunk.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import semi_supervised
    >>> from river_trapezoid import stream

    >>> model = stream.ScarceLabels(
    ...     semi_supervised.TrSVMClassifier(chunk_size=100), ratio=0.2, seed=42
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 81.01%

    """

    tail: float = 0.1
    C1: float = 10.0
    C2: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("tail", self.tail, above=0, at_most=1)
        check_number("C1", self.C1, above=0)
        check_number("C2", self.C2, above=0)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"chunk_size": 20, "tail": 0.3}
        yield {"chunk_size": 30, "kernel": "poly"}

    def _train(self, chunk: Chunk, sign: Array, target: float | None) -> tuple[Array, float]:
        task = tasks(len(sign), self.tail)
        *_, machine = machines(chunk, sign, task, Costs(self.C, C1=self.C1, C2=self.C2))
        main = 2 if sign[task == 2].any() else 1
        return machine.coefficients_of(main), machine.intercept


def tasks(size: int, tail: float) -> Indices:
    """The task of each instance of a chunk: 1 at its tail, 2 before it.

    >>> tasks(5, tail=0.4).tolist()
    [2, 2, 2, 1, 1]

    """
    return np.where(np.arange(size) >= size - max(1, round(tail * size)), 1, 2)
