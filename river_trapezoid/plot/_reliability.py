from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from river_trapezoid.metrics import ExpectedCalibrationError

from ._style import MARKERS, axes, finish, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["reliability"]

# Counts that differ by a larger factor are drawn on a logarithmic axis.
_MAX_RATIO = 20
# The share of the height that the bars take.
_FOR_COUNTS = 0.28


def reliability(
    metric: ExpectedCalibrationError | Mapping[str, ExpectedCalibrationError],
    ax: Axes | None = None,
) -> Axes:
    """Draw a reliability diagram: the share of positives against the predicted probability.

    There is a point for each bin of probabilities. It lies on the diagonal if the probabilities are
    right, above it if they are too low, and below it if they are too high. The bars below the
    diagram show the number of instances in each bin: a point of few instances is uncertain. Their
    axis is logarithmic if the numbers differ by more than a factor of 20.

    Parameters
    ----------
    metric
        The metric with the bins, or several of them by name, to compare models.
    ax
        The axes to draw on; by default, those of a new figure. The bars take their lower part.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import metrics
    >>> from river_trapezoid import plot

    >>> model = linear_model.EvidenceClassifier()
    >>> metric = metrics.ExpectedCalibrationError(n_bins=5)
    >>> metric = evaluate.progressive_val_score(datasets.Phishing(), model, metric)
    >>> ax = plot.reliability(metric)
    >>> ax.get_ylabel()
    'share of positives'

    """
    named = dict(metric) if isinstance(metric, Mapping) else {"": metric}
    if not named:
        raise ValueError("metric must hold at least one metric; got an empty mapping")
    for name, each in named.items():
        if not isinstance(each, ExpectedCalibrationError):
            raise TypeError(
                f"metric must be an ExpectedCalibrationError, or several by name; got {each!r:.100}"
            )
        if not each.bins():
            where = f" in {name!r}" if isinstance(metric, Mapping) else ""
            raise ValueError(f"metric must hold at least one instance; got none{where}")

    ax = axes(ax, width=5.0, height=5.0)
    ax.plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=1.0, zorder=1)
    counts = ax.inset_axes((0.0, 0.0, 1.0, _FOR_COUNTS - 0.08), sharex=ax)
    weights: list[float] = []
    for i, (name, each) in enumerate(named.items()):
        bins, style = each.bins(), look(i)
        ax.plot(
            [b.mean_probability for b in bins],
            [b.share_positive for b in bins],
            marker=MARKERS[i % len(MARKERS)],
            markersize=5,
            label=name,
            **style,
        )
        width = 0.9 / (each.n_bins * len(named))
        counts.bar(
            [b.lower + 0.05 / each.n_bins + (i + 0.5) * width for b in bins],
            [b.weight for b in bins],
            width=width,
            color=style["color"],
        )
        weights += [b.weight for b in bins]
    if max(weights) > _MAX_RATIO * min(weights):
        counts.set_yscale("log")
        counts.set_ylim(bottom=min(weights) / 2.0)
    finish(counts, y="instances")
    counts.set_facecolor("none")
    counts.tick_params(labelbottom=False)
    finish(ax, x="predicted probability", legend=isinstance(metric, Mapping))
    ax.set_ylabel("share of positives", y=(1.0 + _FOR_COUNTS) / 2.0)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(1.0 - 1.04 / (1.0 - _FOR_COUNTS), 1.02)
    ax.set_yticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    ax.spines["left"].set_bounds(0.0, 1.02)
    return ax
