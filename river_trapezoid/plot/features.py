from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from river import base, compose

from river_trapezoid._parameters import check_number

from .style import COLOURS, axes, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["evidence_curve", "feature_space", "weights_over_time"]

Instances = Iterable[tuple[dict, Any]]


def feature_space(
    stream: Instances,
    model: base.Estimator | None = None,
    n_bins: int = 100,
    ax: Axes | None = None,
) -> Axes:
    """Draw which features exist when, and which of them a model keeps.

    A row is a feature, in the order of first appearance from below. It is light where the feature
    is observed, the lighter the rarer, and dark where the model has a weight for it.

    Parameters
    ----------
    stream
        The stream of `(x, y)`.
    model
        A linear model with `weights`, or a pipeline that ends in one. A clone of it learns from
        the stream. None to draw the stream alone.
    n_bins
        Number of columns; each stands for an equal number of instances.
    ax
        The axes to draw on.

    """
    check_number("n_bins", n_bins, integer=True, at_least=1)
    instances = list(stream)
    edges = np.unique(np.linspace(0, len(instances), n_bins + 1).astype(int))
    learner: Any = None if model is None else model.clone()
    row: dict[Hashable, int] = {}
    observed: list[dict[Hashable, float]] = []
    kept: list[set[Hashable]] = []
    for start, stop in itertools.pairwise(edges):
        share: dict[Hashable, float] = {}
        for x, y in instances[start:stop]:
            for name, value in x.items():
                if value is not None and value == value:
                    row.setdefault(name, len(row))
                    share[name] = share.get(name, 0.0) + 1.0 / (stop - start)
            if learner is not None:
                learner.predict_one(x)
                learner.learn_one(x, y)
        observed.append(share)
        kept.append(set() if learner is None else set(_weights(learner)))

    image = np.ones((len(row), len(observed), 3))
    light, dark = np.array([0.45, 0.68, 0.86]), np.array([0.02, 0.24, 0.47])
    for column, (share, weights) in enumerate(zip(observed, kept, strict=True)):
        for name, i in row.items():
            if name in weights:
                image[i, column] = dark
            elif name in share:
                image[i, column] = 1.0 - (1.0 - light) * (0.25 + 0.75 * share[name])
    ax = axes(ax)
    ax.imshow(
        image,
        aspect="auto",
        origin="lower",
        interpolation="nearest",
        extent=(0, len(instances), 0, len(row)),
    )
    if model is not None:
        from matplotlib.patches import Patch

        handles = [
            Patch(color=tuple(dark.tolist()), label="has a weight"),
            Patch(color=tuple(light.tolist()), label="observed"),
        ]
        ax.legend(handles=handles, loc="upper left", frameon=True, fontsize=9)
    finish(ax, title="Feature space", x="instances", y="features, by first appearance")
    ax.grid(visible=False)
    if len(row) <= 30:
        ax.set_yticks(np.arange(len(row)) + 0.5, [str(name) for name in row], fontsize=8)
        ax.set_ylabel("")
    return ax


def weights_over_time(
    stream: Instances,
    model: base.Estimator,
    n_features: int = 7,
    n_points: int = 100,
    ax: Axes | None = None,
) -> Axes:
    """Draw the weights of a model as it learns.

    Parameters
    ----------
    stream
        The stream of `(x, y)`.
    model
        A linear model with `weights`, or a pipeline that ends in one. A clone of it learns from
        the stream.
    n_features
        How many features are drawn in colour: those with the largest weight at any time. The
        others are grey.
    n_points
        Number of points in time.
    ax
        The axes to draw on.

    """
    check_number("n_features", n_features, integer=True, at_least=0)
    check_number("n_points", n_points, integer=True, at_least=1)
    instances = list(stream)
    points = set(np.linspace(0, len(instances), n_points + 1).astype(int)[1:])
    learner: Any = model.clone()
    steps = [0]
    history: list[dict[Hashable, float]] = [{}]
    for t, (x, y) in enumerate(instances, start=1):
        learner.predict_one(x)
        learner.learn_one(x, y)
        if t in points:
            steps.append(t)
            history.append(dict(_weights(learner)))

    largest: dict[Hashable, float] = {}
    for weights in history:
        for name, weight in weights.items():
            largest[name] = max(largest.get(name, 0.0), abs(weight))
    ranked = sorted(largest, key=lambda name: -largest[name])
    ax = axes(ax)
    for i, name in reversed(list(enumerate(ranked))):
        values = [weights.get(name, 0.0) for weights in history]
        if i < n_features:
            style = ("-", "--", ":")[i // len(COLOURS) % 3]
            ax.plot(
                steps, values, color=COLOURS[i % len(COLOURS)], linestyle=style, label=str(name)
            )
        else:
            ax.plot(steps, values, color="0.8", linewidth=0.7, zorder=1)
    finish(ax, title="Weights", x="instances", y="weight")
    handles, labels = ax.get_legend_handles_labels()
    if handles:
        ax.legend(
            handles[::-1],
            labels[::-1],
            frameon=False,
            fontsize=8,
            loc="upper left",
            bbox_to_anchor=(1, 1),
        )
    return ax


def evidence_curve(
    stream: Instances,
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
        A model with `evidence_one`. A clone of it learns from the stream.
    feature
        The feature to show.
    after
        After how many instances a curve is drawn, the later the darker; after all by default.
    ax
        The axes to draw on.

    """
    instances = list(stream)
    after = [len(instances)] if after is None else sorted(after)
    for step in after:
        check_number("after", step, integer=True, at_least=0, at_most=len(instances))
    values: dict[Any, list[float]] = {}
    for x, y in instances:
        value = x.get(feature)
        if value is not None and value == value:
            values.setdefault(y, []).append(float(value))
    if not values:
        raise ValueError(f"feature must be one of the stream's; got {feature!r}")
    learner: Any = model.clone()
    if not hasattr(learner, "evidence_one"):
        raise TypeError(f"model must have evidence_one; got {learner}")

    ax = axes(ax)
    ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=1)
    edges = np.linspace(min(map(min, values.values())), max(map(max, values.values())), 201)
    learned = 0
    for i, step in enumerate(after):
        for x, y in instances[learned:step]:
            learner.learn_one(x, y)
        learned = step
        # A feature that is not known yet says nothing.
        curve = [learner.evidence_one({feature: edge}).get(feature, 0.0) for edge in edges.tolist()]
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


def _weights(model: base.Estimator) -> dict[Hashable, float]:
    final: Any = model
    while isinstance(final, compose.Pipeline):
        final = final[-1]
    try:
        return final.weights
    except AttributeError:
        raise TypeError(
            f"model must be a linear model with weights, or end in one; got {final}"
        ) from None
