from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Iterator, Sequence

from river_trapezoid._parameters import check_bool, check_number, check_seed, share_of

from .base import Instance, StreamTransform

__all__ = ["Redundant"]


class Redundant(StreamTransform):
    """A stream with copies of some of its features as additional features.

    The copies carry no new information. They test whether redundant features mislead a learner that
    selects features. Section 5.5 of the paper on FLLS[^1] replicates "different proportions of the
    original features as the additional features. Thus, the redundancy relative to the features
    already included is increasing gradually."

    The paper does not state the proportions, which features are copied, or when the copies appear.
    Here, the copies come after all original features, so that `Trapezoidal` around this stream
    reveals them last and redundancy increases gradually. The original features are then revealed
    earlier than without copies. `Trapezoidal(..., shuffle=True)` mixes originals and copies, and
    `Trapezoidal(..., features=...)` reveals them in any order. A copy has the value of its original,
    and is absent if the original is absent.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be read several times.
    share
        The number of copies relative to the number D of features: there are floor(share · D)
        copies. With a share above 1, features have several copies.
    features
        All original features, in the order in which they are copied. By default, they are the
        `features` of the dataset (for those of `river_trapezoid.datasets`, the columns in order)
        or, if it has none, in the order of their first appearance.
    shuffle
        Whether to copy features in random order.
    seed
        Random seed of the order.

    Attributes
    ----------
    features
        Names of all features, then those of the copies: `(name, 1)` for the first copy of a feature,
        `(name, 2)` for the second. Only available if the features are given or listed by the
        dataset.

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
        # Even without a seed, the copies are the same in every pass.
        self._order = random.Random(seed).getstate()

    @property
    def features(self) -> list[Hashable]:
        """Names of all features, as given or as listed by the dataset, then those of the copies."""
        names = super().features
        return names + [copy for copy, _ in self._copies(names)]

    def __iter__(self) -> Iterator[Instance]:
        """Iterate over the instances."""
        copies = self._copies(self._feature_names())
        for x, y in self.dataset:
            yield {**x, **{copy: x[name] for copy, name in copies if name in x}}, y

    def _copies(self, names: list[Hashable]) -> list[tuple[Hashable, Hashable]]:
        """Return the name of each copy, with the name of its original."""
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
                "dataset must not have features with the names of copies; got "
                f"{min(taken, key=repr)!r}. For more copies, use a share above 1"
            )
        return pairs
