from __future__ import annotations

import abc
import random
from collections.abc import Container, Hashable, Iterable, Sequence

from river_trapezoid._parameters import check_choice, check_number

from .base import Instance
from .windowed import Windowed

__all__ = ["Gradual", "step_of"]


class Gradual(Windowed):
    """Base class of streams in which the number of features changes linearly, in small steps.

    Each instance is a chunk of its own.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be read several times.
    min_features
        The smallest number of features of an instance.
    max_features
        The largest number of features of an instance; by default, the number of all features.
    selection
        Which d of the first `max_features` features an instance has: the first d (`"prefix"`), the
        last d (`"suffix"`), or d features drawn for each instance (`"random"`).
    features
        All features in order; other features are left out.
    shuffle
        Whether to order the features at random.
    seed
        Random seed of the order and of the random selection.
    n_samples
        Number of instances, if the dataset does not provide it.
    n_features
        Number of features, if the dataset does not provide it and `features` is not given.

    """

    def __init__(
        self,
        dataset: Iterable[Instance],
        min_features: int = 2,
        max_features: int | None = None,
        selection: str = "prefix",
        features: Sequence[Hashable] | None = None,
        shuffle: bool = False,
        seed: int | None = None,
        n_samples: int | None = None,
        n_features: int | None = None,
    ):
        check_number("min_features", min_features, integer=True, at_least=1)
        check_number("max_features", max_features, integer=True, at_least=1, optional=True)
        check_choice("selection", selection, ("prefix", "suffix", "random"))
        super().__init__(dataset, features, shuffle, seed, n_samples, n_features)
        self.min_features = min_features
        self.max_features = max_features
        self.selection = selection
        if self.n_features is not None:
            self._limits()

    @abc.abstractmethod
    def _count(self, t: int, n: int, low: int, high: int) -> int:
        """Return the number of features of instance `t` of `n`, between `low` and `high`."""

    def _limits(self) -> tuple[int, int]:
        """Return the smallest and the largest number of features of an instance."""
        n_features = self._known_n_features()
        high = n_features if self.max_features is None else self.max_features
        if high > n_features:
            raise ValueError(
                f"max_features must be at most the number of features, {n_features}; got {high}"
            )
        if self.min_features > high:
            raise ValueError(
                "min_features must be at most the largest number of features of an instance, "
                f"{high}; got {self.min_features}"
            )
        return self.min_features, high

    def _n_parts(self) -> int:
        return self._known_n_samples()

    def _ranks(self, chunk: int) -> Container[int]:
        low, high = self._limits()
        count = self._count(chunk, self._n_parts(), low, high)
        if self.selection == "prefix":
            return range(count)
        if self.selection == "suffix":
            return range(high - count, high)
        # The draw depends on the seed and the instance only, so that `visible` repeats it.
        rng = random.Random(None if self.seed is None else f"{self.seed} {chunk}")
        return frozenset(rng.sample(range(high), count))


def step_of(t: int, n: int, first: int, last: int) -> int:
    """Return number `t` of `n` evenly spaced numbers from `first` to `last`, rounded down.

    Examples
    --------
    >>> [step_of(t, 7, 2, 5) for t in range(7)]
    [2, 2, 3, 3, 4, 4, 5]

    >>> [step_of(t, 7, 5, 2) for t in range(7)]
    [5, 4, 4, 3, 3, 2, 2]

    """
    return first if n == 1 else first + t * (last - first) // (n - 1)
