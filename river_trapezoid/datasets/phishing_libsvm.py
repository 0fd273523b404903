from __future__ import annotations

from .base import RemoteFile
from .libsvm import BINARY, LIBSVMDataset

__all__ = ["PhishingLIBSVM"]


class PhishingLIBSVM(LIBSVMDataset):
    """Web sites, in 68 binary features, scaled to rows of length one.

    River's `Phishing` is a different, smaller data set. The positive class is the file's `1`,
    judging by its size the legitimate sites. The value of every observed feature is 1/√30. 11,055
    rows, 6,157 positive; only 5,785 of them differ in their features.

    Origin: LIBSVM, phishing, after UCI Phishing Websites (CC BY 4.0).

    References
    ----------
    [^1]: [phishing, LIBSVM data](https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#phishing)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "phishing/phishing",
                (BINARY + "phishing",),
                {3620168: "0cf66ef36604c393da9359b2e5d894a2df8aee31fd184633cefa138add2ef08a"},
            ),
            classes=(1, 0),
            n_samples=11055,
            n_features=68,
            sparse=True,
        )
