from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Iterator, Sequence

from river_trapezoid._parameters import check_bool, check_number, check_seed, share_of

from .base import Instance, StreamTransform

__all__ = ["Redundant"]


class Redundant(StreamTransform):
    """A stream with copies of a share of its features, as additional features.

    They tell nothing new, and are there to see whether a learner that keeps some of the features
    is led astray: section 5.5 of the paper on FLLS[^1] replicates "different proportions of the
    original features as the additional features. Thus, the redundancy relative to the features
    already included is increasing gradually."

    How large the proportions are, which features are copied, and when the copies appear, is not
    said there. Here the copies come after all original features, so that `Trapezoidal` around this
    stream reveals them last, and the features seen are more and more redundant. Mind that the
    original ones are then revealed earlier than without copies. `Trapezoidal(..., shuffle=True)`
    mixes the two, and `Trapezoidal(..., features=...)` takes any order. A copy has the value of its
    original, and is absent where that is.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be iterated over again.
    share
        The number of copies, relative to the number D of features; there are floor(share · D). With
        a share above 1, features are copied again once all have been.
    features
        All original features, in the order in which they are copied. By default it is that of the
        list which the dataset has of its features, as those of `river_trapezoid.datasets` have in
        the order of their columns; if it has none, that of their first appearance.
    shuffle
        Whether to copy features in random order.
    seed
        Seed of that order.

    Attributes
    ----------
    features
        Names of all features, and then those of the copies: `(name, 1)` for the first copy of a
        feature, `(name, 2)` for the second. Only if features are given, or the dataset has a list
        of them.

    Examples
    --------

    >>> from river_trapezoid import stream

    >>> data = [({"a": i, "b": -i, "c": 0.5}, True) for i in range(1, 7)]
    >>> redundant = stream.Redundant(data, share=0.67)
    >>> next(iter(redundant))
    ({'a': 1, 'b': -1, 'c': 0.5, ('a', 1): 1, ('b', 1): -1}, True)

    >>> for x, y in stream.Trapezoidal(redundant, n_chunks=5):
    ...     print(list(x))
    ['a']
    ['a']
    ['a', 'b']
    ['a', 'b', 'c']
    ['a', 'b', 'c', ('a', 1)]
    ['a', 'b', 'c', ('a', 1), ('b', 1)]

    References
    ----------
    [^1]: Gu, S., Qian, Y. and Hou, C., 2021. Incremental feature spaces learning with label scarcity. ACM Transactions on Knowledge Discovery from Data.

    """

    def __init__(
        self,
        dataset: Iterable[Instance],
        share: float = 0.5,
        features: Sequence[Hashable] | None = None,
        shuffle: bool = False,
        seed: int | None = None,
    ):
        check_number("share", share, at_least=0)
        check_bool("shuffle", shuffle)
        check_seed("seed", seed)
        super().__init__(dataset, n_samples=None, features=features)
        if self.n_features is not None:
            self.n_features += share_of(share, self.n_features)
        self.share = share
        self.shuffle = shuffle
        self.seed = seed
        # Without a seed, what is copied is still the same whenever it is asked for.
        self._order = random.Random(seed).getstate()

    @property
    def features(self) -> list[Hashable]:
        """Names of all features, as given or as the dataset lists them, then those of the copies."""
        names = super().features
        return names + [copy for copy, _ in self._copies(names)]

    def __iter__(self) -> Iterator[Instance]:
        """Iterate over the instances."""
        copies = self._copies(self._feature_names())
        for x, y in self.dataset:
            yield {**x, **{copy: x[name] for copy, name in copies if name in x}}, y

    def _copies(self, names: list[Hashable]) -> list[tuple[Hashable, Hashable]]:
        """The name of each copy, and that of its original."""
        order = list(names)
        if self.shuffle:
            rng = random.Random()
            rng.setstate(self._order)
            rng.shuffle(order)
        pairs: list[tuple[Hashable, Hashable]] = []
        for i in range(share_of(self.share, len(order))):
            again, place = divmod(i, len(order))
            pairs.append(((order[place], again + 1), order[place]))
        taken = {copy for copy, _ in pairs} & set(names)
        if taken:
            raise ValueError(
                f"the dataset has a feature {min(taken, key=repr)!r}, which is the name of a copy; "
                "for more copies, give a share above 1"
            )
        return pairs
