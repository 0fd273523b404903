from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from river_trapezoid._parameters import check_number
from river_trapezoid.plot._style import COLOURS, axes, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["agreement"]

# Ticks to each side of the band, where the axis is logarithmic.
_MULTIPLES = (1, 2.5, 5, 10, 25, 50)
# The fractional parts of its multiples spread evenly, however many there are.
_GOLDEN = 0.6180339887


def agreement(
    records: Sequence[Mapping[str, Any]], band: float = 2.0, ax: Axes | None = None
) -> Axes:
    """Draw the differences of figures from those that they are compared with, by group.

    A figure that holds is a filled dot, one that does not a hollow one. The number beside each
    strip is that of the figures that hold. The axis is linear within the band and logarithmic beyond it.

    Parameters
    ----------
    records
        The figures, each with its `group`, the `series` within the group, the `difference`, and
        whether it `holds`. A figure whose difference is None counts, but is not drawn.
    band
        The differences that are drawn as small. Whether a figure holds is given with it.
    ax
        The axes to draw on.

    Examples
    --------

    >>> from benchmarks.papers.page.agreement_plot import agreement
    >>> from river_trapezoid import plot

    >>> ax = agreement(
    ...     [
    ...         {"group": "Table 1", "series": "first", "difference": 0.5, "holds": True},
    ...         {"group": "Table 1", "series": "first", "difference": -7.0, "holds": False},
    ...         {"group": "Table 2", "series": "first", "difference": 1.0, "holds": True},
    ...     ]
    ... )
    >>> [text.get_text() for text in ax.texts]
    ['1 of 2', '1 of 1']

    """
    check_number("band", band, above=0)
    if not records:
        raise ValueError("records must not be empty")
    groups = list(dict.fromkeys(record["group"] for record in records))
    series = list(dict.fromkeys(record["series"] for record in records))
    strips: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for record in records:
        strips.setdefault((record["group"], record["series"]), []).append(record)
    ax = axes(ax, width=8.0, height=1.3 + 0.21 * len(strips))
    ax.axvspan(-band, band, color="0.93", linewidth=0, zorder=0)
    ax.axvline(0, color="0.6", linewidth=0.8, zorder=1)
    y, ticks = 0.0, []
    for group in groups:
        places = []
        for i, name in enumerate(series):
            if (group, name) in strips:
                _strip(ax, y, strips[group, name], COLOURS[i % len(COLOURS)])
                places.append(y)
                y += 1.0
        ticks.append(sum(places) / len(places))
        ax.axhline(y - 0.3, color="0.85", linewidth=0.6, zorder=0)
        y += 0.4
    ax.set_yticks(ticks, groups)
    ax.set_ylim(y - 0.7, -0.7)
    ax.tick_params(axis="y", length=0)
    drawn = [r["difference"] for r in records if r["difference"] is not None]
    farthest = max(map(abs, drawn), default=band)
    ax.set_xscale("symlog", linthresh=band, linscale=0.6)
    limit = max(farthest * 1.15, band * _MULTIPLES[1])
    far = [band * m for m in _MULTIPLES if band * m <= limit]
    ax.set_xticks([*(-t for t in far[::-1]), 0, *far])
    ax.set_xticks([], minor=True)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:+g}" if value else "0")
    ax.set_xlim(-limit, limit)
    finish(ax)
    ax.grid(visible=False, axis="y")
    _legend(ax, series)
    return ax


def _legend(ax: Axes, series: Sequence[Any]) -> None:
    handles = [_dots(ax, [], [], COLOURS[i % len(COLOURS)], True) for i in range(len(series))]
    handles += [_dots(ax, [], [], "0.3", holds) for holds in (True, False)]
    ax.legend(
        handles,
        [*map(str, series), "holds", "does not"],
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=min(len(handles), 4),
        frameon=False,
        fontsize=9,
        handletextpad=0.2,
    )


def _strip(ax: Axes, y: float, records: Sequence[Mapping[str, Any]], colour: str) -> None:
    for holds in (True, False):
        # In a fixed order of heights, so that dots at the same place do not hide each other.
        places = [
            (record["difference"], y + 0.7 * (i * _GOLDEN % 1 - 0.5))
            for i, record in enumerate(records)
            if bool(record["holds"]) == holds and record["difference"] is not None
        ]
        _dots(ax, [x for x, _ in places], [height for _, height in places], colour, holds)
    n_holding = sum(bool(record["holds"]) for record in records)
    ax.text(
        1.01,
        y,
        f"{n_holding} of {len(records)}",
        transform=ax.get_yaxis_transform(),
        color=colour,
        fontsize=8,
        va="center",
    )


def _dots(ax: Axes, x: Sequence[float], y: Sequence[float], colour: str, filled: bool) -> Any:
    return ax.scatter(
        x,
        y,
        s=11,
        facecolors=colour if filled else "none",
        edgecolors=colour,
        linewidths=0 if filled else 0.8,
        alpha=0.75,
        zorder=3,
    )
