"""What the figures have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from river_trapezoid._palette import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def axes(ax: Axes | None, width: float = 7.0, height: float = 4.0) -> Axes:
    """The given axes, or those of a new figure."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def look(i: int) -> dict[str, Any]:
    """How the i-th of several lines looks: its colour and, where these recur, its dashes."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": ("-", "--", ":")[i // len(COLOURS) % 3],
    }


def error_bars(
    ax: Axes, i: int, label: str, x: Sequence[Any], points: Iterable[dict[str, Any]]
) -> None:
    """Draw the i-th of several lines through means, with bars of one standard deviation."""
    points = list(points)
    ax.errorbar(
        x,
        [point["mean"] for point in points],
        yerr=[point["std"] for point in points],
        marker=MARKERS[i % len(MARKERS)],
        markersize=5,
        capsize=2,
        label=label,
        **look(i),
    )


def finish(
    ax: Axes,
    title: str | None = None,
    x: str | None = None,
    y: str | None = None,
    legend: bool = False,
    frame: bool = True,
) -> Axes:
    """Label the axes and remove what carries no information."""
    ax.set_title(title or "", loc="left", fontsize=10)
    ax.set_xlabel(x or "")
    ax.set_ylabel(y or "")
    for side in ("top", "right") if frame else ("top", "right", "left", "bottom"):
        ax.spines[side].set_visible(False)
    if frame:
        ax.grid(alpha=0.25, linewidth=0.6)
        ax.set_axisbelow(True)
    if legend:
        ax.legend(frameon=False, fontsize=9)
    return ax


def legend_beside(ax: Axes, handles: Sequence[Any]) -> None:
    """Put a legend to the right of the axes, its entries from above."""
    if handles:
        ax.legend(
            handles=handles, frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1)
        )
