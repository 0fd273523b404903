from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, ClassVar

import narwhals.stable.v2 as nw
import numpy as np
from river import base
from river.utils import dataframe

from river_trapezoid._columns import KINDS, Column, ColumnReport, learn_row, plain_cells, write_row
from river_trapezoid._frame import in_row
from river_trapezoid._instance import FeatureDict
from river_trapezoid._parameters import check_bool, check_number

__all__ = ["RowEncoder"]


class RowEncoder(base.MiniBatchTransformer):
    """Turns raw rows into features: numbers, categories, dates and words, as they come.

    A row is a dict from columns to cells, such as `csv.DictReader` yields. A cell is a string, a
    number, a boolean, a `datetime.date` or `datetime.datetime`, or `None`. What a column holds
    is learned from its cells, also if the column appears late:

    - **number**: `38`, `1,234.5`, `1.234,5`, `$31.17` and `45 %` become numbers. Where a cell such
      as `1.234` can be read in two ways, the other cells of the column decide.
    - **truth**: `yes`, `no`, `true` and `false`, in any case, become 1 and 0.
    - **date**: a date becomes the features `column.day`, the number of days since 1 January 1970, and
      `column.weekday`; a time of day becomes `column.hour`. Dates are read in ISO 8601, with the name
      of the month, or as numbers; the other cells of the column decide whether the day or the month
      comes first. Time zones are ignored.
    - **category**: other strings, without outer white space.
    - **text**: strings with four words or more on average, most of which occur only once. Each word
      is a feature, `column:word`, with its count.
    - **identifier**: strings of which nearly all are new. They are left out.

    A cell that is empty, `?`, `NA`, `N/A`, `NaN` or `null` is missing and has no feature. A cell
    that does not fit its column, such as `unknown` among numbers, becomes a category. So does an
    infinite number. The strings of a column decide its kind unless at least half of its cells with
    a value can be read as numbers, as booleans, or as dates.

    What a column holds is decided again whenever the number of its cells with a value has doubled.
    The first 10,000 strings distinguish text, identifiers and categories.

    In a pipeline, the encoder learns from a row before the model does. A column that has not been
    learned from follows the rules for its first cell. `transform_one` changes nothing.

    Parameters
    ----------
    columns
        What some columns hold, as a dict from the column to `"number"`, `"truth"`, `"date"`,
        `"category"`, `"text"`, `"identifier"` or `"ignored"`. Columns of the last two kinds are left
        out. `"number:point"`, `"number:comma"`, `"date:day-first"` and `"date:month-first"` also fix
        how cells are read. Other columns are learned.
    one_hot
        Whether a category becomes a feature `column=value` with the value 1, for learners that need
        numbers. By default it stays a string.
    max_categories
        The number of values of a column that have a feature of their own if `one_hot` is set. Rare
        values share the feature `column=(other)`.

    Attributes
    ----------
    columns
        What has been learned about each column, as a dict of reports with the attributes `kind`,
        `n_known`, `n_missing`, `n_odd`, `odd_cells` and `ambiguous`.

    Examples
    --------

    >>> import csv, io
    >>> from river_trapezoid import preprocessing

    >>> file = io.StringIO('''age,plan,bill,signup,note
    ... 38,premium,"$1,031.17",2024-01-31,line is dead again
    ... 41,basic,$28.00,2024-02-03,
    ... unknown,basic,$31.50,2024-02-05,wants a cheaper plan
    ... ''')

    >>> encoder = preprocessing.RowEncoder()
    >>> for row in csv.DictReader(file):
    ...     encoder.learn_one(row)
    ...     print(encoder.transform_one(row))
    {'age': 38.0, 'plan': 'premium', 'bill': 1031.17, 'signup.day': 19753.0,
     'signup.weekday': 'Wed', 'note:line': 1.0, 'note:is': 1.0, 'note:dead': 1.0, 'note:again': 1.0}
    {'age': 41.0, 'plan': 'basic', 'bill': 28.0, 'signup.day': 19756.0, 'signup.weekday': 'Sat'}
    {'age': 'unknown', 'plan': 'basic', 'bill': 31.5, 'signup.day': 19758.0,
     'signup.weekday': 'Mon', 'note:wants': 1.0, 'note:cheaper': 1.0, 'note:plan': 1.0}

    >>> encoder.columns["age"]
    ColumnReport(kind='number', n_known=3, n_missing=0, n_odd=1, odd_cells=((3, 'unknown'),),
                 ambiguous=False)

    A new column, and features for a learner that needs numbers:

    >>> encoder = preprocessing.RowEncoder(columns={"zip": "category"}, one_hot=True)
    >>> encoder.transform_one({"plan": "premium", "zip": "20095", "roaming": "yes"})
    {'plan=premium': 1.0, 'zip=20095': 1.0, 'roaming': 1.0}

    Mini-batches:

    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": ["38", None], "plan": ["premium", "basic"]})
    >>> encoder.learn_many(X)
    >>> encoder.transform_many(X)
        age  plan=premium  plan=basic
    0  38.0           1.0         NaN
    1   NaN           NaN         1.0

    """

    _TAG = "river_trapezoid.preprocessing.RowEncoder"
    # `columns` reports what was learned.
    _PARAMETERS: ClassVar[dict[str, str]] = {
        "columns": "_given",
        "one_hot": "one_hot",
        "max_categories": "max_categories",
    }

    def __init__(
        self,
        columns: Mapping[Any, str] | None = None,
        one_hot: bool = False,
        max_categories: int = 1000,
    ):
        _check_kinds(columns)
        check_bool("one_hot", one_hot)
        check_number("max_categories", max_categories, integer=True, at_least=1)
        self._given = None if columns is None else dict(columns)
        self.one_hot = one_hot
        self.max_categories = max_categories
        self._n_rows = 0
        self._columns: dict[Hashable, Column] = {}

    def _check_state(self) -> None:
        """Raise a `ValueError` unless the attributes, which come from a file, fit together."""
        check_number("_n_rows", self._n_rows, integer=True, at_least=0)
        for name, column in self._columns.items():
            if type(column) is not Column or (column.name, column.given, column.max_categories) != (
                name,
                self._given_kind(name),
                self.max_categories,
            ):
                raise ValueError(f"the column {name!r} must be that of this encoder")

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}
        yield {"one_hot": True, "max_categories": 3}
        yield {"columns": {"ordinal_date": "category", "gallup": "ignored"}}

    def _get_params(self) -> dict[str, Any]:
        params: dict[str, Any] = super()._get_params()
        return {**params, "columns": self._given}

    def __repr__(self) -> str:
        # River would read the attributes.
        params = "".join(f"\n  {name}={value!r}" for name, value in self._get_params().items())
        return f"{type(self).__name__} ({params}\n)"

    @property
    def columns(self) -> dict[Hashable, ColumnReport]:
        """What has been learned about each column, as a new dict."""
        return {name: column.report() for name, column in self._columns.items()}

    def knows(self, column: Hashable) -> bool:
        """Return whether a column is in `columns` or has been learned from.

        Parameters
        ----------
        column
            The name of the column.

        """
        return column in self._columns or self._given_kind(column) is not None

    def learn_one(self, x: Mapping[Any, Any]) -> None:
        """Update with a row `x`.

        Parameters
        ----------
        x
            A dictionary from columns to cells.

        """
        self._learn(plain_cells(x, self._given))

    def transform_one(self, x: Mapping[Any, Any]) -> FeatureDict:
        """Turn a row `x` into features.

        Parameters
        ----------
        x
            A dictionary from columns to cells.

        Returns
        -------
        The features of the cells that have a value.

        """
        return self._transform(x)

    def learn_many(self, X: Any) -> None:
        """Update with the rows of a mini-batch, in their order.

        An error names the row, and the encoder is not modified by any row.

        Parameters
        ----------
        X
            A frame.

        """
        for row in _rows(dataframe.into_frame(X), self._given):
            self._learn(row)

    def transform_many(self, X: Any) -> Any:
        """Turn the rows of a mini-batch into features.

        Parameters
        ----------
        X
            A frame.

        Returns
        -------
        A frame of the same kind with a column for each feature. A feature that a row does not have
        is NaN, or null where its column holds strings. A category in a column of numbers gets a
        separate column, `column=value`, as each column of a frame has one type.

        """
        frame = dataframe.into_frame(X)
        instances = [self._transform(row) for row in _rows(frame, self._given)]
        if not frame.implementation.is_pandas_like():
            measured = {name for name, column in self._columns.items() if column.is_measured}
            instances = _without_mixture(instances, measured)
        return _as_frame(instances, frame)

    def _learn(self, row: Mapping[Any, Any]) -> None:
        self._n_rows += 1
        learn_row(self._columns, row, self._n_rows, self._new_column)

    def _transform(self, row: Mapping[Any, Any]) -> FeatureDict:
        return write_row(self._columns, row, self.one_hot, self._new_column)

    def _new_column(self, name: Hashable) -> Column:
        return Column(name, self._given_kind(name), self.max_categories)

    def _given_kind(self, name: Hashable) -> str | None:
        return None if self._given is None else self._given.get(name)


def _check_kinds(columns: Mapping[Any, str] | None) -> None:
    if columns is None:
        return
    if not isinstance(columns, Mapping):
        raise ValueError(f"columns must be a dict from columns to kinds, or None; got {columns!r}")
    for name, kind in columns.items():
        if kind not in KINDS:
            near = difflib.get_close_matches(str(kind), KINDS, n=1)
            hint = f", did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"columns[{name!r}] must be one of {', '.join(map(repr, KINDS))}; got {kind!r}{hint}"
            )


def _rows(frame: nw.DataFrame[Any], given: Mapping[Any, str] | None) -> list[Mapping[Any, Any]]:
    """The rows of a frame, all of them checked."""
    names = frame.columns
    cells = [
        [None if null else value for value, null in zip(series, series.is_null(), strict=True)]
        for series in frame.iter_columns()
    ]
    rows = []
    for number, row in enumerate(zip(*cells, strict=True)):
        try:
            rows.append(plain_cells(dict(zip(names, row, strict=True)), given))
        except TypeError as error:
            raise in_row(number, error) from None
    return rows


def _without_mixture(rows: list[FeatureDict], measured: set[Hashable]) -> list[FeatureDict]:
    """Rows in which no feature is a number here and a string there.

    The strings of such features, and of those that are measured, become features of their own.

    """
    types: dict[Hashable, set[type]] = {name: {float} for name in measured}
    for x in rows:
        for name, value in x.items():
            types.setdefault(name, set()).add(type(value))
    mixed = {name for name, found in types.items() if len(found) > 1}
    return [
        {
            (f"{name}={value}" if name in mixed and type(value) is str else name): (
                1.0 if name in mixed and type(value) is str else value
            )
            for name, value in x.items()
        }
        for x in rows
    ]


def _as_frame(rows: list[FeatureDict], like: nw.DataFrame[Any]) -> Any:
    """Features as a frame of the same kind as another, with its index."""
    columns: dict[Hashable, list[Any]] = {}
    for number, x in enumerate(rows):
        for name, value in x.items():
            columns.setdefault(name, [None] * len(rows))[number] = value
    if not columns:
        return like.drop(like.columns).to_native()
    arrays = {
        name: values if any(type(value) is str for value in values) else np.array(values, float)
        for name, values in columns.items()
    }
    return dataframe.to_native_frame(arrays, like=like)
