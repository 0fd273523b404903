from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from river_trapezoid._parameters import check_number

from ._geometry import Array
from ._multi_task import Chunk, Costs, machines
from .base import ChunkClassifier

__all__ = ["S3VMClassifier"]


@dataclass(eq=False, repr=False, kw_only=True)
class S3VMClassifier(ChunkClassifier):
    """Semi-supervised SVM: unlabelled instances keep the boundary out of dense regions.

    Unlabelled instances cost max(0, 1 - |margin|), and their mean margin is held at the mean
    label, so that they do not all end on one side[^1]. The optimum is found from that of the plain
    SVM by the concave-convex procedure: a series of exact SVMs, each with the last one's
    predictions as pseudo-labels, until none changes.

    Parameters
    ----------
    C_star
        Cost of unlabelled instances close to the boundary. At 0 they count in the mean margin only.
    class_ratio
        Shares of the labels among unlabelled instances, as a dict. None, or labels that it does
        not name: the shares among the labelled instances of the chunk.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import semi_supervised
    >>> from river_trapezoid import stream

    >>> model = semi_supervised.ScarceLabels(
    ...     semi_supervised.S3VMClassifier(chunk_size=100), ratio=0.2, seed=42
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 80.13%

    """

    _TAG = "river_trapezoid.semi_supervised.S3VMClassifier"

    C_star: float = 1.0
    class_ratio: dict[Any, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("C_star", self.C_star, at_least=0)
        ratio = self.class_ratio
        if ratio is not None and not isinstance(ratio, dict):
            raise ValueError(
                f"class_ratio must be a dict from labels to shares, or None; got {ratio!r}"
            )
        for label, share in (ratio or {}).items():
            check_number(f"class_ratio[{label!r}]", share, above=0)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"chunk_size": 20, "standardise": False}
        yield {"chunk_size": 30, "kernel": "rbf", "class_ratio": {True: 0.4, False: 0.6}}

    def _target(self, label: Any, labels: list[Any]) -> float | None:
        ratio = self.class_ratio
        if ratio is None or not all(other in ratio for other in labels):
            return None
        return 2.0 * ratio[label] / math.fsum(ratio[other] for other in labels) - 1.0

    def _train(self, chunk: Chunk, sign: Array, target: float | None) -> tuple[Array, float]:
        *_, machine = machines(
            chunk,
            sign,
            np.zeros(len(sign), int),
            Costs(self.C, self.C_star),
            np.flatnonzero(sign == 0),
            target,
        )
        return machine.coefficients_of(0), machine.intercept
