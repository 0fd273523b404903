from __future__ import annotations

from typing import Any

from river import metrics

__all__ = ["Errors"]


class Errors(metrics.base.ClassificationMetric):
    """Number of wrong predictions.

    Papers on online learning count errors, and many count a prediction at a zero margin as one,
    whatever the label: sign(0) is neither +1 nor -1. A margin is zero where the two largest
    probabilities are equal.

    Parameters
    ----------
    zero_margin
        Whether a prediction at a zero margin counts as an error. The functions of this package
        then look at the predicted label and at the probabilities; River's `progressive_val_score`
        passes on the probabilities only, of which the largest stands for the label.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid.metrics import Errors
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import linear_model

    A model without weights predicts `False` for the first instance, at a margin of zero:

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
        """Count a prediction.

        Parameters
        ----------
        y_true
            The true label.
        y_pred
            The predicted label, or the probabilities if zero margins are counted.
        w
            Weight of the instance.
        label
            The predicted label beside the probabilities; by default the most likely one.

        """
        self._count += w * self._is_wrong(y_true, y_pred, label)

    def revert(self, y_true: Any, y_pred: Any, w: float = 1.0, label: Any = None) -> None:
        """Take back an update."""
        self._count -= w * self._is_wrong(y_true, y_pred, label)

    def _is_wrong(self, y_true: Any, y_pred: Any, label: Any) -> bool:
        if not self.zero_margin:
            return y_pred != y_true
        largest = max(y_pred.values())
        likeliest = [known for known, share in y_pred.items() if share == largest]
        return len(likeliest) > 1 or (likeliest[0] if label is None else label) != y_true

    def get(self) -> float:
        """Return the number of errors."""
        return self._count

    @property
    def bigger_is_better(self) -> bool:
        """Fewer errors are better."""
        return False

    @property
    def requires_labels(self) -> bool:
        """Whether labels are enough; zero margins show in the probabilities."""
        return not self.zero_margin

    def __repr__(self) -> str:
        return f"Errors: {self._count:,.10g}"
