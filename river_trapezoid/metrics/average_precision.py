from __future__ import annotations

import numpy as np

from ._ranked_scores import BinnedScores

__all__ = ["AveragePrecision"]


class AveragePrecision(BinnedScores):
    """Average precision, a summary of the precision-recall curve, in bounded memory.

    It is the mean of the precisions P at all scores, weighted by the increase of the recall R:
    Σ (Rₙ - Rₙ₋₁) Pₙ, over the distinct scores in descending order. Its value for random
    scores is about the share of positives. For rare positives, it is more informative than ROC AUC.

    Probabilities are stored exactly until there are more than `max_scores` distinct ones. From then
    on, they are counted in the bins of `BinnedROCAUC`, and two probabilities in the same bin count
    as a tie.

    River has the area under the precision-recall curve over a window, `RollingPRAUC`.

    Parameters
    ----------
    pos_val
        The label to treat as positive. If it is `True` or 1, the other label must be `False`, 0 or
        -1; any other label raises an error.
    max_scores
        Maximum number of distinct probabilities for which the metric is exact.

    Examples
    --------

    >>> from river_trapezoid.metrics import AveragePrecision

    >>> y_true = [False, False, True, True]
    >>> y_pred = [0.1, 0.4, 0.35, 0.8]

    >>> metric = AveragePrecision()
    >>> for y, p in zip(y_true, y_pred):
    ...     metric.update(y, {True: p, False: 1 - p})
    >>> metric
    AveragePrecision: 83.33%

    """

    def get(self) -> float:
        """Return the average precision; NaN until there is a positive instance."""
        negative, positive = self._by_score()
        if not positive.sum():
            return float("nan")
        found = np.cumsum(positive[::-1])
        selected = found + np.cumsum(negative[::-1])
        return float(positive[::-1] @ (found / selected) / positive.sum())
