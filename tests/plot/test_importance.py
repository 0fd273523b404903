from __future__ import annotations

import itertools
import random

import matplotlib.pyplot as plt
import numpy as np
import pytest
from river import datasets, feature_extraction

from river_trapezoid import inspection, plot, stream
from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier


@pytest.fixture(autouse=True)
def _no_window():
    plt.switch_backend("agg")
    yield
    plt.close("all")


def coming_and_going(n=400):
    rng = random.Random(0)
    for t in range(n):
        x = {key: rng.gauss(0.0, 1.0) for key in ("stays", "goes", "comes", "pauses")}
        y = sum(x.values()) > 0
        if t >= n // 2:
            del x["goes"]
        else:
            del x["comes"]
        if n // 4 <= t < n // 2:
            del x["pauses"]
        yield x, y


@pytest.fixture(scope="module")
def history():
    return inspection.importance(EvidenceClassifier(), list(coming_and_going()), n_windows=8)


def cells(ax):
    return ax.collections[0].get_array()


def marks(ax):
    """The places of each mark: where a window starts, and the row."""
    rows = [label.get_text() for label in ax.get_yticklabels()]
    return {
        marked.get_label(): {(x, rows[int(y)]) for x, y in marked.get_offsets().tolist()}
        for marked in ax.collections[1:]
    }


def test_cells_are_importances_and_white_where_a_feature_is_absent(history):
    ax = plot.importance_over_time(history)
    features = [label.get_text() for label in ax.get_yticklabels()]
    assert features == history.features
    # From above.
    assert ax.get_ylim() == (3.5, -0.5)
    shown = cells(ax)
    assert shown.shape == (4, 8)
    for feature, row in zip(features, shown, strict=True):
        observed = history.observed(feature)
        assert None not in observed
        assert (~row.mask).tolist() == observed
        values = [v for v, there in zip(history.values(feature), observed, strict=True) if there]
        assert row.compressed().tolist() == values
    edges = ax.collections[0].get_coordinates()[0, :, 0]
    assert edges.tolist() == list(range(0, 401, 50))


def test_features_are_marked_where_they_appear_and_vanish(history):
    ax = plot.importance_over_time(history)
    assert marks(ax) == {
        "new": {(200.0, "comes")},
        "vanished": {(200.0, "goes"), (100.0, "pauses")},
        "returned": {(200.0, "pauses")},
    }
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["new", "returned", "vanished"]


def test_features_that_are_not_drawn_are_not_marked(history):
    drawn = set(history.top(2))
    places = marks(plot.importance_over_time(history, k=2))
    assert {feature for own in places.values() for _, feature in own} <= drawn
    assert len(cells(plot.importance_over_time(history, k=1))) == 1


def test_weights_outlast_their_features():
    rows = list(coming_and_going())
    history = inspection.importance(OLSFClassifier(B=1.0), rows, n_windows=8, by="weights")
    ax = plot.importance_over_time(history)
    row = history.features.index("goes")
    assert not cells(ax)[row].mask.any()
    assert (200.0, "goes") in marks(ax)["vanished"]
    bar = ax.figure.axes[1]
    assert bar.get_ylabel() == "|weight|"


def test_what_is_left_out_is_grey():
    rows = list(coming_and_going())
    history = inspection.importance(EvidenceClassifier(), rows, n_windows=8, max_features=2)
    ax = plot.importance_over_time(history)
    left_out = ax.collections[1].get_array()
    for row, feature in enumerate(history.features):
        unknown = [
            np.isnan(value) and there is not False
            for value, there in zip(history.values(feature), history.observed(feature), strict=True)
        ]
        assert (~left_out[row].mask).tolist() == unknown
        assert cells(ax)[row].mask[unknown].all()
    assert not left_out[history.features.index("stays")].mask.all()
    assert left_out[history.features.index("goes")].mask[4:].all()
    assert ax.get_legend().get_texts()[0].get_text() == "left out"


def test_a_stream_in_which_nothing_changes_has_no_marks():
    history = inspection.importance(EvidenceClassifier(), datasets.Phishing(), n_windows=4)
    ax = plot.importance_over_time(history)
    assert marks(ax) == {}
    assert ax.get_legend() is None


def test_a_feature_with_many_events_is_marked_only_at_both_ends():
    texts = [("start", True), *[("good fine", True), ("bad", False), ("fun", True)] * 10]
    model = feature_extraction.BagOfWords() | OLSFClassifier(B=1.0)
    history = inspection.importance(model, texts, window=1, by="weights")
    ax = plot.importance_over_time(history)
    places = marks(ax)
    assert places["new"] == {(1.0, "good"), (1.0, "fine"), (2.0, "bad"), (3.0, "fun")}
    # The word "fun" is in the last window.
    assert places["vanished"] == {(29.0, "good"), (29.0, "fine"), (30.0, "bad"), (1.0, "start")}
    assert "returned" not in places


@pytest.mark.parametrize("by", ["contributions", "pairs"])
def test_ten_long_names_can_be_read(by):
    rows = [
        ({f"a quantity with a name of many words: {key}": value for key, value in x.items()}, y)
        for x, y in stream.Trapezoidal(datasets.Phishing(), n_chunks=5)
    ]
    rows = [({**x, "and one more of many words: constant": 1.0}, y) for x, y in rows]
    history = inspection.importance(EvidenceClassifier(), rows, n_windows=20, by=by)
    ax = plot.importance_over_time(history)
    figure = ax.figure
    figure.canvas.draw()
    labels = ax.get_yticklabels()
    assert len(labels) == len({label.get_text() for label in labels}) == 10
    boxes = [label.get_window_extent() for label in labels]
    # From above, none of them over another, and none beyond the figure or into the cells.
    assert all(a.y0 > b.y1 for a, b in itertools.pairwise(boxes))
    assert all(box.x0 >= 0.0 for box in boxes)
    assert all(box.x1 <= ax.get_window_extent().x0 for box in boxes)
    assert ax.get_window_extent().width > 0.45 * figure.bbox.width
    title, legend = ax._left_title.get_window_extent(), ax.get_legend().get_window_extent()
    assert not title.overlaps(legend)


def test_pairs_are_titled_as_pairs():
    rows = list(datasets.Phishing().take(200))
    history = inspection.importance(EvidenceClassifier(), rows, n_windows=2, by="pairs")
    ax = plot.importance_over_time(history, k=3)
    assert ax.get_title(loc="left") == "Importance of pairs"
    assert all(" × " in label.get_text() for label in ax.get_yticklabels())


def test_it_is_drawn_on_the_given_axes(history):
    _, ax = plt.subplots()
    assert plot.importance_over_time(history, ax=ax) is ax


def test_mistakes_are_named(history):
    with pytest.raises(ValueError, match="k must be an integer >= 1"):
        plot.importance_over_time(history, k=0)
    empty = inspection.importance(OLSFClassifier(), [({}, True)] * 3)
    with pytest.raises(ValueError, match="history must have features with an importance"):
        plot.importance_over_time(empty)
