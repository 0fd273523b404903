"""The papers' figures, drawn from stored results."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.papers.bounds.plot import bound
from river_trapezoid import evaluate, plot

from .paper import Figure

__all__ = ["draw", "run_records"]

Record = dict[str, Any]

# What runs keep a curve of.
CUMULATIVE = ("errors", "loss")


def run_records(
    dataset: str, system: str, results: Sequence[Mapping[str, Any]], metric: str, **more: Any
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


def _curve(result: Mapping[str, Any], metric: str) -> list[tuple[int, float]]:
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
    figure: Figure,
    panels: Mapping[str, list[Record]],
    bounds: Mapping[str, Mapping[str, Any]],
    title: str,
    path: pathlib.Path,
) -> None:
    """Draw a figure with a panel for each data set.

    Parameters
    ----------
    figure
        The figure.
    panels
        The records of each data set.
    bounds
        The results of the bounds to draw beside them.
    title
        What stands above it.
    path
        The file to write.

    """
    import matplotlib
    import matplotlib.pyplot as plt

    records = [record for own in panels.values() for record in own]
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


def _draw_bound(result: Mapping[str, Any], system: str, ax: Any) -> None:
    known, curve = zip(*_curve(result, "errors"), strict=True)
    steps = np.arange(1, result["n_samples"] + 1)
    bound(np.interp(steps, known, curve) / steps, of=system, ax=ax)
    # One legend for all panels: what each comes to in the end has no place in it.
    ax.get_lines()[-1].set_label(f"bound of {system}")
    ax.legend()
