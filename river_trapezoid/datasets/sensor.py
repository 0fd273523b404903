from __future__ import annotations

from collections.abc import Iterator

from river import datasets

from ._formats import arff_columns, arff_rows
from .base import Instance, PublicDataset, RemoteFile

__all__ = ["Sensor"]

_REPOSITORY = "https://www.cse.fau.edu/~xqzhu/Stream/"


class Sensor(PublicDataset):
    """Readings of sensors in a laboratory, over two months.

    The label is the number of the sensor, to be predicted from time, temperature, humidity, light
    and voltage, so that there are many classes; the papers use two classes without defining them.
    `features` reads the names of the features from the header of the file. 2,219,803 rows in order
    of time: do not shuffle them.

    Origin: Stream Data Mining Repository, after Intel Lab Data. No licence is stated there. The
    size and checksum of the file are unknown, so that a download is only checked for completeness.

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
        """Names of all features, in the order of the columns, read from the header of the file."""
        self.download()
        with self.path.open(encoding="ascii") as lines:
            return arff_columns(lines)[:-1]

    def _iter(self) -> Iterator[Instance]:
        with self.path.open(encoding="ascii") as lines:
            for x, label in arff_rows(lines):
                yield x, int(label)
