from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from river_trapezoid._instance import FeatureDict, observed

from .base import Instance, StreamTransform

__all__ = ["Dense"]


class Dense(StreamTransform):
    """A stream in which every instance has all features: zero where it has no value.

    In a sparse dataset a key that is absent stands for a zero. In a stream whose feature space
    changes, it may as well be that of a feature which cannot be seen. A learner that goes by the
    keys, to tell which features there are, has to know the two apart, and within `Trapezoidal`,
    `Evolvable` or `Capricious` this stream makes it so: what they leave out is what cannot be seen.

    An instance takes time and memory for all features.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be iterated over again. A value that
        is no finite number raises an error that names the feature; `None` and NaN count as absent.
    features
        All features; others are never shown. By default they are those of the list which the
        dataset has, as those of `river_trapezoid.datasets` have in the order of their columns; if
        it has none, all that a pass over it finds, in the order of their first appearance. The two
        parts of a divided dataset need the list, if they are to have the same features.

    Attributes
    ----------
    features
        Names of all features; only if they are given, or the dataset has a list of them.

    Examples
    --------

    >>> from river_trapezoid import stream

    >>> words = [({"free": 1.0}, True), ({"meeting": 2.0}, False), ({"free": 3.0}, True)]
    >>> [x for x, y in stream.Dense(words)]
    [{'free': 1.0, 'meeting': 0.0}, {'free': 0.0, 'meeting': 2.0}, {'free': 3.0, 'meeting': 0.0}]

    The width of an instance is that of its chunk:

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
