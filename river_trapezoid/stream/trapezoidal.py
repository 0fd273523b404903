from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Iterator, Sequence

from river_trapezoid._parameters import check_bool, check_number, check_seed, share_of

from .base import Instance, StreamTransform

__all__ = ["Trapezoidal"]


class Trapezoidal(StreamTransform):
    """A stream in which both the instances and the features grow in number.

    The instances are divided into chunks of equal length. Each chunk reveals more features than the
    previous chunk, and the last chunk reveals all of them.

    Features are revealed in the order of `features`, if given. Otherwise, the order is that of the
    dataset's `features` (for those of `river_trapezoid.datasets`, also inside other streams, the
    columns in order). If the dataset has none, it is the order of their first appearance, which is
    the order of the columns if the first instance has all features. With `shuffle`, the order is
    random.

    An instance has those of its features that its chunk reveals. In a sparse dataset, zeros are
    absent, as are features that are not revealed yet; wrap the dataset in `Dense` to keep zeros.

    Only the names of the features are held in memory. A pass over the dataset before the first
    instance is needed only if the dataset has no list of its features, and their number is not
    known or they are shuffled.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be read several times.
    n_chunks
        Number of chunks. Chunk c reveals the first max(1, floor(c/n_chunks · D)) of D features.
    shares
        The share of the features that each chunk reveals, in place of `n_chunks`.
    features
        All features, in the order in which they are revealed; other features are left out.
    shuffle
        Whether to reveal the features in random order.
    seed
        Random seed of the order.
    n_samples
        Number of instances, if the dataset does not know it.
    n_features
        Number of features D, if the dataset does not know it and `features` is not given.

    Attributes
    ----------
    features
        Names of all features before shuffling; only available if they are given or listed by the
        dataset.

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
        """Return the number of features that each chunk reveals."""
        if self.n_features is None:
            self.n_features = len(self._feature_names())
        shares = self.shares or [(c + 1) / self.n_chunks for c in range(self.n_chunks)]
        return [max(1, share_of(share, self.n_features)) for share in shares]

    def visible(self, chunk: int) -> list[Hashable]:
        """Return the names of the features that a chunk reveals, in the order of revelation.

        Parameters
        ----------
        chunk
            Index of the chunk; negative indices count from the end.

        """
        return self._revealed(self._feature_names())[: self.n_visible()[chunk]]

    def _revealed(self, names: list[Hashable]) -> list[Hashable]:
        """Return the names in the order in which they are revealed."""
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
        # In the order of first appearance, a feature gets its rank when it appears.
        first_seen = names is None
        rank = {name: i for i, name in enumerate(names or ())}
        for t, (x, y) in enumerate(self.dataset):
            if first_seen:
                for name in x:
                    rank.setdefault(name, len(rank))
            limit = n_visible[min(t * n_chunks // n_samples, n_chunks - 1)]
            yield {k: v for k, v in x.items() if rank.get(k, limit) < limit}, y
