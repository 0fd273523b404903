from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from river_trapezoid._instance import FeatureDict, observed

from .base import Instance, StreamTransform

__all__ = ["Dense"]


class Dense(StreamTransform):
    """A stream in which every instance has all features; absent features become zeros.

    In a sparse dataset, an absent key means zero. In a stream with a changing feature space, it can
    also mean that the feature is not observed. Learners that use the keys as the feature space need
    to distinguish the two. Pass this stream to `Trapezoidal`, `Evolvable` or `Capricious`: the
    features that they leave out are then the only absent ones.

    Every instance takes time and memory proportional to the number of all features.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be read several times. A value that is
        not a finite number raises an error that names the feature; `None` and NaN count as absent.
    features
        All features; other features are left out. By default, they are the `features` of the
        dataset (for those of `river_trapezoid.datasets`, the columns in order) or, if it has none,
        the features found in a pass over it, in the order of their first appearance. Give the list
        to both parts of a split dataset, so that they have the same features.

    Attributes
    ----------
    features
        Names of all features; only available if they are given or listed by the dataset.

    Examples
    --------

    >>> from river_trapezoid import stream

    >>> words = [({"free": 1.0}, True), ({"meeting": 2.0}, False), ({"free": 3.0}, True)]
    >>> [x for x, y in stream.Dense(words)]
    [{'free': 1.0, 'meeting': 0.0}, {'free': 0.0, 'meeting': 2.0}, {'free': 3.0, 'meeting': 0.0}]

    The features of an instance are those of its chunk:

    >>> [x for x, y in stream.Trapezoidal(stream.Dense(words), shares=[0.5, 0.5, 1.0])]
    [{'free': 1.0}, {'free': 0.0}, {'free': 3.0, 'meeting': 0.0}]

    """

    def __init__(self, dataset: Iterable[Instance], features: Sequence[Hashable] | None = None):
        super().__init__(dataset, n_samples=None, features=features)
        self.sparse = False

    def __iter__(self) -> Iterator[Instance]:
        """Iterate over the instances."""
        zeros: FeatureDict = dict.fromkeys(self._feature_names(), 0.0)
        for x, y in self.dataset:
            yield {**zeros, **{k: v for k, v in observed(x).items() if k in zeros}}, y
