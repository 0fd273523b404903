from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from river_trapezoid._parameters import check_number

from ._geometry import Array
from ._transfer import Chunk, Costs, machines
from .s3vm import check_class_ratio
from .trsvm import TrSVMClassifier, tasks

__all__ = ["TS3VMClassifier"]


class TS3VMClassifier(TrSVMClassifier):
    """Transfer semi-supervised SVM: two tasks, and the unlabelled instances at the chunk's tail.

    The weights are w + v1 for the labelled instances at the tail of the chunk (type I), w + v2 for
    those before it (type II), and w for the unlabelled ones at the tail (type III) as well as for
    prediction. Type III costs max(0, 1 - |margin|), its mean margin is held at the mean label[^1].
    Unlabelled instances before the tail (type IV) are not used. Without type III this is
    `TrSVMClassifier`.

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
    C_star
        Cost of unlabelled instances close to the boundary.
    C1
        Cost of the difference between the common weights and those of the tail.
    C2
        Cost of the difference between the common weights and those of the rest of the chunk.
    class_ratio
        Shares of the labels among unlabelled instances, as a dict. None, or labels that it does
        not name: the shares among the labelled instances of the chunk.
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
    ...     semi_supervised.TS3VMClassifier(chunk_size=100), ratio=0.2, seed=42
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 76.04%

    References
    ----------
    [^1]: Zhang, P., Zhu, X. and Guo, L., 2009. Mining data streams with labeled and unlabeled training examples. IEEE International Conference on Data Mining, pp.627-636.

    """

    def __init__(
        self,
        chunk_size: int = 500,
        tail: float = 0.1,
        C: float = 1.0,
        C_star: float = 1.0,
        C1: float = 10.0,
        C2: float = 1.0,
        class_ratio: dict[Any, float] | None = None,
        kernel: str = "linear",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        standardise: bool = True,
    ):
        super().__init__(chunk_size, tail, C, C1, C2, kernel, gamma, degree, coef0, standardise)
        check_number("C_star", C_star, above=0)
        check_class_ratio(class_ratio)
        self.C_star = C_star
        self.class_ratio = class_ratio

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"chunk_size": 20, "tail": 0.3}
        yield {"chunk_size": 30, "kernel": "rbf", "C1": 1.0}

    def _train(self, chunk: Chunk, sign: Array, target: float | None) -> tuple[Array, float]:
        task = tasks(len(sign), self.tail)
        type_3 = np.flatnonzero((sign == 0) & (task == 1))
        if not len(type_3):
            return super()._train(chunk, sign, target)
        costs = Costs(self.C, self.C_star, self.C1, self.C2)
        *_, machine = machines(chunk, sign, task, costs, type_3, target)
        return machine.coefficients_of(0), machine.intercept
