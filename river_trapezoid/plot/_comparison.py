from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from river_trapezoid._parameters import check_bool
from river_trapezoid.evaluate._inputs import chosen

from ._style import axes, error_bars, finish, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from river_trapezoid.evaluate import Comparison

__all__ = ["bars", "heat_map", "label_cost", "learning_curves"]


def learning_curves(
    comparison: Comparison,
    stream: str | None = None,
    metric: str | None = None,
    rate: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric against the number of instances, with a band of one standard deviation.

    Parameters
    ----------
    comparison
        The result of `evaluate.compare` with `n_points` above 1.
    stream
        The stream to show; by default, the first one.
    metric
        The metric to show; by default, the first one.
    rate
        Whether to divide the metric by the number of instances. The count of `metrics.Errors`
        becomes the error rate.
    ax
        The axes to draw on; by default, those of a new figure.

    """
    check_bool("rate", rate)
    stream = chosen("stream", stream, comparison.names("stream"))
    metric = chosen("metric", metric, comparison.names("metric"))
    ax = axes(ax)
    for i, model in enumerate(comparison.names("model")):
        curves: dict[int, list[float]] = {}
        for r in comparison.records:
            if (r["stream"], r["model"], r["metric"]) == (stream, model, metric):
                value = r["value"] / r["step"] if rate else r["value"]
                curves.setdefault(r["step"], []).append(value)
        if not curves:
            continue
        steps = sorted(curves)
        mean = np.array([np.mean(curves[step]) for step in steps])
        spread = np.array([np.std(curves[step]) for step in steps])
        style = look(i)
        ax.plot(steps, mean, label=model, **style)
        ax.fill_between(
            steps, mean - spread, mean + spread, color=style["color"], alpha=0.15, linewidth=0
        )
    y = f"{metric} per instance" if rate else metric
    return finish(ax, title=stream, x="instances", y=y, legend=True)


def bars(
    comparison: Comparison,
    stream: str | None = None,
    metric: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the final value of a metric as a bar for each model, with its standard deviation.

    Parameters
    ----------
    comparison
        The result of `evaluate.compare`.
    stream
        The stream to show; by default, the first one.
    metric
        The metric to show; by default, the first one.
    ax
        The axes to draw on; by default, those of a new figure.

    """
    stream = chosen("stream", stream, comparison.names("stream"))
    metric = chosen("metric", metric, comparison.names("metric"))
    ax = axes(ax)
    for i, model in enumerate(comparison.names("model")):
        values = comparison.values(stream, model, metric)
        if values:
            spread = np.std(values, ddof=1) if len(values) > 1 else None
            ax.bar(i, np.mean(values), yerr=spread, color=look(i)["color"], label=model, capsize=3)
    ax.set_xticks([])
    return finish(ax, title=stream, y=metric, legend=True)


def label_cost(
    points: Sequence[dict[str, Any]], stream: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a metric against the share of the labels that the model has learned from.

    Parameters
    ----------
    points
        The result of `evaluate.label_cost_curve`.
    stream
        The stream to show; by default, the first one.
    ax
        The axes to draw on; by default, those of a new figure.

    """
    stream = chosen("stream", stream, list(dict.fromkeys(point["stream"] for point in points)))
    ax = axes(ax)
    for i, family in enumerate(dict.fromkeys(point["family"] for point in points)):
        curve = [p for p in points if p["family"] == family and p["stream"] == stream]
        curve.sort(key=lambda p: p["labels_used"])
        error_bars(ax, i, family, [p["labels_used"] for p in curve], curve)
    ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.6g}%")
    x = "share of labels learned from"
    return finish(ax, title=stream, x=x, y=points[0]["metric"], legend=True)


def heat_map(
    comparison: Comparison,
    metric: str | None = None,
    baseline: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the mean of a metric for every stream and model; better values are darker.

    Cells are coloured by rank within their row, so that streams of different difficulty can be
    compared.

    Parameters
    ----------
    comparison
        The result of `evaluate.compare`.
    metric
        The metric to show; by default, the first one.
    baseline
        A model. Values that are better or worse than its values (paired t-test at 0.05) are marked
        + or -.
    ax
        The axes to draw on; by default, those of a new figure.

    """
    metric = chosen("metric", metric, comparison.names("metric"))
    streams, models = comparison.names("stream"), comparison.names("model")
    rows = [row for row in comparison.summary(baseline) if row["metric"] == metric]
    bigger = {r["metric"]: r["bigger_is_better"] for r in comparison.records}[metric]
    mean = np.array([row["mean"] for row in rows]).reshape(len(streams), len(models))
    score = np.where(np.isnan(mean), -np.inf, mean if bigger else -mean)
    rank = score.argsort(axis=1).argsort(axis=1)
    if ax is None:
        ax = axes(ax, width=1.6 + 1.1 * len(models), height=1.2 + 0.42 * len(streams))
    ax.imshow(rank, cmap="Blues", aspect="auto", vmin=-0.5, vmax=1.3 * max(1, len(models) - 1))
    for i, row in enumerate(rows):
        best = rank[i // len(models), i % len(models)] == len(models) - 1
        ax.text(
            i % len(models),
            i // len(models),
            f"{row['mean']:.3f} {row.get('verdict', '')}".rstrip() if row["repeats"] else "failed",
            ha="center",
            va="center",
            fontsize=8,
            fontweight="bold" if best else "normal",
            color="white" if best else "black",
        )
    ax.set_xticks(range(len(models)), models, rotation=30, ha="right")
    ax.set_yticks(range(len(streams)), streams)
    ax.tick_params(length=0)
    title = metric if baseline is None else f"{metric} (+/-: better or worse than {baseline})"
    return finish(ax, title=title, frame=False)
