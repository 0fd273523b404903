from __future__ import annotations

import copy
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from river import base

from river_trapezoid._parameters import check_number
from river_trapezoid.evaluate.examinee import Examinee

from .linear import features_of, innermost
from .style import COLOURS, axes, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["evidence_curve"]


def evidence_curve(
    stream: Iterable[tuple[Any, Any]],
    model: base.Estimator,
    feature: Hashable,
    after: Sequence[int] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what the values of a feature stand for, above a histogram of them for each label.

    Parameters
    ----------
    stream
        The stream of `(x, y)`.
    model
        An `EvidenceClassifier`, or a pipeline, sampler or wrapper that ends in one. A clone of it
        learns from the stream, a sampler what it asks for.
    feature
        The feature to show. Its values are those that the learner gets, after the transformers of
        a pipeline.
    after
        After how many instances a curve is drawn, the later the darker; after all by default.
    ax
        The axes to draw on.

    """
    instances = list(stream)
    after = [len(instances)] if after is None else sorted(after)
    for step in after:
        check_number("after", step, integer=True, at_least=0, at_most=len(instances))
    learner = Examinee(model.clone())
    if not hasattr(innermost(learner.model), "evidence_one"):
        raise TypeError(f"model must have evidence_one, or end in one that has; got {model}")
    values: dict[Any, list[float]] = {}
    states = {}
    for t in range(len(instances) + 1):
        if t in after:
            states[t] = copy.deepcopy(innermost(learner.model))
        if t < len(instances):
            x, y = instances[t]
            learner.teach(x, y)
            value = features_of(learner.model, x).get(feature)
            if value is not None:
                values.setdefault(y, []).append(float(value))
    if not values:
        raise ValueError(f"feature must be one of the stream's; got {feature!r}")

    ax = axes(ax)
    ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=1)
    edges = np.linspace(min(map(min, values.values())), max(map(max, values.values())), 201)
    for i, step in enumerate(after):
        says = states[step].evidence_one
        # A feature that is not known yet says nothing.
        curve = [says({feature: edge}).get(feature, 0.0) for edge in edges.tolist()]
        shade = 0.75 * (1.0 - (i + 1) / len(after))
        name = f"after {step:,} instances" if len(after) > 1 else "evidence"
        ax.plot(edges, curve, color=str(shade), label=name, zorder=3)
    counts = ax.twinx()
    labels = sorted(values, key=repr)
    counts.hist(
        [values[y] for y in labels],
        bins=edges[::5].tolist(),
        histtype="stepfilled",
        color=[COLOURS[i % len(COLOURS)] for i in range(len(labels))],
        alpha=0.35,
        label=[str(y) for y in labels],
    )
    # The histogram takes the lowest quarter, the curves the rest.
    counts.set_ylim(0.0, 4.0 * counts.get_ylim()[1])
    counts.axis("off")
    low, high = ax.get_ylim()
    ax.set_ylim(low - (high - low) / 3.0, high)
    finish(ax, title=str(feature), x="value", y="evidence (log-odds)")
    handles = [*ax.get_legend_handles_labels()[0], *counts.get_legend_handles_labels()[0]]
    ax.legend(handles=handles, frameon=False, fontsize=8, bbox_to_anchor=(0.0, 0.25, 1.0, 0.75))
    return ax
