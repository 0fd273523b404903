from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from river import base, metrics

from ._inputs import Stream
from .runs import compare
from .tables import Record

__all__ = ["label_cost_curve"]


def label_cost_curve(
    families: Mapping[str, Sequence[base.Estimator]],
    streams: Stream | Sequence[Stream] | Mapping[str, Stream],
    metric: metrics.base.ClassificationMetric,
    delay: Any = None,
    **kwargs: Any,
) -> list[Record]:
    """Compute a metric as a function of the share of labels that a model learns from.

    Parameters
    ----------
    families
        Lists of models, by the name of their curve. Each model is a point of the curve, for example
        a sampler with another budget.
    streams
        The streams, as for `compare`.
    metric
        The metric to compute.
    delay
        The time until a label arrives, as for `compare`: a number of instances, or a function of
        `x` and `y`; `math.inf` for a label that never arrives.
    kwargs
        Other arguments of `compare`: `repeats`, `seed`, `n_jobs`, `progress`, `moment`.

    Returns
    -------
    A dict for each point: `family`, `stream`, `metric`, `labels_used` (the share of labels learned
    from), and `mean` and `std` of the metric over the repeats (NaN if there is only one). A model
    that failed on a stream has no point. Queried labels that never arrived are not counted in
    `labels_used`.

    Examples
    --------

    >>> from river import active
    >>> from river import datasets
    >>> from river import linear_model
    >>> from river import metrics
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import preprocessing

    >>> model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    >>> curve = evaluate.label_cost_curve(
    ...     families={"entropy": [active.EntropySampler(model, d) for d in (100, 10, 1)]},
    ...     streams={"phishing": datasets.Phishing()},
    ...     metric=metrics.Accuracy(),
    ...     progress=False,
    ... )
    >>> for point in curve:
    ...     print(f"{point['labels_used']:.1%} of the labels: {point['mean']:.1%}")
    22.3% of the labels: 89.6%
    37.9% of the labels: 89.1%
    69.8% of the labels: 89.3%

    """
    models = {
        f"{family} ({i})": (family, model)
        for family, members in families.items()
        for i, model in enumerate(members)
    }
    comparison = compare(
        {name: m for name, (_, m) in models.items()}, streams, [metric], delay=delay, **kwargs
    )
    points = []
    for row in comparison.summary():
        if not row["repeats"]:
            continue
        family, _ = models[row["model"]]
        kept = {key: row[key] for key in ("stream", "metric", "labels_used", "mean", "std")}
        points.append({"family": family, **kept})
    return points
