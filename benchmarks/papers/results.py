"""What the cells of a published figure come to, and how it compares."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Mapping
from typing import Any

from .paper import Plan, Setting
from .published import Published

__all__ = ["COLUMNS", "VERDICTS", "Outcome", "chosen", "compared", "result"]

COLUMNS = [
    *("paper", "table", "dataset", "algorithm", "params", "metric", "published", "published_std"),
    *("protocol", "ours", "ours_std", "repeats", "verdict", "reason"),
]
VERDICTS = ("digit", "within", "off", "above", "below", "not compared", "no data", "not run")
# Of each metric, how many decimals it has in print, what a point is, and whether more is better. A
# point of errors is a hundredth of the instances.
METRICS = {
    "errors": (1, 0.01, False),
    "AUC": (3, 0.01, True),
    "score_auc": (3, 0.01, True),
    "accuracy": (4, 0.01, True),
    "query_percent": (2, 1.0, True),
    "balanced_accuracy": (2, 1.0, True),
}

Results = Mapping[str, Mapping[str, Any]]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a plan came to: the setting that was chosen, and the results of its compared runs."""

    setting: Setting
    results: list[Mapping[str, Any]]
    reason: str

    def values(self, metric: str) -> list[float]:
        """A metric, for each run, or for each chunk where it was measured on these."""
        chunks = [value for result in self.results for value in result.get("chunks", ())]
        return chunks or [float(result[metric]) for result in self.results]


def chosen(plan: Plan, results: Results, metric: str) -> Outcome:
    """Choose among the settings of a plan by its rule."""
    metric = plan.metric or metric
    best = max if METRICS[metric][2] else min
    runs = [[results[cell.key] for cell in setting.cells] for setting in plan.settings]
    means = [
        statistics.fmean(r[metric] for r in (own[:1] if plan.choice == "first" else own))
        for own in runs
    ]
    i = means.index(best(means))
    said, compared = plan.settings[i].said, runs[i]
    if plan.choice == "compared":
        said += ", chosen on the compared runs"
    elif plan.choice == "first":
        said += ", chosen on the first order of the rows"
        # With one order there is no other to compare on.
        compared = compared[1:] or compared
    return Outcome(plan.settings[i], compared, said)


def result(figure: Published, plan: Plan, results: Results) -> dict[str, Any]:
    """The row of a published figure under a plan."""
    outcome = chosen(plan, results, figure.metric)
    values = outcome.values(plan.metric or figure.metric)
    mean = statistics.fmean(values)
    std = statistics.stdev(values) if len(values) > 1 else None
    decimals = METRICS[figure.metric][0] + 1
    verdict = ""
    if plan.against == "same":
        verdict = compared(figure, mean, std, outcome.results[0]["n_samples"])
    elif plan.against == "best":
        verdict = ranked(figure, mean)
    return {
        **row(figure, plan.protocol),
        "ours": f"{mean:.{decimals}f}",
        "ours_std": "" if std is None else f"{std:.{decimals}f}",
        "repeats": len(values),
        "verdict": verdict,
        "reason": outcome.reason,
    }


def row(
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
        "verdict": verdict,
        "reason": reason,
    }


def ranked(figure: Published, mean: float) -> str:
    """The verdict on a system of ours beside the best published figure of others.

    `"above"` if its mean is better than that figure, by however little, otherwise `"below"`.
    """
    more_is_better = METRICS[figure.metric][2]
    return "above" if mean != figure.mean and (mean > figure.mean) == more_is_better else "below"


def compared(figure: Published, mean: float, std: float | None, n_samples: int) -> str:
    """The verdict on a figure.

    `"digit"` if mean and standard deviation are those in print, `"within"` if the mean is within
    two published standard deviations or two points of it, otherwise `"off"`.
    """
    decimals, point, _ = METRICS[figure.metric]
    # What is printed is rounded, by half of its last digit.
    rounding = 0.5 / 10**decimals * (1 + 1e-6)
    difference = abs(mean - figure.mean)
    same_spread = figure.std is not None and std is not None and abs(std - figure.std) <= rounding
    if difference <= rounding and same_spread:
        return "digit"
    points = 2 * point * (n_samples if figure.metric == "errors" else 1)
    return "within" if difference <= max(2 * (figure.std or 0.0), points) else "off"
