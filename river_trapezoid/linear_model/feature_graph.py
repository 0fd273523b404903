from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["FeatureGraph", "initial_edges", "product"]

Array = npt.NDArray[np.float64]
# Number of edges up to which BLAS multiplies in one thread.
_BLOCK = 9000
# The edges from each source to each target, for a list of sources and a list of targets.
Edges = Callable[[Sequence[Hashable], Sequence[Hashable]], Array]


class FeatureGraph:
    """A weight per feature and an edge per pair of features, in arrays that grow when needed.

    Each feature has a slot: a place in `weights`, and a row and a column in `edges`, where row `i`
    holds the edges from feature `i`. The slot of a feature that was dropped holds zeros, so that
    it plays no part in any product, until another feature takes it. Only the first `size` slots
    are in use.

    Parameters
    ----------
    initial
        The edges that new features come with. None for one from each feature to itself.

    """

    def __init__(self, initial: Edges | None = None):
        self.initial = initial
        # In the order of arrival.
        self.slots: dict[Hashable, int] = {}
        self.size = 0
        self.weights: Array = np.zeros(8)
        self.edges: Array = np.zeros((8, 8))

    def live(self) -> npt.NDArray[np.intp]:
        """The slots of all features, in the order of their arrival."""
        return np.fromiter(self.slots.values(), np.intp, len(self.slots))

    def smoothing(self, laplacian: str) -> Array:
        """(L + L')w, which draws the weights of related features together."""
        weights, edges = self.weights[: self.size], self.edges[: self.size, : self.size]
        if laplacian != "plain":
            edges = np.abs(edges)
        ones = np.ones(self.size)
        degrees = product(ones, edges) + product(ones, edges.T)
        smoothing = degrees * weights - product(weights, edges) - product(weights, edges.T)
        if laplacian == "normalised":
            smoothing *= 2.0 / np.maximum(degrees, 1e-12)
        return smoothing

    def add(self, keys: Sequence[Hashable]) -> None:
        """Give a slot to new features, in the order given. Nothing changes if this raises."""
        everyone = [*self.slots, *keys]
        rows = None if self.initial is None else self.initial(keys, everyone)
        columns = None if self.initial is None else self.initial(everyone, keys)

        free = np.setdiff1d(np.arange(self.size + len(keys)), self.live())[: len(keys)].tolist()
        self.size = max(self.size, 1 + max(free, default=-1))
        if self.size > len(self.weights):
            self.resize(max(self.size, 2 * len(self.weights)))
        self.slots.update(zip(keys, free, strict=True))
        if rows is None or columns is None:
            self.edges[free, free] = 1.0
        else:
            live = self.live()
            self.edges[np.ix_(free, live)] = rows
            self.edges[np.ix_(live, free)] = columns

    def remove(self, keys: Iterable[Hashable]) -> None:
        """Take the slots of features away from them."""
        freed = [self.slots.pop(key) for key in keys]
        self.weights[freed] = 0.0
        self.edges[freed] = 0.0
        self.edges[:, freed] = 0.0
        self.size = 1 + max(self.slots.values(), default=-1)

    def resize(self, capacity: int) -> None:
        """Make room for `capacity` features, with every one in use where it is."""
        kept = min(self.size, capacity, len(self.weights))
        weights, edges = np.zeros(capacity), np.zeros((capacity, capacity))
        weights[:kept] = self.weights[:kept]
        edges[:kept, :kept] = self.edges[:kept, :kept]
        self.weights, self.edges = weights, edges

    def truncate(self, n_features: int) -> None:
        """Drop all but the features with the largest weights; of equals the oldest goes first."""
        order = np.argsort(np.abs(self.weights[self.live()]), kind="stable")
        keys = list(self.slots)
        self.remove([keys[i] for i in order[: len(keys) - n_features].tolist()])
        if len(self.weights) > 64 + 4 * len(self.slots):
            # A single instance with very many new features must not leave its room behind.
            live = self.live()
            self.weights, self.edges = self.weights[live], self.edges[np.ix_(live, live)]
            self.slots = {key: slot for slot, key in enumerate(self.slots)}
            self.size = len(live)

    def zero_smallest(self, n_kept: int) -> None:
        """Zero all but the largest weights; of equals the oldest goes first."""
        live = self.live()
        order = np.argsort(np.abs(self.weights[live]), kind="stable")
        self.weights[live[order[: len(live) - n_kept]]] = 0.0


def product(vector: Array, matrix: Array) -> Array:
    """The product of a row vector and a matrix, block by block.

    BLAS shares larger products out among threads. For products of this size waiting for them costs
    more than it saves, many times as much where other processes use the cores.
    """
    if matrix.size <= _BLOCK:
        return vector @ matrix
    total = np.zeros(matrix.shape[1])
    step = max(1, _BLOCK // matrix.shape[1])
    for i in range(0, len(vector), step):
        total += vector[i : i + step] @ matrix[i : i + step]
    return total


def initial_edges(graph: Any, seed: int) -> Edges | None:
    """The edges that new features come with, as described in `OCDSClassifier`."""
    if graph == "identity":
        return None
    if graph == "random":
        return functools.partial(_random_edges, seed)
    return functools.partial(_given_edges, graph)


def _given_edges(
    graph: Mapping[Hashable, Mapping[Hashable, float]] | Callable[[Hashable, Hashable], float],
    sources: Sequence[Hashable],
    targets: Sequence[Hashable],
) -> Array:
    edges = np.zeros((len(sources), len(targets)))
    for i, source in enumerate(sources):
        for j, target in enumerate(targets):
            if isinstance(graph, Mapping):
                value = graph.get(source, {}).get(target, 0.0)
            else:
                value = graph(source, target)
            if not math.isfinite(value):
                raise ValueError(f"graph gives {value!r} for the edge {source!r} -> {target!r}")
            edges[i, j] = value
    return edges


def _random_edges(seed: int, sources: Sequence[Hashable], targets: Sequence[Hashable]) -> Array:
    """Uniform in [0, 1), each a function of its two features and the seed only."""
    start = _mixed(_digests(sources) ^ np.uint64(seed))[:, np.newaxis]
    end = _mixed(_digests(targets))[np.newaxis]
    return (_mixed(start + np.uint64(3) * end) >> np.uint64(11)) / 2.0**53


def _digests(keys: Sequence[Hashable]) -> npt.NDArray[np.uint64]:
    return np.array([_digest(repr(key)) for key in keys], dtype=np.uint64)


@functools.lru_cache(maxsize=10_000)
def _digest(name: str) -> int:
    # Not the built-in hash, which differs between processes.
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


def _mixed(z: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The output function of the generator splitmix64: similar numbers become unlike ones."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
