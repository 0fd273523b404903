from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from river_trapezoid._parameters import check_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["small_multiples"]


def small_multiples(
    names: Sequence[str],
    draw: Callable[[str, Axes], Any],
    n_columns: int = 4,
    width: float = 2.6,
    height: float = 2.0,
) -> Figure:
    """Draw a grid of small panels, one for each name, with a common legend below.

    Axis labels that all panels share are shown once, to the left of the grid or below it. Axes are
    not shared between panels, since data sets differ in length and difficulty.

    Parameters
    ----------
    names
        The names of the panels, row by row from the upper left.
    draw
        A function that draws a panel, given its name and its axes.
    n_columns
        Maximum number of panels in a row.
    width
        Width of a panel in inches.
    height
        Height of a panel in inches.

    Returns
    -------
    The figure.

    Examples
    --------

    >>> from river import datasets
    >>> from river import linear_model
    >>> from river import metrics
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import plot
    >>> from river_trapezoid import stream

    >>> comparison = evaluate.compare(
    ...     linear_model.PAClassifier(),
    ...     {
    ...         "trapezoidal": stream.Trapezoidal(datasets.Phishing()),
    ...         "evolvable": stream.Evolvable(datasets.Phishing()),
    ...         "capricious": stream.Capricious(datasets.Phishing(), seed=1),
    ...     },
    ...     metrics.Accuracy(),
    ...     n_points=20,
    ...     progress=False,
    ... )
    >>> figure = plot.small_multiples(
    ...     comparison.names("stream"),
    ...     lambda name, ax: plot.learning_curves(comparison, stream=name, ax=ax),
    ... )
    >>> [ax.get_title(loc="left") for ax in figure.axes]
    ['trapezoidal', 'evolvable', 'capricious']

    """
    import matplotlib.pyplot as plt

    check_number("n_columns", n_columns, integer=True, at_least=1)
    if not names:
        raise ValueError("names must not be empty")
    n_columns = min(n_columns, len(names))
    n_rows = -(-len(names) // n_columns)
    figure = plt.figure(figsize=(width * n_columns, height * n_rows + 0.4), layout="constrained")
    # A subfigure keeps the legend away from the shared labels.
    (subfigure,) = figure.subfigures(squeeze=False).flat
    grid = subfigure.subplots(n_rows, n_columns, squeeze=False)
    panels = list(grid.flat[: len(names)])
    for ax in grid.flat[len(names) :]:
        ax.remove()
    handles: dict[str, Any] = {}
    for name, ax in zip(names, panels, strict=True):
        draw(name, ax)
        for label, handle in _taken_legend(ax).items():
            handles.setdefault(label, handle)
        ax.set_title(str(name), loc="left", fontsize=9)
        ax.tick_params(labelsize=7)
    _share(panels, "xlabel", subfigure.supxlabel)
    _share(panels, "ylabel", subfigure.supylabel)
    if handles:
        # A letter takes 0.08 inches, and the line in front of a label half an inch.
        widest = 0.5 + 0.08 * max(map(len, handles))
        n_in_line = max(1, min(len(handles), int(width * n_columns / widest)))
        figure.set_figheight(figure.get_figheight() + 0.2 * -(-len(handles) // n_in_line))
        figure.legend(
            handles.values(),
            handles.keys(),
            loc="outside lower center",
            ncols=n_in_line,
            frameon=False,
            fontsize=9,
        )
    return figure


def _taken_legend(ax: Axes) -> dict[str, Any]:
    """Remove the legend of a panel, and return its handles by label."""
    legend, labelled = (
        ax.get_legend(),
        dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True)),
    )
    if legend is None:
        return labelled
    shown = zip(
        [text.get_text() for text in legend.get_texts()], legend.legend_handles, strict=True
    )
    legend.remove()
    # The drawn artist has more detail than the legend's copy of it, for example error bars.
    return {label: labelled.get(label, handle) for label, handle in shown}


def _share(panels: Sequence[Axes], label: str, show: Callable[..., Any]) -> None:
    """Show a label once if all panels have the same."""
    texts = {getattr(ax, f"get_{label}")() for ax in panels}
    if len(texts) == 1:
        show(texts.pop(), fontsize=9)
        for ax in panels:
            getattr(ax, f"set_{label}")("")
