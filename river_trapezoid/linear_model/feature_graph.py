from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import blas

from river_trapezoid._instance import Features
from river_trapezoid.weights import in_order

__all__ = ["FeatureGraph", "initial_edges", "product"]

Array = npt.NDArray[np.float64]
Slots = npt.NDArray[np.intp]
# Number of edges up to which BLAS works in one thread. It shares larger work out, and to wait for
# threads costs more than they save here, many times as much where other processes use the cores.
_BLOCK = 8000
# The edges from each source to each target, for a list of sources and a list of targets.
Edges = Callable[[Sequence[Hashable], Sequence[Hashable]], Array]


class FeatureGraph:
    """A weight per feature and an edge per pair of features, in arrays that grow when needed.

    Each feature has a slot: a place in `weights`, and a row and a column in `edges`, where row `i`
    holds the edges from feature `i`. A free slot holds zeros, so that it adds nothing to any
    product. There are few free slots, as products take time for all slots.

    Parameters
    ----------
    initial
        The initial edges of new features. None for one from each feature to itself.
    most_new
        The largest number of new features that `read` considers in one instance. None for no limit.

    """

    def __init__(self, initial: Edges | None = None, most_new: int | None = None):
        self.initial = initial
        self.most_new = most_new
        # In the order of arrival. Copies share it, so it is replaced rather than changed.
        self.slots: dict[Hashable, int] = {}
        self.weights: Array = np.zeros(8)
        self.edges: Array = np.zeros((8, 8))
        # A bound on the absolute value of all edges, which spares a look at each.
        self.largest = 1.0

    def copy(self) -> FeatureGraph:
        """An independent copy."""
        twin = FeatureGraph.__new__(FeatureGraph)
        twin.__dict__.update(self.__dict__, weights=self.weights.copy(), edges=self.edges.copy())
        return twin

    def live(self) -> Slots:
        """The slots of all features, in the order of their arrival."""
        return np.fromiter(self.slots.values(), np.intp, len(self.slots))

    def read(self, x: Features) -> tuple[Array, Slots, list[Hashable]]:
        """The values of an instance, slot by slot, their slots, and the features without one.

        If there are more than `most_new` of these, only the ones with the largest values are
        returned.
        """
        new: list[Hashable] = []
        try:
            slots = np.fromiter(map(self.slots.__getitem__, x), np.intp, len(x))
        except KeyError:
            new = in_order(x.keys() - self.slots.keys())
            if self.most_new is not None and len(new) > self.most_new:
                # Of equals the first is left out first, as in `truncate`.
                order = sorted(range(len(new)), key=[abs(x[key]) for key in new].__getitem__)
                new = [new[i] for i in sorted(order[-self.most_new :])]
            x = {key: value for key, value in x.items() if key in self.slots}
            slots = np.fromiter(map(self.slots.__getitem__, x), np.intp, len(x))
        # The order of the features is lost here.
        values = np.zeros(len(self.weights))
        values[slots] = np.fromiter(x.values(), np.float64, len(x))
        return values, slots, new

    def reconstruction(self, x: Features, values: Array, new: list[Hashable]) -> Array:
        """The estimate of each feature from the values of an instance, the paper's psi, by slot.

        New features count, with their initial edges.
        """
        psi = product(values, self.edges)
        if new and self.initial is not None:
            edges = self.initial(new, list(self.slots))
            psi[self.live()] += np.array([x[key] for key in new], dtype=float) @ edges
        psi /= max(1, len(x))
        return psi

    def smoothing(self, laplacian: str) -> Array:
        """(L + L')w, which draws the weights of related features together."""
        weights = self.weights
        edges = self.edges if laplacian == "plain" else np.abs(self.edges)
        ones = np.empty(len(weights))
        ones.fill(1.0)  # faster than np.ones
        degrees = product(ones, edges)
        degrees += product(ones, edges.T)
        smoothing = degrees * weights
        smoothing -= product(weights, edges)
        smoothing -= product(weights, edges.T)
        if laplacian == "normalised":
            smoothing *= 2.0 / np.maximum(degrees, 1e-12)
        return smoothing

    def add_product(self, sources: Array, targets: Array, growth: float, limit: float) -> None:
        """Add to each edge the product of a number of its source and one of its target.

        No product is larger than `growth`.

        Raises
        ------
        OverflowError
            If an edge would be larger than `limit`; nothing changes then.

        """
        largest = self.largest + growth
        if not largest <= limit:
            largest = _size(self.edges + np.multiply.outer(sources, targets))
            if not largest <= limit:
                raise OverflowError
        self.largest = largest
        n = len(sources)
        step = max(1, _BLOCK // n)
        for i in range(0, n, step):
            # Rows of an array are columns in the eyes of BLAS, which changes them in place.
            rows = self.edges[i : i + step].T
            blas.dger(1.0, targets, sources[i : i + step], a=rows, overwrite_a=1)

    def add(self, keys: Sequence[Hashable]) -> None:
        """Assign slots to new features, in the order given."""
        everyone = [*self.slots, *keys]
        capacity = len(self.weights)
        free = np.setdiff1d(np.arange(capacity + len(keys)), self.live())[: len(keys)].tolist()
        if free[-1] >= capacity:
            self._grow(max(free[-1] + 1, capacity + capacity // 8 + 8))
        self.slots = {**self.slots, **dict(zip(keys, free, strict=True))}
        if self.initial is None:
            self.edges[free, free] = 1.0
        else:
            rows, columns = self.initial(keys, everyone), self.initial(everyone, keys)
            live = self.live()
            self.edges[np.ix_(free, live)] = rows
            self.edges[np.ix_(live, free)] = columns
            self.largest = max(self.largest, *map(_size, (rows, columns)))

    def remove(self, keys: Iterable[Hashable]) -> None:
        """Free the slots of features."""
        self.slots = self.slots.copy()
        freed = [self.slots.pop(key) for key in keys]
        self.weights[freed] = 0.0
        self.edges[freed] = 0.0
        self.edges[:, freed] = 0.0

    def _grow(self, capacity: int) -> None:
        """Make room for `capacity` features without moving those in use."""
        n = len(self.weights)
        try:
            weights, edges = np.zeros(capacity), np.zeros((capacity, capacity))
        except MemoryError:
            raise MemoryError(
                f"the edges between {capacity:,} features take {8e-9 * capacity**2:,.0f} GB; "
                "set max_features"
            ) from None
        weights[:n] = self.weights
        edges[:n, :n] = self.edges
        self.weights, self.edges = weights, edges

    def truncate(self, n_features: int) -> None:
        """Drop all but the features with the largest weights; ties drop the oldest."""
        order = np.argsort(np.abs(self.weights[self.live()]), kind="stable")
        keys = list(self.slots)
        self.remove([keys[i] for i in order[: len(keys) - n_features].tolist()])
        if len(self.weights) > 32 + 2 * len(self.slots):
            # Free the memory that a single instance with very many new features took.
            live = self.live()
            self.weights = self.weights[live]
            self.edges = np.ascontiguousarray(self.edges[np.ix_(live, live)])
            self.slots = {key: slot for slot, key in enumerate(self.slots)}

    def zero_smallest(self, n_kept: int) -> None:
        """Zero all but the largest weights; ties zero the oldest."""
        live = self.live()
        order = np.argsort(np.abs(self.weights[live]), kind="stable")
        self.weights[live[order[: len(live) - n_kept]]] = 0.0


def product(vector: Array, matrix: Array) -> Array:
    """The product of a vector and a matrix or its transpose, by contiguous blocks."""
    if matrix.size <= _BLOCK:
        return vector.dot(matrix)
    step = max(1, _BLOCK // len(vector))
    blocks = [slice(i, i + step) for i in range(0, len(vector), step)]
    if not matrix.flags.c_contiguous:
        return np.concatenate([matrix.T[block].dot(vector) for block in blocks])
    total = vector[blocks[0]].dot(matrix[blocks[0]])
    for block in blocks[1:]:
        total += vector[block].dot(matrix[block])
    return total


def _size(edges: Array) -> float:
    """The size of the largest edge."""
    return float(np.abs(edges).max())


def initial_edges(graph: Any, seed: int) -> Edges | None:
    """The initial edges of new features, as described in `OCDSClassifier`."""
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
                raise ValueError(
                    "graph must have finite edges; "
                    f"got {value!r} for the edge {source!r} -> {target!r}"
                )
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
