from __future__ import annotations

from river import datasets

from river_trapezoid._parameters import check_choice

from .base import RemoteFile
from .libsvm import MULTICLASS, LIBSVMDataset

__all__ = ["DNA"]


class DNA(LIBSVMDataset):
    """Boundaries between the parts of genes, in 180 binary features.

    Classes 1 and 2 are the two kinds of boundary, from exon to intron and from intron to exon;
    class 3 is neither. Each of 60 nucleotides is encoded by three features.

    Origin: LIBSVM, dna, after Statlog. No licence is stated there.

    Parameters
    ----------
    part
        `"train"` for LIBSVM's training file (464, 485 and 1,051 rows of the classes), `"test"` for
        its test file (303, 280 and 603), or `"all"` for the former followed by the latter. The first
        two classes of `"train"` are the 949 rows that papers on feature streams use.
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
            (MULTICLASS + "dna.scale",),
            {501248: "f74937ccb8908628058ae1819d4d46c960ce64383f622c994d4f2e6e21026494"},
        )
        test = RemoteFile(
            "dna/dna.scale.t",
            (MULTICLASS + "dna.scale.t",),
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
