from __future__ import annotations

from river_trapezoid._parameters import check_choice

from .base import RemoteFile
from .libsvm import BINARY, LIBSVMDataset

__all__ = ["A8a", "A9a"]


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
                (BINARY + "a8a.t", BINARY + "a8a"),
                {2329875: "1f4406f11e30891f61eeaa0da4f0f1a77a34c4a237ada3fcaf0b4e292a75d5c8"},
            )
        else:
            file = RemoteFile(
                "a8a/a8a",
                (BINARY + "a8a",),
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
        positive, or `"all"` for the training rows followed by the test rows.

    References
    ----------
    [^1]: [a9a, LIBSVM data](https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#a9a)

    """

    def __init__(self, part: str = "train"):
        check_choice("part", part, ("train", "test", "all"))
        train = RemoteFile(
            "a9a/a9a",
            (BINARY + "a9a",),
            {2329875: "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906"},
        )
        test = RemoteFile(
            "a9a/a9a.t",
            (BINARY + "a9a.t",),
            {1164628: "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9"},
        )
        super().__init__(
            *{"train": (train,), "test": (test,), "all": (train, test)}[part],
            n_samples={"train": 32561, "test": 16281, "all": 48842}[part],
            # The last feature does not occur in the test file.
            n_features=122 if part == "test" else 123,
            sparse=True,
        )
        self.part = part
