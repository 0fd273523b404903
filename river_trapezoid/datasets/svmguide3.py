from __future__ import annotations

from .base import RemoteFile
from .libsvm import BINARY, LIBSVMDataset

__all__ = ["SVMGuide3"]


class SVMGuide3(LIBSVMDataset):
    """The third example of LIBSVM's practical guide.

    The subject of the data is not published. The positive class is `+1`. 1,243 rows of 22 features,
    of which f22 is always 0 and f21 is absent from 138 rows; 296 positive. The rows are sorted by
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
                (BINARY + "svmguide3",),
                {304339: "ada17021fdf508bcaac7b7adea825886478f915935eccb24470f22c806dc4508"},
            ),
            n_samples=1243,
            n_features=22,
            sparse=True,
        )
