"""Who gets credit: German, Australian and Japanese applicants."""

from __future__ import annotations

from ._formats import numbered
from .base import RemoteFile
from .delimited import UCI, DelimitedDataset

__all__ = ["Australian", "CreditA", "German"]


class Australian(DelimitedDataset):
    """Australian credit card applications.

    The positive class is the file's `1`, as many as the `+` of `CreditA`, whose coding is another.
    The attributes A1 to A14 have no published meaning. Eight of them are nominal (A1, A4, A5, A6,
    A8, A9, A11, A12); the source has numbers for them, and they stay numbers. 690 rows of 14
    features, 307 positive.

    Origin: UCI, Statlog (Australian Credit Approval), CC BY 4.0.

    References
    ----------
    [^1]: [Statlog (Australian Credit Approval), UCI](https://archive.ics.uci.edu/dataset/143/statlog+australian+credit+approval)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "australian/australian.dat",
                (UCI + "statlog/australian/australian.dat",),
                {28735: "3abe5af151afa50b999a9ba21cbc884e80d80a4050b716cf88b34a2e6ecb731c"},
            ),
            columns=[*(f"A{i}" for i in range(1, 15)), "class"],
            positive="1",
            n_samples=690,
            delimiter=None,
        )


class CreditA(DelimitedDataset):
    """Credit card applications, with nominal and missing values.

    The positive class is `+`, whatever that meant: the attributes A1 to A15 have no published
    meaning. The nine nominal ones are one-hot, as `A1=b`; missing values (67, in 37 rows) have no
    key. The rows are nearly sorted by class: shuffle them. 690 rows of 15 attributes, which make
    46 features; 307 positive.

    Origin: UCI, Credit Approval, CC BY 4.0.

    Parameters
    ----------
    nominal
        `"one-hot"`, or `"ordinal"` for one feature per attribute, 15 in all: of a nominal one, the
        values in alphabetical order are 0, 1, 2, and so on (`A4`: `l`, `u`, `y`). The order means
        nothing.

    References
    ----------
    [^1]: [Credit Approval, UCI](https://archive.ics.uci.edu/dataset/27/credit+approval)

    """

    def __init__(self, nominal: str = "one-hot"):
        super().__init__(
            RemoteFile(
                "credit-a/crx.data",
                (UCI + "credit-screening/crx.data",),
                {32218: "fff49bc186cbddb3ace7371d40d9fbbb3af4f126019c13ff3f562249b1454f4d"},
            ),
            columns=[*(f"A{i}" for i in range(1, 16)), "class"],
            positive="+",
            n_samples=690,
            categories={
                "A1": ("a", "b"),
                "A4": ("l", "u", "y"),
                "A5": ("g", "gg", "p"),
                "A6": ("aa", "c", "cc", "d", "e", "ff", "i", "j", "k", "m", "q", "r", "w", "x"),
                "A7": ("bb", "dd", "ff", "h", "j", "n", "o", "v", "z"),
                "A9": ("f", "t"),
                "A10": ("f", "t"),
                "A12": ("f", "t"),
                "A13": ("g", "p", "s"),
            },
            nominal=nominal,
        )


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
        `german.mat`, which has no public address that is known here, and must be put there by hand.

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
            If `german.mat`, from which they are read, is not there.

        """
        return self._read_permutations(
            RemoteFile(
                "german/german.mat",
                sums={39591: "5b10f922ddf9f532089158f2a88d30f6a68df3dd01db700d7836db3c9da93ac4"},
            )
        )
