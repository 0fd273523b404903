from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from river_trapezoid._parameters import check_number

from ._geometry import Array, Indices
from ._transfer import Chunk, Costs, machines
from .base import ChunkClassifier

__all__ = ["TrSVMClassifier", "tasks"]


class TrSVMClassifier(ChunkClassifier):
    """Transfer SVM: two tasks, the tail of the chunk and the rest, that share part of their weights.

    The weights are w + v1 for the labelled instances at the tail of the chunk (type I) and w + v2
    for those before it (type II)[^1]. Predictions are made by w + v2, or by w + v1 if there is no
    type II: the intercept is common, and goes with the task that has most of the labels.

    Instances gather in a chunk. When it is complete, the model is made anew from it alone, and the
    instance that completes it pays for that. Features are standardised within the chunk: one that
    an instance lacks counts as the chunk's mean, and one that the chunk does not know is ignored
    in prediction. Until the first chunk is complete, the prediction is the most frequent label so
    far, or None. A chunk without labels leaves the model as it was; after a chunk with a single
    label, that label is predicted. More than two labels are told apart one against the rest.

    Parameters
    ----------
    chunk_size
        Number of instances, labelled or not, after which the model is made anew.
    tail
        Share of the chunk, at its end, that is taken to be of the concept to predict.
    C
        Cost of the errors on labelled instances.
    C1
        Cost of the difference between the common weights and those of the tail.
    C2
        Cost of the difference between the common weights and those of the rest of the chunk.
    kernel
        `"linear"`, `"rbf"` or `"poly"`.
    gamma
        Factor of the kernels `rbf` and `poly`. None for one over the number of features.
    degree
        Degree of the kernel `poly`.
    coef0
        Constant term of the kernel `poly`.
    standardise
        Whether to standardise the features within the chunk. If not, one that an instance lacks
        still counts as the chunk's mean.

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

    References
    ----------
    [^1]: Zhang, P., Zhu, X. and Guo, L., 2009. Mining data streams with labeled and unlabeled training examples. IEEE International Conference on Data Mining, pp.627-636.

    """

    def __init__(
        self,
        chunk_size: int = 500,
        tail: float = 0.1,
        C: float = 1.0,
        C1: float = 10.0,
        C2: float = 1.0,
        kernel: str = "linear",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        standardise: bool = True,
    ):
        super().__init__(chunk_size, C, kernel, gamma, degree, coef0, standardise)
        check_number("tail", tail, above=0, at_most=1)
        check_number("C1", C1, above=0)
        check_number("C2", C2, above=0)
        self.tail = tail
        self.C1 = C1
        self.C2 = C2

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
