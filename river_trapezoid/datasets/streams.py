"""Real streams, in the order of time."""

from __future__ import annotations

from collections.abc import Iterator

from river import datasets

from river_trapezoid._parameters import check_bool

from ._formats import arff_columns, arff_rows
from .base import PublicDataset, RemoteFile, Row

__all__ = ["PowerSupply", "Sensor"]

_REPOSITORY = "https://www.cse.fau.edu/~xqzhu/Stream/"


class PowerSupply(PublicDataset):
    """Hourly power supply of an Italian company, over three years.

    From two sources, the main grid and others, tell the hour of the day. The features have the
    file's names, `attribute0` and `attribute1`. 29,928 rows in the order of time: do not shuffle.

    Origin: Stream Data Mining Repository. No licence is stated there.

    Parameters
    ----------
    binary
        Whether the label is whether it is noon or later. If not, it is the hour, from 0 to 23.

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

    def _iter(self) -> Iterator[Row]:
        with self.path.open(encoding="ascii") as lines:
            for x, label in arff_rows(lines):
                hour = int(label)
                yield x, hour >= 12 if self.binary else hour


class Sensor(PublicDataset):
    """Readings of sensors in a laboratory, over two months.

    From time, temperature, humidity, light and voltage, tell which sensor it is. The label is its
    number, so it is a problem of many classes; the papers make two of them without telling how.
    The features have the names that the file gives them, so that `features` reads its header.
    2,219,803 rows in the order of time: do not shuffle.

    Origin: Stream Data Mining Repository, after Intel Lab Data. No licence is stated there. The
    size and sum of the file are not known here, so that a download is checked for completeness
    only.

    References
    ----------
    [^1]: [Stream Data Mining Repository](https://www.cse.fau.edu/~xqzhu/stream.html)

    """

    def __init__(self) -> None:
        super().__init__(
            RemoteFile("sensor/sensor.arff", (_REPOSITORY + "sensor.arff",)),
            task=datasets.base.MULTI_CLF,
            n_samples=2_219_803,
            n_features=5,
        )

    @property
    def features(self) -> list[str]:
        """Names of all features, in the order of the columns. The header of the file is read for it."""
        self.download()
        with self.path.open(encoding="ascii") as lines:
            return arff_columns(lines)[:-1]

    def _iter(self) -> Iterator[Row]:
        with self.path.open(encoding="ascii") as lines:
            for x, label in arff_rows(lines):
                yield x, int(label)
