from __future__ import annotations

import string
from collections.abc import Iterator

from river import datasets

from ._formats import load_mat
from .base import Instance, PublicDataset, RemoteFile, of_classes

__all__ = ["Isolet"]


class Isolet(PublicDataset):
    """Spoken letters of the English alphabet.

    150 speakers pronounce each letter twice, in five files of 30 speakers. The positive class is
    the first of two letters. The features f1 to f617 are real numbers in [-1, 1]. Each letter has
    300 rows, except F with 298 and M with 299. Papers on feature streams use the 600 rows of two
    letters, without naming them.

    Origin: UCI, ISOLET, CC BY 4.0. UCI has a text file; no public address of the MATLAB files that
    this class reads is known, so copy them to the folder of the data set by hand.

    Parameters
    ----------
    letters
        The letters of the positive and the negative class; all other rows are left out. None for
        all 26, with the letter as label.

    References
    ----------
    [^1]: [ISOLET, UCI](https://archive.ics.uci.edu/dataset/54/isolet)

    """

    def __init__(self, letters: tuple[str, str] | None = ("A", "B")):
        alphabet = string.ascii_uppercase
        pairs = [(a, b) for a in alphabet for b in alphabet if a != b]
        if letters not in (None, *pairs):
            raise ValueError(
                f"letters must be two different letters from A to Z, or None; got {letters!r}"
            )
        sums = {
            "Isolet1": (
                3651354,
                "f643c3cbd2669e1e9a6110943fcf538cfc209db384f3387d33acbbe550376765",
            ),
            "Isolet2": (
                3634344,
                "f69ca6b76d196a5778d1883ec7f18a2b97c620507675cd229c4e65fbb28c9037",
            ),
            "Isolet3": (
                3655057,
                "1d1f991f0a1b9e9decd73779ff595d7f66e4da47cac655f71fd350d2028106b7",
            ),
            "Isolet4": (
                3653939,
                "c676e6d11ef3b6ca17cd38c3cd9a44299fb5681a5ed8460adf821074d0af4fcd",
            ),
            "isolet5": (
                3662630,
                "a3849f6c0a9d0e0ed55dde15eb8ae8f4ba94df79b9fc260d00c28b8695d48600",
            ),
        }
        counts = dict.fromkeys(alphabet, 300) | {"F": 298, "M": 299}
        super().__init__(
            *(
                RemoteFile(f"isolet/{name}.mat", sums={size: sha})
                for name, (size, sha) in sums.items()
            ),
            task=datasets.base.BINARY_CLF if letters else datasets.base.MULTI_CLF,
            n_samples=sum(counts[letter] for letter in letters or alphabet),
            n_features=617,
            n_classes=None if letters else 26,
        )
        self.letters = letters

    def _iter(self) -> Iterator[Instance]:
        names = self.features
        for file in self.files:
            mat = load_mat(file.path)
            spoken = (string.ascii_uppercase[i - 1] for i in mat["gnd"].ravel().tolist())
            yield from of_classes(
                (
                    (dict(zip(names, row.tolist(), strict=True)), letter)
                    for row, letter in zip(mat["fea"], spoken, strict=True)
                ),
                self.letters,
            )
