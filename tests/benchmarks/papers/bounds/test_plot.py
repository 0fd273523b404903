from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from benchmarks.papers.bounds.plot import bound


@pytest.fixture
def ax():
    ax = plt.subplots()[1]
    ax.plot([10, 100], [1.0, 20.0], label="low")
    ax.plot([10, 100], [2.0, 50.0], label="high")
    return ax


def labels_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_bound_in_reach_is_shown_whole(ax):
    values = np.linspace(5.0, 90.0, 100)
    assert bound(values, of="low", ax=ax) is ax
    curve = ax.get_lines()[-1]
    assert list(curve.get_xdata()) == list(range(1, 101))
    assert list(curve.get_ydata()) == values.tolist()
    assert curve.get_linestyle() == "--"
    assert curve.get_color() == ax.get_lines()[0].get_color()
    assert ax.get_ylim()[1] > 90.0
    assert labels_of(ax) == ["low", "high", "bound of low"]


def test_a_bound_out_of_reach_does_not_flatten_the_errors(ax):
    bottom = ax.get_ylim()[0]
    bound(np.linspace(5.0, 12_345.0, 100), of="low", ax=ax)
    assert ax.get_ylim() == pytest.approx((bottom, 105.0))
    # Nor do several.
    bound(np.full(100, 1e6), of="high", ax=ax)
    bound(np.full(100, 1e6), ax=ax)
    assert ax.get_ylim() == pytest.approx((bottom, 105.0))
    assert labels_of(ax)[2:] == [
        "bound of low, 12,345 at the end",
        "bound of high, 1,000,000 at the end",
        "bound, 1,000,000 at the end",
    ]


def test_a_bound_on_rates_ends_in_sight(ax):
    bound(5000.0 / np.arange(1, 101), ax=ax)
    assert labels_of(ax)[2:] == ["bound"]
    assert ax.get_ylim()[1] == pytest.approx(105.0)


def test_a_bound_alone_is_shown_whole():
    ax = bound([1.0, 500.0])
    assert ax.get_ylim()[1] > 500.0
    assert labels_of(ax) == ["bound"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("instances", "errors")


def test_mistakes_are_named(ax):
    with pytest.raises(ValueError, match="of must be one of 'low', 'high'; got 'other'"):
        bound([1.0], of="other", ax=ax)
    for values in ([], 1.0, [[1.0]]):
        with pytest.raises(ValueError, match="values must be the bound after each instance"):
            bound(values, ax=ax)
    assert len(ax.get_lines()) == 2
