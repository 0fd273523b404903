from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from river_trapezoid._parameters import check_number

from ._geometry import Array
from ._transfer import Chunk, Costs, machines
from .base import ChunkClassifier

__all__ = ["S3VMClassifier", "check_class_ratio"]


class S3VMClassifier(ChunkClassifier):
    """Semi-supervised SVM: unlabelled instances keep the boundary out of dense regions.

    Unlabelled instances cost max(0, 1 - |margin|), and their mean margin is held at the mean
    label, so that they do not all end on one side[^1]. The optimum is found from that of the plain
    SVM by the concave-convex procedure: a series of exact SVMs, each with the last one's
    predictions as pseudo-labels, until none changes.

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
    C_star
        Cost of unlabelled instances close to the boundary.
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
    ...     semi_supervised.S3VMClassifier(chunk_size=100), ratio=0.2, seed=42
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 80.13%

    References
    ----------
    [^1]: Zhang, P., Zhu, X. and Guo, L., 2009. Mining data streams with labeled and unlabeled training examples. IEEE International Conference on Data Mining, pp.627-636.

    """

    def __init__(
        self,
        chunk_size: int = 500,
        C: float = 1.0,
        C_star: float = 1.0,
        class_ratio: dict[Any, float] | None = None,
        kernel: str = "linear",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        standardise: bool = True,
    ):
        super().__init__(chunk_size, C, kernel, gamma, degree, coef0, standardise)
        check_number("C_star", C_star, above=0)
        check_class_ratio(class_ratio)
        self.C_star = C_star
        self.class_ratio = class_ratio

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"chunk_size": 20, "standardise": False}
        yield {"chunk_size": 30, "kernel": "rbf", "class_ratio": {True: 0.4, False: 0.6}}

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


def check_class_ratio(ratio: Any) -> None:
    """Raise a `ValueError` unless `ratio` is None or a dict of positive shares."""
    if ratio is None:
        return
    if not isinstance(ratio, dict):
        raise ValueError(
            f"class_ratio must be a dict from labels to shares, or None; got {ratio!r}"
        )
    for label, share in ratio.items():
        check_number(f"class_ratio[{label!r}]", share, above=0)
