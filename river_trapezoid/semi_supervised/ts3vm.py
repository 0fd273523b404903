from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._geometry import Array
from ._multi_task import Chunk, Costs, machines
from .s3vm import S3VMClassifier
from .trsvm import TrSVMClassifier

__all__ = ["TS3VMClassifier"]


@dataclass(eq=False, repr=False, kw_only=True)
class TS3VMClassifier(TrSVMClassifier, S3VMClassifier):
    """Transfer semi-supervised SVM: two tasks, and the unlabelled instances at the chunk's tail.

    The weights are w + v1 for the labelled instances at the tail of the chunk (type I), w + v2 for
    those before it (type II), and w for the unlabelled ones at the tail (type III) as well as for
    prediction. Type III costs max(0, 1 - |margin|), its mean margin is held at the mean label[^1].
    Unlabelled instances before the tail (type IV) are not used. Without type III this is
    `TrSVMClassifier`.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import semi_supervised
    >>> from river_trapezoid import stream

    >>> model = semi_supervised.ScarceLabels(
    ...     semi_supervised.TS3VMClassifier(chunk_size=100), ratio=0.2, seed=42
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 76.04%

    """

    _TAG = "river_trapezoid.semi_supervised.TS3VMClassifier"

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"chunk_size": 20, "tail": 0.3}
        yield {"chunk_size": 30, "kernel": "rbf", "C1": 1.0, "drift_rate": 0.1}

    def _train(self, chunk: Chunk, sign: Array, target: float | None) -> tuple[Array, float]:
        task = self._tasks(sign != 0)
        type_3 = np.flatnonzero((sign == 0) & (task == 1))
        if not len(type_3):
            return super()._train(chunk, sign, target)
        costs = Costs(self.C, self.C_star, self.C1, self.C2)
        *_, machine = machines(chunk, sign, task, costs, type_3, target)
        return machine.coefficients_of(0), machine.intercept
