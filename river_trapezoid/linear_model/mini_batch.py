"""Frames to rows and back: what the linear learners share to work on mini-batches."""

from __future__ import annotations

import abc
import copy
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from river import base
from river.utils import dataframe

from river_trapezoid._instance import Features, observed
from river_trapezoid.weights import check_keys

if TYPE_CHECKING:
    from narwhals.stable.v2.typing import IntoDataFrame, IntoSeries

__all__ = ["Batch", "RowwiseClassifier", "in_row"]

Array = npt.NDArray[Any]
Zeros = Literal["all", "first", "none"]
_NUMBERS = {
    *(nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32, nw.UInt64),
    *(nw.Float32, nw.Float64, nw.Boolean),
}


class RowwiseClassifier(base.MiniBatchClassifier):
    """A classifier that learns and predicts the rows of a frame one by one.

    The results are those of `learn_one`, `predict_one` and `predict_proba_one` on the rows, to the
    last bit. Any frame that narwhals knows is accepted, and answers are of the same kind, with the
    index of the frame and the name of the labels where there are such. What is missing from a frame
    (None, NaN, null) was not observed.

    Columns of pandas' `SparseDtype` are not made dense. Those filled with NaN have not been observed
    where nothing is stored, and those filled with zero have been observed to be zero there.

    """

    # The predictions get the name of the labels learned last, as River's do.
    _y_name: str | None = None

    def _zeros(self, learning: bool) -> Zeros:
        """Which of the zeros in a frame are of interest: a wide frame is mostly zeros."""
        return "all"

    @abc.abstractmethod
    def _check_labels(self, labels: list[Any]) -> None:
        """Raise what `learn_one` would raise at one of the labels, and say in which row."""

    def _may_overflow(self, batch: Batch) -> bool:
        """Whether a row of a batch, whose values and labels are fine, may still be refused."""
        return True

    def _copies(self) -> dict[str, Any]:
        """Copies of all that learning changes."""
        return {
            name: copy.deepcopy(value) if name.startswith("_") else value
            for name, value in vars(self).items()
        }

    def learn_many(self, X: IntoDataFrame, y: IntoSeries) -> None:
        """Update the model with the rows of a frame, in their order.

        An error names the row, and leaves the model as it was before the first row. All values and
        labels are looked at before anything is learned. What remains is a row that would bring the
        weights out of the range of a float; only where the sizes of the weights and values do not
        rule that out, it is a copy of the model that learns.

        Parameters
        ----------
        X
            A frame with a column for each feature. Columns may differ between batches.
        y
            A series of as many labels.

        """
        batch = Batch(X, self._zeros(learning=True))
        series = dataframe.into_series(y)
        labels = series.to_list()
        if len(labels) != len(batch):
            raise ValueError(f"there are {len(labels)} labels for {len(batch)} rows")
        missing = series.is_null().to_list()
        if any(missing):
            raise ValueError(f"row {missing.index(True)}: the label is missing")
        self._check_labels(labels)
        check_keys(batch.columns)
        before = dict(vars(self))
        if self._may_overflow(batch):
            vars(self).update(self._copies())
        for row, (x, label) in enumerate(zip(batch.rows, labels, strict=True)):
            try:
                self.learn_one(x, label)
            except OverflowError as error:
                vars(self).update(before)
                raise in_row(row, error) from error
        if series.name != self._y_name:
            self._y_name = series.name

    def predict_many(self, X: IntoDataFrame) -> IntoSeries:
        """Predict the label of each row of a frame.

        Parameters
        ----------
        X
            A frame with a column for each feature.

        Returns
        -------
        A series of labels.

        """
        batch = Batch(X, self._zeros(learning=False))
        labels: Any = list(map(self.predict_one, batch.rows))
        kinds = set(map(type, labels or [self.predict_one({})]))
        if kinds in ({bool}, {int}, {float}):
            labels = np.array(labels, dtype=kinds.pop())
        return dataframe.to_native_series(labels, name=self._y_name, like=batch.frame)

    def predict_proba_many(self, X: IntoDataFrame) -> IntoDataFrame:
        """Predict the probability of each label for each row of a frame.

        Parameters
        ----------
        X
            A frame with a column for each feature.

        Returns
        -------
        A frame with a column for each label.

        """
        batch = Batch(X, self._zeros(learning=False))
        rows = list(map(self.predict_proba_one, batch.rows))
        labels = list(self.predict_proba_one({}))
        if not labels:
            return batch.frame.drop(batch.columns).to_native()
        return dataframe.to_native_frame(
            {label: np.array([row[label] for row in rows], dtype=float) for label in labels},
            like=batch.frame,
        )


def in_row(row: int, error: Exception) -> Exception:
    """The same error, saying in which row it is."""
    return type(error)(f"row {row}: {error}")


class Batch:
    """The rows of a frame, all of them checked.

    Parameters
    ----------
    X
        A frame.
    zeros
        Which observed zeros the rows have to have: `"all"`; of each column the `"first"` value at
        least, so that the column is known to have been observed; or `"none"`. More may be there.

    Attributes
    ----------
    frame
        The frame.
    columns
        Its columns.
    rows
        The rows as dicts, to be gone through once.
    n_values
        Number of values, or of places for them.
    largest
        The largest of their sizes; 0 if there is none.
    smallest
        The smallest of their sizes other than zero; infinite if there is none.

    Raises
    ------
    TypeError
        If a value is not a number.
    ValueError
        If a value is infinite.

    Examples
    --------
    >>> import pandas as pd
    >>> list(Batch(pd.DataFrame({"a": [1.0, None], "b": [0, 2]})).rows)
    [{'a': 1.0, 'b': 0.0}, {'b': 2.0}]

    >>> Batch(pd.DataFrame({"a": [1.0, None, "red"]}))
    Traceback (most recent call last):
    ...
    TypeError: row 2: feature 'a' has the value 'red', which is not a number; encode it first, for instance with river.preprocessing.OneHotEncoder

    """

    def __init__(self, X: IntoDataFrame, zeros: Zeros = "all"):
        self.frame = dataframe.into_frame(X)
        self.columns: list[Any] = self.frame.columns
        self.rows: Iterable[Features] = ()
        native: Any = self.frame.to_native()
        if self.frame.implementation.is_pandas_like():
            # To ask narwhals for the type of each of many columns takes longer than to read them.
            dtypes = list(native.dtypes)
            numeric = all(dtype.kind in "biuf" for dtype in dtypes)
            sparse = any(hasattr(dtype, "fill_value") for dtype in dtypes)
        else:
            numeric = all(dtype in _NUMBERS for dtype in set(self.frame.schema.values()))
            sparse = False
        if not numeric:
            self._read_objects()
        elif sparse:
            self._read_sparse(native, zeros)
        else:
            self._read_dense(dataframe.to_numpy(self.frame), zeros)

    def __len__(self) -> int:
        return len(self.frame)

    def _measure(self, values: Array) -> None:
        sizes = np.abs(values)
        self.n_values = values.size
        self.largest = float(np.max(sizes, initial=0.0, where=sizes > 0.0))
        self.smallest = float(np.min(sizes, initial=math.inf, where=sizes > 0.0))

    def _refuse_infinite(self, row: int, column: int) -> None:
        raise ValueError(
            f"row {row}: feature {self.columns[column]!r} is infinite or too large for a float"
        )

    def _read_objects(self) -> None:
        columns = [
            [None if null else value for value, null in zip(column, nulls, strict=True)]
            for column, nulls in (
                (series.to_list(), series.is_null().to_list())
                for series in self.frame.iter_columns()
            )
        ]
        rows = []
        for row, cells in enumerate(zip(*columns, strict=True)):
            try:
                rows.append(observed(dict(zip(self.columns, cells, strict=True))))
            except (TypeError, ValueError) as error:
                raise in_row(row, error) from None
        self.rows = rows
        self._measure(np.array([float(value) for x in rows for value in x.values()]))

    def _read_dense(self, values: Array, zeros: Zeros) -> None:
        infinite = np.isinf(values)
        if infinite.any():
            self._refuse_infinite(*np.argwhere(infinite)[0])
        self._measure(values)
        there = ~np.isnan(values)
        needed = there if zeros == "all" else there & (values != 0.0)
        if zeros == "first" and len(values):
            columns = np.arange(values.shape[1])
            first = there.argmax(axis=0)
            needed[first, columns] = there[first, columns]
        # To pick values costs more than to take all of them.
        if 2 * np.count_nonzero(needed) > needed.size and there.all():
            self.rows = (dict(zip(self.columns, row.tolist(), strict=True)) for row in values)
        else:
            columns = np.nonzero(needed)[1]
            self.rows = self._picked(needed.sum(axis=1), columns, values[needed])

    def _read_sparse(self, native: Any, zeros: Zeros) -> None:
        n_rows = len(native)
        parts = [_stored(array) for array in _arrays(native)]
        rows = np.concatenate([part[0] for part in parts])
        values = np.concatenate([part[1] for part in parts])
        columns = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
        order = np.argsort(rows, kind="stable")
        rows, values, columns = rows[order], values[order], columns[order]
        infinite = np.isinf(values)
        if infinite.any():
            i = infinite.argmax()
            self._refuse_infinite(rows[i], columns[i])
        self._measure(values)
        # A missing value that is stored stays: it may be one among the zeros of its column.
        self.rows = self._picked(np.bincount(rows, minlength=n_rows), columns, values)
        filled: Features = {
            key: 0.0 for key, part in zip(self.columns, parts, strict=True) if part[2]
        }
        if filled and zeros == "all":
            self.rows = ({**filled, **row} for row in self.rows)
        elif filled and zeros == "first":
            gaps = np.isnan(values)
            first = self._first_zeros_of(filled, rows[gaps], columns[gaps])
            self.rows = (
                {**first[i], **row} if i in first else row for i, row in enumerate(self.rows)
            )

    def _first_zeros_of(
        self, filled: Features, gap_rows: Array, gap_columns: Array
    ) -> dict[int, Features]:
        """The zeros of columns filled with them, each in the first row that has no gap there."""
        zeros = {0: dict(filled)}
        gaps = set(zip(gap_rows.tolist(), gap_columns.tolist(), strict=True))
        for row, column in gaps:
            key = self.columns[column]
            if row == 0 and key in filled:
                del zeros[0][key]
                while (row, column) in gaps:
                    row += 1
                zeros.setdefault(row, {})[key] = 0.0
        return zeros

    def _picked(self, counts: Array, columns: Array, values: Array) -> Iterator[Features]:
        """The rows, of which each has some columns, given one after the other."""
        names = np.fromiter(self.columns, object, len(self.columns))
        start = 0
        for end in np.cumsum(counts).tolist():
            keys = names[columns[start:end]].tolist()
            yield dict(zip(keys, values[start:end].tolist(), strict=True))
            start = end


def _arrays(native: Any) -> Iterable[Any]:
    """The columns of a pandas frame, as arrays."""
    # The public way makes a series of each, which takes ten times as long.
    if hasattr(native, "_iter_column_arrays"):
        return native._iter_column_arrays()
    return (series.array for _, series in native.items())


def _stored(array: Any) -> tuple[Array, Array, bool]:
    """Rows and values that a column of pandas stores, and whether all others are zero."""
    fill = getattr(array, "fill_value", None)
    if fill is not None and (fill == 0 or fill != fill):
        rows = array.sp_index.to_int_index().indices
        return rows, array.sp_values.astype(float), bool(fill == 0)
    if fill is not None or isinstance(array, np.ndarray):
        values = np.asarray(array, dtype=float)
    else:
        values = array.to_numpy(dtype=float, na_value=np.nan)
    return np.arange(len(values)), values, False
