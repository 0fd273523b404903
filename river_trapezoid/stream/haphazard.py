from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from river_trapezoid._parameters import check_number, check_seed

from .base import Instance, StreamTransform

__all__ = ["Haphazard"]


class Haphazard(StreamTransform):
    """A stream in which each feature is absent at random, independently of the others.

    At least one feature of an instance remains: if none is available, one is chosen at random.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be read several times.
    p
        The probability that a feature is available; p in the paper[^1].
    seed
        Random seed. With a seed, every pass over the stream is the same.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import stream

    >>> haphazard = stream.Haphazard(datasets.Phishing(), p=0.25, seed=1)
    >>> [len(x) for x, y in haphazard.take(10)]
    [2, 3, 4, 5, 2, 1, 1, 3, 4, 1]

    References
    ----------
    [^1]: Agarwal, R., Das, A., Horsch, A., Agarwal, K. and Prasad, D.K., 2024. Online learning under haphazard input conditions: a comprehensive review and analysis. arXiv preprint arXiv:2404.04903.

    """

    def __init__(self, dataset: Iterable[Instance], p: float = 0.5, seed: int | None = None):
        check_number("p", p, at_least=0, at_most=1)
        check_seed("seed", seed)
        super().__init__(dataset, n_samples=None)
        self.p = p
        self.seed = seed

    def __iter__(self) -> Iterator[Instance]:
        """Iterate over the instances."""
        rng = random.Random(self.seed)
        for x, y in self.dataset:
            available = {k: v for k, v in x.items() if rng.random() < self.p}
            if x and not available:
                name = rng.choice(list(x))
                available[name] = x[name]
            yield available, y
