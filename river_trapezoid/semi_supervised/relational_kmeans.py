from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np

from river_trapezoid._parameters import check_number, check_seed

from ._geometry import Array, Indices

__all__ = ["RelationalKMeans", "hill_climb", "relations"]

# Keeps the objective of a cluster of equal rows finite.
_EPSILON = 1e-6
_MAX_LLOYD_STEPS = 50


class RelationalKMeans:
    r"""Relational k-means: clusters of instances with similar relations to other instances.

    An instance is described by its relations, $1/(1 + distance)$, to a set of anchors. The
    objective of a cluster $G$ is the mean inner product of its rows over their variance[^1]
    (Eq. 17 to 19), with m rows $r_i$ and their mean $\bar r$:

    $$J_G = \frac{S_G}{\delta_G}, \qquad S_G = \frac{1}{m^2} \sum_{i, j} r_i \cdot r_j, \qquad \delta_G = \frac{1}{m} \sum_i \lVert r_i - \bar r \rVert^2$$

    Starting from k-means, instances drawn at random move to the first cluster where that raises the
    sum of the objectives of both clusters (Eq. 20). The objective depends only on the sum of the
    rows and of their squared lengths, so that a move costs O(anchors), whatever the size of the
    clusters.

    The objective favours tiny clusters (a single row has no variance), hence the minimum size,
    which is not in the paper.

    Parameters
    ----------
    n_clusters
        Number of clusters. There are fewer if k-means leaves some below `min_cluster_size`: those
        are merged into the nearest others.
    n_steps
        Number of instances drawn. None for twice the number of instances.
    min_cluster_size
        The smallest size of a cluster.
    seed
        Seed of the random draws of first centres and instances.

    Examples
    --------

    >>> import numpy as np
    >>> from river_trapezoid import semi_supervised

    >>> points = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.3]])
    >>> kmeans = semi_supervised.RelationalKMeans(n_clusters=2, min_cluster_size=3, seed=1)
    >>> labels = kmeans.fit(points, anchors=np.array([[0.0], [9.0]]))
    >>> [points[labels == label].ravel().tolist() for label in (labels[0], labels[-1])]
    [[0.0, 0.1, 0.2], [9.0, 9.1, 9.3]]

    References
    ----------
    [^1]: Zhang, P., Zhu, X. and Guo, L., 2009. Mining data streams with labeled and unlabeled training examples. IEEE International Conference on Data Mining, pp.627-636.

    """

    _TAG = "river_trapezoid.semi_supervised.RelationalKMeans"

    def __init__(
        self,
        n_clusters: int = 5,
        n_steps: int | None = None,
        min_cluster_size: int = 5,
        seed: int | None = None,
    ):
        check_number("n_clusters", n_clusters, integer=True, at_least=1)
        check_number("n_steps", n_steps, integer=True, at_least=0, optional=True)
        check_number("min_cluster_size", min_cluster_size, integer=True, at_least=1)
        check_seed("seed", seed)
        self.n_clusters = n_clusters
        self.n_steps = n_steps
        self.min_cluster_size = min_cluster_size
        self.seed = seed

    def fit(self, points: Array, anchors: Array) -> Indices:
        """Return the cluster of each point, as a number that starts at 0.

        Parameters
        ----------
        points
            The instances to cluster, one per row.
        anchors
            The instances to relate them to, one per row.

        """
        rng = random.Random(self.seed)
        rows = relations(points, anchors)
        labels = self._large_enough(rows, self._kmeans(rows, rng))
        n_steps = 2 * len(rows) if self.n_steps is None else self.n_steps
        picks = (rng.randrange(len(rows)) for _ in range(n_steps))
        return hill_climb(rows, labels, picks, self.min_cluster_size)

    def _kmeans(self, rows: Array, rng: random.Random) -> Indices:
        centres = rows[rng.sample(range(len(rows)), min(self.n_clusters, len(rows)))]
        labels = _nearest(rows, centres)
        for _ in range(_MAX_LLOYD_STEPS):
            centres = np.array([rows[labels == label].mean(axis=0) for label in np.unique(labels)])
            before, labels = labels, _nearest(rows, centres)
            if (labels == before).all():
                break
        return labels

    def _large_enough(self, rows: Array, labels: Indices) -> Indices:
        """Dissolve clusters below the minimum size, the smallest first."""
        while True:
            labels = np.unique(labels, return_inverse=True)[1]
            sizes = np.bincount(labels)
            smallest = int(sizes.argmin())
            if sizes[smallest] >= self.min_cluster_size or len(sizes) == 1:
                return labels
            kept = [label for label in range(len(sizes)) if label != smallest]
            centres = np.array([rows[labels == label].mean(axis=0) for label in kept])
            homeless = labels == smallest
            labels[homeless] = np.array(kept)[_nearest(rows[homeless], centres)]


def relations(points: Array, anchors: Array) -> Array:
    """Relation of each point (row) to each anchor (column): 1/(1 + distance).

    >>> relations(np.array([[0.0, 0.0]]), np.array([[0.0, 0.0], [3.0, 0.0]])).tolist()
    [[1.0, 0.25]]

    """
    squares = (points**2).sum(axis=1)[:, None] + (anchors**2).sum(axis=1)
    squares -= 2.0 * points @ anchors.T
    return 1.0 / (1.0 + np.sqrt(np.maximum(squares, 0.0)))


def hill_climb(
    rows: Array, labels: Indices, picks: Iterable[int], min_cluster_size: int
) -> Indices:
    """Move each picked row to the first cluster where that raises the objective, if there is one.

    Parameters
    ----------
    rows
        The relations of each instance.
    labels
        The cluster of each, from 0 on.
    picks
        The rows to try, one after the other.
    min_cluster_size
        Size below which no cluster shrinks.

    """
    labels = labels.copy()
    n_clusters = int(labels.max()) + 1
    sums = np.array([rows[labels == label].sum(axis=0) for label in range(n_clusters)])
    lengths = (rows**2).sum(axis=1).tolist()
    # Per cluster: its size m, |s|² for the sum s of its rows, q for the sum of their |row|².
    size = np.bincount(labels, minlength=n_clusters).tolist()
    square = (sums**2).sum(axis=1).tolist()
    spread = np.bincount(labels, lengths, n_clusters).tolist()
    quality = list(map(_objective, size, square, spread))
    for pick in picks:
        home = int(labels[pick])
        if size[home] <= min_cluster_size:
            continue
        row, length = rows[pick], lengths[pick]
        shared = (sums @ row).tolist()
        square_left = square[home] - 2.0 * shared[home] + length
        left = _objective(size[home] - 1, square_left, spread[home] - length)
        for new in range(n_clusters):
            if new == home:
                continue
            square_joined = square[new] + 2.0 * shared[new] + length
            joined = _objective(size[new] + 1, square_joined, spread[new] + length)
            if left + joined > quality[home] + quality[new]:  # Eq. 20
                labels[pick] = new
                sums[home] -= row
                sums[new] += row
                size[home] -= 1
                size[new] += 1
                square[home], square[new] = square_left, square_joined
                spread[home] -= length
                spread[new] += length
                quality[home], quality[new] = left, joined
                break
    return labels


def _objective(size: int, square: float, spread: float) -> float:
    """Mean inner product of a cluster's rows over their variance, Eq. 17 to 19."""
    if not size:
        return 0.0
    similarity = square / (size * size)
    return similarity / (max(0.0, spread / size - similarity) + _EPSILON)


def _nearest(rows: Array, centres: Array) -> Indices:
    distances = (centres**2).sum(axis=1) - 2.0 * rows @ centres.T
    return distances.argmin(axis=1)
