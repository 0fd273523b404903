from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

from river_trapezoid._parameters import check_seed

from .base import Instance, StreamTransform

__all__ = ["Shuffled"]


class Shuffled(StreamTransform):
    """A dataset in random order.

    Many data sets are sorted by class, and must be shuffled to become a stream. All instances are
    held in memory while the stream is read.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be read several times.
    seed
        Random seed of the order. With a seed, every pass over the stream is the same.
    permutation
        The indices of the instances in their new order, in place of a random order.

    Examples
    --------

    >>> from river_trapezoid import stream

    >>> dataset = [({"a": i}, True) for i in range(5)]
    >>> [x["a"] for x, y in stream.Shuffled(dataset, seed=3)]
    [0, 2, 3, 4, 1]

    >>> [x["a"] for x, y in stream.Shuffled(dataset, permutation=[4, 0, 1])]
    [4, 0, 1]

    """

    def __init__(
        self,
        dataset: Iterable[Instance],
        seed: int | None = None,
        permutation: Sequence[int] | None = None,
    ):
        check_seed("seed", seed)
        super().__init__(dataset, None if permutation is None else len(permutation))
        self.seed = seed
        self.permutation = permutation

    def __iter__(self) -> Iterator[Instance]:
        """Iterate over the instances."""
        instances = list(self.dataset)
        if self.permutation is not None:
            order = list(self.permutation)
        else:
            order = list(range(len(instances)))
            random.Random(self.seed).shuffle(order)
        for i in order:
            yield instances[i]
