from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from .base import Instance
from .windowed import Shares

__all__ = ["Trapezoidal"]


class Trapezoidal(Shares):
    """A stream in which both the instances and the features grow in number.

    The instances are divided into chunks of equal length. Each chunk reveals more features than the
    previous chunk, and the last chunk reveals all of them.

    Features are revealed in the order of `features`, if given. Otherwise, the order is that of the
    dataset's `features` (for those of `river_trapezoid.datasets`, also inside other streams, the
    columns in order). If the dataset has none, it is the order of their first appearance, which is
    the order of the columns if the first instance has all features. With `shuffle`, the order is
    random.

    An instance keeps only the features that its chunk reveals. In a sparse dataset, zeros are
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
        Number of instances, if the dataset does not provide it.
    n_features
        Number of features D, if the dataset does not provide it and `features` is not given.

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
        super().__init__(dataset, n_chunks, shares, features, shuffle, seed, n_samples, n_features)

    def _share(self, chunk: int) -> float:
        return (chunk + 1) / self.n_chunks
