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
    r"""Semi-supervised SVM: unlabelled instances keep the boundary out of dense regions.

    To the objective of `SVMClassifier`, the unlabelled instances add a loss that is largest at the
    boundary[^1] (Eq. 6), and their mean margin is held at the mean label, so that they do not all end
    on one side (Eq. 8):

    $$\min_{w, b} \; \lVert w \rVert^2 + C \sum_{i \le L} H(y_i f(x_i)) + C^* \sum_{i > L} H(|f(x_i)|), \qquad \frac{1}{U} \sum_{i > L} f(x_i) = \frac{1}{L} \sum_{i \le L} y_i$$

    with $f(x) = w \cdot x + b$, $H(t) = \max(0, 1 - t)$, L labelled and U unlabelled instances. The
    solution starts from that of the plain SVM and follows the concave-convex procedure: a series of
    exact SVMs, each with the predictions of the last one as pseudo-labels, until none changes.

    Instances are collected in a chunk. When the chunk is complete, the classifier is retrained from
    it alone, and the call that completes it takes the time for that. Features are standardised within
    the chunk: a feature that an instance lacks is set to the mean of the chunk, and prediction ignores
    a feature that the chunk does not contain. Until the first chunk is complete, the most frequent
    label so far is predicted, or None if there is none. A chunk without labels does not change the
    model; after a chunk with a single label, that label is predicted. More than two labels are
    classified one-vs-rest. If training on a chunk fails, the chunk is dropped with a
    `RuntimeError`, and the model is not changed.

    Parameters
    ----------
    chunk_size
        Number of instances, labelled or not, after which the classifier is retrained.
    C
        Cost of the errors on labelled instances. At 0 the weights are zero: the most frequent label
        of the chunk is predicted everywhere or, if unlabelled instances are used, the label to
        which their mean margin is constrained.
    kernel
        `"linear"`, `"rbf"` or `"poly"`.
    gamma
        Factor of the kernels `rbf` and `poly`. None for one over the number of features.
    degree
        Degree of the kernel `poly`.
    coef0
        Constant term of the kernel `poly`.
    standardise
        Whether to standardise the features within the chunk. If not, a feature that an instance lacks
        is still set to the mean of the chunk.
    C_star
        Cost of unlabelled instances close to the boundary, $C^*$. At 0 they enter the mean margin only.
    class_ratio
        Shares of the labels among unlabelled instances, as a dict. None, or labels that the dict does
        not contain: the shares among the labelled instances of the chunk.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import semi_supervised

    >>> model = semi_supervised.ScarceLabels(
    ...     semi_supervised.S3VMClassifier(chunk_size=100), ratio=0.2, seed=42
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 80.13%

    References
    ----------
    [^1]: Zhang, P., Zhu, X. and Guo, L., 2009. Mining data streams with labeled and unlabeled training examples. IEEE International Conference on Data Mining, pp.627-636.

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
