from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Iterator, Sequence

from river_trapezoid._parameters import check_bool, check_number, check_seed, share_of

from .base import Instance, StreamTransform

__all__ = ["Trapezoidal"]


class Trapezoidal(StreamTransform):
    """A stream whose rows and columns both grow.

    The instances are divided into chunks of equal length. Each chunk shows more of the features
    than the one before, the last one all of them.

    The order in which features are revealed is that of `features`, if given. Otherwise it is that
    of the list which the dataset has of its features, as those of `river_trapezoid.datasets` have in
    the order of their columns, also through other streams around them. If it has none, features are
    revealed in the order of their first appearance, which is that of the columns if no instance
    leaves any out. With `shuffle` the order is random.

    An instance shows what it has of the features of its chunk. Where a dataset is sparse, those
    that are zero are absent, as are those that cannot be seen yet; around `Dense` they are not.

    Only the names of the features are held in memory. A pass over the dataset before the first
    instance is needed only if the dataset has no list of its features, and if their number is not
    known or they are to be shuffled.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be iterated over again.
    n_chunks
        Number of chunks; chunk c shows the first max(1, floor(c/n_chunks · D)) of D features.
    shares
        The share of the features that each chunk shows, in place of `n_chunks`.
    features
        All features, in the order in which they are revealed. Others are never shown.
    shuffle
        Whether to reveal the features in random order.
    seed
        Seed of that order.
    n_samples
        Number of instances, where the dataset does not know it.
    n_features
        Number of features D, where the dataset does not know it and `features` is not given.

    Attributes
    ----------
    features
        Names of all features, before they are shuffled; only if they are given, or the dataset has
        a list of them.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import stream

    >>> trapezoid = stream.Trapezoidal(datasets.Phishing(), n_chunks=3)
    >>> for i, (x, y) in enumerate(trapezoid):
    ...     if i % 400 == 0:
    ...         print(i, list(x))
    0 ['empty_server_form_handler', 'popup_window', 'https']
    400 ['empty_server_form_handler', 'popup_window', 'https']
    800 ['empty_server_form_handler', 'popup_window', 'https', 'request_from_other_domain', 'anchor_from_other_domain', 'is_popular']
    1200 ['empty_server_form_handler', 'popup_window', 'https', 'request_from_other_domain', 'anchor_from_other_domain', 'is_popular', 'long_url', 'age_of_domain', 'ip_in_url']

    References
    ----------
    [^1]: Zhang, Q., Zhang, P., Long, G., Ding, W., Zhang, C. and Wu, X., 2016. Online learning from trapezoidal data streams. IEEE Transactions on Knowledge and Data Engineering, 28(10), pp.2709-2723.

    """

    def __init__(
        self,
        dataset: Iterable[Instance],
        n_chunks: int = 10,
        shares: Sequence[float] | None = None,
        features: Sequence[Hashable] | None = None,
        shuffle: bool = False,
        seed: int | None = None,
        n_samples: int | None = None,
        n_features: int | None = None,
    ):
        check_number("n_chunks", n_chunks, integer=True, at_least=1)
        for share in shares or ():
            check_number("shares", share, above=0, at_most=1)
        check_bool("shuffle", shuffle)
        check_seed("seed", seed)
        super().__init__(dataset, n_samples, n_features, features)
        self.n_chunks = n_chunks
        self.shares = shares
        self.shuffle = shuffle
        self.seed = seed

    def n_visible(self) -> list[int]:
        """Number of features that each chunk may show."""
        if self.n_features is None:
            self.n_features = len(self._feature_names())
        shares = self.shares or [(c + 1) / self.n_chunks for c in range(self.n_chunks)]
        return [max(1, share_of(share, self.n_features)) for share in shares]

    def visible(self, chunk: int) -> list[Hashable]:
        """Names of the features that a chunk may show, in the order in which they are revealed.

        Parameters
        ----------
        chunk
            The number of the chunk, counted from zero; or from the end, if it is negative.

        """
        return self._revealed(self._feature_names())[: self.n_visible()[chunk]]

    def _revealed(self, names: list[Hashable]) -> list[Hashable]:
        """The same names, in the order in which they are revealed."""
        if self.shuffle:
            random.Random(self.seed).shuffle(names)
        return names

    def __iter__(self) -> Iterator[Instance]:
        """Iterate over the instances."""
        n_samples, n_visible = self._known_n_samples(), self.n_visible()
        n_chunks = len(n_visible)
        names = self._feature_names() if self.shuffle else self._listed_features()
        if names is not None:
            names = self._revealed(names)
        # Where the order is that of appearance, a feature's rank is given when it appears.
        first_seen = names is None
        rank = {name: i for i, name in enumerate(names or ())}
        for t, (x, y) in enumerate(self.dataset):
            if first_seen:
                for name in x:
                    rank.setdefault(name, len(rank))
            limit = n_visible[min(t * n_chunks // n_samples, n_chunks - 1)]
            yield {k: v for k, v in x.items() if rank.get(k, limit) < limit}, y
