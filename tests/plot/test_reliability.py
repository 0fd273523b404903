from __future__ import annotations

import itertools

import pytest

from river_trapezoid import plot
from river_trapezoid.metrics import ExpectedCalibrationError

PREDICTIONS = [(False, 0.1), (True, 0.15), (True, 0.9), (True, 1.0), (False, 0.95)]


def updated(predictions, n_bins=4):
    metric = ExpectedCalibrationError(n_bins)
    for y, p in predictions:
        metric.update(y, p)
    return metric


def test_the_points_and_bars_are_those_of_the_bins():
    metric = updated(PREDICTIONS)
    ax = plot.reliability(metric)
    diagonal, line = ax.get_lines()
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata()) == [0, 1]
    assert list(line.get_xdata()) == [b.mean_probability for b in metric.bins()]
    assert list(line.get_ydata()) == [0.5, pytest.approx(2 / 3)]
    (counts,) = ax.child_axes
    assert [bar.get_height() for bar in counts.patches] == [2, 3]
    for bar, b in zip(counts.patches, metric.bins(), strict=True):
        assert b.lower < bar.get_x() < bar.get_x() + bar.get_width() < b.upper
    assert ax.get_legend() is None
    assert counts.get_ylabel() == "instances"
    labels = ax.get_xlabel(), ax.get_ylabel()
    assert labels == ("predicted probability", "share of positives")


def test_models_are_compared_by_name():
    few = updated(PREDICTIONS[:2])
    ax = plot.reliability({"one": updated(PREDICTIONS), "two": few})
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["one", "two"]
    assert [len(line.get_xdata()) for line in ax.get_lines()[1:]] == [2, 1]
    bars = sorted(ax.child_axes[0].patches, key=lambda bar: bar.get_x())
    assert [bar.get_height() for bar in bars] == [2, 2, 3]
    assert bars[0].get_facecolor() == bars[2].get_facecolor() != bars[1].get_facecolor()
    for bar, after in itertools.pairwise(bars):
        assert bar.get_x() + bar.get_width() <= after.get_x() + 1e-12


def test_points_and_bars_do_not_overlap():
    ax = plot.reliability(updated([(i % 2 == 0, i / 100) for i in range(101)]))
    ax.figure.canvas.draw()
    zero = ax.transData.transform((0.0, 0.0))[1]
    assert ax.child_axes[0].get_window_extent().y1 < zero


@pytest.mark.parametrize(("n", "scale"), [(10, "linear"), (1000, "log")])
def test_counts_of_different_magnitudes_are_on_a_logarithmic_axis(n, scale):
    ax = plot.reliability(updated([(False, 0.1)] * n + [(True, 0.9)]))
    (counts,) = ax.child_axes
    assert counts.get_yscale() == scale
    assert counts.get_ylim()[0] < 1


def test_it_draws_on_the_given_axes():
    metric = updated(PREDICTIONS)
    figure = plot.small_multiples(
        ["a", "b"], lambda name, ax: plot.reliability({"model": metric}, ax=ax)
    )
    panels = [ax for ax in figure.axes if ax.child_axes]
    assert [ax.get_title(loc="left") for ax in panels] == ["a", "b"]
    assert len(figure.legends[0].get_texts()) == 1


@pytest.mark.parametrize(
    ("metric", "error", "message"),
    [
        (ExpectedCalibrationError(), ValueError, "metric must hold at least one instance"),
        ({"x": ExpectedCalibrationError()}, ValueError, "at least one instance; got none in 'x'"),
        ({}, ValueError, "metric must hold at least one metric; got an empty mapping"),
        (0.5, TypeError, "metric must be an ExpectedCalibrationError, or several by name; got 0.5"),
        ({"x": None}, TypeError, "several by name; got None"),
    ],
)
def test_metrics_that_cannot_be_drawn_are_refused(metric, error, message):
    with pytest.raises(error, match=message):
        plot.reliability(metric)
