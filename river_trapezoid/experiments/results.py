"""What the cells of a published figure come to, and how it compares."""

from __future__ import annotations

import dataclasses
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
VERDICTS = ("digit", "within", "off", "no data", "not run")

Results = Mapping[str, Mapping[str, Any]]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a plan came to: the setting that was chosen, and the results of its compared runs."""

    setting: Setting
    results: list[Mapping[str, Any]]
    reason: str

    def values(self, metric: str) -> list[float]:
        """A metric, for each run."""
        return [float(result[metric]) for result in self.results]


def chosen(plan: Plan, results: Results, metric: str) -> Outcome:
    """Choose among the settings of a plan by its rule."""
    runs = [[results[cell.key] for cell in setting.cells] for setting in plan.settings]
    if plan.choice == "first":
        first = [own[0][metric] for own in runs]
        best = first.index(min(first))
        said = f"{plan.settings[best].said}, chosen on the first order of the rows"
        # With one order there is no other to compare on.
        return Outcome(plan.settings[best], runs[best][1:] or runs[best], said)
    means = [statistics.fmean(result[metric] for result in own) for own in runs]
    best = means.index(min(means))
    said = plan.settings[best].said
    if plan.choice == "compared":
        said += ", chosen on the compared runs"
    return Outcome(plan.settings[best], runs[best], said)


def result(figure: Published, plan: Plan, results: Results) -> dict[str, Any]:
    """The row of a published figure under a plan."""
    outcome = chosen(plan, results, figure.metric)
    n_samples = outcome.results[0]["n_samples"]
    values = outcome.values(figure.metric)
    mean = statistics.fmean(values)
    std = statistics.stdev(values) if len(values) > 1 else None
    return {
        **row(figure, plan.protocol),
        "ours": f"{mean:.2f}",
        "ours_std": "" if std is None else f"{std:.2f}",
        "repeats": len(values),
        "verdict": compared(figure, mean, std, n_samples),
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
        "published": figure.mean,
        "published_std": "" if figure.std is None else figure.std,
        "protocol": protocol,
        "ours": "",
        "ours_std": "",
        "repeats": 0,
        "verdict": verdict,
        "reason": reason,
    }


def compared(figure: Published, mean: float, std: float | None, n_samples: int) -> str:
    """The verdict on a figure.

    `"digit"` if mean and standard deviation are those in print, `"within"` if the mean is within
    two published standard deviations or two points of it, otherwise `"off"`. A point is a hundredth
    of the instances where errors are counted.
    """
    difference = abs(mean - figure.mean)
    # What is printed is rounded to one decimal, half a digit in either direction.
    rounding = 0.05 + 1e-9
    same_spread = figure.std is not None and std is not None and abs(std - figure.std) <= rounding
    if difference <= rounding and same_spread:
        return "digit"
    return "within" if difference <= max(2 * (figure.std or 0.0), 0.02 * n_samples) else "off"
