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
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from river import base

import river_trapezoid
from river_trapezoid import evaluate, plot
from river_trapezoid._palette import COLOURS
from river_trapezoid._printable import printable
from river_trapezoid.evaluate import Comparison

from .protocol import Outcome, Protocol
from .streams import KINDS, stream_of
from .systems import BASELINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["write_report"]

# The number of lines that a chart shows at first.
_MOST_LINES = 6
_MOST_IN_HEAT_MAP = 8
# The number of rows of a stream that are drawn.
_MOST_ROWS = 2000
# The width of a narrow screen in pixels, and of a figure for a wide screen in inches.
_PHONE = 640
_WIDE = 9.0
_DASHES = ("none", "6 3", "2 3", "8 3 2 3", "1 4", "12 4")


def write_report(path: pathlib.Path, outcome: Outcome) -> None:
    """Write a comparison as one HTML file that needs no other file.

    Parameters
    ----------
    path
        The file to write.
    outcome
        The outcome, with several points for each run.

    """
    protocol, comparison, baseline = outcome.protocol, outcome.comparison, outcome.baseline
    parts = [_opening(outcome)]
    charts = _charts(comparison)
    for kind in comparison.names("stream"):
        parts += [
            f"<h2>{_text(kind)}</h2><p>{_text(KINDS[kind])}</p>",
            f'<div class="scroll">{comparison.to_html(baseline=baseline, stream=kind)}</div>',
        ]
        if kind in charts:
            parts.append(f'<div class="charts">{charts[kind]}</div>')
    parts += _figures(outcome)
    learners = "".join(
        f"<dt>{_text(name)}</dt><dd><code>{_text(code)}</code></dd>"
        for name, code in protocol.learners().items()
    )
    parts.append(f"<h2>Parameters</h2><dl>{learners}</dl>")
    files = importlib.resources.files(__package__)
    path.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_text(protocol.data.name)} - river-trapezoid</title>"
        f"<style>{files.joinpath('report.css').read_text(encoding='utf-8')}</style>"
        f"{''.join(parts)}"
        f"<script>{files.joinpath('report.js').read_text(encoding='utf-8')}</script></html>",
        encoding="utf-8",
    )


def _opening(outcome: Outcome) -> str:
    protocol = outcome.protocol
    facts = "".join(
        f"<dt>{_text(what)}</dt><dd>{_text(value)}</dd>"
        for what, value in protocol.facts().items()
        if not what.startswith("stream ")
    )
    text = "Progressive validation: each row is predicted before the learner learns from it."
    if signs := outcome.legend():
        text += f" In the tables: {'; '.join(signs)}."
    problems = [" ".join(outcome.interruption)] if outcome.interruption else []
    problems += dict.fromkeys(
        f"{failure['model']} failed on the {failure['stream']} stream: {failure['error']}"
        for failure in outcome.comparison.failures
    )
    return (
        f"<h1>Learners compared on {_text(protocol.data.name)}</h1>"
        f"<p>{_text(text)}</p>"
        + "".join(f'<p class="warning">{_text(problem)}</p>' for problem in problems)
        + f"<dl>{facts}<dt>made by</dt><dd>river-trapezoid {river_trapezoid.__version__}</dd></dl>"
    )


def _text(value: object) -> str:
    """A value as text in HTML."""
    return html.escape(printable(value))


Curve = dict[int, list[float]]


def _charts(comparison: Comparison) -> dict[str, str]:
    """The learning curves of each stream as data, which the script in the file draws."""
    curves: dict[tuple[str, str], dict[str, Curve]] = {}
    bigger = {}
    for r in comparison.records:
        bigger[r["metric"]] = r["bigger_is_better"]
        if math.isfinite(r["value"]):
            curve = curves.setdefault((r["stream"], r["metric"]), {}).setdefault(r["model"], {})
            curve.setdefault(r["step"], []).append(r["value"])
    shown = {place: _best(lines, bigger[place[1]]) for place, lines in curves.items()}
    # A learner looks the same in all charts, and the learners shown at first differ most.
    models = comparison.names("model")
    ranked = sorted(models, key=lambda model: not any(model in lines for lines in shown.values()))
    charts: dict[str, str] = {}
    for (kind, metric), lines in curves.items():
        series = [
            {
                "name": model,
                "colour": COLOURS[i % len(COLOURS)],
                "dash": _DASHES[i // len(COLOURS) % len(_DASHES)],
                "shown": model in shown[kind, metric],
                **_points(lines[model]),
            }
            for i, model in enumerate(ranked)
            if model in lines
        ]
        data = json.dumps({"series": series}).replace("</", "<\\/")
        label = _text(f"{metric} against the number of rows, {kind}")
        charts[kind] = charts.get(kind, "") + (
            f'<div><h3>{_text(metric)}</h3><div class="chart" data-label="{label}">'
            "<noscript>The curves need JavaScript.</noscript>"
            f'<script type="application/json">{data}</script></div></div>'
        )
    return charts


def _best(curves: dict[str, Curve], bigger: bool) -> set[str]:
    """The best learners, and the baseline."""
    last = {model: statistics.fmean(curve[max(curve)]) for model, curve in curves.items()}
    ranked = sorted(last, key=lambda model: -last[model] if bigger else last[model])
    best = set(ranked[:_MOST_LINES])
    if BASELINE in last and BASELINE not in best:
        best = {*ranked[: _MOST_LINES - 1], BASELINE}
    return best


def _points(curve: Curve) -> dict[str, list[float]]:
    """A curve: steps, means, and standard deviations, which are 0 for a single run."""
    steps = sorted(curve)
    return {
        "x": [float(step) for step in steps],
        "y": [round(statistics.fmean(curve[step]), 6) for step in steps],
        "spread": [
            round(statistics.stdev(curve[step]), 6) if len(curve[step]) > 1 else 0.0
            for step in steps
        ],
    }


def _figures(outcome: Outcome) -> list[str]:
    """All streams side by side, and the features and weights of a learner on one of them."""
    import matplotlib

    protocol, comparison = outcome.protocol, outcome.comparison
    # Without a window or global state, as there may be no screen.
    # Names of features are no formulas, and may have characters that the font does not.
    with (
        matplotlib.rc_context({"savefig.bbox": "tight", "text.parse_math": False}),
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", message="(?s)Glyph .* missing from (current )?font")
        matplotlib.use("agg")
        parts = []
        kinds, models = comparison.names("stream"), comparison.names("model")
        everywhere = all(
            {*learners, evaluate.MAJORITY} == set(models) for learners in protocol.models.values()
        )
        if len(kinds) > 1 and everywhere and len(models) <= _MOST_IN_HEAT_MAP:
            parts += [
                "<h2>All streams</h2>",
                _picture(
                    lambda ax: plot.heat_map(comparison, baseline=outcome.baseline, ax=ax),
                    "all streams",
                ),
            ]
        shown = _linear(protocol.models[kinds[0]])
        if shown is not None and not outcome.interruption:
            rows, every = _thinned(protocol, kinds[0])
            name, model = shown
            taken = "" if every == 1 else f" One of every {every:,} rows is drawn."
            parts += [
                "<h2>What a learner sees and keeps</h2>",
                f"<p>{_text(name)} on the {_text(kinds[0])} stream.{taken}</p>",
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
    """A learner that has weights; preferably OLSF-I, which drops some of them."""
    for name in ("OLSF-I", *models):
        if name in models and _has_weights(models[name]):
            return name, models[name]
    return None


def _has_weights(model: base.Estimator) -> bool:
    try:
        # Of no rows, it raises an error only for a learner that has no weights.
        _png(lambda ax: plot.weights_over_time([], model, ax=ax))
    except TypeError:
        return False
    return True


def _thinned(protocol: Protocol, kind: str) -> tuple[list[Any], int]:
    """Evenly spaced rows of a stream, and the distance between two of them."""
    stream = stream_of(protocol.data.dataset, kind, protocol.data.shuffled)
    rows = stream(protocol.seed) if callable(stream) else stream
    every = -(-protocol.data.dataset.n_samples // _MOST_ROWS)
    return list(itertools.islice(rows, 0, None, every)), every


def _in_rows(ax: Axes, every: int) -> Axes:
    """Label the axes with the numbers of rows of which every n-th is drawn."""
    from matplotlib.ticker import MaxNLocator

    first, last = (every * place for place in ax.get_xlim())
    ticks = [row for row in MaxNLocator(5).tick_values(first, last) if first <= row <= last]
    ax.set_xticks([row / every for row in ticks], [f"{row:,.0f}" for row in ticks])
    ax.set_xlabel("rows")
    return ax


def _picture(draw: Callable[[Axes], Axes], alt: str) -> str:
    """A figure, in one size for wide screens and in another for phones."""
    wide, narrow = _png(draw), _png(draw, 4.2, 3.6)
    return (
        f'<picture><source media="(max-width: {_PHONE}px)" srcset="{narrow}">'
        f'<img alt="{_text(alt)}" src="{wide}"></picture>'
    )


def _png(draw: Callable[[Axes], Axes], width: float = _WIDE, height: float = 4.2) -> str:
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(width, height), layout="constrained")
    try:
        return _drawn(figure, draw(ax), width)
    finally:
        plt.close(figure)


def _drawn(figure: Figure, ax: Axes, width: float) -> str:
    handles, labels = ax.get_legend_handles_labels()
    if handles and width < _WIDE:
        # A narrow figure has no room beside the axes.
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
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
