from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from river import base

from river_trapezoid._parameters import check_number
from river_trapezoid.evaluate.progressive import Evaluator, taught, window_ends
from river_trapezoid.inspection._introspect import Part, features_of, weights_of

from ._style import COLOURS, axes, finish, legend_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["feature_space", "weights_over_time"]

Instances = Iterable[tuple[Any, Any]]

_LIGHT, _DARK = np.array([0.45, 0.68, 0.86]), np.array([0.02, 0.24, 0.47])
# More weights than this that are not drawn in colour become a band.
_MOST_GREY_LINES = 100


def feature_space(
    stream: Instances,
    model: base.Estimator | None = None,
    n_bins: int = 100,
    max_rows: int = 200,
    ax: Axes | None = None,
) -> Axes:
    """Draw which features exist when, and which of them a model keeps.

    A row is a feature, in the order of first appearance from below. It is light where the feature
    is observed, the lighter the rarer, and dark where the model has a weight for it, other than
    zero. Where there are too many features, a row stands for several that appeared one after the
    other, and is the darker, the more of them have a weight.

    Parameters
    ----------
    stream
        The stream of `(x, y)`.
    model
        A linear model, with one set of weights or several, or a pipeline, sampler or wrapper that
        ends in one. A clone of it learns from the stream, a sampler what it asks for. The features
        are those that the linear model gets, such as the words of a text. None to draw the
        features of the stream.
    n_bins
        Number of columns; each stands for an equal number of instances.
    max_rows
        Number of rows, at most.
    ax
        The axes to draw on.

    """
    check_number("n_bins", n_bins, integer=True, at_least=1)
    check_number("max_rows", max_rows, integer=True, at_least=1)
    instances = list(stream)
    edges = [0, *window_ends(len(instances), n_bins)]
    learner = None if model is None else Evaluator(model.clone())
    if learner is not None:
        weights_of(learner.model)  # Refuses what has none, before anything is learned.
    places: dict[Hashable, int] = {}
    observed: list[dict[int, int]] = []
    kept: list[set[int]] = []
    for start, stop in itertools.pairwise(edges):
        counts: dict[int, int] = {}
        for x, y in instances[start:stop]:
            if learner is not None:
                learner.teach(x, y)
            for name in features_of(None if learner is None else learner.model, x):
                place = places.setdefault(name, len(places))
                counts[place] = counts.get(place, 0) + 1
        observed.append(counts)
        weights = {} if learner is None else weights_of(learner.model)
        kept.append({places.setdefault(name, len(places)) for (name, _), w in weights.items() if w})

    n_rows = min(len(places), max_rows)
    # The features of a row, and the shares of them that are observed and kept in each column.
    row_of = np.arange(len(places)) * n_rows // max(1, len(places))
    sizes = np.bincount(row_of, minlength=n_rows)
    image = np.ones((n_rows, len(observed), 3))
    for column, (counts, own) in enumerate(zip(observed, kept, strict=True)):
        width = edges[column + 1] - edges[column]
        seen = _shares(row_of, sizes, counts.keys(), [n / width for n in counts.values()])
        known = _shares(row_of, sizes, own, np.ones(len(own)))
        # Whatever there is, however little, has to be seen.
        light = np.where(seen > 0.0, 0.25 + 0.75 * seen, 0.0)[:, None]
        dark = np.where(known > 0.0, 0.35 + 0.65 * known, 0.0)[:, None]
        image[:, column] = (1.0 - dark) * (1.0 - (1.0 - _LIGHT) * light) + dark * _DARK
    ax = axes(ax)
    ax.imshow(
        image,
        aspect="auto",
        origin="lower",
        # Many rows may be finer than pixels, and antialiasing leaves none of them out; few have
        # sharper edges without.
        interpolation="nearest" if n_rows <= 50 else "antialiased",
        extent=(0, len(instances), 0, len(places)),
    )
    if model is not None:
        from matplotlib.patches import Patch

        handles = [
            Patch(color=tuple(_DARK.tolist()), label="has a weight"),
            Patch(color=tuple(_LIGHT.tolist()), label="observed"),
        ]
        ax.legend(handles=handles, loc="upper left", frameon=True, fontsize=9)
    finish(ax, title="Feature space", x="instances", y="features, by first appearance")
    ax.grid(visible=False)
    if len(places) <= 30:
        ax.set_yticks(np.arange(len(places)) + 0.5, [str(name) for name in places], fontsize=8)
        ax.set_ylabel("")
    return ax


def _shares(
    row_of: npt.NDArray[Any], sizes: npt.NDArray[Any], places: Iterable[int], shares: Any
) -> npt.NDArray[np.float64]:
    """The mean share of the features of each row, zero where a feature is not among the places."""
    rows = row_of[np.fromiter(places, dtype=int)]
    return np.bincount(rows, weights=shares, minlength=len(sizes)) / sizes


def weights_over_time(
    stream: Instances,
    model: base.Estimator,
    n_features: int = 7,
    n_points: int = 100,
    ax: Axes | None = None,
) -> Axes:
    """Draw the weights of a model as it learns.

    Parameters
    ----------
    stream
        The stream of `(x, y)`.
    model
        A linear model, with one set of weights or several, or a pipeline, sampler or wrapper that
        ends in one. A clone of it learns from the stream, a sampler what it asks for.
    n_features
        How many weights are drawn in colour: the largest at any time. The others are grey: lines
        or, where there are more than a hundred, a band from the smallest to the largest of them,
        and a darker one around the middle 90 % of those other than zero.
    n_points
        Number of points in time.
    ax
        The axes to draw on.

    """
    check_number("n_features", n_features, integer=True, at_least=0)
    check_number("n_points", n_points, integer=True, at_least=1)
    learner = Evaluator(model.clone())
    weights_of(learner.model)  # Refuses what has none, before anything is learned.
    steps = [0]
    places: dict[Part, int] = {}
    # What is not zero at each point, as arrays: dicts of all weights would fill the memory.
    history = [_snapshot(places, {})]
    for step in taught(learner, stream, n_points):
        steps.append(step)
        history.append(_snapshot(places, weights_of(learner.model)))

    names = list(places)
    largest = np.zeros(len(names))
    for where, values in history:
        largest[where] = np.maximum(largest[where], np.abs(values))
    ranked = np.argsort(-largest, kind="stable")
    coloured, others = ranked[:n_features], ranked[n_features:]
    ax = axes(ax)
    if len(others) > _MOST_GREY_LINES:
        _draw_bands(ax, steps, history, others)
    else:
        for place in others:
            ax.plot(steps, _course(history, place), color="0.8", linewidth=0.7, zorder=1)
    for i, place in reversed(list(enumerate(coloured))):
        ax.plot(
            steps,
            _course(history, place),
            color=COLOURS[i % len(COLOURS)],
            linestyle=("-", "--", ":")[i // len(COLOURS) % 3],
            label=_title(names[place]),
        )
    finish(ax, title="Weights", x="instances", y="weight")
    legend_beside(ax, ax.get_legend_handles_labels()[0][::-1])
    return ax


Snapshot = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]


def _snapshot(places: dict[Part, int], weights: dict[Part, float]) -> Snapshot:
    """The places and values of the weights other than zero; new weights get the next places."""
    kept = {places.setdefault(name, len(places)): value for name, value in weights.items() if value}
    return np.array(list(kept), dtype=np.int64), np.array(list(kept.values()), dtype=float)


def _course(history: list[Snapshot], place: int) -> list[float]:
    """One weight over time."""
    return [float(values[where == place].sum()) for where, values in history]


def _title(weight: Part) -> str:
    """How a weight is called in a legend."""
    feature, part = weight
    return f"{feature} ({', '.join(map(str, part))})" if part else str(feature)


def _draw_bands(
    ax: Axes, steps: list[int], history: list[Snapshot], others: npt.NDArray[np.int64]
) -> None:
    bounds = []
    for where, values in history:
        grey = values[np.isin(where, others)]
        inner = np.quantile(grey, [0.05, 0.95]) if len(grey) else [0.0, 0.0]
        bounds.append([grey.min(initial=0.0), *inner, grey.max(initial=0.0)])
    low, inner_low, inner_high, high = np.array(bounds).T
    ax.fill_between(
        steps, inner_low, inner_high, color="0.65", linewidth=0, zorder=1, label="90 % of them"
    )
    ax.fill_between(
        steps, low, high, color="0.88", linewidth=0, zorder=0, label=f"{len(others):,} others"
    )
