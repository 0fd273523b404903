from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._geometry import Array
from ._multi_task import Chunk, Costs, machines
from .base import ChunkClassifier

__all__ = ["SVMClassifier"]


@dataclass(eq=False, repr=False, kw_only=True)
class SVMClassifier(ChunkClassifier):
    """Support vector machine, trained chunk by chunk on the labelled instances.

    The first of the baselines that transfer and semi-supervised learning are compared with[^1].

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import semi_supervised
    >>> from river_trapezoid import stream

    >>> model = semi_supervised.ScarceLabels(
    ...     semi_supervised.SVMClassifier(chunk_size=100), ratio=0.2, seed=42
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 80.21%

    """

    _TAG = "river_trapezoid.semi_supervised.SVMClassifier"

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"chunk_size": 20}
        yield {"chunk_size": 30, "kernel": "rbf"}

    def _train(self, chunk: Chunk, sign: Array, target: float | None) -> tuple[Array, float]:
        *_, machine = machines(chunk, sign, np.zeros(len(sign), int), Costs(self.C))
        return machine.coefficients_of(0), machine.intercept
