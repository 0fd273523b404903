from __future__ import annotations

import base64
import html
import io
import pathlib
from typing import TYPE_CHECKING, Any

from river import base

import river_trapezoid
from river_trapezoid import plot
from river_trapezoid.evaluate import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["write_report"]

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #ddd }
th:first-child { text-align: left }
tbody th { font-weight: normal }
img { max-width: 100%; margin: .5rem 0 }
"""


def write_report(
    path: pathlib.Path,
    comparison: Comparison,
    baseline: str,
    example: Any,
    model: base.Estimator,
) -> None:
    """Write a comparison as one HTML file that needs no other.

    Parameters
    ----------
    path
        The file to write.
    comparison
        The comparison, with several points for each run.
    baseline
        The model that the others are tested against.
    example
        A stream to show the feature space of.
    model
        A model to show the weights of, on that stream.

    """
    # No window and no global state: the report may be written where there is no screen.
    import matplotlib

    with matplotlib.rc_context({"savefig.bbox": "tight"}):
        matplotlib.use("agg")
        parts = []
        for metric in comparison.names("metric"):
            parts += [f"<h2>{html.escape(metric)}</h2>", comparison.to_html(metric, baseline)]
            parts += [
                _image(plot.learning_curves(comparison, stream, metric), f"{metric}, {stream}")
                for stream in comparison.names("stream")
            ]
        if len(comparison.names("stream")) > 1:
            parts.append(_image(plot.heat_map(comparison, baseline=baseline), "all streams"))
        parts += [
            "<h2>What the learner sees and keeps</h2>",
            _image(plot.feature_space(example, model), "features over time"),
            _image(plot.weights_over_time(example, model), "weights over time"),
        ]
        parts += ["<h2>Seconds of a run</h2>", comparison.to_html("seconds")]
    repeats = len(comparison.names("repeat"))
    protocol = "Progressive validation"
    if repeats > 1:
        protocol += (
            f", mean ± standard deviation over {repeats} repeats. + and - mark what is better or "
            f"worse than {html.escape(baseline)} (paired t-test, 0.05)"
        )
    path.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>river-trapezoid</title>'
        f"<style>{_STYLE}</style><h1>Learning while the feature space changes</h1>"
        f"<p>{protocol}. river-trapezoid {river_trapezoid.__version__}.</p>"
        f"{''.join(parts)}</html>",
        encoding="utf-8",
    )


def _image(ax: Axes, alt: str) -> str:
    import matplotlib.pyplot as plt

    buffer = io.BytesIO()
    figure: Any = ax.figure
    figure.savefig(buffer, format="png", dpi=110)
    plt.close(figure)
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<img alt="{html.escape(alt)}" src="data:image/png;base64,{data}">'
