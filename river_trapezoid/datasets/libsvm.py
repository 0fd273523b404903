"""Data sets of the LIBSVM collection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import datasets

from river_trapezoid._parameters import check_choice

from ._formats import libsvm_rows, load_mat
from .base import PublicDataset, RemoteFile, Row, of_classes

__all__ = ["DNA", "RCV1", "A8a", "A9a", "PhishingLIBSVM", "RCV1Small", "SVMGuide3", "Splice"]

_BINARY = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"
_MULTICLASS = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass/"


class LIBSVMDataset(PublicDataset):
    """A data set in files of LIBSVM's format, one after the other.

    Features have the names f1, f2, and so on, after their index; one that a row leaves out has no
    key.

    Parameters
    ----------
    files
        The files.
    classes
        The labels of the positive and the negative class, all else being left out; None to keep
        all labels as they are.
    desc
        Number of instances and so on, as for a River dataset.

    """

    def __init__(self, *files: RemoteFile, classes: tuple[int, int] | None = (1, -1), **desc: Any):
        super().__init__(*files, **desc)
        self.classes = classes

    def _iter(self) -> Iterator[Row]:
        for file in self.files:
            with file.path.open(encoding="ascii") as lines:
                yield from of_classes(libsvm_rows(lines), self.classes)


class A8a(LIBSVMDataset):
    """US adults, in 123 binary features: the eighth of the nested training sets.

    The positive class, `+1`, earns more than $50,000 a year. All 32,561 rows, 7,841 of them
    positive, are those of `A9a` in another order: LIBSVM's test file, then its training file.

    Origin: LIBSVM, a8a, after UCI Adult (CC BY 4.0).

    Parameters
    ----------
    part
        `"all"`, or `"train"` for the 22,696 rows of the training file, 5,506 of them positive.

    References
    ----------
    [^1]: [a8a, LIBSVM data](https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#a8a)

    """

    def __init__(self, part: str = "all"):
        check_choice("part", part, ("all", "train"))
        if part == "all":
            file = RemoteFile(
                "a8a/a8a_all32561",
                (_BINARY + "a8a.t", _BINARY + "a8a"),
                {2329875: "1f4406f11e30891f61eeaa0da4f0f1a77a34c4a237ada3fcaf0b4e292a75d5c8"},
            )
        else:
            file = RemoteFile(
                "a8a/a8a",
                (_BINARY + "a8a",),
                {1624166: "d08a37b3fadd4bd3c8b3fc30bdc93b54d7c0f371265c90cbfb931a7efe97cd28"},
            )
        n_samples = 32561 if part == "all" else 22696
        super().__init__(file, n_samples=n_samples, n_features=123, sparse=True)
        self.part = part


class A9a(LIBSVMDataset):
    """US adults, in 123 binary features.

    The positive class, `+1`, earns more than $50,000 a year.

    Origin: LIBSVM, a9a, after UCI Adult (CC BY 4.0).

    Parameters
    ----------
    part
        `"train"` for 32,561 rows, 7,841 of them positive, `"test"` for 16,281 rows, 3,846 of them
        positive, or `"all"` for one after the other.

    References
    ----------
    [^1]: [a9a, LIBSVM data](https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#a9a)

    """

    def __init__(self, part: str = "train"):
        check_choice("part", part, ("train", "test", "all"))
        train = RemoteFile(
            "a9a/a9a",
            (_BINARY + "a9a",),
            {2329875: "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906"},
        )
        test = RemoteFile(
            "a9a/a9a.t",
            (_BINARY + "a9a.t",),
            {1164628: "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9"},
        )
        super().__init__(
            *{"train": (train,), "test": (test,), "all": (train, test)}[part],
            n_samples={"train": 32561, "test": 16281, "all": 48842}[part],
            # No one in the test file has the last feature.
            n_features=122 if part == "test" else 123,
            sparse=True,
        )
        self.part = part


class DNA(LIBSVMDataset):
    """Boundaries between the parts of genes, in 180 binary features.

    Classes 1 and 2 are the two kinds of boundary, between exon and intron and the reverse; class 3
    is neither. Three features tell one of 60 nucleotides.

    Origin: LIBSVM, dna, after Statlog. No licence is stated there.

    Parameters
    ----------
    part
        `"train"` for LIBSVM's training file (464, 485 and 1,051 rows of the classes), `"test"` for
        its test file (303, 280 and 603), or `"all"` for one after the other. The two classes of
        `"train"` have the 949 rows that papers on feature streams give.
    classes
        The positive and the negative class; all other rows are left out. None for all three
        classes, with their number as label.

    References
    ----------
    [^1]: [dna, LIBSVM data](https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass.html#dna)

    """

    def __init__(self, part: str = "train", classes: tuple[int, int] | None = (1, 2)):
        check_choice("part", part, ("train", "test", "all"))
        check_choice("classes", classes, (None, (1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2)))
        train = RemoteFile(
            "dna/dna.scale",
            (_MULTICLASS + "dna.scale",),
            {501248: "f74937ccb8908628058ae1819d4d46c960ce64383f622c994d4f2e6e21026494"},
        )
        test = RemoteFile(
            "dna/dna.scale.t",
            (_MULTICLASS + "dna.scale.t",),
            {293744: "d2eeed170e4e38ae2aba6aa4cd27a8ca4ecceb01a7751e8e509bb4e1a6bcef39"},
        )
        counts = {
            "train": {1: 464, 2: 485, 3: 1051},
            "test": {1: 303, 2: 280, 3: 603},
            "all": {1: 767, 2: 765, 3: 1654},
        }[part]
        super().__init__(
            *{"train": (train,), "test": (test,), "all": (train, test)}[part],
            classes=classes,
            task=datasets.base.BINARY_CLF if classes else datasets.base.MULTI_CLF,
            n_samples=sum(counts[i] for i in classes or counts),
            n_features=180,
            n_classes=None if classes else 3,
            sparse=True,
        )
        self.part = part


class PhishingLIBSVM(LIBSVMDataset):
    """Web sites, in 68 binary features, scaled to rows of length one.

    Not River's `Phishing`, which is another and smaller data set. The positive class is the file's
    `1`; by its count these are the legitimate sites. Every feature that is there is 1/√30.
    11,055 rows, 6,157 positive; only 5,785 of them differ in their features.

    Origin: LIBSVM, phishing, after UCI Phishing Websites (CC BY 4.0).

    References
    ----------
    [^1]: [phishing, LIBSVM data](https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#phishing)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "phishing/phishing",
                (_BINARY + "phishing",),
                {3620168: "0cf66ef36604c393da9359b2e5d894a2df8aee31fd184633cefa138add2ef08a"},
            ),
            classes=(1, 0),
            n_samples=11055,
            n_features=68,
            sparse=True,
        )


class RCV1(LIBSVMDataset):
    """Reuters news stories, as the weights of their words.

    The positive class, `+1`, are the categories CCAT and ECAT, against GCAT and MCAT. Words have no
    names: f1 to f47236. Rows are of length one. 20,242 rows.

    Origin: LIBSVM, rcv1.binary, training file. No licence is stated there; the size and sum of the
    file are not known here, so that a download is checked for completeness only.

    References
    ----------
    [^1]: Lewis, D.D., Yang, Y., Rose, T.G. and Li, F., 2004. RCV1: a new benchmark collection for text categorization research. Journal of Machine Learning Research, 5, pp.361-397.
    [^2]: [rcv1.binary, LIBSVM data](https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#rcv1.binary)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "rcv1/rcv1_train.binary",
                (_BINARY + "rcv1_train.binary.bz2",),
                member="rcv1_train.binary",
            ),
            n_samples=20242,
            n_features=47236,
            sparse=True,
        )


class RCV1Small(PublicDataset):
    """A sample of 1,000 Reuters news stories.

    The positive class is the file's `1`. 9,738 words occur, numbered up to 47117; whether the
    numbers are those of `RCV1` is not known. 459 positive. Which words these are is not known before
    the file is read: `features` reads it, and lists them by number.

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
        """Names of the words that occur, by number. The file is read for it."""
        return sorted({name for x, _ in self for name in x}, key=lambda name: int(name[1:]))

    def _iter(self) -> Iterator[Row]:
        with self.path.open(encoding="ascii") as lines:
            # Without the name of Vowpal Wabbit's name space it is LIBSVM's format.
            plain = (line.replace("|f", "", 1) for line in lines)
            yield from of_classes(libsvm_rows(plain), (1, -1))


class Splice(PublicDataset):
    """Splice junctions in genes, as 60 nucleotides.

    The positive class is `+1`; by its count it is the one without a junction. A nucleotide is a
    number from 1 to 4, as in the source.

    Origin: LIBSVM, splice, after UCI and Delve. No licence is stated there. The file with all rows
    was published with papers on online feature selection, and has no address now; LIBSVM's two
    files have the same rows in another order. Their sums are not known here, so that a download of
    them is checked for completeness only.

    Parameters
    ----------
    part
        `"all"` for 3,175 rows sorted by class, 1,648 of them positive, which must be put there by
        hand; `"train"` or `"test"` for LIBSVM's 1,000 or 2,175 rows, which are downloaded.

    Attributes
    ----------
    permutations
        Ten orders of all rows, which come with them in the file, for
        `stream.Shuffled(splice, permutation=splice.permutations[0])`. Its parts have none.

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
            "train": RemoteFile("splice/splice", (_BINARY + "splice",)),
            "test": RemoteFile("splice/splice.t", (_BINARY + "splice.t",)),
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
            If the file with all rows, from which they are read, is not there.

        """
        if self.part != "all":
            raise AttributeError(
                f"Splice({self.part!r}) has no permutations: they are of all rows, in Splice('all')"
            )
        return self._read_permutations(self.files[0])

    def _iter(self) -> Iterator[Row]:
        if self.part == "all":
            names = self.features
            for label, *values in load_mat(self.path)["data"].tolist():
                yield dict(zip(names, map(float, values), strict=True)), label == 1
        else:
            with self.path.open(encoding="ascii") as lines:
                yield from of_classes(libsvm_rows(lines), (1, -1))


class SVMGuide3(LIBSVMDataset):
    """The third example of LIBSVM's practical guide.

    What it is about is not published. The positive class is `+1`. 1,243 rows of 22 features, of
    which f22 is always 0 and f21 is left out in 138 rows; 296 positive. The rows are sorted by
    class: shuffle them.

    Origin: LIBSVM, svmguide3, training file. No licence is stated there.

    References
    ----------
    [^1]: [svmguide3, LIBSVM data](https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#svmguide3)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile(
                "svmguide3/svmguide3",
                (_BINARY + "svmguide3",),
                {304339: "ada17021fdf508bcaac7b7adea825886478f915935eccb24470f22c806dc4508"},
            ),
            n_samples=1243,
            n_features=22,
            sparse=True,
        )
