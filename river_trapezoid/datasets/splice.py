from __future__ import annotations

from collections.abc import Iterator

from river_trapezoid._parameters import check_choice

from ._formats import libsvm_rows, load_mat
from .base import Instance, PublicDataset, RemoteFile, of_classes
from .libsvm import BINARY

__all__ = ["Splice"]


class Splice(PublicDataset):
    """Splice junctions in genes, as 60 nucleotides.

    The positive class is `+1`, judging by its size the rows without a junction. A nucleotide is a
    number from 1 to 4, as in the source.

    Origin: LIBSVM, splice, after UCI and Delve. No licence is stated there. The file with all rows
    was published with papers on online feature selection and is no longer public; LIBSVM's two
    files have the same rows in another order. Their checksums are unknown, so that a download is
    only checked for completeness.

    Parameters
    ----------
    part
        `"all"` for 3,175 rows sorted by class, 1,648 of them positive, in a file that must be
        copied to the folder of the data set by hand; `"train"` or `"test"` for LIBSVM's 1,000 or
        2,175 rows, which are downloaded.

    Attributes
    ----------
    permutations
        Ten orders of all rows, read from the same file, for
        `stream.Shuffled(splice, permutation=splice.permutations[0])`; only for `part="all"`.

    References
    ----------
    [^1]: [splice, LIBSVM data](https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#splice)

    """

    def __init__(self, part: str = "all"):
        check_choice("part", part, ("all", "train", "test"))
        files = {
            "all": RemoteFile(
                "splice/splice.mat",
                sums={106021: "22d7cf5c42b5fc50c354fac0c84eef5fcf891add36df31b2bf0dfae2f9a027f7"},
            ),
            "train": RemoteFile("splice/splice", (BINARY + "splice",)),
            "test": RemoteFile("splice/splice.t", (BINARY + "splice.t",)),
        }
        n_samples = {"all": 3175, "train": 1000, "test": 2175}[part]
        super().__init__(files[part], n_samples=n_samples, n_features=60)
        self.part = part

    @property
    def permutations(self) -> list[list[int]]:
        """Ten orders of all rows, counted from zero.

        Raises
        ------
        DownloadError
            If the file with all rows, which has the orders, is not there.

        """
        if self.part != "all":
            raise AttributeError(
                f"Splice({self.part!r}) has no permutations; use those of Splice('all')"
            )
        return self._read_permutations(self.files[0])

    def _iter(self) -> Iterator[Instance]:
        if self.part == "all":
            names = self.features
            for label, *values in load_mat(self.path)["data"].tolist():
                yield dict(zip(names, map(float, values), strict=True)), label == 1
        else:
            with self.path.open(encoding="ascii") as lines:
                yield from of_classes(libsvm_rows(lines), (1, -1))
