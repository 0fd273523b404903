from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from river_trapezoid import plot


def draw(name, ax):
    for i, label in enumerate(("up", "down") if name != "c" else ("down", "level")):
        ax.plot([0, 1], [i, 1 - i], label=label)
    ax.set_xlabel("instances")
    ax.set_ylabel("errors" if name != "e" else "accuracy")
    if name != "b":
        ax.legend()


def texts_of(legend):
    return [text.get_text() for text in legend.get_texts()]


def drawn(names, **kwargs):
    figure = plot.small_multiples(names, draw, **kwargs)
    figure.canvas.draw()
    return figure


def test_there_is_a_panel_for_each_name_row_by_row():
    figure = drawn(["a", "b", "c", "d", "f"], n_columns=3)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["a", "b", "c", "d", "f"]
    boxes = [ax.get_window_extent() for ax in figure.axes]
    assert boxes[0].y0 == pytest.approx(boxes[2].y0)
    assert boxes[3].y1 < boxes[0].y0
    assert boxes[3].x0 == pytest.approx(boxes[0].x0)


def test_one_legend_below_replaces_those_of_the_panels():
    figure = drawn(["a", "b", "c"])
    assert all(ax.get_legend() is None for ax in figure.axes)
    (legend,) = figure.legends
    assert texts_of(legend) == ["up", "down", "level"]
    (part,) = figure.subfigs
    label = part._supxlabel.get_window_extent()
    assert legend.get_window_extent().y1 <= label.y0
    assert label.y1 <= min(ax.get_window_extent().y0 for ax in figure.axes)


def test_labels_that_all_panels_share_are_shown_once():
    figure = drawn(["a", "b"])
    (part,) = figure.subfigs
    assert (part.get_supxlabel(), part.get_supylabel()) == ("instances", "errors")
    assert {(ax.get_xlabel(), ax.get_ylabel()) for ax in figure.axes} == {("", "")}
    (part,) = drawn(["a", "e"]).subfigs
    assert part.get_supxlabel() == "instances"
    assert [ax.get_ylabel() for ax in part.axes] == ["errors", "accuracy"]


def test_a_legend_of_long_names_has_more_lines_and_panels_keep_their_height():
    def long(name, ax):
        for i in range(6):
            ax.plot([0, 1], [i, i], label=f"a model with a rather long name {i}")

    heights = {}
    for draw_one in (draw, long):
        figure = plot.small_multiples(["a", "b"], draw_one)
        figure.canvas.draw()
        (legend,) = figure.legends
        box = legend.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width
        heights[draw_one] = figure.axes[0].get_window_extent().height
    assert heights[long] == pytest.approx(heights[draw], rel=0.2)


def test_handles_that_a_panel_made_for_its_legend_are_kept():
    def patches(name, ax):
        ax.legend(handles=[plt.Rectangle((0, 0), 1, 1, color="red", label="observed")])

    (legend,) = plot.small_multiples(["a"], patches).legends
    assert texts_of(legend) == ["observed"]


def test_without_labels_there_is_no_legend():
    assert plot.small_multiples(["a"], lambda name, ax: ax.plot([1, 2])).legends == []


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="names must not be empty"):
        plot.small_multiples([], draw)
    with pytest.raises(ValueError, match="n_columns must be an integer >= 1"):
        plot.small_multiples(["a"], draw, n_columns=0)
