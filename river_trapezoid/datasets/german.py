from __future__ import annotations

from ._formats import numbered
from .base import RemoteFile
from .delimited import UCI, DelimitedDataset

__all__ = ["German"]


class German(DelimitedDataset):
    """German credit applicants, in numbers.

    The positive class is a bad risk, the file's `2`, as in the copy that the authors of OLSF use.
    The columns of this numeric version have no published names: f1 to f24. 1,000 rows, 300
    positive.

    Origin: UCI, Statlog (German Credit Data), `german.data-numeric`, CC BY 4.0.

    Attributes
    ----------
    permutations
        The orders of the rows in the twenty runs of the authors of OLSF, for
        `stream.Shuffled(german, permutation=german.permutations[0])`. They are read from
        `german.mat`. No public address of this file is known, so copy it to the folder of the data
        set by hand.

    References
    ----------
    [^1]: [Statlog (German Credit Data), UCI](https://archive.ics.uci.edu/dataset/144/statlog+german+credit+data)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "german/german.data-numeric",
                (UCI + "statlog/german/german.data-numeric",),
                {102000: "2752b044394958ab6dd193a0b56ca0f0b3a2d8bc7cb8c008e35a5e84bbec02f8"},
            ),
            columns=[*numbered(24), "class"],
            positive="2",
            n_samples=1000,
            delimiter=None,
        )

    @property
    def permutations(self) -> list[list[int]]:
        """The orders of the rows in the twenty runs of the authors of OLSF, counted from zero.

        Raises
        ------
        DownloadError
            If `german.mat`, which has the orders, is not there.

        """
        return self._read_permutations(
            RemoteFile(
                "german/german.mat",
                sums={39591: "5b10f922ddf9f532089158f2a88d30f6a68df3dd01db700d7836db3c9da93ac4"},
            )
        )
