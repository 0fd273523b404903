"""The results of the jobs of a published figure, and its verdict."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from typing import Any

from .job import Job
from .paper import Plan
from .published import Published

__all__ = [
    "BY_CONSTRUCTION",
    "CLOSE",
    "COLUMNS",
    "FAILS",
    "HOLDS",
    "METRICS",
    "VERDICTS",
    "chosen",
    "compared",
    "empty_row",
    "point",
    "ranked",
    "result",
]

COLUMNS = [
    *("paper", "table", "dataset", "algorithm", "params", "metric", "published", "published_std"),
    *("protocol", "ours", "ours_std", "repeats", "n_samples", "verdict", "reason"),
]
# Those of figures that hold, the first two within one point; those that do not; and others.
CLOSE = ("digit", "point")
HOLDS = (*CLOSE, "holds")
FAILS = ("off", "diverged")
VERDICTS = (
    *(*HOLDS, *FAILS, "above", "below"),
    *("by construction", "not compared", "no data", "not run"),
)
# A figure holds within this number of points, or within the standard error of the published mean
# if that is larger, but never beyond the second number.
TOLERANCE = 2.0
MOST = 5.0
# The number of decimals of each metric in print, the size of a point, and whether more is better. A
# point of errors is a hundredth of the instances.
METRICS = {
    "errors": (1, 0.01, False),
    "AUC": (3, 0.01, True),
    "score_auc": (3, 0.01, True),
    "accuracy": (4, 0.01, True),
    "query_percent": (2, 1.0, True),
    "balanced_accuracy": (2, 1.0, True),
}
# The metric that holds whatever a learner does, as rho is fitted to it.
BY_CONSTRUCTION = "query_percent"

Result = Mapping[str, Any]
Results = Mapping[str, Result]


def chosen(plan: Plan, results: Results) -> tuple[str, tuple[Job, ...], list[Result]]:
    """Choose among the settings of a plan by its rule.

    Returns
    -------
    The note on the chosen setting, its jobs, and the results of those that are compared.

    """
    metric = plan.metric or plan.figure.metric
    best = max if METRICS[metric][2] else min
    runs = {said: [results[job.key] for job in jobs] for said, jobs in plan.settings.items()}
    means = {
        said: statistics.fmean(r[metric] for r in (rs[:1] if plan.choice == "first" else rs))
        for said, rs in runs.items()
    }
    setting = best(means, key=means.__getitem__)
    said, compared = setting, runs[setting]
    if plan.choice == "compared":
        said += ", chosen on the compared runs"
    elif plan.choice == "first":
        said += ", chosen on the first order of the rows"
        # With one order there is no other to compare on.
        compared = compared[1:] or compared
    return said, plan.settings[setting], compared


def result(plan: Plan, results: Results, n_orders: int | None = None) -> dict[str, Any]:
    """The row of a published figure under a plan that was run.

    Parameters
    ----------
    plan
        The plan.
    results
        The results of its jobs, by their keys.
    n_orders
        As in `compared`.

    """
    figure = plan.figure
    said, _, runs = chosen(plan, results)
    n_samples = runs[0]["n_samples"]
    overflows = [run["diverged_at"] for run in runs if "diverged_at" in run]
    if overflows:
        note = f"{len(overflows)} of {len(runs)} runs overflow"
        note += f", the first after {min(overflows):,} of {n_samples:,} rows"
        return {
            **empty_row(figure, plan.protocol, "diverged", f"{said}; {note}"),
            "repeats": len(runs),
            "n_samples": n_samples,
        }
    # Of each run, or of each chunk where it was measured on these.
    values = [value for run in runs for value in run.get("chunks", ())]
    values = values or [float(run[plan.metric or figure.metric]) for run in runs]
    mean = statistics.fmean(values)
    std = statistics.stdev(values) if len(values) > 1 else None
    decimals = METRICS[figure.metric][0] + 1
    verdict = ""
    if figure.metric == BY_CONSTRUCTION:
        verdict = "by construction"
    elif plan.against == "same":
        verdict = compared(figure, mean, std, n_samples, n_orders)
    elif plan.against == "best":
        verdict = ranked(figure, mean)
    return {
        **empty_row(figure, plan.protocol, verdict, said),
        "ours": f"{mean:.{decimals}f}",
        "ours_std": "" if std is None else f"{std:.{decimals}f}",
        "repeats": len(values),
        "n_samples": n_samples,
    }


def empty_row(
    figure: Published, protocol: str = "", verdict: str = "", reason: str = ""
) -> dict[str, Any]:
    """A row without a result."""
    return {
        "paper": figure.paper,
        "table": figure.table,
        "dataset": figure.dataset,
        "algorithm": figure.algorithm,
        "params": figure.params,
        "metric": figure.metric,
        "published": "" if math.isnan(figure.mean) else figure.mean,
        "published_std": "" if figure.std is None else figure.std,
        "protocol": protocol,
        "ours": "",
        "ours_std": "",
        "repeats": 0,
        "n_samples": "",
        "verdict": verdict,
        "reason": reason,
    }


def ranked(figure: Published, mean: float) -> str:
    """The verdict on a system of ours beside the best published figure of others.

    `"above"` if its mean is better than that figure, by however little, otherwise `"below"`.
    """
    more_is_better = METRICS[figure.metric][2]
    return "above" if mean != figure.mean and (mean > figure.mean) == more_is_better else "below"


def compared(
    figure: Published, mean: float, std: float | None, n_samples: int, n_orders: int | None
) -> str:
    """The verdict on a figure.

    `"digit"` if mean and standard deviation are those in print, otherwise by the difference of the
    means: `"point"` up to one point, `"holds"` up to two points or the published standard error,
    whichever is larger, but at most five points, and `"off"` beyond.

    Parameters
    ----------
    figure
        The published figure.
    mean
        Our mean.
    std
        Our standard deviation; None if there is none.
    n_samples
        The number of instances, which errors are divided by.
    n_orders
        The number of orders of the rows that the published figure is a mean over; None if its
        deviation is not one between orders, so that the mean has no standard error.

    """
    decimals, _, _ = METRICS[figure.metric]
    # Published figures are rounded to the last digit.
    rounding = 0.5 / 10**decimals * (1 + 1e-6)
    same_spread = figure.std is not None and std is not None and abs(std - figure.std) <= rounding
    if abs(mean - figure.mean) <= rounding and same_spread:
        return "digit"
    size = point(figure.metric, n_samples)
    difference = abs(mean - figure.mean) / size
    if difference <= 1.0:
        return "point"
    error = 0.0 if n_orders is None else (figure.std or 0.0) / size / math.sqrt(n_orders)
    return "holds" if difference <= min(max(TOLERANCE, error), MOST) else "off"


def point(metric: str, n_samples: int) -> float:
    """The size of a point: of errors, a hundredth of the instances."""
    return METRICS[metric][1] * (n_samples if metric == "errors" else 1)
