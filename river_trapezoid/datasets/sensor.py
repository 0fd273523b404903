from __future__ import annotations

from collections.abc import Iterator

from river import datasets

from ._formats import arff_columns, arff_rows
from .base import PublicDataset, RemoteFile, Row

__all__ = ["Sensor"]

_REPOSITORY = "https://www.cse.fau.edu/~xqzhu/Stream/"


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
