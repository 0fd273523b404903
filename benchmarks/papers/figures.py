"""Drawings of the papers' figures from stored results."""

from __future__ import annotations

import dataclasses
import math
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.papers.bounds.plot import bound
from river_trapezoid import evaluate, plot

from .data import Data
from .job import Job
from .paper import Figure, Paper, Plan, Seeds
from .results import Result, Results, chosen

__all__ = ["bound_jobs", "draw", "run_records", "shown", "sweeps"]

Record = dict[str, Any]

# The metrics of which runs keep a curve.
CUMULATIVE = ("errors", "loss")
# Runs for each value of a parameter, in the figures that only show how it matters.
N_SWEEP_REPEATS = 5


def sweeps(
    paper: Paper,
    figure: Figure,
    protocol: str,
    data: Mapping[str, Data | None],
    seeds: Seeds,
) -> dict[tuple[str, str], list[tuple[Job, ...]]]:
    """The jobs that only a figure needs, by data set and system, for each value of its parameter.

    Parameters
    ----------
    paper
        The paper.
    figure
        Its figure.
    protocol
        The protocol.
    data
        The data sets of the figure, None for those that cannot be had.
    seeds
        The seeds of a protocol's runs on a data set.

    """
    return {
        (name, system): paper.sweep(
            figure, name, dataset, system, protocol, seeds(protocol, dataset)[:N_SWEEP_REPEATS]
        )
        for name, dataset in data.items()
        if dataset is not None
        for system in figure.systems
    }


def shown(figure: Figure, plans: Iterable[Plan], protocol: str) -> list[Plan]:
    """The plans whose runs under a protocol a figure shows."""
    return [
        plan
        for plan in plans
        if plan.settings
        and plan.protocol == protocol
        and not figure.systems
        and not math.isnan(plan.figure.mean)
        and plan.figure.table == figure.table
        and (not figure.params or plan.figure.params in figure.params)
    ]


def bound_jobs(figure: Figure, plans: Iterable[Plan], results: Results) -> dict[str, Job]:
    """The jobs of the bound that a figure shows, by data set, for the setting that was chosen."""
    return {
        plan.figure.dataset: dataclasses.replace(chosen(plan, results)[1][0], protocol="bound")
        for plan in shown(figure, plans, "text")
        if plan.figure.algorithm == figure.bound
    }


def run_records(
    dataset: str, system: str, results: Sequence[Result], metric: str, **more: Any
) -> list[Record]:
    """The runs of a system on a data set, as records of a comparison."""
    return [
        {
            "stream": dataset,
            "model": system,
            "repeat": repeat,
            "seed": repeat,
            "metric": metric,
            "bigger_is_better": metric not in CUMULATIVE,
            "step": step,
            "value": float(value),
            **more,
        }
        for repeat, result in enumerate(results)
        for step, value in _curve(result, metric)
    ]


def _curve(result: Result, metric: str) -> list[tuple[int, float]]:
    """A metric over time, as far as a run has kept it."""
    n = result["n_samples"]
    if "chunks" in result:
        chunks = result["chunks"]
        return [((i + 2) * n // (len(chunks) + 1), value) for i, value in enumerate(chunks)]
    if metric not in CUMULATIVE:
        return [(n, result[metric])]
    curve = result["curve"]
    return [(round((i + 1) * n / len(curve)), value) for i, value in enumerate(curve)]


def draw(
    paper: Paper,
    figure: Figure,
    protocol: str,
    data: Mapping[str, Data | None],
    swept: Mapping[tuple[str, str], list[tuple[Job, ...]]],
    plans: Sequence[Plan],
    results: Results,
    folder: pathlib.Path,
) -> None:
    """Draw a figure with a panel for each data set, unless there is nothing to draw.

    Parameters
    ----------
    paper
        The paper.
    figure
        Its figure.
    protocol
        The protocol.
    data
        The data sets of the figure, in their order, None for those that cannot be had.
    swept
        The jobs that only the figure needs, as given by `sweeps`.
    plans
        The plans of the paper.
    results
        The results of all jobs, by their keys.
    folder
        The folder to write to.

    """
    panels: dict[str, list[Record]] = {name: [] for name in data}
    for (name, system), by_value in swept.items():
        for value, jobs in zip(figure.values, by_value, strict=True):
            runs = [results[job.key] for job in jobs]
            panels[name] += run_records(name, system, runs, figure.metric, setting=value)
    for plan in shown(figure, plans, protocol):
        name, system = plan.figure.dataset, plan.figure.algorithm
        panels[name] += run_records(name, system, chosen(plan, results)[2], figure.metric)
    panels = {name: records for name, records in panels.items() if records}
    if not panels:
        return
    bounds = {}
    if protocol == "text":
        jobs_of_bound = bound_jobs(figure, plans, results)
        bounds = {name: results[job.key] for name, job in jobs_of_bound.items()}
    title = f"{paper.title}, Figure {figure.number}: {figure.caption}; {protocol}"
    left_out = [name for name, dataset in data.items() if dataset is None]
    if left_out:
        title += f" (not drawn: {', '.join(left_out)})"
    _draw(
        figure,
        panels,
        bounds,
        title,
        folder / f"{paper.name}-figure-{figure.number}-{protocol}.png",
    )


def _draw(
    figure: Figure,
    panels: Mapping[str, list[Record]],
    bounds: Mapping[str, Result],
    title: str,
    path: pathlib.Path,
) -> None:
    import matplotlib
    import matplotlib.pyplot as plt

    records = [record for panel in panels.values() for record in panel]
    with matplotlib.rc_context({"savefig.bbox": "tight"}):
        matplotlib.use("agg")
        if figure.kind == "sensitivity":
            sensitivity = evaluate.Sensitivity(figure.parameter, list(figure.values), records)
        else:
            comparison = evaluate.Comparison(records)

        def draw_panel(name: str, ax: Any) -> None:
            if figure.kind == "sensitivity":
                plot.sensitivity(sensitivity, name, ax=ax)
            elif figure.kind == "bars":
                plot.bars(comparison, name, ax=ax)
            else:
                plot.learning_curves(comparison, name, rate=figure.metric in CUMULATIVE, ax=ax)
                if name in bounds:
                    _draw_bound(bounds[name], figure.bound, ax)

        made = plot.small_multiples(list(panels), draw_panel)
        made.suptitle(title, x=0.01, ha="left", fontsize=10)
        path.parent.mkdir(exist_ok=True)
        # The version of the program that wrote it would make equal pictures differ.
        made.savefig(path, dpi=110, metadata={"Software": None})
        plt.close(made)


def _draw_bound(result: Result, system: str, ax: Any) -> None:
    known, curve = zip(*_curve(result, "errors"), strict=True)
    steps = np.arange(1, result["n_samples"] + 1)
    bound(np.interp(steps, known, curve) / steps, of=system, ax=ax)
    # One legend for all panels, without the last values of each.
    ax.get_lines()[-1].set_label(f"bound of {system}")
    ax.legend()
