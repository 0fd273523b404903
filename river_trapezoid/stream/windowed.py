from __future__ import annotations

import abc
import random
from collections.abc import Container, Hashable, Iterable, Iterator, Sequence

from river_trapezoid._parameters import check_bool, check_number, check_seed, share_of

from .base import Instance, StreamTransform

__all__ = ["Shares", "Windowed"]


class Windowed(StreamTransform):
    """Base class of streams in which each chunk shows some of the features, by their ranks.

    The rank of a feature is its place in the order of `features`, if given. Otherwise, the order is
    that of the dataset's `features` or, if it has none, that of their first appearance. With
    `shuffle`, the order is random.

    Only the names of the features are held in memory. A pass over the dataset before the first
    instance is needed only if the dataset has no list of its features, and their number is not
    known or they are shuffled.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be read several times.
    features
        All features in order; other features are left out.
    shuffle
        Whether to order the features at random.
    seed
        Random seed of the order.
    n_samples
        Number of instances, if the dataset does not provide it.
    n_features
        Number of features, if the dataset does not provide it and `features` is not given.

    """

    def __init__(
        self,
        dataset: Iterable[Instance],
        features: Sequence[Hashable] | None,
        shuffle: bool,
        seed: int | None,
        n_samples: int | None,
        n_features: int | None,
    ):
        check_bool("shuffle", shuffle)
        check_seed("seed", seed)
        super().__init__(dataset, n_samples, n_features, features)
        self.shuffle = shuffle
        self.seed = seed

    @abc.abstractmethod
    def _n_parts(self) -> int:
        """Return the number of chunks."""

    @abc.abstractmethod
    def _ranks(self, chunk: int) -> Container[int]:
        """Return the ranks of the features that a chunk shows."""

    def visible(self, chunk: int) -> list[Hashable]:
        """Return the names of the features that a chunk shows, in their order.

        Parameters
        ----------
        chunk
            Index of the chunk; negative indices count from the end.

        """
        ranks = self._ranks(range(self._n_parts())[chunk])
        names = self._ordered(self._feature_names())
        return [name for rank, name in enumerate(names) if rank in ranks]

    def _known_n_features(self) -> int:
        if self.n_features is None:
            self.n_features = len(self._feature_names())
        return int(self.n_features)

    def _ordered(self, names: list[Hashable]) -> list[Hashable]:
        """Return the names in the order of their ranks."""
        if self.shuffle:
            random.Random(self.seed).shuffle(names)
        return names

    def __iter__(self) -> Iterator[Instance]:
        """Iterate over the instances."""
        self._known_n_samples()
        self._known_n_features()
        n_parts = self._n_parts()
        names = self._feature_names() if self.shuffle else self._listed_features()
        if names is not None:
            names = self._ordered(names)
        # In the order of first appearance, a feature gets its rank when it appears.
        first_seen = names is None
        rank = {name: i for i, name in enumerate(names or ())}
        shown = -1
        ranks: Container[int] = ()
        for t, (x, y) in enumerate(self.dataset):
            if first_seen:
                for name in x:
                    rank.setdefault(name, len(rank))
            chunk = self._chunk_of(t, n_parts)
            if chunk != shown:
                shown, ranks = chunk, self._ranks(chunk)
            yield {k: v for k, v in x.items() if rank.get(k, -1) in ranks}, y


class Shares(Windowed):
    """Base class of streams in which each chunk shows a share of the features: the first ones.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be read several times.
    n_chunks
        Number of chunks.
    shares
        The share of the features that each chunk shows, in place of `n_chunks`.
    features
        All features in order; other features are left out.
    shuffle
        Whether to order the features at random.
    seed
        Random seed of the order.
    n_samples
        Number of instances, if the dataset does not provide it.
    n_features
        Number of features, if the dataset does not provide it and `features` is not given.

    """

    def __init__(
        self,
        dataset: Iterable[Instance],
        n_chunks: int,
        shares: Sequence[float] | None,
        features: Sequence[Hashable] | None,
        shuffle: bool,
        seed: int | None,
        n_samples: int | None,
        n_features: int | None,
    ):
        check_number("n_chunks", n_chunks, integer=True, at_least=1)
        for share in shares or ():
            check_number("shares", share, above=0, at_most=1)
        super().__init__(dataset, features, shuffle, seed, n_samples, n_features)
        self.n_chunks = n_chunks
        self.shares = shares

    @abc.abstractmethod
    def _share(self, chunk: int) -> float:
        """Return the share of a chunk if `shares` is not given."""

    def n_visible(self) -> list[int]:
        """Return the number of features that each chunk shows."""
        return [self._count(chunk) for chunk in range(self._n_parts())]

    def _count(self, chunk: int) -> int:
        share = self.shares[chunk] if self.shares else self._share(chunk)
        return max(1, share_of(share, self._known_n_features()))

    def _n_parts(self) -> int:
        return len(self.shares) if self.shares else self.n_chunks

    def _ranks(self, chunk: int) -> range:
        return range(self._count(chunk))
