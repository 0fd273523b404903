from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from river import base, metrics

from river_trapezoid._parameters import check_number

from .progressive import Evaluator, fresh

__all__ = ["chunk_val_score"]


def chunk_val_score(
    dataset: Iterable[tuple[dict, Any]],
    model: base.Classifier,
    metric: metrics.base.Metric,
    chunk_size: int,
) -> list[Any]:
    """Evaluate a model chunk by chunk: predict a whole chunk, then learn from it.

    This is the protocol of learners that are rebuilt at the end of each chunk: the model learned
    from chunks 1 to t is tested on chunk t + 1. The first chunk is not tested, and an incomplete
    last chunk is skipped.

    Parameters
    ----------
    dataset
        The stream of `(x, y)`.
    model
        The model to evaluate. It is trained in place. A sampler learns only from the labels that it
        queries when it predicts. To hide labels from other models, wrap them in
        `semi_supervised.ScarceLabels`.
    metric
        The metric to compute, or several metrics (`metrics.Accuracy() + metrics.LogLoss()`). It is
        updated with all predictions.
    chunk_size
        Number of instances in a chunk.

    Returns
    -------
    The value of the metric on each chunk except the first; a list of values for several metrics.

    Examples
    --------

    >>> from river import datasets
    >>> from river import linear_model
    >>> from river import metrics
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import preprocessing

    >>> model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    >>> metric = metrics.Accuracy()
    >>> evaluate.chunk_val_score(datasets.Phishing(), model, metric, chunk_size=400)
    [0.9075, 0.91]
    >>> metric
    Accuracy: 90.88%

    """
    check_number("chunk_size", chunk_size, integer=True, at_least=1)
    members: list[Any] = list(metric) if isinstance(metric, metrics.base.Metrics) else [metric]
    Evaluator(model, members)  # Raises an error if the model cannot be evaluated.
    values: list[Any] = []
    instances = iter(dataset)
    first = True
    while len(chunk := list(itertools.islice(instances, chunk_size))) == chunk_size:
        chunk_metrics = [fresh(member) for member in members]
        evaluator = Evaluator(model, [] if first else [*members, *chunk_metrics])
        queried = []
        for x, y in chunk:
            prediction = evaluator.predict(x)
            evaluator.score(y, prediction)
            queried.append(prediction.query)
        for x, y in itertools.compress(chunk, queried):
            evaluator.learn(x, y)
        if not first:
            scores = [member.get() for member in chunk_metrics]
            values.append(scores if isinstance(metric, metrics.base.Metrics) else scores[0])
        first = False
    return values
