from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from river import base

from river_trapezoid._parameters import check_number
from river_trapezoid.evaluate.hold_out import Instances
from river_trapezoid.evaluate.progressive import Evaluator, training_points, window_ends
from river_trapezoid.inspection._introspect import Term, features_of, weights_of

from ._style import COLOURS, axes, finish, legend_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["feature_space", "weights_over_time"]

_LIGHT, _DARK = np.array([0.45, 0.68, 0.86]), np.array([0.02, 0.24, 0.47])
# More grey weights than this are drawn as a band.
_MOST_GREY_LINES = 100


def feature_space(
    stream: Instances,
    model: base.Estimator | None = None,
    n_bins: int = 100,
    max_rows: int = 200,
    ax: Axes | None = None,
) -> Axes:
    """Draw which features are observed over time, and which of them have a weight in a model.

    Each row is a feature; rows are ordered by first appearance, from the bottom up. A row is light
    where the feature is observed, lighter where it is rarer, and dark where the model has a nonzero
    weight for it. If there are more than `max_rows` features, a row shows several features that
    appeared one after another, and is darker where more of them have a weight.

    Parameters
    ----------
    stream
        The stream of `(x, y)`.
    model
        A linear model with one or several sets of weights, or a pipeline, sampler or wrapper around
        one. A clone of it learns from the stream; a sampler learns only from the labels that it
        queries. The features are those that the linear model receives, for example the words of a
        text. If None, the features of the stream are drawn.
    n_bins
        Number of columns. Each one shows an equal number of instances.
    max_rows
        Maximum number of rows.
    ax
        The axes to draw on; by default, those of a new figure.

    """
    check_number("n_bins", n_bins, integer=True, at_least=1)
    check_number("max_rows", max_rows, integer=True, at_least=1)
    instances = list(stream)
    edges = [0, *window_ends(len(instances), n_bins)]
    bins = [instances[start:end] for start, end in itertools.pairwise(edges)]
    places, columns = _observed_and_kept(bins, None if model is None else model.clone())
    image = _image(columns, len(places), min(len(places), max_rows))
    ax = axes(ax)
    ax.imshow(
        image,
        aspect="auto",
        origin="lower",
        # Antialiasing shows rows that are thinner than a pixel; few rows have sharper edges without.
        interpolation="nearest" if len(image) <= 50 else "antialiased",
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


class _Column(NamedTuple):
    """The share of a bin's instances in which features are observed, and the features kept."""

    observed: dict[int, float]
    kept: set[int]


def _observed_and_kept(
    bins: list[list[Any]], model: base.Estimator | None
) -> tuple[dict[Hashable, int], list[_Column]]:
    """Return the features by first appearance, and a column for each bin; train the model on them."""
    learner = None if model is None else Evaluator(model)
    if model is not None:
        weights_of(model)  # Raises an error if the model has no weights.
    places: dict[Hashable, int] = {}
    columns = []
    for instances in bins:
        counts: dict[int, int] = {}
        for x, y in instances:
            if learner is not None:
                learner.learn_if_queried(x, y)
            for name in features_of(model, x):
                place = places.setdefault(name, len(places))
                counts[place] = counts.get(place, 0) + 1
        weights = {} if model is None else weights_of(model)
        kept = {places.setdefault(name, len(places)) for (name, _), w in weights.items() if w}
        columns.append(_Column({p: n / len(instances) for p, n in counts.items()}, kept))
    return places, columns


def _image(columns: list[_Column], n_features: int, n_rows: int) -> npt.NDArray[np.float64]:
    """Return the colours of the cells; a row shows one or several features."""
    row_of = np.arange(n_features) * n_rows // max(1, n_features)
    sizes = np.bincount(row_of, minlength=n_rows)
    image = np.ones((n_rows, len(columns), 3))
    for i, (observed, kept) in enumerate(columns):
        seen = _shares(row_of, sizes, observed.keys(), list(observed.values()))
        known = _shares(row_of, sizes, kept, np.ones(len(kept)))
        # Even a small share must be visible.
        light = np.where(seen > 0.0, 0.25 + 0.75 * seen, 0.0)[:, None]
        dark = np.where(known > 0.0, 0.35 + 0.65 * known, 0.0)[:, None]
        image[:, i] = (1.0 - dark) * (1.0 - (1.0 - _LIGHT) * light) + dark * _DARK
    return image


def _shares(
    row_of: npt.NDArray[Any], sizes: npt.NDArray[Any], places: Iterable[int], shares: Any
) -> npt.NDArray[np.float64]:
    """Return the mean share of the features of each row; features without a share count as zero."""
    rows = row_of[np.fromiter(places, dtype=int)]
    return np.bincount(rows, weights=shares, minlength=len(sizes)) / sizes


def weights_over_time(
    stream: Instances,
    model: base.Estimator,
    n_features: int = 7,
    n_points: int = 100,
    ax: Axes | None = None,
) -> Axes:
    """Draw the weights of a model over time.

    Parameters
    ----------
    stream
        The stream of `(x, y)`.
    model
        A linear model with one or several sets of weights, or a pipeline, sampler or wrapper around
        one. A clone of it learns from the stream; a sampler learns only from the labels that it
        queries.
    n_features
        Number of weights drawn in colour, by their largest absolute value at any time. The others
        are grey: lines or, if there are more than a hundred, a band from the smallest to the
        largest of them, with a darker band of the middle 90 % of those that are not zero.
    n_points
        Number of points in time.
    ax
        The axes to draw on; by default, those of a new figure.

    """
    check_number("n_features", n_features, integer=True, at_least=0)
    check_number("n_points", n_points, integer=True, at_least=1)
    learner = Evaluator(model.clone())
    weights_of(learner.model)  # Raises an error if the model has no weights.
    steps = [0]
    places: dict[Term, int] = {}
    # The nonzero weights at each point, as arrays: dicts of all weights would fill the memory.
    history = [_snapshot(places, {})]
    for step in training_points(learner, stream, n_points):
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


def _snapshot(places: dict[Term, int], weights: dict[Term, float]) -> Snapshot:
    """Return the places and values of the nonzero weights; new weights get the next places."""
    kept = {places.setdefault(name, len(places)): value for name, value in weights.items() if value}
    return np.array(list(kept), dtype=np.int64), np.array(list(kept.values()), dtype=float)


def _course(history: list[Snapshot], place: int) -> list[float]:
    """Return the values of one weight over time."""
    return [float(values[where == place].sum()) for where, values in history]


def _title(weight: Term) -> str:
    """Return the name of a weight in the legend."""
    feature, names = weight
    return f"{feature} ({', '.join(map(str, names))})" if names else str(feature)


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
