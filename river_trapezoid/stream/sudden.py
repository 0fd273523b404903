from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from .base import Instance
from .trapezoidal import Trapezoidal

__all__ = ["Sudden"]


class Sudden(Trapezoidal):
    """A stream in which new features appear suddenly, several at a time.

    The instances are divided into chunks of equal length. Chunk c of n shows the first
    max(1, floor(c/n · D)) of D features, and the last chunk shows all of them.

    This is the mask `"sudden"` of the package haphazard[^2], and a trapezoidal stream with five
    chunks instead of ten. The experiments with packetLSTM[^1] use it on HIGGS; on SUSY, they round
    the number of features to the nearest integer, which is
    `shares=[0.25, 0.375, 0.625, 0.75, 1.0]`. Two details differ. Chunks whose share is below one
    feature show the first feature, where haphazard draws a feature for each instance. If the number
    of instances is not a multiple of the number of chunks, the lengths of chunks differ by at most
    one here; in packetLSTM, the last chunk is longer, and in haphazard, the remaining instances have
    one random feature each.

    `Trapezoidal` documents the order of the features.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be read several times.
    n_chunks
        Number of chunks.
    shares
        The share of the features that each chunk shows, in place of `n_chunks`.
    features
        All features, in the order in which they appear; other features are left out.
    shuffle
        Whether the features appear in random order.
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

    >>> sudden = stream.Sudden(datasets.Phishing())
    >>> sudden.n_visible()
    [1, 3, 5, 7, 9]
    >>> [len(x) for x, y in sudden][::125]
    [1, 1, 3, 3, 5, 5, 7, 7, 9, 9]

    References
    ----------
    [^1]: Agarwal, R., Naidu, K.P., Horsch, A., Agarwal, K. and Prasad, D.K., 2024. packetLSTM: dynamic LSTM framework for streaming data with varying feature space. arXiv preprint arXiv:2410.17394. Defined by its code, https://github.com/Rohit102497/packetLSTM_HaphazardInputs, `Code/Data_Code/data_load.py`, `create_mask`.
    [^2]: haphazard 1.2.8, `haphazard/data/mask.py`, `create_mask`.

    """

    def __init__(
        self,
        dataset: Iterable[Instance],
        n_chunks: int = 5,
        shares: Sequence[float] | None = None,
        features: Sequence[Hashable] | None = None,
        shuffle: bool = False,
        seed: int | None = None,
        n_samples: int | None = None,
        n_features: int | None = None,
    ):
        super().__init__(dataset, n_chunks, shares, features, shuffle, seed, n_samples, n_features)
