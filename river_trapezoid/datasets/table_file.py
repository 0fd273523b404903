from __future__ import annotations

import difflib
import os
import pathlib
from collections.abc import Collection, Hashable, Iterator
from typing import Any

from river import datasets

from river_trapezoid._columns import Column, as_label, is_known, listed, write_row
from river_trapezoid._printable import printable, quoted
from river_trapezoid._progress import bar

from ._scan import MOST_LABELS, Scan, too_many_labels
from .tables import FileError, LIBSVMTable, Row, Table, open_table

__all__ = ["TableFile"]

# The kinds of columns without features.
_LEFT_OUT = ("identifier", "ignored")
# A column with more values than this, and than half of the rows, does not hold labels.
_FEW_LABELS = 10


class TableFile(datasets.base.FileDataset):
    r"""A table in a file, as a stream of instances with numeric features.

    Each iteration reads the file row by row, without holding it in memory. The constructor reads
    the whole file once to detect the kinds of its columns and to check it, so that a damaged row is
    reported before anything is learned.

    Columns hold numbers, booleans, dates, categories, text or identifiers, as for
    `preprocessing.RowEncoder`, but all rows decide before the first one is used. Features are those
    of `RowEncoder(one_hot=True)`, with a feature for each category:

    - Numbers are written in any usual way, such as `1,234.5`, `1.234,5`, `$31.17` and `45 %`.
      `True`, `yes`, `False` and `no` are 1 and 0, in any case. A cell in such a column that is
      neither becomes a category. Empty cells, `?`, `NA`, `N/A`, `NaN` and `null` are unknown values,
      and have no key.
    - A date has the features `column.day` and `column.weekday=Mon`; a time has `column.hour`.
    - Text is counted word by word as by River's `BagOfWords`; the feature of a word is
      `column:word`. A column of strings holds text if the distinct strings have at least four words
      on average and more than half of the strings are distinct.
    - Other strings are categories: the feature is `column=value`, with the value 1. A column in
      which nearly all strings are distinct, such as names or numbers of documents, is left out.

    `RowEncoder(columns=table.columns, one_hot=True)` gives the same features to rows from elsewhere,
    so that a model that was trained on the file can continue with them, and learns new columns.

    With two labels, the task is binary, and an instance is labelled by whether its label is the
    positive one. With more labels, an instance has its label, a number or a string. Rows without a
    label are skipped.

    The formats are CSV (separated by commas, semicolons or tabs), JSON lines, LIBSVM, and Parquet,
    which needs pyarrow. All of them may be compressed by gzip. A row of text has at most 16,777,216
    characters, so that a damaged or malicious file does not fill the memory.

    Parameters
    ----------
    path
        The file.
    target
        Name of the column of the label. If None, the label of each instance is `None`, except in a
        LIBSVM file, whose first column holds the labels and is called `label`.
    format
        `"csv"`, `"jsonl"`, `"libsvm"` or `"parquet"`; None to detect the format by the name of the
        file or by its content.
    text
        Names of the columns that hold text, however short; None to detect them.
    ignore
        Names of columns to leave out.
    positive
        Which of two labels is positive. By default the last in order, such as 1 of 0 and 1, or
        `yes` of `no` and `yes`; of `-` and `+` it is `+`.
    header
        Whether the first row of a CSV file has the names of the columns. If not, the columns are
        called f1, f2, and so on.
    encoding
        The encoding of a text file.
    name
        The name of the file in errors; by default that of `path`.
    progress
        Whether to show a progress bar during the first reading, if tqdm is installed.

    Attributes
    ----------
    columns
        The kind of each column, as a dict: `"number"` (`"number:comma"` with decimal commas),
        `"truth"`, `"date"` (`"date:day-first"` or `"date:month-first"` where this is certain),
        `"category"`, `"text"`, `"identifier"` for a column that is left out because nearly all its
        strings are distinct, or `"ignored"`.
    features
        Names of all features, in the order of the columns; only where all columns hold numbers or
        booleans.
    odd_cells
        The line and content of the first cell that does not fit the kind of its column, as a dict by
        column.
    ambiguous
        Names of the columns of numbers with cells such as `1,234`, or of dates with cells such as
        `02/03/2024`, where no cell shows how to read them. A point is then the decimal sign, and the
        month comes first.
    wordy
        Names of the columns that are left out as identifiers but hold at least three words on
        average, so that `text` may be right for them.
    labels
        The number of rows with each label, as a dict in the order of the labels.
    positive
        The positive label; None with more than two labels.
    n_unlabelled
        Number of rows without a label.
    is_sorted
        Whether the rows are sorted by label. If so, shuffle them before use as a stream.

    Examples
    --------

    >>> import pathlib, tempfile
    >>> from river_trapezoid import datasets

    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "plants.csv")
    >>> _ = path.write_text("height,colour,poisonous\n1.5,red,no\n?,blue,yes\n0.2,red,no\n")

    >>> plants = datasets.TableFile(path, target="poisonous")
    >>> for x, y in plants:
    ...     print(x, y)
    {'height': 1.5, 'colour=red': 1.0} False
    {'colour=blue': 1.0} True
    {'height': 0.2, 'colour=red': 1.0} False

    Centring turns a category into 0, as its value is 1 wherever it is observed. So scale only the
    numbers, and pass the other features on:

    >>> from river import compose
    >>> from river_trapezoid import linear_model, preprocessing

    >>> def is_number(name):
    ...     return plants.columns.get(name) == "number"
    >>> def numbers(x):
    ...     return {name: value for name, value in x.items() if is_number(name)}
    >>> def others(x):
    ...     return {name: value for name, value in x.items() if not is_number(name)}

    >>> model = (
    ...     (compose.FuncTransformer(numbers) | preprocessing.StandardScaler())
    ...     + compose.FuncTransformer(others)
    ... ) | linear_model.OLSFClassifier()
    >>> for x, y in plants:
    ...     model.learn_one(x, y)
    >>> model.transform_one({"height": 0.2, "colour=blue": 1.0})
    {'colour=blue': 1.0, 'height': -1.0}

    >>> plants.n_samples, plants.columns, plants.positive
    (3, {'height': 'number', 'colour': 'category'}, 'yes')

    >>> datasets.TableFile(path, target="poisonnous")
    Traceback (most recent call last):
        ...
    ValueError: target must be a column of plants.csv; got 'poisonnous', did you mean 'poisonous'?

    >>> folder.cleanup()

    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        target: str | None = None,
        *,
        format: str | None = None,
        text: Collection[str] | None = None,
        ignore: Collection[str] = (),
        positive: Any = None,
        header: bool = True,
        encoding: str = "utf-8",
        name: str | None = None,
        progress: bool = False,
    ):
        path = pathlib.Path(path)
        table = open_table(path, path.name if name is None else name, format, encoding, header)
        self._load(table, target, text, ignore, positive, progress)

    @classmethod
    def from_table(
        cls,
        table: Table,
        target: str | None = None,
        *,
        text: Collection[str] | None = None,
        ignore: Collection[str] = (),
        positive: Any = None,
        progress: bool = False,
    ) -> TableFile:
        """Create a `TableFile` from a table that `tables.open_table` has opened.

        Parameters
        ----------
        table
            The table.
        target
            Name of the column of the label; None if there is none.
        text
            Names of the columns that hold text, however short; None to detect them.
        ignore
            Names of columns to leave out.
        positive
            Which of two labels is positive; the last in order by default.
        progress
            Whether to show a progress bar during the first reading, if tqdm is installed.

        """
        self = cls.__new__(cls)
        self._load(table, target, text, ignore, positive, progress)
        return self

    def _load(
        self,
        table: Table,
        target: str | None,
        text: Collection[str] | None,
        ignore: Collection[str],
        positive: Any,
        progress: bool,
    ) -> None:
        self.name = table.name
        self._table = table
        if target is None:
            target = table.target
        self.target = target
        self.text = text
        self.ignore = ignore
        self.columns: dict[str, str] = {}
        self.odd_cells: dict[str, tuple[int, str]] = {}
        self.ambiguous: list[str] = []
        self.wordy: list[str] = []
        self.labels: dict[Any, int] = {}
        self.positive: Any = None
        self.n_unlabelled = 0
        self.is_sorted = False
        # The columns of a CSV or Parquet file are known before its rows are read.
        if self._table.columns is not None:
            self._check_names(self._table.columns)
        scan = Scan(table, target, text, ignore)
        with bar(
            self._table.size,
            progress,
            desc=f"Reading {printable(self.name)}",
            unit="B",
            unit_scale=True,
            leave=False,
        ) as advance:
            scan.run(advance)
        if not scan.n_rows:
            raise FileError(f"{self.name}: has no rows")
        self._check_names(list(map(str, scan.columns)))
        self.columns = scan.kinds()
        if isinstance(self._table, LIBSVMTable):
            # By index, as the names are f1, f2, and so on.
            in_order = sorted(self.columns, key=lambda name: (len(name), name))
            self.columns = {name: self.columns[name] for name in in_order}
        self.wordy = [
            name
            for name, kind in self.columns.items()
            if kind == "identifier" and scan.is_wordy(name)
        ]
        self._kinds: dict[Hashable, Column] = {
            name: column
            for name, column in scan.columns.items()
            if name != target and column.kind != "ignored"
        }
        reports = {str(name): column.report() for name, column in self._kinds.items()}
        self.odd_cells = {
            name: report.odd_cells[0] for name, report in reports.items() if report.n_odd
        }
        self.ambiguous = [name for name, report in reports.items() if report.ambiguous]
        self.n_unlabelled = scan.n_unlabelled
        self._set_labels(scan.counts, scan.n_rows - scan.n_unlabelled)
        if positive is not None:
            self._set_positive(positive)
        self.is_sorted = 1 < scan.n_runs == len(self.labels) < scan.n_rows / 2
        numbers = self._numbers()
        others = set(self.columns.values()) - {"number", "number:comma", "truth", *_LEFT_OUT}
        if not numbers and not others:
            raise FileError(f"{self.name}: has no column to learn from")
        super().__init__(
            filename=table.path.name,
            directory=table.path.parent,
            task=datasets.base.MULTI_CLF if len(self.labels) > 2 else datasets.base.BINARY_CLF,
            n_features=None if others or self.odd_cells else len(numbers),
            n_samples=scan.n_rows - scan.n_unlabelled,
            n_classes=len(self.labels) or None,
            sparse=self._table.sparse or scan.mostly_absent(numbers),
        )

    def _check_names(self, known: Collection[str]) -> None:
        for parameter, names in (
            ("target", [] if self.target is None else [self.target]),
            ("text", self.text or ()),
            ("ignore", self.ignore),
        ):
            for name in names:
                if name not in known:
                    near = difflib.get_close_matches(name, known, n=1)
                    hint = f"; the columns are {listed(list(map(repr, known)))}"
                    if near:
                        hint = f", did you mean {near[0]!r}?"
                    raise ValueError(
                        f"{parameter} must be a column of {self.name}; got {name!r}{hint}"
                    )

    def _set_labels(self, counts: dict[Any, int], n_labelled: int) -> None:
        if self.target is None:
            return
        for raw, count in counts.items():
            label = as_label(raw)
            self.labels[label] = self.labels.get(label, 0) + count
        self.labels = dict(sorted(self.labels.items(), key=_in_order))
        n_labels = len(self.labels)
        if n_labels < 2:
            found = f"a single label, {quoted(next(iter(self.labels)))}" if n_labels else "no label"
            raise FileError(
                f"{self.name}: column {self.target!r} has {found}; at least two are needed"
            )
        if n_labels > MOST_LABELS or _FEW_LABELS < n_labels > n_labelled / 2:
            raise too_many_labels(
                self.name, self.target, f"{n_labels:,} different values in {n_labelled:,} rows"
            )
        if n_labels == 2:
            self.positive = list(self.labels)[-1]

    def _set_positive(self, positive: Any) -> None:
        if self.positive is None:
            raise ValueError(
                f"positive must be None, as column {self.target!r} has "
                f"{len(self.labels):,} labels rather than two; got {positive!r}"
            )
        named = {str(label): label for label in self.labels}
        name = str(as_label(str(positive)))
        if name not in named:
            raise ValueError(
                f"positive must be one of {', '.join(map(repr, named))}; got {positive!r}"
            )
        self.positive = named[name]

    def __iter__(self) -> Iterator[tuple[dict[Hashable, float], Any]]:
        """Iterate over the instances."""
        for row in self.rows():
            yield self.features_of(row), self.label_of(row)

    @property
    def features(self) -> list[str]:
        """Names of all features; only where all columns hold numbers or booleans."""
        if self.n_features is None:
            raise AttributeError(
                f"{self.name} has categories, dates or text, whose features are not known in advance"
            )
        return self._numbers()

    def _numbers(self) -> list[str]:
        """The columns with one feature of the same name."""
        return [
            name
            for name, kind in self.columns.items()
            if kind in ("number", "number:comma", "truth")
        ]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Iterate over the rows of all instances, with the cells in the file."""
        if self.target is None:
            for _, row in self._table:
                yield row
        else:
            for _, row in self._table:
                if is_known(row.get(self.target)):
                    yield row

    def label_of(self, row: Row) -> Any:
        """The label of a row: of two labels, whether it is the positive one; else the label itself.

        Parameters
        ----------
        row
            A row, as `rows` yields it.

        """
        if self.target is None:
            return None
        raw = row.get(self.target)
        label = as_label(raw)
        if label not in self.labels:
            raise FileError(f"{self.name}: unknown label {quoted(raw)}; has the file changed?")
        return label if self.positive is None else label == self.positive

    def features_of(self, row: Row) -> dict[Hashable, float]:
        """The features of a row: its numbers, categories, dates and words.

        Columns that the file does not have are ignored.

        Parameters
        ----------
        row
            A row, as `rows` yields it.

        """
        return write_row(self._kinds, row, True, _left_out)

    @property
    def _repr_content(self) -> dict[str, str]:
        content: dict[str, str] = super()._repr_content
        if self.positive is not None:
            content["Positive"] = repr(self.positive)
        for kind in dict.fromkeys(self.columns.values()):
            names = [name for name, found in self.columns.items() if found == kind]
            content[kind.capitalize()] = listed(names)
        return content


def _left_out(name: Hashable) -> Column:
    """The target, a column that is ignored, or one that the file does not have."""
    return Column(name, "ignored")


def _in_order(item: tuple[Any, int]) -> tuple[bool, bool, Any]:
    label = item[0]
    # The plus is positive, though it precedes the minus in the order of characters.
    words = isinstance(label, str)
    return words, label == "+", label.lower() if words else label
