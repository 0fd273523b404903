from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from river_trapezoid._parameters import check_choice

from ._formats import Encoding, delimited_rows, one_hot, ordinal
from .base import Instance, PublicDataset, RemoteFile

__all__ = ["UCI", "DelimitedDataset"]

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/"


class DelimitedDataset(PublicDataset):
    """A data set in one file, with a row per line and a column for the label.

    Missing values have no key.

    Parameters
    ----------
    file
        The file.
    columns
        Names of all columns.
    positive
        The label that becomes `True`; all others become `False`.
    n_samples
        Number of rows.
    label
        Name of the column with the label.
    categories
        The values of each nominal column, in the order of their features or codes.
    nominal
        How to encode a nominal column: `"one-hot"` for features `name=value` with the value 1,
        `"ordinal"` for a feature `name` whose value is the position of the cell's value, counted
        from zero.
    ignored
        Names of the columns to leave out.
    delimiter
        The delimiter of the cells; None for white space.
    header
        Whether the first line has the names of the columns.

    """

    def __init__(
        self,
        file: RemoteFile,
        columns: Sequence[str],
        positive: str,
        n_samples: int,
        label: str = "class",
        categories: Mapping[str, Sequence[str]] = MappingProxyType({}),
        nominal: str = "one-hot",
        ignored: Collection[str] = (),
        delimiter: str | None = ",",
        header: bool = False,
    ):
        check_choice("nominal", nominal, ("one-hot", "ordinal"))
        self.columns = columns
        self.positive = positive
        self.label = label
        self.categories = dict(categories)
        self.nominal = nominal
        self.ignored = ignored
        self.delimiter = delimiter
        self.header = header
        super().__init__(file, n_samples=n_samples, n_features=len(self.features), sparse=False)

    @property
    def features(self) -> list[str]:
        """Names of all features, column by column, and within a column by its sorted values."""
        names: dict[str, None] = {}
        encodings = self._encodings()
        for column in self.columns:
            if column in encodings:
                names.update(dict.fromkeys(name for name, _ in encodings[column].values()))
            elif column != self.label and column not in self.ignored:
                names[column] = None
        return list(names)

    def _encodings(self) -> dict[str, Encoding]:
        encode = one_hot if self.nominal == "one-hot" else ordinal
        return {name: encode(name, values) for name, values in self.categories.items()}

    def _iter(self) -> Iterator[Instance]:
        with self.path.open(encoding="utf-8") as lines:
            for x, label in delimited_rows(
                itertools.islice(lines, int(self.header), None),
                self.columns,
                self.label,
                self._encodings(),
                self.ignored,
                self.delimiter,
            ):
                yield x, label == self.positive
