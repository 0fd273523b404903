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
    r"""Support vector machine, trained chunk by chunk on the labelled instances.

    The first of the baselines that the paper compares transfer and semi-supervised learning with[^1]
    (Eq. 3): with labels $y_i$ of -1 and +1 and the hinge loss $H(t) = \max(0, 1 - t)$,

    $$\min_{w, b} \; \lVert w \rVert^2 + C \sum_i H(y_i (w \cdot x_i + b))$$

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

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import semi_supervised

    >>> model = semi_supervised.ScarceLabels(
    ...     semi_supervised.SVMClassifier(chunk_size=100), ratio=0.2, seed=42
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 80.21%

    References
    ----------
    [^1]: Zhang, P., Zhu, X. and Guo, L., 2009. Mining data streams with labeled and unlabeled training examples. IEEE International Conference on Data Mining, pp.627-636.

    """

    _TAG = "river_trapezoid.semi_supervised.SVMClassifier"

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"chunk_size": 20}
        yield {"chunk_size": 30, "kernel": "rbf"}

    def _train(self, chunk: Chunk, sign: Array, target: float | None) -> tuple[Array, float]:
        *_, machine = machines(chunk, sign, np.zeros(len(sign), int), Costs(self.C))
        return machine.coefficients_of(0), machine.intercept
