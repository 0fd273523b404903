"""The data sets in the form in which the papers' runs have them."""

from __future__ import annotations

import dataclasses
import functools
import operator
import random
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from river_trapezoid import datasets
from river_trapezoid.datasets.base import DownloadError, PublicDataset

__all__ = ["Data", "Table", "arrays", "order", "prepared", "rows", "source", "table"]


@dataclasses.dataclass(frozen=True)
class Data:
    """A data set, and its form in a paper's runs.

    By default, values that a sparse format leaves out are zeros, every column is standardised over
    all rows, and then every row is scaled to length one over all columns, whichever of them a run
    shows.

    Attributes
    ----------
    dataset
        Its class in `datasets`.
    n_features
        The number of columns, from the first on; None for all.
    orders
        `"random"` for orders drawn by seed, `"authors"` for those of the authors, of which seed r
        is the r-th.
    arguments
        Arguments of the class, by name.
    missing
        `"dropped"` to drop rows with missing values, `"mean"` to replace them by the mean of the
        column. It has no effect on values that are not scaled.
    form
        `"scaled"`; `"raw"` for unscaled values, without those that are missing; `"sparse"` for the
        same, where values that a sparse format leaves out are missing as well.

    """

    dataset: str
    n_features: int | None = None
    orders: str = "random"
    arguments: tuple[tuple[str, Any], ...] = ()
    missing: str = "dropped"
    form: str = "scaled"

    @property
    def content(self) -> dict[str, Any]:
        """What differs from the defaults, as plain data."""
        fields = dataclasses.fields(self)
        return {
            field.name: getattr(self, field.name)
            for field in fields
            if getattr(self, field.name) != field.default
        }


class Table(NamedTuple):
    """Names of the features, values, and labels +1 and -1."""

    features: list[str]
    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]


def prepared(data: Data) -> tuple[Data | None, str]:
    """Download a data set if necessary; return it as it can be had, and what it lacks.

    Without the authors' orders, it has random ones. If it cannot be downloaded, it is None.
    """
    dataset = source(data)
    if isinstance(dataset, PublicDataset) and not dataset.is_downloaded:
        try:
            dataset.download(verbose=False)
        except DownloadError as error:
            return None, str(error)
    if data.orders == "authors":
        try:
            _ = dataset.permutations
        except DownloadError:
            return dataclasses.replace(data, orders="random"), "random orders, not the authors'"
    return data, ""


@functools.lru_cache(maxsize=2)
def table(data: Data) -> Table:
    """The data set as a table."""
    dataset = source(data)
    features = dataset.features[: data.n_features]
    absent = 0.0 if dataset.sparse else np.nan
    values, labels = [], []
    for x, label in dataset:
        values.append([x.get(name, absent) for name in features])
        labels.append(1.0 if label else -1.0)
    X, y = np.array(values), np.array(labels)
    gaps = np.isnan(X)
    if data.missing == "mean":
        X = np.where(gaps, np.nanmean(X, axis=0), X)
    else:
        complete = ~gaps.any(axis=1)
        X, y = X[complete], y[complete]
    deviation = X.std(axis=0, ddof=1)
    X = (X - X.mean(axis=0)) / np.where(deviation, deviation, 1.0)
    length = np.linalg.norm(X, axis=1, keepdims=True)
    return Table(features, X / np.where(length, length, 1.0), y)


@functools.lru_cache(maxsize=1)
def rows(data: Data) -> list[tuple[dict[Hashable, Any], Any]]:
    """The data set as instances."""
    if data.form != "scaled":
        dataset = source(data)
        taken = dict.fromkeys(dataset.features[: data.n_features], 0.0)
        zeros = taken if dataset.sparse and data.form == "raw" else {}
        return [
            ({name: value for name, value in {**zeros, **x}.items() if name in taken}, bool(label))
            for x, label in dataset
        ]
    features, X, y = table(data)
    return [
        (dict(zip(features, x, strict=True)), label > 0)
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ]


def arrays(
    instances: Sequence[tuple[dict[Hashable, Any], Any]], data: Data
) -> tuple[Any, npt.NDArray[np.float64]]:
    """Instances of a data set as values, a sparse matrix if that is its form, and labels +1 and -1."""
    y = np.array([1.0 if label else -1.0 for _, label in instances])
    columns = {name: i for i, name in enumerate(dict.fromkeys(k for x, _ in instances for k in x))}
    places = [
        (i, columns[name], value) for i, (x, _) in enumerate(instances) for name, value in x.items()
    ]
    i, j, values = zip(*places, strict=True)
    shape = len(instances), len(columns)
    if data.form == "sparse":
        return sparse.csr_array((np.array(values, float), (i, j)), shape), y
    X = np.full(shape, np.nan)
    X[i, j] = values
    return X, y


def order(data: Data, seed: int) -> list[int]:
    """The positions of the rows, in the order of a run."""
    if data.orders == "authors":
        return _permutations(data)[seed]
    positions = list(range(len(table(data).y if data.form == "scaled" else rows(data))))
    random.Random(seed).shuffle(positions)
    return positions


@functools.lru_cache(maxsize=2)
def _permutations(data: Data) -> list[list[int]]:
    return source(data).permutations


def source(data: Data) -> Any:
    """The data set in `datasets`."""
    return operator.attrgetter(data.dataset)(datasets)(**dict(data.arguments))
