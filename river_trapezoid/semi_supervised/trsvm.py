from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from river_trapezoid._parameters import check_number

from ._geometry import Array, Indices, Mask
from ._multi_task import Chunk, Costs, machines
from .base import ChunkClassifier

__all__ = ["TrSVMClassifier"]


@dataclass(eq=False, repr=False, kw_only=True)
class TrSVMClassifier(ChunkClassifier):
    r"""Transfer SVM: the tail of the chunk and the rest are two tasks that share part of their weights.

    The labelled instances at the tail of the chunk (type I) have the weights $w + v_1$, those before it
    (type II) $w + v_2$[^1] (Eq. 5):

    $$\min_{w, v_1, v_2, b} \; \lVert w \rVert^2 + C_1 \lVert v_1 \rVert^2 + C_2 \lVert v_2 \rVert^2 + C \sum_i H(y_i ((w + v_{t(i)}) \cdot x_i + b))$$

    where $t(i)$ is the task of an instance and $H(t) = \max(0, 1 - t)$. Predictions use $w + v_2$, or
    $w + v_1$ if there is no type II: the intercept is common, and fits the task with most of the labels.

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
    tail
        Share of the chunk, at its end, that is assumed to follow the concept to predict. The paper
        takes 10 %.
    C1
        Cost of the difference $v_1$ between the common weights and those of the tail. At 0, which is
        the limit of small costs, $v_1$ is free to fit the tail, and the tail does not affect the
        common weights, and determines the intercept only in part. The common weights are unique,
        and $v_1$ need not be: where predictions depend on it, it is one of those with the fewest
        errors. Only one of C1 and C2 may be 0, as otherwise no label would determine the common
        weights.
    C2
        Cost of the difference $v_2$ between the common weights and those of the rest of the chunk. At
        0, the same holds for the rest.
    drift_rate
        The rate $c$ at which the concept drifts, between 0 and 1, if it is known. In place of `tail`,
        Eq. 1 then sets the sizes of the types: the share $\alpha/c$, at most 1, of the labelled
        instances is of type I and of the unlabelled ones of type III, in each case the latest. Unlike
        those in the tail, their numbers do not depend on where the labels are.
    alpha
        The $\alpha$ of that share, for which the paper gives no value. By default the share is that of
        its `tail`, 10 %, at a drift rate of one half.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import semi_supervised

    >>> model = semi_supervised.ScarceLabels(
    ...     semi_supervised.TrSVMClassifier(chunk_size=100), ratio=0.2, seed=42
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 81.01%

    References
    ----------
    [^1]: Zhang, P., Zhu, X. and Guo, L., 2009. Mining data streams with labeled and unlabeled training examples. IEEE International Conference on Data Mining, pp.627-636.

    """

    _TAG = "river_trapezoid.semi_supervised.TrSVMClassifier"

    tail: float = 0.1
    C1: float = 10.0
    C2: float = 1.0
    drift_rate: float | None = None
    alpha: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("tail", self.tail, above=0, at_most=1)
        check_number("C1", self.C1, at_least=0)
        check_number("C2", self.C2, at_least=0)
        if not (self.C1 or self.C2):
            raise ValueError(f"C2 must be a finite number > 0 if C1 is 0; got {self.C2!r}")
        check_number("drift_rate", self.drift_rate, at_least=0, at_most=1, optional=True)
        check_number("alpha", self.alpha, above=0)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"chunk_size": 20, "tail": 0.3}
        yield {"chunk_size": 30, "kernel": "poly", "drift_rate": 0.2}

    def _train(self, chunk: Chunk, sign: Array, target: float | None) -> tuple[Array, float]:
        task = self._tasks(sign != 0)
        *_, machine = machines(chunk, sign, task, Costs(self.C, C1=self.C1, C2=self.C2))
        main = 2 if sign[task == 2].any() else 1
        return machine.coefficients_of(main), machine.intercept

    def _tasks(self, labelled: Mask) -> Indices:
        """The task of each instance: 1 for types I and III, 2 for types II and IV."""
        if self.drift_rate is None:
            return tasks(len(labelled), self.tail)
        known = self.alpha < self.drift_rate
        return tasks_by_type(labelled, self.alpha / self.drift_rate if known else 1.0)


def tasks(size: int, tail: float) -> Indices:
    """The task of each instance of a chunk: 1 at its tail, 2 before it.

    >>> tasks(5, tail=0.4).tolist()
    [2, 2, 2, 1, 1]

    """
    return np.where(np.arange(size) >= size - max(1, round(tail * size)), 1, 2)


def tasks_by_type(labelled: Mask, share: float) -> Indices:
    """The task of each instance: 1 for the latest share of the labelled and of the unlabelled ones.

    >>> labelled = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0], bool)
    >>> tasks_by_type(labelled, share=0.5).tolist()
    [2, 2, 1, 1, 2, 2, 2, 1, 1, 1]

    """
    size, n_labelled = len(labelled), int(labelled.sum())
    n = max(1, round(share * size))
    n_type_3 = min(n - round(share * n_labelled), size - n_labelled)
    task = np.full(size, 2)
    for kind, number in ((labelled, n - n_type_3), (~labelled, n_type_3)):
        task[np.flatnonzero(kind)[::-1][:number]] = 1
    return task
