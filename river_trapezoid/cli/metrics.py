from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import typer
from river import metrics

from river_trapezoid.metrics import BinnedROCAUC

from .options import names

__all__ = ["metrics_by_name"]

# Those that are a number and need no parameter.
_METRICS: dict[str, Any] = {
    name: metric
    for name, metric in vars(metrics).items()
    if isinstance(metric, type)
    and issubclass(metric, metrics.base.ClassificationMetric)
    and not issubclass(metric, metrics.ConfusionMatrix | metrics.ClassificationReport)
    and all(
        parameter.default is not parameter.empty
        for parameter in inspect.signature(metric).parameters.values()
    )
}
# River's has ten thresholds, which may take points off where predictions lie close together.
_METRICS["ROCAUC"] = BinnedROCAUC


def metrics_by_name(given: Sequence[str] | None, several: bool | None = None) -> dict[str, Any]:
    """River's metrics of these names, or by default two that suit the task.

    Parameters
    ----------
    given
        The names, as an option has them; None for the default.
    several
        Whether there are more than two classes; None if that is not known yet.

    """
    if given is None:
        given = ["Accuracy", "MacroF1" if several else "ROCAUC"]
    chosen = {name: _METRICS[name]() for name in names("--metrics", given, list(_METRICS))}
    for name, metric in chosen.items():
        if several and isinstance(metric, metrics.base.BinaryMetric):
            raise typer.BadParameter(
                f"{name} is for two labels; Accuracy, MacroF1 and BalancedAccuracy are for more",
                param_hint="--metrics",
            )
    return chosen
