from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import typer
from river import metrics

from river_trapezoid.metrics import (
    AveragePrecision,
    BinnedROCAUC,
    BrierScore,
    ExpectedCalibrationError,
)

from .options import names

__all__ = ["metric_names", "metrics_for"]

# The metrics that are a number and need no parameter.
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
# River's ROCAUC has ten thresholds, which may cost points where predictions lie close together.
_METRICS["ROCAUC"] = BinnedROCAUC
_METRICS |= {
    metric.__name__: metric for metric in (AveragePrecision, BrierScore, ExpectedCalibrationError)
}


def metric_names(given: Sequence[str]) -> list[str]:
    """The names of the metrics in an option."""
    return names("--metrics", given, list(_METRICS))


def metrics_for(
    chosen: Sequence[str] | None, is_multiclass: bool, are_rare: bool = False
) -> dict[str, Any]:
    """The metrics of a comparison by name.

    Parameters
    ----------
    chosen
        The names; None for those that suit the task.
    is_multiclass
        Whether there are more than two classes.
    are_rare
        Whether positive labels are rare, so that the accuracy hardly depends on them.

    """
    if chosen is None and are_rare:
        chosen = ["ROCAUC", "AveragePrecision", "F1"]
    if chosen is None:
        chosen = ["Accuracy", "MacroF1" if is_multiclass else "ROCAUC"]
    for name in chosen:
        if is_multiclass and issubclass(_METRICS[name], metrics.base.BinaryMetric):
            raise typer.BadParameter(
                f"{name} is for two labels; Accuracy, MacroF1 and BalancedAccuracy are for more",
                param_hint="--metrics",
            )
    return {name: _METRICS[name]() for name in chosen}
