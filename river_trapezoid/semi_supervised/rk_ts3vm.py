from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._geometry import Array, Mask
from ._multi_task import Chunk
from .relational_kmeans import RelationalKMeans
from .ts3vm import TS3VMClassifier

__all__ = ["RKTS3VMClassifier"]


@dataclass(eq=False, repr=False, kw_only=True)
class RKTS3VMClassifier(TS3VMClassifier):
    """Transfer semi-supervised SVM, with features from clusters of the remaining instances.

    The unlabelled instances before the tail of the chunk (type IV), which `TS3VMClassifier` does
    not use, are clustered by how they relate to the labelled ones at the tail (type I; to all of
    the tail if there are none), see `RelationalKMeans`. The inner products with the clusters'
    centres become features of all instances[^1].

    The lead over `S3VMClassifier` that the paper reports for a tail of 10 % is not reproduced: the
    mean margin of the few unlabelled instances of a short tail is a poor guide to the intercept.
    With a tail that is most of the chunk, the two are close.

    Parameters
    ----------
    n_clusters
        Number of clusters, at most.
    n_steps
        Number of moves that the clustering tries. None for twice the number of its instances.
    seed
        Seed of the clustering, the same for every chunk.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import semi_supervised
    >>> from river_trapezoid import stream

    >>> model = semi_supervised.ScarceLabels(
    ...     semi_supervised.RKTS3VMClassifier(chunk_size=100, seed=1), ratio=0.2, seed=42
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 73.64%

    """

    _TAG = "river_trapezoid.semi_supervised.RKTS3VMClassifier"

    n_clusters: int = 5
    n_steps: int | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._clustering = RelationalKMeans(self.n_clusters, self.n_steps, seed=self.seed)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"chunk_size": 40, "tail": 0.3}
        yield {"chunk_size": 30, "n_clusters": 2, "kernel": "rbf"}

    def _prepare(self, chunk: Chunk, rows: Array, labelled: Mask) -> Chunk:
        at_tail = self._tasks(labelled) == 1
        type_4 = np.flatnonzero(~labelled & ~at_tail)
        if not len(type_4):
            return chunk
        type_1 = labelled & at_tail
        anchors = rows[type_1 if type_1.any() else at_tail]
        members = np.eye(self.n_clusters)[self._clustering.fit(rows[type_4], anchors)]
        members = members[:, members.any(axis=0)]
        clusters = np.zeros((len(rows), members.shape[1]))
        clusters[type_4] = members / members.sum(axis=0)
        return chunk.with_clusters(clusters)
