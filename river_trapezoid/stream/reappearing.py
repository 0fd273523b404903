from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from river_trapezoid._parameters import check_number

from .base import Instance
from .windowed import Windowed

__all__ = ["Reappearing"]


class Reappearing(Windowed):
    """A stream in which two sets of features take turns.

    The instances are divided into chunks of equal length. The first chunk, and every second chunk
    after it, shows the first floor(D/2) of D features; the other chunks show the remaining ones. A
    model that forgets absent features has to learn them again each time they reappear.

    This is the mask `"reappearing"` of the package haphazard[^2] and of the experiments with
    packetLSTM[^1] on HIGGS and SUSY, which have five chunks. If the number of instances is not a
    multiple of the number of chunks, the lengths of chunks differ by at most one here; there, the
    remaining instances have one random feature each.

    `Trapezoidal` documents the order of the features.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be read several times. It must have at
        least two features.
    n_chunks
        Number of chunks.
    features
        All features; the first half is one set, and other features are left out.
    shuffle
        Whether to divide the features at random.
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

    >>> reappearing = stream.Reappearing(datasets.Phishing())
    >>> [len(x) for x, y in reappearing][::125]
    [4, 4, 5, 5, 4, 4, 5, 5, 4, 4]
    >>> reappearing.visible(0) == reappearing.visible(2)
    True

    References
    ----------
    [^1]: Agarwal, R., Naidu, K.P., Horsch, A., Agarwal, K. and Prasad, D.K., 2024. packetLSTM: dynamic LSTM framework for streaming data with varying feature space. arXiv preprint arXiv:2410.17394. Defined by its code, https://github.com/Rohit102497/packetLSTM_HaphazardInputs, `Code/Data_Code/data_load.py`, `create_mask`.
    [^2]: haphazard 1.2.8, `haphazard/data/mask.py`, `create_mask`.

    """

    def __init__(
        self,
        dataset: Iterable[Instance],
        n_chunks: int = 5,
        features: Sequence[Hashable] | None = None,
        shuffle: bool = False,
        seed: int | None = None,
        n_samples: int | None = None,
        n_features: int | None = None,
    ):
        check_number("n_chunks", n_chunks, integer=True, at_least=1)
        super().__init__(dataset, features, shuffle, seed, n_samples, n_features)
        self.n_chunks = n_chunks

    def _n_parts(self) -> int:
        return self.n_chunks

    def _ranks(self, chunk: int) -> range:
        n_features = self._known_n_features()
        if n_features < 2:
            raise ValueError(f"dataset must have at least two features; got {n_features}")
        half = n_features // 2
        return range(half, n_features) if chunk % 2 else range(half)
