from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from river_trapezoid.evaluate._inputs import chosen
from river_trapezoid.evaluate.sweep import labels_of

from ._style import axes, error_bars, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from river_trapezoid.evaluate import Sensitivity

__all__ = ["sensitivity"]


def sensitivity(
    sensitivity: Sensitivity,
    stream: str | None = None,
    metric: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric against the values of a parameter, with bars of one standard deviation.

    There is a line for each model. The axis of the parameter is logarithmic if its values are
    positive and span more than two decades; zero may be among them, at the left end. Values are
    placed at equal distances, in their order, if some of them are infinite, are not numbers, or
    coincide, as 1 and 1.0 do.

    Parameters
    ----------
    sensitivity
        The result of `evaluate.sensitivity`.
    stream
        The stream to show; by default, the first one.
    metric
        The metric to show; by default, the first one.
    ax
        The axes to draw on; by default, those of a new figure.

    Examples
    --------

    >>> from river import datasets
    >>> from river import metrics
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import plot
    >>> from river_trapezoid import preprocessing

    >>> sensitivity = evaluate.sensitivity(
    ...     preprocessing.StandardScaler() | linear_model.OLSFClassifier(),
    ...     datasets.Phishing(),
    ...     metrics.Accuracy(),
    ...     parameter="C",
    ...     values=[0.001, 0.01, 0.1, 1.0],
    ...     progress=False,
    ... )
    >>> ax = plot.sensitivity(sensitivity)
    >>> ax.get_xlabel(), ax.get_xscale(), ax.get_ylabel()
    ('C', 'log', 'Accuracy')

    """
    stream = chosen("stream", stream, sensitivity.names("stream"))
    metric = chosen("metric", metric, sensitivity.names("metric"))
    ax = axes(ax)
    values = sensitivity.values
    numbers = _numbers(values)
    # A line is drawn from left to right, in any order of the values.
    order = sorted(range(len(values)), key=lambda i: values[i]) if numbers else range(len(values))
    x = [values[i] if numbers else i for i in order]
    for i, model in enumerate(sensitivity.names("model")):
        curve = sensitivity.curve(model, stream, metric)
        error_bars(ax, i, model, x, [curve[place] for place in order])
    if not numbers:
        ax.set_xticks(x, labels_of(values))
    elif x[0] >= 0 and x[-1] > 100 * (least := min(value for value in x if value > 0)):
        if x[0] > 0:
            ax.set_xscale("log")
        else:
            ax.set_xscale("symlog", linthresh=least)
    return finish(ax, title=stream, x=sensitivity.parameter, y=metric, legend=True)


def _numbers(values: Sequence[Any]) -> bool:
    """Whether all values are distinct finite numbers."""
    return all(type(value) in (int, float) and math.isfinite(value) for value in values) and len(
        set(values)
    ) == len(values)
