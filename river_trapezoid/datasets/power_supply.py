from __future__ import annotations

from collections.abc import Iterator

from river import datasets

from river_trapezoid._parameters import check_bool

from ._formats import arff_rows
from .base import Instance, PublicDataset, RemoteFile

__all__ = ["PowerSupply"]

_REPOSITORY = "https://www.cse.fau.edu/~xqzhu/Stream/"


class PowerSupply(PublicDataset):
    """Hourly power supply of an Italian company, over three years.

    The label is the hour of the day, to be predicted from the power of two sources, the main grid
    and others. The features have the names in the file, `attribute0` and `attribute1`. 29,928 rows
    in order of time: do not shuffle them.

    Origin: Stream Data Mining Repository. No licence is stated there.

    Parameters
    ----------
    binary
        If true, the label is whether it is noon or later; otherwise it is the hour, from 0 to 23.

    References
    ----------
    [^1]: [Stream Data Mining Repository](https://www.cse.fau.edu/~xqzhu/stream.html)

    """

    def __init__(self, binary: bool = True):
        check_bool("binary", binary)
        super().__init__(
            RemoteFile(
                "powersupply/powersupply.arff",
                (_REPOSITORY + "powersupply.arff",),
                {397055: "0e2c061f6211c2a25563fe565d7f97c2fceae098e314bf84f95370f01356e7be"},
            ),
            task=datasets.base.BINARY_CLF if binary else datasets.base.MULTI_CLF,
            n_samples=29928,
            n_features=2,
            n_classes=None if binary else 24,
        )
        self.binary = binary

    @property
    def features(self) -> list[str]:
        """Names of all features, in the order of the columns."""
        return ["attribute0", "attribute1"]

    def _iter(self) -> Iterator[Instance]:
        with self.path.open(encoding="ascii") as lines:
            for x, label in arff_rows(lines):
                hour = int(label)
                yield x, hour >= 12 if self.binary else hour
