"""Pairs of newsgroups, as counts of words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ._formats import load_mat
from .base import Instance, PublicDataset, RemoteFile

__all__ = ["PCMAC", "BaseHock"]

_COLLECTION = "https://jundongl.github.io/scikit-feature/files/datasets/"


class NewsgroupPair(PublicDataset):
    """Messages to two newsgroups, as counts of words.

    The words are not published and called f1, f2, and so on. A word that is not in a message has no
    key.

    Parameters
    ----------
    file
        The file.
    n_samples
        Number of messages.
    n_features
        Number of words.

    """

    def __init__(self, file: RemoteFile, n_samples: int, n_features: int):
        super().__init__(file, n_samples=n_samples, n_features=n_features, sparse=True)

    def _iter(self) -> Iterator[Instance]:
        mat = load_mat(self.path)
        names = self.features
        for counts, label in zip(mat["X"], mat["Y"].ravel().tolist(), strict=True):
            words = np.flatnonzero(counts)
            values = counts[words].astype(float).tolist()
            yield {names[j]: v for j, v in zip(words.tolist(), values, strict=True)}, label == 1


class BaseHock(NewsgroupPair):
    """Messages on baseball and on ice hockey.

    The positive class is the file's `1`, judging by its size `rec.sport.baseball`. The rows are
    sorted by class: shuffle them. 1,993 messages, 4,862 words, 994 positive.

    Origin: 20 Newsgroups, in the scikit-feature collection. No licence is stated there.

    References
    ----------
    [^1]: [scikit-feature, datasets](https://jundongl.github.io/scikit-feature/datasets.html)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "basehock/BASEHOCK.mat",
                (_COLLECTION + "BASEHOCK.mat",),
                {279059: "e0452e0f3c0fefdc5cb6352165e4ba4a25c3a2a7b5a5b4d44e103742d6317aa0"},
            ),
            n_samples=1993,
            n_features=4862,
        )


class PCMAC(NewsgroupPair):
    """Messages on the hardware of PCs and of Macs.

    The positive class is the file's `1`, judging by its size `comp.sys.ibm.pc.hardware`. The rows
    are sorted by class: shuffle them. 1,943 messages, 3,289 words, 982 positive.

    Origin: 20 Newsgroups, in the scikit-feature collection. No licence is stated there.

    References
    ----------
    [^1]: [scikit-feature, datasets](https://jundongl.github.io/scikit-feature/datasets.html)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "pcmac/PCMAC.mat",
                (_COLLECTION + "PCMAC.mat",),
                {191131: "9999dfccf97ab88f87127dd3457da436acb75cda9f0af4750e7cae5fe1a31b25"},
            ),
            n_samples=1943,
            n_features=3289,
        )
