from __future__ import annotations

import math
from typing import Any

from river import metrics

__all__ = ["AverageCumulativeLoss"]

_LEAST = math.ulp(0.0)


class AverageCumulativeLoss(metrics.base.MeanMetric, metrics.base.ClassificationMetric):
    """Mean logistic loss in bits over all instances so far.

    Figure 2 of the paper on OCDS[^1] shows it as acl = L/T, where L is the sum of the losses
    log₂(1 + exp(-y ŷ)) of T instances, and ŷ is the margin. If the probability is the logistic
    function of the margin, as for all linear learners of this package, this equals the negative
    binary logarithm of the probability of the true label.

    It equals River's `LogLoss` divided by ln 2, with two exceptions. River treats the label -1 as
    positive. Probabilities below 1e-15 are not clipped here, so a loss can be as large as 1,074
    bits, that of the smallest positive float.

    Examples
    --------

    >>> import math
    >>> from river import datasets
    >>> from river import linear_model as river_linear_model
    >>> from river import optim
    >>> from river_trapezoid.metrics import AverageCumulativeLoss
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import preprocessing
    >>> from river_trapezoid import stream

    The curves of the figure, at four points:

    >>> sgd = optim.SGD(optim.schedulers.InverseScaling(1 / math.log(2)))
    >>> learners = {
    ...     "OCDS": linear_model.OCDSClassifier(),
    ...     "OCDS-o": linear_model.OCDSClassifier(prediction="observed"),
    ...     "OCDS-r": linear_model.OCDSClassifier(prediction="reconstructed"),
    ...     "OCO": river_linear_model.LogisticRegression(sgd, intercept_lr=0),
    ... }
    >>> comparison = evaluate.compare(
    ...     {name: preprocessing.StandardScaler() | model for name, model in learners.items()},
    ...     stream.Capricious(datasets.Phishing(), seed=1),
    ...     AverageCumulativeLoss(),
    ...     n_points=4,
    ...     progress=False,
    ... )
    >>> for name in learners:
    ...     curve = [record["value"] for record in comparison.records if record["model"] == name]
    ...     print(name, " ".join(f"{value:.3f}" for value in curve))
    OCDS 0.612 0.576 0.566 0.570
    OCDS-o 0.605 0.573 0.564 0.568
    OCDS-r 0.943 0.932 0.943 0.948
    OCO 0.613 0.562 0.525 0.511

    References
    ----------
    [^1]: He, Y., Wu, B., Wu, D., Beyazit, E., Chen, S. and Wu, X., 2019. Online learning from capricious data streams: a generative approach. International Joint Conference on Artificial Intelligence, pp.2491-2497.

    """

    _fmt = ".6f"

    def __init__(self) -> None:
        super().__init__()

    @property
    def bigger_is_better(self) -> bool:
        """False: a smaller loss is better."""
        return False

    @property
    def requires_labels(self) -> bool:
        """False: the metric is computed from probabilities."""
        return False

    def _eval(self, y_true: Any, y_pred: Any) -> float:
        if not isinstance(y_pred, dict):
            y_pred = {True: y_pred, False: 1.0 - y_pred}
        # Before its first label, a learner uses False as the negative label, not -1.
        p = y_pred.get(y_true, y_pred.get(False, 0.0) if y_true == -1 else 0.0)
        return -math.log2(max(p, _LEAST))
