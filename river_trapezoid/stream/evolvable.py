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
    """A stream whose feature space is replaced by another one, after a short overlap.

    The instances are divided into as many periods of equal length as there are feature spaces.
    In each period only the features of its space are seen, but the last `overlap` instances of it
    carry those of the next space as well.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be iterated over again.
    n_spaces
        Number of feature spaces.
    kind
        `"split"`: each space is another part of the features. `"map"`: the first space is the
        features as they are; each further one is a random linear map of them, with Gaussian
        coefficients and `n_features` features, named `(space, i)`. What an instance does not have,
        `None` and NaN included, adds nothing to the map; a value that is no finite number raises an
        error that names the feature. The coefficients, `n_features` for each feature and map, are
        drawn in the first pass, and kept if there is a seed.
    overlap
        How many instances at the end of a period show both spaces, the paper's B. By default 10 in
        periods of up to 500 instances, 20 up to 5,000, 50 beyond.
    features
        All features; for `"split"` their order decides which come together. By default it is that
        of the list which the dataset has of its features, as those of `river_trapezoid.datasets`
        have in the order of their columns; if it has none, that of their first appearance.
    shuffle
        Whether to split the features in random order.
    seed
        Seed of that order, and of the random map. The stream is the same each time it is
        iterated over, if it is given.
    n_samples
        Number of instances, where the dataset does not know it.
    n_features
        Number of features, where the dataset does not know it and `features` is not given.

    Attributes
    ----------
    features
        Names of all features, before they are shuffled, those of maps included; only if they are
        given, or the dataset has a list of them.

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
        """Names of all features, as given or as the dataset lists them, then those of maps."""
        names = super().features
        if self.kind == "map":
            n_features = self.n_features or len(names)
            spaces = range(1, self.n_spaces)
            names += [(space, i) for space in spaces for i in range(n_features)]
        return names

    def spaces(self, t: int) -> tuple[int, ...]:
        """The feature spaces seen in instance `t`, both counted from zero."""
        n_samples = self._known_n_samples()
        space = min(t * self.n_spaces // n_samples, self.n_spaces - 1)
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
        # They are the same in each pass, if there is a seed.
        rows = {} if self.seed is None else self._rows
        names = [[(space, i) for i in range(n_features)] for space in range(self.n_spaces)]

        def coefficients(space: int, name: Hashable) -> Array:
            # A function of the feature's name, so that they do not depend on who comes first.
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
                    f"feature {largest!r} has the value {values[largest]!r}, which is too large for "
                    f"a random map"
                )
            return dict(zip(names[space], mapped.tolist(), strict=True))

        return show

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_rows": {}}


def _gaussian(seed: str, n: int) -> Array:
    """What `n` calls of `random.Random(seed).gauss(0, 1)` return, up to rounding."""
    rng = random.Random(seed)
    uniform = np.array([rng.random() for _ in range(n + n % 2)])
    angle, size = 2.0 * np.pi * uniform[::2], np.sqrt(-2.0 * np.log(1.0 - uniform[1::2]))
    return np.stack([np.cos(angle) * size, np.sin(angle) * size], axis=1).ravel()[:n]
