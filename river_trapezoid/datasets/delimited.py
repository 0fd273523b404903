from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence

from ._formats import delimited_rows
from .base import PublicDataset, RemoteFile, Row

__all__ = ["UCI", "DelimitedDataset"]

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/"


class DelimitedDataset(PublicDataset):
    """A data set in one file, with a row per line and a column for the label.

    A missing value has no key. A nominal value has the key `name=value`, and is 1.

    Parameters
    ----------
    file
        The file.
    columns
        Names of all columns.
    positive
        The label that becomes `True`; every other becomes `False`.
    n_samples
        Number of rows.
    n_features
        Number of features; by default that of the columns that are neither label nor ignored.
    label
        Name of the column with the label.
    nominal
        Names of the columns that hold no numbers.
    ignored
        Names of the columns to leave out.
    delimiter
        What is between the cells; None for any white space.
    header
        Whether the first line holds the names of the columns.

    """

    def __init__(
        self,
        file: RemoteFile,
        columns: Sequence[str],
        positive: str,
        n_samples: int,
        n_features: int | None = None,
        label: str = "class",
        nominal: Collection[str] = (),
        ignored: Collection[str] = (),
        delimiter: str | None = ",",
        header: bool = False,
    ):
        super().__init__(
            file,
            n_samples=n_samples,
            n_features=n_features or len(columns) - 1 - len(ignored),
            sparse=False,
        )
        self.columns = columns
        self.positive = positive
        self.label = label
        self.nominal = nominal
        self.ignored = ignored
        self.delimiter = delimiter
        self.header = header

    def _iter(self) -> Iterator[Row]:
        with self.path.open(encoding="utf-8") as lines:
            for x, label in delimited_rows(
                itertools.islice(lines, int(self.header), None),
                self.columns,
                self.label,
                self.nominal,
                self.ignored,
                self.delimiter,
            ):
                yield x, label == self.positive
