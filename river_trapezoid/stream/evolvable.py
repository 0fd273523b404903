from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from river_trapezoid._instance import FeatureDict, Features, observed
from river_trapezoid._parameters import check_bool, check_choice, check_number, check_seed

from .base import Instance, StreamTransform

__all__ = ["Evolvable"]

Array = npt.NDArray[np.float64]
Show = Callable[[Features, int], Features]


class Evolvable(StreamTransform):
    """A stream whose feature space is replaced by another one after a short overlap.

    The instances are divided into `n_spaces` periods of equal length. The instances of a period have
    the features of its space. Its last `overlap` instances also have the features of the next space.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be read several times.
    n_spaces
        Number of feature spaces.
    kind
        `"split"`: the features are divided into `n_spaces` disjoint spaces. `"map"`: the first
        space has the original features; each further space is a random linear map of them, with
        Gaussian coefficients and `n_features` features named `(space, i)`. Absent features, and
        those that are `None` or NaN, count as zero in the map; a value that is not a finite number
        raises an error that names the feature. The coefficients, `n_features` for each feature and
        map, are drawn in the first pass and kept if there is a seed.
    overlap
        Number of instances at the end of a period that have the features of both spaces; B in the
        paper[^1]. By default, 10 in periods of up to 500 instances, 20 up to 5,000, and 50 beyond.
    features
        All features; for `"split"`, consecutive features share a space. By default, they are the
        `features` of the dataset (for those of `river_trapezoid.datasets`, the columns in order)
        or, if it has none, in the order of their first appearance.
    shuffle
        Whether to split the features in random order.
    seed
        Random seed of the order and of the maps. With a seed, every pass over the stream is the
        same.
    n_samples
        Number of instances, if the dataset does not provide it.
    n_features
        Number of features, if the dataset does not provide it and `features` is not given.

    Attributes
    ----------
    features
        Names of all features before shuffling, including those of maps; only available if the
        features are given or listed by the dataset.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import stream

    >>> evolvable = stream.Evolvable(datasets.Phishing(), overlap=10)
    >>> [len(x) for x, y in evolvable][610:630]
    [5, 5, 5, 5, 5, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 4, 4, 4, 4, 4]

    References
    ----------
    [^1]: Hou, B.J., Zhang, L. and Zhou, Z.H., 2017. Learning with feature evolvable streams. Advances in Neural Information Processing Systems, 30.

    """

    def __init__(
        self,
        dataset: Iterable[Instance],
        n_spaces: int = 2,
        kind: str = "split",
        overlap: int | None = None,
        features: Sequence[Hashable] | None = None,
        shuffle: bool = False,
        seed: int | None = None,
        n_samples: int | None = None,
        n_features: int | None = None,
    ):
        check_number("n_spaces", n_spaces, integer=True, at_least=1)
        check_choice("kind", kind, ("split", "map"))
        check_number("overlap", overlap, integer=True, at_least=0, optional=True)
        check_bool("shuffle", shuffle)
        check_seed("seed", seed)
        super().__init__(dataset, n_samples, n_features, features)
        self.n_spaces = n_spaces
        self.kind = kind
        self.overlap = overlap
        self.shuffle = shuffle
        self.seed = seed
        # The coefficients of the maps, by space and feature.
        self._rows: dict[tuple[int, Hashable], Array] = {}

    @property
    def features(self) -> list[Hashable]:
        """Names of all features, as given or as listed by the dataset, then those of maps."""
        names = super().features
        if self.kind == "map":
            n_features = self.n_features or len(names)
            spaces = range(1, self.n_spaces)
            names += [(space, i) for space in spaces for i in range(n_features)]
        return names

    def spaces(self, t: int) -> tuple[int, ...]:
        """Return the indices of the feature spaces of an instance.

        Parameters
        ----------
        t
            Index of the instance in the stream.

        """
        n_samples = self._known_n_samples()
        space = self._chunk_of(t, self.n_spaces)
        overlap = self.overlap
        if overlap is None:
            period = n_samples / self.n_spaces
            overlap = 10 if period <= 500 else 20 if period <= 5000 else 50
        until = -(-(space + 1) * n_samples // self.n_spaces)  # the first instance after the period
        if space + 1 < self.n_spaces and t >= until - overlap:
            return space, space + 1
        return (space,)

    def __iter__(self) -> Iterator[Instance]:
        """Iterate over the instances."""
        show = self._split() if self.kind == "split" else self._map()
        for t, (x, y) in enumerate(self.dataset):
            shown: FeatureDict = {}
            for space in self.spaces(t):
                shown.update(show(x, space))
            yield shown, y

    def _split(self) -> Show:
        names = self._feature_names()
        if self.shuffle:
            random.Random(self.seed).shuffle(names)
        home = {name: i * self.n_spaces // len(names) for i, name in enumerate(names)}
        return lambda x, space: {k: v for k, v in x.items() if home.get(k) == space}

    def _map(self) -> Show:
        if self.n_features is None:
            self.n_features = len(self._feature_names())
        n_features = int(self.n_features)
        seed = random.Random(self.seed).random()
        # With a seed, the coefficients are the same in each pass.
        rows = {} if self.seed is None else self._rows
        names = [[(space, i) for i in range(n_features)] for space in range(self.n_spaces)]

        def coefficients(space: int, name: Hashable) -> Array:
            # They depend on the feature's name, not on the order of appearance.
            if (space, name) not in rows:
                rows[space, name] = _gaussian(f"{seed} {space} {name!r}", n_features)
            return rows[space, name]

        def show(x: Features, space: int) -> Features:
            if space == 0:
                return dict(x)
            values = observed(x)
            matrix = np.array([coefficients(space, name) for name in values])
            with np.errstate(all="ignore"):
                mapped = np.fromiter(values.values(), float) @ matrix.reshape(-1, n_features)
            if not np.isfinite(mapped).all():
                largest = max(values, key=lambda name: abs(values[name]))
                raise ValueError(
                    f"feature {largest!r} must be small enough for a random map; "
                    f"got {values[largest]!r}"
                )
            return dict(zip(names[space], mapped.tolist(), strict=True))

        return show

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_rows": {}}


def _gaussian(seed: str, n: int) -> Array:
    """Return the values of `n` calls of `random.Random(seed).gauss(0, 1)`, up to rounding."""
    rng = random.Random(seed)
    uniform = np.array([rng.random() for _ in range(n + n % 2)])
    angle, size = 2.0 * np.pi * uniform[::2], np.sqrt(-2.0 * np.log(1.0 - uniform[1::2]))
    return np.stack([np.cos(angle) * size, np.sin(angle) * size], axis=1).ravel()[:n]
