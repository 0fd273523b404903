from __future__ import annotations

import abc
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from river import base

from river_trapezoid._frame import Array, Rows, Zeros, in_row, read_labels, read_weights
from river_trapezoid._instance import Features
from river_trapezoid.weights import check_keys, transaction

__all__ = ["RowwiseClassifier"]


class RowwiseClassifier(base.MiniBatchClassifier):
    """A classifier that learns and predicts the rows of a mini-batch one by one.

    The results are those of `learn_one`, `predict_one` and `predict_proba_one` on the rows, to the
    last bit. A mini-batch is a frame that narwhals supports (pandas, polars, pyarrow, ...), and
    predictions are of the same kind, with the index of the frame and the name of the labels if they
    have one; or it is an array or a sparse matrix of scipy, whose columns are named by `columns`,
    and predictions are arrays. Missing values of a frame (None, NaN, null), and the cells that a
    sparse matrix does not store, are features that were not observed.

    Columns of pandas' `SparseDtype` are not made dense. Where nothing is stored, those filled with
    NaN were not observed, and those filled with zero were observed to be zero. A sparse matrix is
    read far faster than a wide frame of such columns.

    """

    _LATER: tuple[str, ...] = ("_y_name",)
    # The largest sample weight.
    _LARGEST_WEIGHT: float | None = None

    if TYPE_CHECKING:
        # River's takes nothing but a dict.
        def predict_one(self, x: Features, **kwargs: Any) -> base.typing.ClfTarget | None:
            """Predict the label of a set of features `x`."""

    def __init__(self) -> None:
        # The predictions get the name of the labels learned last, as River's do.
        self._y_name: Hashable = None

    def _zeros(self, learning: bool) -> Zeros:
        """Which zeros of a frame have an effect: a wide frame is mostly zeros."""
        return "all"

    @abc.abstractmethod
    def _check_labels(self, labels: list[Any]) -> None:
        """Raise the error of `learn_one` for one of the labels, with the row."""

    @abc.abstractmethod
    def _parts(self) -> Sequence[Any]:
        """The weights, rules and generators that learning changes in place."""

    def _transaction(self, columns: list[Any] | None = None) -> transaction:
        """Learn whole or not at all from instances with these features, from any if None.

        Attributes come back as well, but none may be changed in place that is not a part. Commit at
        the end of the block: between there and its exit, an interrupt would leave the rest to the
        garbage collector.
        """
        return transaction(columns, *self._parts(), attributes=vars(self))

    def _attributes_after(self, labels: list[Any], w: Array | None) -> dict[str, Any]:
        """The attributes that follow from labels, where they change."""
        return {}

    def learn_many(
        self,
        X: Any,
        y: Any,
        w: Any = None,
        columns: Sequence[Hashable] | None = None,
    ) -> None:
        """Update the model with the rows of a mini-batch, in their order.

        An error names the row, and the model is not modified by any row.

        Parameters
        ----------
        X
            A frame with a column for each feature, an array, or a sparse matrix. Columns may differ
            between batches.
        y
            The labels of the rows: a series, an array or a list.
        w
            The sample weight of each row, or one for all, as in `learn_one`.
        columns
            The names of the columns of an array or a sparse matrix; by default, their numbers.

        """
        labels, name = read_labels(y)
        weights = None if w is None else read_weights(w, len(labels), self._LARGEST_WEIGHT)
        # A zero has no effect in a row without weight, but may have one in the next.
        weightless = weights is not None and not weights.all()
        rows = Rows(X, columns, "all" if weightless else self._zeros(learning=True))
        if len(labels) != len(rows):
            raise ValueError(
                f"y must have a label for each of {len(rows)} rows; got {len(labels)} labels"
            )
        self._check_labels(labels)
        changes = self._attributes_after(labels, weights)
        if name != self._y_name:
            changes["_y_name"] = name
        if not changes:
            self._learn_rows(rows, labels, weights)
            return
        with self._transaction(rows.columns) as whole:
            self._learn_rows(rows, labels, weights)
            vars(self).update(changes)
            whole.commit()

    def _learn_rows(self, rows: Rows, labels: list[Any], w: Array | None) -> None:
        """Learn from rows and labels that have been checked: from all of them, or from none."""
        check_keys(rows.columns)
        weights = None if w is None else w.tolist()
        with self._transaction(rows.columns) as whole:
            for row, (x, label) in enumerate(zip(rows, labels, strict=True)):
                try:
                    if weights is None:
                        self.learn_one(x, label)
                    else:
                        self.learn_one(x, label, w=weights[row])  # type: ignore[call-arg]
                except OverflowError as error:
                    raise in_row(row, error) from error
            whole.commit()

    def predict_many(self, X: Any, columns: Sequence[Hashable] | None = None) -> Any:
        """Predict the label of each row of a mini-batch.

        Parameters
        ----------
        X
            A frame with a column for each feature, an array, or a sparse matrix.
        columns
            The names of the columns of an array or a sparse matrix; by default, their numbers.

        Returns
        -------
        A series of labels for a frame, otherwise an array.

        """
        rows = Rows(X, columns, self._zeros(learning=False))
        return rows.as_series(self._predict_rows(rows), self._y_name)

    def _predict_rows(self, rows: Rows) -> Array | list[Any]:
        labels = list(map(self.predict_one, rows))
        kinds = set(map(type, labels or [self.predict_one({})]))
        if kinds in ({bool}, {int}, {float}):
            return np.array(labels, dtype=kinds.pop())
        return labels

    def predict_proba_many(self, X: Any, columns: Sequence[Hashable] | None = None) -> Any:
        """Predict the probability of each label for each row of a mini-batch.

        Parameters
        ----------
        X
            A frame with a column for each feature, an array, or a sparse matrix.
        columns
            The names of the columns of an array or a sparse matrix; by default, their numbers.

        Returns
        -------
        A frame with a column for each label, in the order of `predict_proba_one`; for an array or a
        matrix, an array.

        """
        rows = Rows(X, columns, self._zeros(learning=False))
        probas = self._predict_proba_rows(rows)
        return rows.as_frame(
            {
                label: np.array([proba[label] for proba in probas], dtype=float)
                for label in self.predict_proba_one({})
            }
        )

    def _predict_proba_rows(self, rows: Rows) -> list[dict[Any, float]]:
        return list(map(self.predict_proba_one, rows))
