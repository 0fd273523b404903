from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from river import base, metrics

from river_trapezoid._parameters import check_number

__all__ = ["chunk_val_score"]


def chunk_val_score(
    dataset: Iterable[tuple[dict, Any]],
    model: base.Classifier,
    metric: metrics.base.ClassificationMetric,
    chunk_size: int,
) -> list[float]:
    """Evaluate a model chunk by chunk: each chunk is predicted as a whole, then learned.

    This is the protocol of learners that are rebuilt at the end of each chunk: what was learned up
    to chunk t is tested on chunk t + 1. The first chunk is only learned from. A last chunk that is
    not full is left out.

    Parameters
    ----------
    dataset
        The stream of `(x, y)`.
    model
        The model to evaluate. To hide labels from it, wrap it in `stream.ScarceLabels`.
    metric
        The metric to compute; it is updated with all predictions.
    chunk_size
        Number of instances in a chunk.

    Returns
    -------
    The metric of each chunk but the first, on its own.

    Examples
    --------

    >>> from river import datasets
    >>> from river import linear_model
    >>> from river import metrics
    >>> from river import preprocessing
    >>> from river_trapezoid import evaluate

    >>> model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    >>> metric = metrics.Accuracy()
    >>> evaluate.chunk_val_score(datasets.Phishing(), model, metric, chunk_size=400)
    [0.9075, 0.91]
    >>> metric
    Accuracy: 90.88%

    """
    check_number("chunk_size", chunk_size, integer=True, at_least=1)
    values = []
    stream = iter(dataset)
    first = True
    while len(chunk := list(itertools.islice(stream, chunk_size))) == chunk_size:
        if not first:
            own = metric.clone()
            for x, y in chunk:
                y_pred = (
                    model.predict_one(x) if metric.requires_labels else model.predict_proba_one(x)
                )
                if y_pred is not None and y_pred != {}:
                    metric.update(y, y_pred)
                    own.update(y, y_pred)
            values.append(own.get())
        for x, y in chunk:
            model.learn_one(x, y)
        first = False
    return values
