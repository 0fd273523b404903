from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from .base import Instance
from .windowed import Shares

__all__ = ["Obsolete"]


class Obsolete(Shares):
    """A stream in which features become obsolete, several at a time, and never return.

    The instances are divided into chunks of equal length. The first chunk shows all D features, and
    chunk c of n shows the first max(1, floor((n - c + 1)/n · D)), so that the last features vanish
    first.

    This is the mask `"obsolete"` of the package haphazard[^2]. The experiments with packetLSTM[^1]
    use five chunks with other counts. On HIGGS, the first features vanish first, four at a time, and
    the last five of 21 remain: pass the `features` in reverse order, with
    `shares=[1.0, 17 / 21, 13 / 21, 9 / 21, 5 / 21]`. On SUSY, the number of features is rounded to
    the nearest integer: `shares=[1.0, 0.75, 0.625, 0.375, 0.25]`. Chunks whose share is below one
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
        All features; the last ones vanish first, and other features are left out.
    shuffle
        Whether the features vanish in random order.
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

    >>> obsolete = stream.Obsolete(datasets.Phishing())
    >>> obsolete.n_visible()
    [9, 7, 5, 3, 1]
    >>> [len(x) for x, y in obsolete][::125]
    [9, 9, 7, 7, 5, 5, 3, 3, 1, 1]

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

    def _share(self, chunk: int) -> float:
        return (self.n_chunks - chunk) / self.n_chunks
