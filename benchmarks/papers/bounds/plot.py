from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from river_trapezoid._parameters import check_choice
from river_trapezoid.plot._style import axes, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["bound"]

# Marks the curves of bounds.
_BOUND = "bound"


def bound(values: npt.ArrayLike, of: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw a bound on errors as a dashed curve, beside the errors that it is a bound on.

    A bound may be far above them. The axes grow for it to twice the height of the other curves, and
    no further, so that these are not flattened: what is higher is cut off. If the end of the bound
    is cut off, the legend has its last value.

    Parameters
    ----------
    values
        The bound after each instance, as of `olsf_bound`.
    of
        The curve on the axes that it is a bound on, by its label; it has its colour. None for a
        bound in black.
    ax
        The axes to draw on, such as those of `learning_curves` with numbers of errors.

    Examples
    --------

    >>> from river import datasets
    >>> from benchmarks.papers.bounds import hindsight_comparator
    >>> from benchmarks.papers.bounds import olsf_bound
    >>> from benchmarks.papers.bounds.plot import bound
    >>> from river_trapezoid.metrics import Errors
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import plot

    >>> data = list(datasets.Phishing())
    >>> comparison = evaluate.compare(
    ...     {"OLSF-II": linear_model.OLSFClassifier(mode=2, C=0.01, B=1.0, radius=None)},
    ...     {"phishing": data},
    ...     Errors(zero_margin=True),
    ...     n_points=50,
    ...     progress=False,
    ... )
    >>> u = hindsight_comparator(data, mode=2, C=0.01)
    >>> values = olsf_bound(2, u.norm, u.losses, u.R, C=0.01)
    >>> ax = bound(values, of="OLSF-II", ax=plot.learning_curves(comparison))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['OLSF-II', 'bound of OLSF-II, 778 at the end']

    """
    values = np.asarray(values, float)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"values must be the bound after each instance; got {values}")
    if ax is None or not ax.has_data():
        ax = finish(axes(ax), x="instances", y="errors")
    curves = {str(line.get_label()): line for line in ax.get_lines() if line.get_gid() != _BOUND}
    if of is not None:
        check_choice("of", of, list(curves))
    bottom, top = ax.get_ylim()
    highest = max((np.nanmax(line.get_ydata()) for line in curves.values()), default=np.inf)
    end = values[-1]
    shown = min(values.max(), 2.0 * highest)
    label = "bound" if of is None else f"bound of {of}"
    ax.plot(
        np.arange(1, len(values) + 1),
        values,
        color="black" if of is None else curves[of].get_color(),
        linestyle="--",
        linewidth=1.0,
        label=label if end <= shown else f"{label}, {_rounded(end)} at the end",
        gid=_BOUND,
    )
    if curves:
        ax.set_ylim(bottom, max(top, 1.05 * shown))
    ax.legend(frameon=False, fontsize=9)
    return ax


def _rounded(number: float) -> str:
    return f"{number:,.0f}" if number >= 100.0 else f"{number:.3g}"
