from __future__ import annotations

import pytest

from benchmarks.papers.page.agreement_plot import agreement


def figure(group, difference, holds=True, series="text"):
    return {"group": group, "series": series, "difference": difference, "holds": holds}


RECORDS = [
    figure("Table 1", 0.5),
    figure("Table 1", -30.0, holds=False),
    figure("Table 1", 0.1, series="as-run"),
    figure("Table 2", 3.0),
]


def dots(ax):
    """The dots by filling and colour; those of the legend are drawn at no place."""
    return {
        (len(drawn.get_facecolors()) > 0, tuple(drawn.get_edgecolors()[0]), x)
        for drawn in ax.collections
        for x, _ in drawn.get_offsets()
    }


def test_every_figure_is_a_dot_filled_if_it_holds():
    ax = agreement(RECORDS)
    assert {(filled, float(x)) for filled, _, x in dots(ax)} == {
        (True, 0.5),
        (False, -30.0),
        (True, 0.1),
        (True, 3.0),
    }


def test_series_have_their_colours_in_every_group():
    colours = {float(x): colour for _, colour, x in dots(agreement(RECORDS))}
    assert colours[0.5] == colours[3.0] != colours[0.1]


def test_beside_each_strip_stands_how_many_hold():
    ax = agreement(RECORDS)
    assert [text.get_text() for text in ax.texts] == ["1 of 2", "1 of 1", "1 of 1"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Table 1", "Table 2"]


def test_a_figure_without_a_difference_counts_and_is_not_drawn():
    ax = agreement([figure("a", 0.5), figure("a", None, holds=False)])
    assert [text.get_text() for text in ax.texts] == ["1 of 2"]
    assert {float(x) for _, _, x in dots(ax)} == {0.5}


def test_all_differences_are_within_the_axis():
    ax = agreement([figure("a", 250.0), figure("a", -1e-6)])
    low, high = ax.get_xlim()
    assert low == -high
    assert high > 250


def test_dots_at_one_place_do_not_hide_each_other():
    ax = agreement([figure("a", 0.0)] * 5)
    heights = {float(y) for drawn in ax.collections for _, y in drawn.get_offsets()}
    assert len(heights) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(([],), "records must not be empty"), ((RECORDS, 0.0), "band must be")],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        agreement(*arguments)
