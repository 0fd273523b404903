from __future__ import annotations

from collections.abc import Iterator

from ._formats import libsvm_rows
from .base import Instance, PublicDataset, RemoteFile, of_classes
from .libsvm import BINARY, LIBSVMDataset

__all__ = ["RCV1", "RCV1Small"]


class RCV1(LIBSVMDataset):
    """Reuters news stories, as the weights of their words.

    The positive class, `+1`, consists of the categories CCAT and ECAT, the other class of GCAT and
    MCAT. The words are called f1 to f47236. Rows have length one. 20,242 rows.

    Origin: LIBSVM, rcv1.binary, training file. No licence is stated there. The size and checksum of
    the file are unknown, so that a download is only checked for completeness.

    References
    ----------
    [^1]: Lewis, D.D., Yang, Y., Rose, T.G. and Li, F., 2004. RCV1: a new benchmark collection for text categorization research. Journal of Machine Learning Research, 5, pp.361-397.
    [^2]: [rcv1.binary, LIBSVM data](https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#rcv1.binary)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "rcv1/rcv1_train.binary",
                (BINARY + "rcv1_train.binary.bz2",),
                member="rcv1_train.binary",
            ),
            n_samples=20242,
            n_features=47236,
            sparse=True,
        )


class RCV1Small(PublicDataset):
    """A sample of 1,000 Reuters news stories.

    The positive class is the file's `1`. 9,738 words occur, numbered up to 47117; whether the
    numbers are those of `RCV1` is unknown. 459 rows are positive. `features` reads the file, and
    lists the words that occur by number.

    Origin: the tests of Vowpal Wabbit, `rcv1_small.dat`, BSD licence.

    References
    ----------
    [^1]: Lewis, D.D., Yang, Y., Rose, T.G. and Li, F., 2004. RCV1: a new benchmark collection for text categorization research. Journal of Machine Learning Research, 5, pp.361-397.

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "rcv1_small/rcv1_small.dat",
                (
                    "https://raw.githubusercontent.com/VowpalWabbit/vowpal_wabbit/master/"
                    "test/train-sets/rcv1_small.dat",
                ),
                {1441266: "348d59a15f8161852b817fedd45a0a9efa5e2602ea86d9e920ba7079f633e084"},
            ),
            n_samples=1000,
            n_features=9738,
            sparse=True,
        )

    @property
    def features(self) -> list[str]:
        """Names of the words that occur, by number, read from the file."""
        return sorted({name for x, _ in self for name in x}, key=lambda name: int(name[1:]))

    def _iter(self) -> Iterator[Instance]:
        with self.path.open(encoding="ascii") as lines:
            # Without Vowpal Wabbit's name space, the format is LIBSVM's.
            plain = (line.replace("|f", "", 1) for line in lines)
            yield from of_classes(libsvm_rows(plain), (1, -1))
