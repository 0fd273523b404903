from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from river_trapezoid._parameters import check_number

from ._style import COLOURS, axes, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from river_trapezoid.inspection import ImportanceHistory

__all__ = ["importance_over_time"]

_LABELS = {
    "contributions": "mean |contribution|",
    "weights": "|weight|",
    "evidence": "mean |evidence|",
    "pairs": "mean |evidence|",
}
# The marker and the colour of each event of a feature.
_MARKS = {"new": (">", COLOURS[1]), "returned": (">", "white"), "vanished": ("x", COLOURS[1])}
# A feature with more events is marked only where it is new, and where it vanishes for good.
_MAX_MARKS = 6
# Maximum lengths of names: the first one at which the names differ is used.
_LENGTHS = (36, 48, 60)


def importance_over_time(history: ImportanceHistory, k: int = 10, ax: Axes | None = None) -> Axes:
    """Draw the importance of features over time, and where features appear and vanish.

    Each row is a feature, ordered by mean importance from the top, and each column is a window.
    Darker cells are more important. A cell is white if the feature is not observed and has no
    importance, and grey if its importance was not kept, because the window has too many features.
    Marks show where a feature is new, vanishes and returns. A feature with more than six of these
    events is marked only where it is new and where it vanishes for good.

    Parameters
    ----------
    history
        The result of `inspection.importance`.
    k
        Number of features to draw, by their mean importance.
    ax
        The axes to draw on; by default, those of a new figure.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import inspection
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import plot

    >>> history = inspection.importance(linear_model.EvidenceClassifier(), datasets.Phishing())
    >>> ax = plot.importance_over_time(history, k=3)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['empty_server_form_handler', 'https', 'popup_window']

    """
    check_number("k", k, integer=True, at_least=1)
    features = list(history.top(k))
    if not features:
        raise ValueError(
            f"history must have features with an importance; got none for by={history.by!r}"
        )
    values = np.array([history.values(feature) for feature in features])
    observed = [history.observed(feature) for feature in features]
    absent = np.array([[there is False for there in row] for row in observed]) & ~(values > 0.0)
    left_out = np.isnan(values) & ~absent
    edges = [history.windows[0].start, *(window.end for window in history.windows)]

    ax = axes(ax, width=8.0, height=1.5 + 0.28 * len(features))
    rows = np.arange(len(features) + 1) - 0.5
    shown = np.ma.masked_array(values, absent | left_out)
    mesh = ax.pcolormesh(edges, rows, shown, cmap=_tints(), vmin=0.0, edgecolors="none")
    handles: list[Any] = []
    if left_out.any():
        from matplotlib.patches import Patch

        shape = np.ma.masked_array(np.ones_like(values), ~left_out)
        ax.pcolormesh(edges, rows, shape, cmap="Greys", vmin=0.0, vmax=6.0)
        handles.append(Patch(color="0.88", label="left out"))
    handles += _draw_events(ax, history, features)
    bar = ax.figure.colorbar(mesh, ax=ax, pad=0.02)
    bar.set_label(_LABELS[history.by], fontsize=8)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)
    what = "pairs" if history.by == "pairs" else "features"
    finish(ax, title=f"Importance of {what}", x="instances")
    ax.grid(visible=False)
    ax.invert_yaxis()
    ax.set_yticks(range(len(features)), _titles(history, features), fontsize=8)
    ax.tick_params(axis="y", length=0)
    if handles:
        _legend_below_title(ax, handles)
    return ax


def _draw_events(ax: Axes, history: ImportanceHistory, features: list[Any]) -> list[Any]:
    """Mark where features are new, vanish and return; return the handles for the legend."""
    places: dict[str, list[tuple[int, int]]] = {event: [] for event in _MARKS}
    for row, feature in enumerate(features):
        for event, start in _events(history, feature):
            places[event].append((start, row))
    return [
        ax.scatter(
            [start for start, _ in places[event]],
            [row for _, row in places[event]],
            marker=marker,
            s=22,
            color=colour,
            edgecolors=None if marker == "x" else COLOURS[1],
            linewidths=1.2,
            label=event,
            clip_on=False,
            zorder=3,
        )
        for event, (marker, colour) in _MARKS.items()
        if places[event]
    ]


def _legend_below_title(ax: Axes, handles: list[Any]) -> None:
    """Put a legend between the title and the rows: narrow axes have no room beside the title."""
    ax.set_title(ax.get_title(loc="left"), loc="left", fontsize=10, pad=20)
    ax.legend(
        handles=handles,
        frameon=False,
        fontsize=8,
        ncols=len(handles),
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderaxespad=0.2,
        borderpad=0.2,
        handletextpad=0.4,
    )


def _events(history: ImportanceHistory, feature: Any) -> list[tuple[str, int]]:
    """Return the events to mark and their positions; in the first window, every feature is new."""
    events = [(window.event(feature), window.start) for window in history.windows[1:]]
    events = [(event, start) for event, start in events if event]
    if len(events) > _MAX_MARKS:
        new = [(event, start) for event, start in events if event == "new"]
        gone = [(event, start) for event, start in events[-1:] if event == "vanished"]
        return new + gone
    return events


def _titles(history: ImportanceHistory, features: list[Any]) -> list[str]:
    for longest in _LENGTHS:
        titles = [history.title(feature, longest) for feature in features]
        if len(set(titles)) == len(titles):
            return titles
    return [history.title(feature) for feature in features]


def _tints() -> Any:
    """Return a blue colour map whose lightest colour differs visibly from white."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["Blues"](np.linspace(0.08, 1.0, 256)))
