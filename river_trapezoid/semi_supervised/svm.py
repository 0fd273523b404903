from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ._geometry import Array
from ._transfer import Chunk, Costs, machines
from .base import ChunkClassifier

__all__ = ["SVMClassifier"]


class SVMClassifier(ChunkClassifier):
    """Support vector machine, trained chunk by chunk on the labelled instances.

    The first of the baselines that transfer and semi-supervised learning are compared with[^1].

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
    C
        Cost of the errors on labelled instances.
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
    ...     semi_supervised.SVMClassifier(chunk_size=100), ratio=0.2, seed=42
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 80.21%

    References
    ----------
    [^1]: Zhang, P., Zhu, X. and Guo, L., 2009. Mining data streams with labeled and unlabeled training examples. IEEE International Conference on Data Mining, pp.627-636.

    """

    def __init__(
        self,
        chunk_size: int = 500,
        C: float = 1.0,
        kernel: str = "linear",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        standardise: bool = True,
    ):
        super().__init__(chunk_size, C, kernel, gamma, degree, coef0, standardise)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"chunk_size": 20}
        yield {"chunk_size": 30, "kernel": "rbf"}

    def _train(self, chunk: Chunk, sign: Array, target: float | None) -> tuple[Array, float]:
        *_, machine = machines(chunk, sign, np.zeros(len(sign), int), Costs(self.C))
        return machine.coefficients_of(0), machine.intercept
