from __future__ import annotations

import copy
import itertools
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from river import base

from river_trapezoid._parameters import check_number
from river_trapezoid.evaluate.hold_out import Instances
from river_trapezoid.evaluate.progressive import Evaluator, training_points
from river_trapezoid.inspection._introspect import check_pairs, features_of, innermost, learner_with

from ._style import COLOURS, axes, finish, legend_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["evidence_curve", "head_shares", "pair_evidence"]


def evidence_curve(
    stream: Instances,
    model: base.Estimator,
    feature: Hashable,
    after: Sequence[int] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the evidence of a feature against its value, above a histogram of values for each label.

    Parameters
    ----------
    stream
        The stream of `(x, y)`.
    model
        An `EvidenceClassifier`, or a pipeline, sampler or wrapper around one. A clone of it learns
        from the stream; a sampler learns only from the labels that it queries.
    feature
        The feature to show. Its values are those that the learner receives, after the transformers
        of a pipeline.
    after
        Numbers of instances after which to draw a curve; later curves are darker. By default, one
        curve is drawn after all instances.
    ax
        The axes to draw on; by default, those of a new figure.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import plot

    >>> model = linear_model.EvidenceClassifier()
    >>> ax = plot.evidence_curve(datasets.Phishing(), model, "https", after=[50, 500])
    >>> ax.get_title(loc="left"), ax.get_ylabel()
    ('https', 'evidence (log-odds)')

    """
    instances = list(stream)
    after = [len(instances)] if after is None else sorted(after)
    for step in after:
        check_number("after", step, integer=True, at_least=0, at_most=len(instances))
    learner = Evaluator(model.clone())
    learner_with("evidence_one", learner.model)
    values: dict[Any, list[float]] = {}
    states = {}
    for t in range(len(instances) + 1):
        if t in after:
            states[t] = copy.deepcopy(innermost(learner.model))
        if t < len(instances):
            x, y = instances[t]
            learner.learn_if_queried(x, y)
            value = features_of(learner.model, x).get(feature)
            if value is not None:
                values.setdefault(y, []).append(float(value))
    if not values:
        raise ValueError(f"feature must be a feature of the stream; got {feature!r}")

    ax = axes(ax)
    ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=1)
    edges = np.linspace(min(map(min, values.values())), max(map(max, values.values())), 201)
    for i, step in enumerate(after):
        evidence_one = states[step].evidence_one
        # A feature that the learner has not observed yet has no evidence.
        curve = [evidence_one({feature: edge}).get(feature, 0.0) for edge in edges.tolist()]
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
    # The histogram takes the lowest quarter of the axes, the curves take the rest.
    counts.set_ylim(0.0, 4.0 * counts.get_ylim()[1])
    counts.axis("off")
    low, high = ax.get_ylim()
    ax.set_ylim(low - (high - low) / 3.0, high)
    finish(ax, title=str(feature), x="value", y="evidence (log-odds)")
    handles = [*ax.get_legend_handles_labels()[0], *counts.get_legend_handles_labels()[0]]
    ax.legend(handles=handles, frameon=False, fontsize=8, bbox_to_anchor=(0.0, 0.25, 1.0, 0.75))
    return ax


def pair_evidence(
    model: base.Estimator,
    a: Hashable,
    b: Hashable,
    stream: Instances | None = None,
    a_range: tuple[float, float] | None = None,
    b_range: tuple[float, float] | None = None,
    n_points: int = 60,
    ax: Axes | None = None,
) -> Axes:
    """Draw the evidence of a pair of features: their joint evidence beyond that of each by itself.

    Red is evidence for the positive label, blue is evidence against it. White means no evidence,
    for example where the model has seen no instances.

    Parameters
    ----------
    model
        A trained `EvidenceClassifier`, or a pipeline, sampler or wrapper around one. It is not
        modified.
    a
        The feature of the horizontal axis. Its values are those that the learner receives, after
        the transformers of a pipeline.
    b
        The feature of the vertical axis.
    stream
        Instances, as `(x, y)`, whose smallest and largest values limit the axes; labels are ignored.
    a_range
        The smallest and the largest value of `a` to show; by default, those of the stream.
    b_range
        The smallest and the largest value of `b` to show; by default, those of the stream.
    n_points
        Number of values of each feature.
    ax
        The axes to draw on; by default, those of a new figure.

    Examples
    --------

    The label is the exclusive or of the signs of two numbers, so neither has evidence by itself:

    >>> import random
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import plot

    >>> rng = random.Random(1)
    >>> model = linear_model.EvidenceClassifier()
    >>> for _ in range(500):
    ...     x = {"a": rng.uniform(-1, 1), "b": rng.uniform(-1, 1)}
    ...     model.learn_one(x, (x["a"] > 0) != (x["b"] > 0))

    >>> ax = plot.pair_evidence(model, "a", "b", a_range=(-1, 1), b_range=(-1, 1))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('a', 'b')

    """
    check_number("n_points", n_points, integer=True, at_least=2)
    learner = learner_with("pair_evidence_one", model)
    _check_pair(learner, a, b)
    seen = None if stream is None else [features_of(model, x) for x, _ in stream]
    across = np.linspace(*_bounds("a_range", a_range, a, seen), n_points)
    up = np.linspace(*_bounds("b_range", b_range, b, seen), n_points)
    evidence = np.array(
        [
            # Two features form one pair.
            [next(iter(learner.pair_evidence_one({a: u, b: v}).values())) for u in across.tolist()]
            for v in up.tolist()
        ]
    )

    ax = axes(ax, width=5.5, height=4.4)
    # Rounding errors around zero stay white.
    limit = max(np.abs(evidence).max(), 1e-6)
    mesh = ax.pcolormesh(
        across,
        up,
        evidence,
        cmap="RdBu_r",
        vmin=-limit,
        vmax=limit,
        shading="nearest",
        # In a vector graphic, thousands of cells would be thousands of shapes.
        rasterized=True,
    )
    bar = ax.figure.colorbar(mesh, ax=ax)
    bar.set_label("evidence (log-odds)")
    bar.outline.set_visible(False)
    finish(ax, title="Evidence of a pair", x=str(a), y=str(b))
    ax.grid(visible=False)
    return ax


def _check_pair(learner: Any, a: Hashable, b: Hashable) -> None:
    """Raise an error that gives the reason if the learner has no evidence for a pair of features."""
    check_pairs(learner)
    if a == b:
        raise ValueError(f"b must differ from a; got {b!r} for both")
    for name, feature in ("a", a), ("b", b):
        if not learner.evidence_one({feature: 0.0}):
            raise ValueError(
                f"{name} must be a feature that the model has observed; got {feature!r}"
            )
    if not learner.pair_evidence_one({a: 0.0, b: 0.0}):
        raise ValueError(
            f"a and b must be a pair for which the model has evidence; got {a!r} and {b!r}, which "
            f"were not both among the {learner.n_paired} strongest features of a recent instance"
        )


def _bounds(
    name: str,
    given: tuple[float, float] | None,
    feature: Hashable,
    instances: Sequence[Mapping[Hashable, Any]] | None,
) -> tuple[float, float]:
    """Return the smallest and the largest value to show: those given, or those of the instances."""
    if given is None:
        if instances is None:
            raise ValueError(f"{name} or stream must be given; got neither")
        values = {float(x[feature]) for x in instances if feature in x}
        if len(values) < 2:
            raise ValueError(
                f"{name} must be given, since the stream has fewer than two values of {feature!r}"
            )
        return min(values), max(values)
    if len(given) != 2 or not check_number(name, given[0]) < check_number(name, given[1]):
        raise ValueError(f"{name} must be two numbers in ascending order; got {given!r}")
    return given


def head_shares(
    stream: Instances,
    model: base.Estimator,
    n_points: int = 100,
    ax: Axes | None = None,
) -> Axes:
    """Draw the shares of the heads of a mixture over time.

    The share of a head is the weight of its margin in the mixture. Shares may be negative and need
    not sum to one.

    Parameters
    ----------
    stream
        The stream of `(x, y)`.
    model
        An `EvidenceClassifier`, or a pipeline, sampler or wrapper around one. A clone of it learns
        from the stream; a sampler learns only from the labels that it queries.
    n_points
        Number of points in time.
    ax
        The axes to draw on; by default, those of a new figure.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import plot

    >>> ax = plot.head_shares(datasets.Phishing().take(200), linear_model.EvidenceClassifier())
    >>> sorted(line.get_label() for line in ax.get_lines()[1:])
    ['both', 'evidence', 'pairs', 'recent', 'values']

    """
    check_number("n_points", n_points, integer=True, at_least=1)
    learner = Evaluator(model.clone())
    if len(learner_with("head_shares", learner.model).head_shares) < 2:
        raise ValueError(f"model must have several heads, with mixture=True; got {model}")
    steps = [0]
    history = [innermost(learner.model).head_shares]
    for step in training_points(learner, stream, n_points):
        steps.append(step)
        history.append(innermost(learner.model).head_shares)

    ax = axes(ax)
    ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=1)
    lines = [
        ax.plot(steps, [shares[head] for shares in history], color=colour, label=head)[0]
        for head, colour in zip(history[0], itertools.cycle(COLOURS), strict=False)
    ]
    finish(ax, title="Heads", x="instances", y="share in the mixture")
    # Sorted by the last value of each line.
    legend_beside(ax, sorted(lines, key=lambda line: -line.get_ydata()[-1]))
    return ax
