from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from river import compose

from river_trapezoid._columns import as_label, is_known
from river_trapezoid._parameters import check_number
from river_trapezoid._printable import quoted
from river_trapezoid.preprocessing import RowEncoder

from ._registry import codec_of, register

__all__ = ["TableModel"]


@dataclass
class TableModel:
    """A model of a table: a learner with its encoder, its labels and the column of the label.

    It takes raw rows and returns labels as the table has them. `river-trapezoid compare --save`
    writes it, and `persist.load` reads it.

    Parameters
    ----------
    model
        A pipeline that begins with a `preprocessing.RowEncoder`. With two labels, it learns whether
        the label is the positive one, otherwise the label itself.
    target
        The column of the label.
    labels
        The labels, in their order.
    positive
        Which of two labels is positive; None with more labels.
    name
        The name of the learner.
    n_rows
        The number of rows learned from.
    source
        What identifies the file that the model learns from, or learned from last.
    n_source_rows
        The number of rows of that file that were learned from, if it is not finished; otherwise
        None.

    Examples
    --------

    >>> from river_trapezoid import linear_model, persist, preprocessing

    >>> model = persist.TableModel(
    ...     preprocessing.RowEncoder(one_hot=True) | linear_model.EvidenceClassifier(),
    ...     target="churn",
    ...     labels=["no", "yes"],
    ...     positive="yes",
    ... )
    >>> for calls in range(30):
    ...     model.learn_row({"calls": str(calls), "churn": "yes" if calls > 15 else "no"})
    >>> model.predict_row({"calls": "29"})
    'yes'

    >>> model.predict_proba_row({"calls": "29"})["yes"] > 0.5
    True

    """

    _TAG: ClassVar[str] = "river_trapezoid.persist.TableModel"

    model: Any
    target: str
    labels: list[Any] = field(default_factory=list)
    positive: Any = None
    name: str = ""
    n_rows: int = 0
    source: str | None = None
    n_source_rows: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.model, compose.Pipeline) or not isinstance(
            next(iter(self.model.steps.values())), RowEncoder
        ):
            raise ValueError(
                f"model must be a pipeline that begins with a RowEncoder; got {self.model!r:.100}"
            )
        for parameter in ("target", "name"):
            if not isinstance(getattr(self, parameter), str):
                raise ValueError(
                    f"{parameter} must be a string; got {getattr(self, parameter)!r:.100}"
                )
        if type(self.labels) is not list or not all(
            isinstance(label, str | int | float) for label in self.labels
        ):
            raise ValueError(f"labels must be a list of labels; got {self.labels!r:.100}")
        if (len(self.labels) == 2) != (self.positive is not None) or (
            self.positive is not None and self.positive not in self.labels
        ):
            raise ValueError(
                "positive must be one of the two labels, or None if there are more; got "
                f"{self.positive!r:.100}"
            )
        if not isinstance(self.source, str | None):
            raise ValueError(f"source must be a string or None; got {self.source!r:.100}")
        check_number("n_rows", self.n_rows, integer=True, at_least=0)
        check_number("n_source_rows", self.n_source_rows, integer=True, at_least=0, optional=True)

    @property
    def encoder(self) -> RowEncoder:
        """The encoder, the first step of the model."""
        encoder: RowEncoder = next(iter(self.model.steps.values()))
        return encoder

    @property
    def learner(self) -> Any:
        """The learner, the last step of the model."""
        return next(reversed(self.model.steps.values()))

    def label_of(self, row: Mapping[Any, Any]) -> Any:
        """Return the label of a row; None if it has none.

        Parameters
        ----------
        row
            A dictionary from columns to cells.

        """
        raw = row.get(self.target)
        if not is_known(raw):
            return None
        label = as_label(raw)
        if self.positive is not None and label not in self.labels:
            raise ValueError(
                f"column {self.target!r} must hold {quoted(self.labels[0])} or "
                f"{quoted(self.labels[1])}; got {quoted(raw)}"
            )
        return label

    def learn_row(self, row: Mapping[Any, Any]) -> None:
        """Update with a row and the label in it; a row without a label is ignored.

        Parameters
        ----------
        row
            A dictionary from columns to cells.

        """
        label = self.label_of(row)
        if label is None:
            return
        self.model.learn_one(
            self._without_target(row), label if self.positive is None else label == self.positive
        )
        if label not in self.labels:
            self.labels.append(label)
        self.n_rows += 1

    def predict_row(self, row: Mapping[Any, Any]) -> Any:
        """Return the label that is predicted for a row.

        Parameters
        ----------
        row
            A dictionary from columns to cells. The label is ignored if it is there.

        """
        return self._named(self.model.predict_one(self._without_target(row)))

    def predict_proba_row(self, row: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the probability of each label of a row.

        Parameters
        ----------
        row
            A dictionary from columns to cells. The label is ignored if it is there.

        """
        found = self.model.predict_proba_one(self._without_target(row))
        return {self._named(label): float(share) for label, share in found.items()}

    def unseen(self, row: Mapping[Any, Any]) -> list[Hashable]:
        """Return the columns of a row that the model has not learned from.

        Parameters
        ----------
        row
            A dictionary from columns to cells.

        """
        return [name for name in row if name != self.target and not self.encoder.knows(name)]

    def _without_target(self, row: Mapping[Any, Any]) -> dict[Any, Any]:
        return {name: cell for name, cell in row.items() if name != self.target}

    def _named(self, label: Any) -> Any:
        """The label of the table that a label of the learner means."""
        if self.positive is None or label is None:
            return label
        first, second = self.labels
        negative = first if second == self.positive else second
        return self.positive if label else negative


register(TableModel._TAG, codec_of(TableModel))
