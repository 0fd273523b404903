"""Conversion of frames, arrays and sparse matrices to rows of observed numbers, and back."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from river.utils import dataframe

from river_trapezoid._instance import FeatureDict, observed
from river_trapezoid._parameters import check_number

Array = npt.NDArray[Any]
Zeros = Literal["all", "first", "none"]
_NUMBERS = {
    *(nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32, nw.UInt64),
    *(nw.Float32, nw.Float64, nw.Boolean),
}
_NUMERIC_KINDS = frozenset("biuf")
# Selecting the nonzero values is faster than using all values only if their share is below this
# limit, and there are more columns than this.
_FEW = 0.25
_NARROW = 64
# Frames with at most this number of cells are read as a whole, even if columns are sparse.
_SMALL = 100_000


class Rows:
    """The rows of a frame, an array or a sparse matrix, with all values checked.

    Missing values (None, NaN, null) and the cells that a sparse matrix does not store count as
    absent. Columns with pandas' `SparseDtype` are not made dense: cells that are not stored are
    absent if the fill value is NaN, and observed zeros if it is zero.

    Iteration yields the rows as dicts.

    Parameters
    ----------
    X
        A frame supported by narwhals, a two-dimensional array, or a sparse matrix of SciPy.
    columns
        The names of the features of an array or a matrix; by default, the indices of its columns.
    zeros
        Which observed zeros the rows must contain: `"all"`; at least the `"first"` value of each
        column, so that the column counts as observed; or `"none"`. Rows may contain more zeros.

    Attributes
    ----------
    columns
        The names of the columns.
    dense
        The matrix of all values if none is missing; otherwise None.
    values, indices, indptr
        If `dense` is None, the observed values, the indices of their columns, and the beginnings of
        the rows, as in the compressed sparse row format.

    Raises
    ------
    TypeError
        If a value is not a number.
    ValueError
        If a value is infinite, or two columns have the same name.

    Examples
    --------
    >>> import pandas as pd
    >>> list(Rows(pd.DataFrame({"a": [1.0, None], "b": [0, 2]})))
    [{'a': 1.0, 'b': 0.0}, {'b': 2.0}]

    >>> list(Rows([[1.0, 2.0]], columns=["a", "b"]))
    [{'a': 1.0, 'b': 2.0}]

    >>> Rows(pd.DataFrame({"a": [1.0, None, "red"]}))
    Traceback (most recent call last):
    ...
    TypeError: row 2: feature 'a' has the value 'red', which is not a number; encode rows first, with river_trapezoid.preprocessing.RowEncoder

    """

    def __init__(self, X: Any, columns: Sequence[Hashable] | None = None, zeros: Zeros = "all"):
        self.dense: Array | None = None
        self.native = X
        # The frame as a narwhals frame, created when it is needed.
        self._shell: nw.DataFrame[Any] | None = None
        if _is_pandas(X):
            if columns is not None:
                raise _named_already()
            self.columns: list[Any] = X.columns.tolist()
            self._unique = X.columns.is_unique
            self._read_pandas(X, zeros)
        elif self._is_array():
            if not hasattr(X, "tocsr"):
                X = np.asarray(X) if not isinstance(X, np.ma.MaskedArray) else X
            if X.ndim != 2:
                raise ValueError(f"X must have two dimensions; got {X.ndim}")
            self._name_columns(columns, X.shape[1])
            if hasattr(X, "tocsr"):
                self._read_matrix(X)
            else:
                self._read_array(X, zeros)
        else:
            if columns is not None:
                raise _named_already()
            self._read_frame(X, zeros)

    def __len__(self) -> int:
        return len(self.indptr) - 1 if self.dense is None else len(self.dense)

    def __iter__(self) -> Iterator[FeatureDict]:
        self.check_columns()
        if self.dense is not None:
            for row in self.dense:
                yield dict(zip(self.columns, row.tolist(), strict=True))
            return
        names = np.fromiter(self.columns, object, len(self.columns))
        start = 0
        for end in self.indptr[1:].tolist():
            keys = names[self.indices[start:end]].tolist()
            yield dict(zip(keys, self.values[start:end].tolist(), strict=True))
            start = end

    def check_columns(self) -> None:
        """Raise a `ValueError` if two columns have the same name."""
        if not self._unique and len(set(self.columns)) < len(self.columns):
            counts = Counter(self.columns)
            name = next(name for name in self.columns if counts[name] > 1)
            raise ValueError(f"X must have distinct column names; got {name!r} twice")
        self._unique = True

    def as_series(self, values: Array | list[Any], name: Any) -> Any:
        """Return values, one for each row, as a series of the same library, or as an array."""
        if _is_pandas(self.native):
            pandas = sys.modules["pandas"]
            return pandas.Series(values, index=self.native.index, name=name)
        if self._is_array():
            return np.asarray(values)
        if _is_of("polars", self.native):
            return sys.modules["polars"].Series("" if name is None else name, values)
        if _is_of("pyarrow", self.native):
            pyarrow = sys.modules["pyarrow"]
            return pyarrow.chunked_array([pyarrow.array(values)])
        return dataframe.to_native_series(values, name=name, like=self._as_narwhals())

    def as_frame(self, columns: dict[Any, Array]) -> Any:
        """Return columns as a frame of the same library, or as an array."""
        if _is_pandas(self.native):
            pandas = sys.modules["pandas"]
            return pandas.DataFrame(columns, index=self.native.index)
        if self._is_array():
            return np.column_stack(list(columns.values())) if columns else np.empty((len(self), 0))
        if not columns:
            return self._as_narwhals().drop(self.columns).to_native()
        return dataframe.to_native_frame(columns, like=self._as_narwhals())

    def filled_in(self, values: Array) -> Any:
        """Return other values for the same cells, as a frame of the same library, array or matrix."""
        if hasattr(self.native, "tocsr"):
            kind = type(self.native.tocsr())
            shape = (len(self), len(self.columns))
            # Copied, so that the result does not share its indices with the input.
            return kind((values, self.indices, self.indptr), shape=shape, copy=True)
        if self.dense is None:
            full = np.full((len(self), len(self.columns)), np.nan)
            full[np.repeat(np.arange(len(self)), np.diff(self.indptr)), self.indices] = values
            values = full
        if _is_pandas(self.native):
            pandas = sys.modules["pandas"]
            return pandas.DataFrame(values, index=self.native.index, columns=self.native.columns)
        if self._is_array():
            return values
        return dataframe.to_native_frame(values, columns=self.columns, like=self._as_narwhals())

    def _is_array(self) -> bool:
        return hasattr(self.native, "tocsr") or isinstance(self.native, np.ndarray | list | tuple)

    def _name_columns(self, columns: Sequence[Hashable] | None, n: int) -> None:
        self.columns = list(range(n) if columns is None else columns)
        self._unique = columns is None
        if len(self.columns) != n:
            raise ValueError(
                f"columns must have a name for each of {n} columns; got {len(self.columns)}"
            )

    def _read_pandas(self, X: Any, zeros: Zeros) -> None:
        if X.size <= _SMALL:
            # Checking the types takes longer than reading the values.
            values = X.to_numpy()
            if values.dtype.kind in _NUMERIC_KINDS:
                self._read_dense(values.astype(float, copy=False), zeros)
                return
        kinds = set(X.dtypes)
        if not all(dtype.kind in _NUMERIC_KINDS for dtype in kinds):
            self._read_objects([(s.tolist(), s.isna().tolist()) for _, s in X.items()])
        elif any(hasattr(dtype, "fill_value") for dtype in kinds):
            self._read_sparse_columns([_stored(series.array) for _, series in X.items()], zeros)
        else:
            self._read_dense(X.to_numpy(dtype=float, na_value=np.nan), zeros)

    def _read_matrix(self, X: Any) -> None:
        X = _checked(X).tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        if X.dtype.kind not in _NUMERIC_KINDS:
            raise TypeError(f"X must hold numbers; got values of type {X.dtype}")
        self._set_stored(X.indptr, X.indices, np.ascontiguousarray(X.data, dtype=float))

    def _read_array(self, X: Array, zeros: Zeros) -> None:
        if isinstance(X, np.ma.MaskedArray):
            X = np.ma.filled(X.astype(float), np.nan)
        if X.dtype.kind in _NUMERIC_KINDS:
            self._read_dense(X.astype(float, copy=False), zeros)
        else:
            self._read_objects([(column, [False] * len(X)) for column in X.T.tolist()])

    def _read_frame(self, X: Any, zeros: Zeros) -> None:
        self._unique = True
        values = _numbers_of_polars(X) if _is_of("polars", X) else None
        values = _numbers_of_pyarrow(X) if _is_of("pyarrow", X) else values
        if values is not None:
            self.columns = X.column_names if _is_of("pyarrow", X) else X.columns
            self._read_dense(values, zeros)
            return
        frame = self._as_narwhals()
        self.columns = frame.columns
        if all(dtype in _NUMBERS for dtype in set(frame.schema.values())):
            self._read_dense(dataframe.to_numpy(frame), zeros)
        else:
            self._read_objects([(s.to_list(), s.is_null().to_list()) for s in frame.iter_columns()])

    def _as_narwhals(self) -> nw.DataFrame[Any]:
        if self._shell is None:
            self._shell = dataframe.into_frame(self.native)
        return self._shell

    def _read_objects(self, columns: list[tuple[list[Any], list[bool]]]) -> None:
        cells = [
            [None if null else value for value, null in zip(*column, strict=True)]
            for column in columns
        ]
        self.check_columns()
        places = {name: place for place, name in enumerate(self.columns)}
        rows = []
        for row, values in enumerate(zip(*cells, strict=True)):
            try:
                rows.append(observed(dict(zip(self.columns, values, strict=True))))
            except (TypeError, ValueError) as error:
                raise in_row(row, error) from None
        self.indptr = np.cumsum([0, *map(len, rows)])
        self.indices = np.array([places[key] for x in rows for key in x], dtype=np.intp)
        self.values = np.array([float(value) for x in rows for value in x.values()])

    def _read_dense(self, values: Array, zeros: Zeros) -> None:
        complete = bool(np.isfinite(values).all())
        there = None
        if not complete:
            infinite = np.isinf(values)
            if infinite.any():
                raise self._infinite(*np.argwhere(infinite)[0])
            there = ~np.isnan(values)
        if zeros == "all" or (
            complete
            and (values.shape[1] <= _NARROW or np.count_nonzero(values) > _FEW * values.size)
        ):
            if complete:
                self.dense = np.ascontiguousarray(values)
                return
            needed = there
        else:
            needed = values != 0.0
            if there is None:
                there = np.ones(values.shape, dtype=bool)
            else:
                needed &= there
            if zeros == "first" and len(values):
                columns = np.arange(values.shape[1])
                first = there.argmax(axis=0)
                needed[first, columns] = there[first, columns]
        assert needed is not None
        self.indptr = np.concatenate([[0], np.cumsum(needed.sum(axis=1))])
        self.indices = np.nonzero(needed)[1]
        self.values = values[needed]

    def _read_sparse_columns(self, stored: list[tuple[Array, Array, bool]], zeros: Zeros) -> None:
        """Read pandas columns: the rows and values that each stores, and whether the rest is zero."""
        n_rows = len(self.native)
        if zeros != "none":
            stored = [
                (*_with_zeros(rows, values, n_rows, zeros), True)
                if filled
                else (rows, values, False)
                for rows, values, filled in stored
            ]
        rows = np.concatenate([rows for rows, _, _ in stored])
        values = np.concatenate([values for _, values, _ in stored])
        columns = np.repeat(np.arange(len(stored)), [len(rows) for rows, _, _ in stored])
        order = np.argsort(rows, kind="stable")
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n_rows))])
        self._set_stored(indptr, columns[order], values[order])

    def _set_stored(self, indptr: Array, indices: Array, values: Array) -> None:
        if not np.isfinite(values).all():
            infinite = np.isinf(values)
            if infinite.any():
                place = int(infinite.argmax())
                row = int(np.searchsorted(indptr, place, side="right")) - 1
                raise self._infinite(row, indices[place])
            there = ~np.isnan(values)
            indptr = np.concatenate([[0], np.cumsum(there)])[indptr]
            indices, values = indices[there], values[there]
        self.indptr, self.indices, self.values = indptr, indices, values

    def _infinite(self, row: int, column: int) -> ValueError:
        return ValueError(
            f"row {row}: feature {self.columns[column]!r} is infinite or too large for a float"
        )


def read_labels(y: Any) -> tuple[list[Any], Any]:
    """Return the labels of a series, an array or a list, and the name of the series.

    A missing label raises a `ValueError`.
    """
    name = None
    if _is_pandas(y):
        labels, name = y.tolist(), y.name
        # Booleans and integers of numpy are never missing.
        complete = isinstance(y.dtype, np.dtype) and y.dtype.kind in "biu"
        missing = [] if complete else y.isna().tolist()
    elif _is_of("polars", y):
        labels, missing, name = y.to_list(), y.is_null().to_list() if y.null_count() else [], y.name
    elif _is_of("pyarrow", y):
        labels = y.to_pylist()
        missing = [label is None for label in labels] if y.null_count else []
    elif isinstance(y, np.ndarray | list | tuple):
        labels = y.tolist() if isinstance(y, np.ndarray) else list(y)
        missing = [label is None or label != label for label in labels]
    else:
        series = dataframe.into_series(y)
        labels, missing, name = series.to_list(), series.is_null().to_list(), series.name
    if any(missing):
        raise ValueError(f"row {missing.index(True)}: the label is missing")
    return labels, name


def read_weights(w: Any, n: int, largest: float | None = None) -> Array:
    """Return the sample weights of n rows, given as a number, a series, an array or a list."""
    if isinstance(w, str) or not hasattr(w, "__len__"):
        return np.full(n, check_number("w", w, at_least=0, at_most=largest), dtype=float)
    if _is_pandas(w):
        w = w.tolist()
    elif not isinstance(w, np.ndarray | list | tuple):
        w = dataframe.into_series(w).to_list()
    weights = np.asarray(w)
    if weights.ndim != 1:
        raise ValueError(f"w must be a number, or have one dimension; got {weights.ndim}")
    if len(weights) != n:
        raise ValueError(f"w must have a number for each of {n} rows; got {len(weights)}")
    suspects = np.arange(n)
    if weights.dtype.kind in "iuf":
        fine = np.isfinite(weights) & (weights >= 0)
        suspects = np.flatnonzero(~fine if largest is None else ~fine | (weights > largest))
    for row in suspects.tolist():
        try:
            check_number("w", w[row], at_least=0, at_most=largest)
        except ValueError as error:
            raise in_row(row, error) from None
    return np.array(w, dtype=float)


def in_row(row: int, error: Exception) -> Exception:
    """Return the same error, with the row in its message."""
    return type(error)(f"row {row}: {error}")


def _is_pandas(data: Any) -> bool:
    # If pandas is not imported, no object can be one of its frames.
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame | pandas.Series)


def _is_of(library: str, data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == library


def _numbers_of_polars(X: Any) -> Array | None:
    """Return the values of a polars frame if they are numbers; this is faster than narwhals."""
    values: Array = X.to_numpy()
    return values.astype(float, copy=False) if values.dtype.kind in _NUMERIC_KINDS else None


def _numbers_of_pyarrow(X: Any) -> Array | None:
    """Return the values of a pyarrow table if they are doubles, which a tensor does not convert."""
    if {str(kind) for kind in X.schema.types} != {"double"} or not X.num_rows:
        return None
    (batch,) = X.combine_chunks().to_batches()
    values: Array = batch.to_tensor(null_to_nan=True).to_numpy()
    return values


def _checked(X: Any) -> Any:
    """Return a sparse matrix with the same arrays, after a check of their consistency."""
    # The check may modify the matrix, so it is done on another one with the same arrays.
    if hasattr(X, "indptr"):
        X = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
        # SciPy does not check this for a matrix without stored values.
        if (np.diff(X.indptr) < 0).any():
            raise ValueError("X.indptr must be non-decreasing; got a decrease")
        X.check_format(full_check=True)
    elif hasattr(X, "row"):
        X = type(X)((X.data, (X.row, X.col)), shape=X.shape)
    return X


def _named_already() -> ValueError:
    return ValueError("columns must be None for a frame, which has column names; got names")


def _stored(array: Any) -> tuple[Array, Array, bool]:
    """Return the rows and values that a pandas column stores, and whether the rest is zero."""
    fill = getattr(array, "fill_value", None)
    if fill is not None and (fill == 0 or fill != fill):
        rows = array.sp_index.to_int_index().indices
        return rows, array.sp_values.astype(float), bool(fill == 0)
    if fill is not None or isinstance(array, np.ndarray):
        values = np.asarray(array, dtype=float)
    else:
        values = array.to_numpy(dtype=float, na_value=np.nan)
    return np.arange(len(values)), values, False


def _with_zeros(rows: Array, values: Array, n_rows: int, zeros: Zeros) -> tuple[Array, Array]:
    """Return the rows and values of a column with all its zeros, or with the first of them."""
    absent = np.ones(n_rows, dtype=bool)
    absent[rows] = False
    blank = np.flatnonzero(absent)
    if zeros == "first":
        blank = blank[:1]
    return np.concatenate([blank, rows]), np.concatenate([np.zeros(len(blank)), values])
