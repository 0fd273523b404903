from __future__ import annotations

from ._ranked_scores import BinnedScores
from .exact_roc_auc import ExactROCAUC

__all__ = ["BinnedROCAUC"]


class BinnedROCAUC(BinnedScores, ExactROCAUC):
    """Area under the ROC curve in bounded memory: exact at first, then approximated by fine bins.

    Probabilities are stored exactly until there are more than `max_scores` distinct ones. From then
    on, they are counted in bins of their log-odds, about 33,000 in total. A bin is 0.002 wide
    between -8 and 8, and 1/4000 of the log-odds beyond. Two probabilities in the same bin count as
    a tie, which counts half. The error of the area is therefore at most half the share of pairs of
    a positive and a negative instance in the same bin.

    River's `ROCAUC` uses ten thresholds by default, equally spaced between 0 and 1, and treats
    predictions between two thresholds as ties.

    Parameters
    ----------
    pos_val
        The label to treat as positive. If it is `True` or 1, the other label must be `False`, 0 or
        -1; any other label raises an error.
    max_scores
        Maximum number of distinct probabilities for which the area is exact.

    Examples
    --------

    >>> from river import metrics
    >>> from river_trapezoid.metrics import BinnedROCAUC

    >>> y_true = [False, False, True, True]
    >>> y_pred = [0.31, 0.34, 0.33, 0.38]

    >>> binned, ten_thresholds = BinnedROCAUC(max_scores=0), metrics.ROCAUC()
    >>> for y, p in zip(y_true, y_pred):
    ...     binned.update(y, {True: p, False: 1 - p})
    ...     ten_thresholds.update(y, {True: p, False: 1 - p})
    >>> binned, ten_thresholds
    (BinnedROCAUC: 75.00%, ROCAUC: 50.00%)

    """
