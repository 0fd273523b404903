from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from river_trapezoid._parameters import check_number, check_seed

from .base import Instance, StreamTransform

__all__ = ["Capricious"]


class Capricious(StreamTransform):
    """A stream in which any feature may be absent from any instance, without a pattern.

    Each instance loses a random share of its features, drawn uniformly between 0 and `max_share`.
    At least one feature remains.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be read several times.
    max_share
        The largest share of features that an instance can lose; VI in the paper[^1].
    seed
        Random seed. With a seed, every pass over the stream is the same.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import stream

    >>> capricious = stream.Capricious(datasets.Phishing(), seed=1)
    >>> [len(x) for x, y in capricious.take(10)]
    [8, 8, 6, 8, 9, 5, 8, 6, 9, 6]

    References
    ----------
    [^1]: He, Y., Wu, B., Wu, D., Beyazit, E., Chen, S. and Wu, X., 2019. Online learning from capricious data streams: a generative approach. International Joint Conference on Artificial Intelligence, pp.2491-2497.

    """

    def __init__(
        self, dataset: Iterable[Instance], max_share: float = 0.5, seed: int | None = None
    ):
        check_number("max_share", max_share, at_least=0, at_most=1)
        check_seed("seed", seed)
        super().__init__(dataset, n_samples=None)
        self.max_share = max_share
        self.seed = seed

    def __iter__(self) -> Iterator[Instance]:
        """Iterate over the instances."""
        rng = random.Random(self.seed)
        for x, y in self.dataset:
            share = rng.uniform(0.0, self.max_share)
            n_lost = min(int(share * len(x) + 0.5), len(x) - 1)
            lost = set(rng.sample(list(x), n_lost)) if n_lost > 0 else ()
            yield {k: v for k, v in x.items() if k not in lost}, y
