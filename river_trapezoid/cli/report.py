from __future__ import annotations

import base64
import html
import importlib.resources
import io
import itertools
import json
import math
import pathlib
import statistics
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from river import base

import river_trapezoid
from river_trapezoid import plot
from river_trapezoid.evaluate import Comparison
from river_trapezoid.inspection._introspect import weights_of
from river_trapezoid.plot._style import COLOURS

from .protocol import Protocol, baseline_of, explained
from .streams import KINDS, stream_of
from .systems import BASELINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["write_report"]

# Lines of a chart that are shown before anything is clicked.
_MOST_LINES = 6
_MOST_IN_HEAT_MAP = 8
# Rows of a stream that are drawn.
_MOST_ROWS = 2000
# Pixels up to which a screen is narrow, and inches of a figure for one that is not.
_PHONE = 640
_WIDE = 9.0
_DASHES = ("none", "6 3", "2 3", "8 3 2 3", "1 4", "12 4")


def write_report(
    path: pathlib.Path,
    protocol: Protocol,
    comparison: Comparison,
    interruption: Sequence[str] = (),
) -> None:
    """Write a comparison as one HTML file that needs no other.

    Parameters
    ----------
    path
        The file to write.
    protocol
        How the learners were compared.
    comparison
        The outcome, with several points for each run.
    interruption
        What is to be said of an interrupt, if there was one.

    """
    parts = [_opening(protocol, comparison, interruption)]
    baseline = baseline_of(comparison)
    charts = _charts(comparison)
    for kind in comparison.names("stream"):
        parts += [
            f"<h2>{html.escape(kind)}</h2><p>{html.escape(KINDS[kind])}</p>",
            f'<div class="scroll">{comparison.to_html(baseline=baseline, stream=kind)}</div>',
        ]
        if kind in charts:
            parts.append(f'<div class="charts">{charts[kind]}</div>')
    parts += _figures(protocol, comparison, baseline, within=not interruption)
    learners = "".join(
        f"<dt>{html.escape(name)}</dt><dd><code>{html.escape(code)}</code></dd>"
        for name, code in protocol.learners().items()
    )
    parts.append(f"<h2>Parameters</h2><dl>{learners}</dl>")
    own = importlib.resources.files(__package__)
    path.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(protocol.data.name)} - river-trapezoid</title>"
        f"<style>{own.joinpath('report.css').read_text(encoding='utf-8')}</style>"
        f"{''.join(parts)}"
        f"<script>{own.joinpath('report.js').read_text(encoding='utf-8')}</script></html>",
        encoding="utf-8",
    )


def _opening(protocol: Protocol, comparison: Comparison, interruption: Sequence[str]) -> str:
    facts = "".join(
        f"<dt>{html.escape(what)}</dt><dd>{html.escape(value)}</dd>"
        for what, value in protocol.facts().items()
        if not what.startswith("stream ")
    )
    text = "Progressive validation: each row is predicted first and learned from then."
    if signs := explained(comparison):
        text += f" In the tables: {'; '.join(signs)}."
    warnings = ["; ".join(interruption)] if interruption else []
    warnings += dict.fromkeys(
        f"{failure['model']} failed on the {failure['stream']} stream: {failure['error']}"
        for failure in comparison.failures
    )
    return (
        f"<h1>Learners compared on {html.escape(protocol.data.name)}</h1>"
        f"<p>{html.escape(text)}</p>"
        + "".join(f'<p class="warning">{html.escape(warning)}</p>' for warning in warnings)
        + f"<dl>{facts}<dt>made by</dt><dd>river-trapezoid {river_trapezoid.__version__}</dd></dl>"
    )


Curve = dict[int, list[float]]


def _charts(comparison: Comparison) -> dict[str, str]:
    """For each stream, the learning curves as data, which the script in the file draws."""
    curves: dict[tuple[str, str], dict[str, Curve]] = {}
    bigger = {}
    for r in comparison.records:
        bigger[r["metric"]] = r["bigger_is_better"]
        if math.isfinite(r["value"]):
            curve = curves.setdefault((r["stream"], r["metric"]), {}).setdefault(r["model"], {})
            curve.setdefault(r["step"], []).append(r["value"])
    shown = {place: _best(own, bigger[place[1]]) for place, own in curves.items()}
    # A learner looks the same in all charts, and those shown at first differ most.
    models = comparison.names("model")
    ranked = sorted(models, key=lambda model: not any(model in own for own in shown.values()))
    charts: dict[str, str] = {}
    for (kind, metric), own in curves.items():
        series = [
            {
                "name": model,
                "colour": COLOURS[i % len(COLOURS)],
                "dash": _DASHES[i // len(COLOURS) % len(_DASHES)],
                "shown": model in shown[kind, metric],
                **_points(own[model]),
            }
            for i, model in enumerate(ranked)
            if model in own
        ]
        data = json.dumps({"series": series}).replace("</", "<\\/")
        label = html.escape(f"{metric} against the number of rows, {kind}")
        charts[kind] = charts.get(kind, "") + (
            f'<div><h3>{html.escape(metric)}</h3><div class="chart" data-label="{label}">'
            "<noscript>The curves need JavaScript.</noscript>"
            f'<script type="application/json">{data}</script></div></div>'
        )
    return charts


def _best(curves: dict[str, Curve], bigger: bool) -> set[str]:
    """The learners that come out best, and the one that they are tested against."""
    last = {model: statistics.fmean(curve[max(curve)]) for model, curve in curves.items()}
    ranked = sorted(last, key=lambda model: -last[model] if bigger else last[model])
    best = set(ranked[:_MOST_LINES])
    if BASELINE in last and BASELINE not in best:
        best = {*ranked[: _MOST_LINES - 1], BASELINE}
    return best


def _points(curve: Curve) -> dict[str, list[float]]:
    """A curve: steps, means, and standard deviations, 0 where there is none."""
    steps = sorted(curve)
    return {
        "x": [float(step) for step in steps],
        "y": [round(statistics.fmean(curve[step]), 6) for step in steps],
        "spread": [
            round(statistics.stdev(curve[step]), 6) if len(curve[step]) > 1 else 0.0
            for step in steps
        ],
    }


def _figures(
    protocol: Protocol, comparison: Comparison, baseline: str | None, within: bool
) -> list[str]:
    """What is drawn once: all streams side by side, and one of them from within."""
    import matplotlib

    # No window and no global state: the report may be written where there is no screen.
    with matplotlib.rc_context({"savefig.bbox": "tight"}):
        matplotlib.use("agg")
        parts = []
        kinds, models = comparison.names("stream"), comparison.names("model")
        everywhere = all(set(own) == set(models) for own in protocol.models.values())
        if len(kinds) > 1 and everywhere and len(models) <= _MOST_IN_HEAT_MAP:
            parts += [
                "<h2>All streams</h2>",
                _picture(
                    lambda ax: plot.heat_map(comparison, baseline=baseline, ax=ax), "all streams"
                ),
            ]
        shown = _linear(protocol.models[kinds[0]])
        if shown is not None and within:
            rows, every = _thinned(protocol, kinds[0])
            name, model = shown
            taken = "" if every == 1 else f" One row of every {every:,} is taken."
            parts += [
                "<h2>What a learner sees and keeps</h2>",
                f"<p>{html.escape(name)} on the {html.escape(kinds[0])} stream.{taken}</p>",
                _picture(
                    lambda ax: _in_rows(plot.feature_space(rows, model, ax=ax), every),
                    "features over time",
                ),
                _picture(
                    lambda ax: _in_rows(plot.weights_over_time(rows, model, ax=ax), every),
                    "weights over time",
                ),
            ]
    return parts


def _linear(models: Any) -> tuple[str, base.Estimator] | None:
    """A learner that has weights, one that drops some if there is one."""
    for name in ("OLSF-I", *models):
        if name in models:
            try:
                weights_of(models[name])
            except TypeError:
                continue
            return name, models[name]
    return None


def _thinned(protocol: Protocol, kind: str) -> tuple[list[Any], int]:
    """Some rows of a stream, evenly spread, and how many stand for one of them."""
    stream = stream_of(protocol.data.dataset, kind, protocol.data.shuffled)
    rows = stream(protocol.seed) if callable(stream) else stream
    every = -(-protocol.data.dataset.n_samples // _MOST_ROWS)
    return list(itertools.islice(rows, 0, None, every)), every


def _in_rows(ax: Axes, every: int) -> Axes:
    """The same axes, with the numbers of the rows, of which one of every so many is drawn."""
    from matplotlib.ticker import MaxNLocator

    first, last = (every * place for place in ax.get_xlim())
    ticks = [row for row in MaxNLocator(5).tick_values(first, last) if first <= row <= last]
    ax.set_xticks([row / every for row in ticks], [f"{row:,.0f}" for row in ticks])
    ax.set_xlabel("rows")
    return ax


def _picture(draw: Callable[[Axes], Axes], alt: str) -> str:
    """A figure, in one size for screens and in another for phones."""
    wide, narrow = _png(draw, _WIDE, 4.2), _png(draw, 4.2, 3.6)
    return (
        f'<picture><source media="(max-width: {_PHONE}px)" srcset="{narrow}">'
        f'<img alt="{html.escape(alt)}" src="{wide}"></picture>'
    )


def _png(draw: Callable[[Axes], Axes], width: float, height: float) -> str:
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(width, height), layout="constrained")
    draw(ax)
    handles, labels = ax.get_legend_handles_labels()
    if handles and width < _WIDE:
        # There is no room beside the axes.
        ax.legend(
            handles[::-1],
            labels[::-1],
            frameon=False,
            fontsize=8,
            loc="upper left",
            bbox_to_anchor=(0, -0.25),
        )
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    plt.close(figure)
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
