from __future__ import annotations

from .base import RemoteFile
from .delimited import UCI, DelimitedDataset

__all__ = ["Australian"]


class Australian(DelimitedDataset):
    """Australian credit card applications.

    The positive class is the file's `1`, which occurs as often as the `+` of `CreditA`, where the
    coding is different. The meaning of the attributes A1 to A14 is not published. Eight of them are
    nominal (A1, A4, A5, A6, A8, A9, A11, A12); the source codes them as numbers, which are kept.
    690 rows of 14 features, 307 positive.

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
