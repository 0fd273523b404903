"""What the figures have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The palette of Okabe and Ito, made to be told apart by colour-blind readers.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def axes(ax: Axes | None, width: float = 7.0, height: float = 4.0) -> Axes:
    """The given axes, or those of a new figure."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def finish(
    ax: Axes,
    title: str | None = None,
    x: str | None = None,
    y: str | None = None,
    legend: bool = False,
    frame: bool = True,
) -> Axes:
    """Label the axes and take away what carries no information."""
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
