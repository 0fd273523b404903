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
    """Transfer SVM: two tasks, the tail of the chunk and the rest, that share part of their weights.

    The weights are w + v1 for the labelled instances at the tail of the chunk (type I) and w + v2
    for those before it (type II)[^1]. Predictions are made by w + v2, or by w + v1 if there is no
    type II: the intercept is common, and goes with the task that has most of the labels.

    Parameters
    ----------
    tail
        Share of the chunk, at its end, that is taken to be of the concept to predict.
    C1
        Cost of the difference v1 between the common weights and those of the tail. At 0, which is
        the limit of small costs, v1 is free to fit the tail, and the tail tells nothing of the
        common weights, but for what it tells of the intercept. They are unique, and v1 need not be:
        where it is predicted by, it is one of those with the least errors. Only one of C1 and C2
        may be 0, as otherwise no label tells anything of the common weights.
    C2
        Cost of the difference v2 between the common weights and those of the rest of the chunk. At
        0, the same is true of the rest.
    drift_rate
        The rate c at which the concept drifts, between 0 and 1, if it is known. In place of `tail`,
        the sizes of the types are then those of Eq. 1 of the paper: the share α/c, at most 1, of the
        labelled instances is of type I, and of the unlabelled ones of type III, in each case the
        latest. Unlike those in the tail, their numbers do not depend on where the labels are.
    alpha
        The α of that share, for which the paper gives no value. By default the share is that of its
        `tail`, 10 %, at a drift rate of one half.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import semi_supervised
    >>> from river_trapezoid import stream

    >>> model = semi_supervised.ScarceLabels(
    ...     semi_supervised.TrSVMClassifier(chunk_size=100), ratio=0.2, seed=42
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 81.01%

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
        """The task of each instance: 1 if it is of type I or III, 2 otherwise."""
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
