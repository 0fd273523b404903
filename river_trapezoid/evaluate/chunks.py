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
    """Evaluate a model chunk by chunk: each chunk is predicted as a whole, then learned.

    This is the protocol of learners that are rebuilt at the end of each chunk: what was learned up
    to chunk t is tested on chunk t + 1. The first chunk is only learned from. A last chunk that is
    not full is left out.

    Parameters
    ----------
    dataset
        The stream of `(x, y)`.
    model
        The model to evaluate, which is trained in place. A sampler is taught the labels that it
        asks for when it predicts. To hide labels from another model, wrap it in
        `semi_supervised.ScarceLabels`.
    metric
        The metric to compute, or several (`metrics.Accuracy() + metrics.LogLoss()`); it is updated
        with all predictions.
    chunk_size
        Number of instances in a chunk.

    Returns
    -------
    The metric of each chunk but the first, on its own; a list of them if there are several.

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
    Evaluator(model, members)  # Refuses what cannot be evaluated, before anything is learned.
    values: list[Any] = []
    instances = iter(dataset)
    first = True
    while len(chunk := list(itertools.islice(instances, chunk_size))) == chunk_size:
        own = [fresh(member) for member in members]
        evaluator = Evaluator(model, [] if first else [*members, *own])
        asked = []
        for x, y in chunk:
            prediction = evaluator.predict(x)
            evaluator.score(y, prediction)
            asked.append(prediction.ask)
        for x, y in itertools.compress(chunk, asked):
            evaluator.learn(x, y)
        if not first:
            several = isinstance(metric, metrics.base.Metrics)
            values.append([m.get() for m in own] if several else own[0].get())
        first = False
    return values
