from __future__ import annotations

import abc
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from river import base, utils

from river_trapezoid._frame import Array, Zeros, in_row
from river_trapezoid._instance import Features, observed
from river_trapezoid._parameters import check_choice, check_number
from river_trapezoid._probability import probabilities
from river_trapezoid.weights import SparseWeights, check_keys

from .mini_batch import RowwiseClassifier

__all__ = [
    "LinearClassifier",
    "SparseLinearClassifier",
    "WeightedLinearClassifier",
    "contribution_table",
    "missing_label",
    "signs_of",
]

Label = bool | int | float
_SIGNS: dict[Any, int] = {True: 1, False: -1, -1: -1}


class LinearClassifier(RowwiseClassifier):
    """Base class of linear classifiers: features, labels, probabilities, explanations.

    A subclass implements the step in `_step`, the margin in `margin_one` and its terms in `_terms`.
    Labels are `True`/`False`, `1`/`0` or `+1`/`-1`; predictions are of the kind of label that was
    learned last (booleans until then).

    """

    def __init__(self) -> None:
        super().__init__()
        self._labels: tuple[Label, Label] = (False, True)
        self.intercept = 0.0

    def _check_state(self) -> None:
        """Raise a `ValueError` unless the attributes, which come from a file, fit together."""
        for label, known in zip(
            self._labels, ((False, -1, 0, -1.0, 0.0), (True, 1, 1.0)), strict=True
        ):
            check_choice("a label", label, known)

    @abc.abstractmethod
    def _step(self, x: Features, sign: int) -> None:
        """Learn from raw features and a label of -1 or +1; change nothing if it raises."""

    @abc.abstractmethod
    def _terms(self, x: Features) -> Iterable[tuple[Hashable, float, float]]:
        """Name, value and weight of each term of the margin of cleaned features."""

    @abc.abstractmethod
    def margin_one(self, x: Features) -> float:
        """Signed distance from the decision boundary.

        Parameters
        ----------
        x
            A dictionary of features.

        """

    def learn_one(self, x: Features, y: base.typing.ClfTarget) -> None:
        """Update the model with a set of features `x` and a label `y`.

        Parameters
        ----------
        x
            A dictionary of features. `None` and NaN mean that the feature was not observed.
        y
            A label: `True`/`False`, `1`/`0` or `+1`/`-1`.

        """
        sign, labels = self._read_label(y)
        self._learn(x, sign, labels)

    def _learn(self, x: Features, sign: int, labels: tuple[Label, Label], **weight: float) -> None:
        """Take a step, and predict these labels from now on."""
        if _same(labels, self._labels):
            self._step(x, sign, **weight)
            return
        with self._transaction() as whole:
            self._step(x, sign, **weight)
            self._labels = labels
            whole.commit()

    def _parts(self) -> Sequence[Any]:
        return ()

    def _read_label(self, y: base.typing.ClfTarget) -> tuple[int, tuple[Label, Label]]:
        """The sign of a label, and the pair of labels to predict once it has been learned."""
        labels = self._labels
        if y is not labels[0] and y is not labels[1]:
            labels = _labels_with(y, labels)
        return (1 if y == labels[1] else -1), labels

    def _check_labels(self, labels: list[Any]) -> None:
        self._labels_after(labels)

    def _attributes_after(self, labels: list[Any], w: Array | None) -> dict[str, Any]:
        if w is not None:
            labels = [y for y, weight in zip(labels, w, strict=True) if weight]
        after = self._labels_after(labels)
        return {} if _same(after, self._labels) else {"_labels": after}

    def _labels_after(self, labels: list[Any]) -> tuple[Label, Label]:
        """The pair of labels to predict once all of these have been learned."""
        if labels and {bool}.issuperset(map(type, labels)):
            return False, True
        known = self._labels
        for row, y in enumerate(labels):
            if y is not known[0] and y is not known[1]:
                try:
                    known = _labels_with(y, known)
                except ValueError as error:
                    raise in_row(row, error) from None
        return known

    def predict_one(self, x: Features, **kwargs: Any) -> base.typing.ClfTarget | None:
        """Predict the label of a set of features `x`.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.label_at(self.margin_one(x))

    def label_at(self, margin: float) -> Any:
        """Return the label that is predicted at a margin; the negative one at zero.

        Parameters
        ----------
        margin
            A margin, as returned by `margin_one`.

        """
        negative, positive = self._labels
        return positive if margin > 0.0 else negative

    def confidence_at(self, margin: float) -> float:
        """Return the distance of a margin from the decision boundary.

        Parameters
        ----------
        margin
            A margin, as returned by `margin_one`.

        """
        return abs(margin)

    def predict_proba_one(self, x: Features, **kwargs: Any) -> dict[base.typing.ClfTarget, float]:
        """Predict the probability of both labels: the logistic function of the margin.

        It is monotone in the margin, but not calibrated.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.proba_at(self.margin_one(x))

    def proba_at(self, margin: float) -> dict[base.typing.ClfTarget, float]:
        """Return the probabilities that are predicted at a margin.

        Parameters
        ----------
        margin
            A margin, as returned by `margin_one`.

        """
        return probabilities(margin, self._labels)

    def contributions_one(self, x: Features) -> dict[base.typing.FeatureName, float]:
        """Return the contribution of each feature to the margin; with the intercept, they sum to it.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return {key: value * w for key, value, w in self._terms(observed(x))}

    def debug_one(self, x: Features, decimals: int = 5) -> str:
        """Explain the margin of `x`, feature by feature, largest contribution first.

        Parameters
        ----------
        x
            A dictionary of features.
        decimals
            The number of decimals of each value.

        Returns
        -------
        A table of values, weights and contributions.

        """
        terms = [*self._terms(observed(x)), ("Intercept", 1.0, self.intercept)]
        return contribution_table(terms, decimals)


class WeightedLinearClassifier(LinearClassifier):
    """A linear classifier that accepts sample weights."""

    @abc.abstractmethod
    def _step(self, x: Features, sign: int, w: float = 1.0) -> None:
        """Learn from an instance of a weight above zero; change nothing if it raises."""

    def learn_one(self, x: Features, y: base.typing.ClfTarget, w: float = 1.0) -> None:
        """Update the model with a set of features `x` and a label `y`.

        Parameters
        ----------
        x
            A dictionary of features. `None` and NaN mean that the feature was not observed.
        y
            A label: `True`/`False`, `1`/`0` or `+1`/`-1`.
        w
            The sample weight; 0 changes nothing. The docstring of the class describes its effect.

        """
        negative, positive = self._labels
        if w == 1.0 and y is positive:
            self._step(x, 1)
        elif w == 1.0 and y is negative:
            self._step(x, -1)
        else:
            self._learn_weighted(x, y, w)

    def _learn_weighted(self, x: Features, y: base.typing.ClfTarget, w: float) -> None:
        w = check_number("w", w, at_least=0, at_most=self._LARGEST_WEIGHT)
        sign, labels = self._read_label(y)
        if w:
            self._learn(x, sign, labels, w=float(w))
        else:
            self._check_features(x)

    def _check_features(self, x: Features) -> None:
        """Raise the error of a step for features that it would refuse."""
        check_keys(observed(x))


class SparseLinearClassifier(WeightedLinearClassifier):
    """A linear classifier with one weight per feature, most of which may be zero."""

    @property
    @abc.abstractmethod
    def _weights(self) -> SparseWeights:
        """The object that holds the weights."""

    def margin_one(self, x: Features) -> float:
        """Signed distance from the decision boundary: weights times `x`, plus the intercept.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self._weights.dot(observed(x)) + self.intercept

    def _terms(self, x: Features) -> Iterable[tuple[Hashable, float, float]]:
        return [(key, value, self._weights.get(key)) for key, value in x.items()]

    def _zeros(self, learning: bool) -> Zeros:
        # The only effect of a zero is that its feature counts as seen.
        return "first" if learning else "none"

    def _parts(self) -> Sequence[Any]:
        return (self._weights,)

    @property
    def weights(self) -> dict[base.typing.FeatureName, float]:
        """The weights other than zero, as a new dict."""
        return self._weights.to_dict()

    @property
    def n_features_seen(self) -> int | None:
        """Number of distinct features learned from; None if `B` is an integer."""
        return self._weights.n_seen

    @property
    def sparsity(self) -> float | None:
        """Share of the features seen that have no weight; None if `B` is an integer."""
        if self._weights.n_seen is None:
            return None
        return 1.0 - len(self._weights) / max(1, self._weights.n_seen)


def signs_of(labels: list[Any]) -> npt.NDArray[np.int8]:
    """The signs of labels that have been checked."""
    return np.fromiter(map(_SIGNS.__getitem__, labels), np.int8, len(labels))


def contribution_table(terms: Iterable[tuple[Hashable, float, float]], decimals: int) -> str:
    """Name, value, weight and contribution of each term, the largest contribution first."""
    rows = [(str(name), float(value), w, value * w) for name, value, w in terms]
    if not rows:
        return "No feature is observed"
    rows.sort(key=lambda row: (-row[3], row[0]))
    names = [row[0] for row in rows]
    return utils.pretty.print_table(
        headers=["Name", "Value", "Weight", "Contribution"],
        columns=[names] + [[f"{row[i]: ,.{decimals}f}" for row in rows] for i in (1, 2, 3)],
    )


def _same(labels: tuple[Label, Label], others: tuple[Label, Label]) -> bool:
    """Whether two pairs of labels are equal, types included."""
    return labels is others or (labels == others and type(labels[1]) is type(others[1]))


def missing_label() -> ValueError:
    """Return the error for a label of None."""
    return ValueError(
        "unknown label None: a supervised classifier learns from labelled instances only; leave "
        "the others out, or see river_trapezoid.semi_supervised"
    )


def _labels_with(y: Any, labels: tuple[Label, Label]) -> tuple[Label, Label]:
    """Return the pair of labels to predict once `y` has been learned."""
    try:
        sign = _SIGNS[y]
    except (KeyError, TypeError):
        if y is None:
            raise missing_label() from None
        raise ValueError(
            f"unknown label {y!r}: a binary classifier learns from True/False, 1/0 or +1/-1; "
            f"for two other labels, pass a boolean (label == {y!r}); for more than two, wrap the "
            "classifier, for instance in river.multiclass.OneVsRestClassifier"
        ) from None
    kind = type(y.item() if hasattr(y, "item") else y)
    if kind is bool:
        return False, True
    # 1 goes with 0 as well as with -1: keep to what was learned, 0 if those were booleans.
    return kind(labels[0] if sign == 1 else y), kind(1)
