from __future__ import annotations

from .base import RemoteFile
from .delimited import UCI, DelimitedDataset

__all__ = ["CreditA"]


class CreditA(DelimitedDataset):
    """Credit card applications, with nominal and missing values.

    The positive class is `+`. Neither its meaning nor that of the attributes A1 to A15 is
    published. The nine nominal attributes are one-hot encoded, as in `A1=b`. Missing values (67, in
    37 rows) have no key. The rows are nearly sorted by class: shuffle them. 690 rows of 15
    attributes, encoded as 46 features; 307 positive.

    Origin: UCI, Credit Approval, CC BY 4.0.

    Parameters
    ----------
    nominal
        `"one-hot"`, or `"ordinal"` for one feature per attribute, 15 in total, with the values of a
        nominal attribute numbered 0, 1, 2, and so on in alphabetical order (`A4`: `l`, `u`, `y`).
        The order has no meaning.

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
