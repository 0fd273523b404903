from __future__ import annotations

from typing import Any

from river import metrics

__all__ = ["Errors"]


class Errors(metrics.base.ClassificationMetric):
    """Number of wrong predictions.

    Papers on online learning report the number of errors. Many of them count a prediction with a
    zero margin as an error for either label, since sign(0) is neither +1 nor -1. The margin is zero
    if the two largest probabilities are equal.

    Parameters
    ----------
    zero_margin
        Whether a prediction with a zero margin counts as an error. The functions of this package
        then pass the predicted label and the probabilities to the metric. River's
        `progressive_val_score` passes only the probabilities; the most likely label is then the
        prediction.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid.metrics import Errors
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import linear_model

    A model without weights predicts `False` for the first instance, with a margin of zero:

    >>> data = [({"a": 1.0}, False), ({"a": 1.0}, False), ({"a": -1.0}, True)]
    >>> comparison = evaluate.compare(
    ...     linear_model.OLSFClassifier(),
    ...     data,
    ...     [Errors(), Errors(zero_margin=True)],
    ...     progress=False,
    ... )
    >>> for row in comparison.summary():
    ...     print(row["metric"], row["mean"])
    Errors(zero_margin=False) 0.0
    Errors(zero_margin=True) 1.0

    """

    def __init__(self, zero_margin: bool = False):
        super().__init__()
        self.zero_margin = zero_margin
        self._count = 0.0

    def update(self, y_true: Any, y_pred: Any, w: float = 1.0, label: Any = None) -> None:
        """Update the number of errors with a prediction.

        Parameters
        ----------
        y_true
            The true label.
        y_pred
            The predicted label, or the probabilities if `zero_margin` is `True`.
        w
            Sample weight.
        label
            The predicted label in addition to the probabilities; by default, the most likely label.

        """
        self._count += w * self._is_wrong(y_true, y_pred, label)

    def revert(self, y_true: Any, y_pred: Any, w: float = 1.0, label: Any = None) -> None:
        """Revert an update."""
        self._count -= w * self._is_wrong(y_true, y_pred, label)

    def _is_wrong(self, y_true: Any, y_pred: Any, label: Any) -> bool:
        if not self.zero_margin:
            return y_pred != y_true
        largest = max(y_pred.values())
        likeliest = [known for known, probability in y_pred.items() if probability == largest]
        return len(likeliest) > 1 or (likeliest[0] if label is None else label) != y_true

    def get(self) -> float:
        """Return the number of errors."""
        return self._count

    @property
    def bigger_is_better(self) -> bool:
        """False: fewer errors are better."""
        return False

    @property
    def requires_labels(self) -> bool:
        """Whether the metric needs only labels; zero margins require probabilities."""
        return not self.zero_margin

    def __repr__(self) -> str:
        return f"Errors: {self._count:,.10g}"
