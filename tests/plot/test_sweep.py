from __future__ import annotations

import math

import numpy as np
import pytest
from river import datasets, metrics

from river_trapezoid import evaluate, plot, stream
from river_trapezoid.linear_model import OLSFClassifier
from river_trapezoid.metrics import Errors

ROWS = list(datasets.Phishing().take(150))


def made(values, means=None, parameter="C", models=("a", "b")):
    """Two repeats of each model, a tenth apart."""
    means = range(len(values)) if means is None else means
    records = [
        {
            "stream": "s",
            "model": model,
            "setting": value,
            "repeat": repeat,
            "seed": repeat,
            "metric": "Accuracy",
            "bigger_is_better": True,
            "step": 10,
            "value": mean + k + 0.1 * repeat,
        }
        for k, model in enumerate(models)
        for value, mean in zip(values, means, strict=True)
        for repeat in range(2)
    ]
    return evaluate.Sensitivity(parameter, list(values), records)


def lines_of(ax):
    return {c.get_label(): c.lines[0] for c in ax.containers}


def test_a_line_for_each_model_with_bars_of_one_standard_deviation():
    outcome = evaluate.sensitivity(
        {"I": OLSFClassifier(), "II": OLSFClassifier(mode=2)},
        {"one": lambda seed: stream.Shuffled(ROWS, seed=seed), "two": ROWS},
        [metrics.Accuracy(), Errors()],
        "C",
        [1.0, 0.1],
        repeats=3,
        progress=False,
    )
    ax = plot.sensitivity(outcome, stream="one", metric="Errors")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["I", "II"]
    curve = outcome.curve("II", "one", "Errors")[::-1]
    line = lines_of(ax)["II"]
    assert list(line.get_xdata()) == [0.1, 1.0]
    assert list(line.get_ydata()) == [point["mean"] for point in curve]
    (bars,) = ax.containers[1].lines[2]
    heights = [np.ptp(segment[:, 1]) for segment in bars.get_segments()]
    assert heights == pytest.approx([2 * point["std"] for point in curve])
    assert (ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel()) == ("one", "C", "Errors")
    assert plot.sensitivity(outcome).get_title(loc="left") == "one"


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([0.001, 0.1, 1.0], "log"),
        ([1, 1000], "log"),
        ([0.01, 0.1, 1.0], "linear"),
        ([0.0, 0.1, 1000.0], "symlog"),
        ([0.0, 0.1, 1.0], "linear"),
        ([-1000.0, 1.0, 1000.0], "linear"),
    ],
)
def test_the_axis_is_logarithmic_where_values_span_decades(values, scale):
    ax = plot.sensitivity(made(values))
    assert ax.get_xscale() == scale
    assert list(lines_of(ax)["a"].get_xdata()) == values


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["largest", "random"], ["'largest'", "'random'"]),
        ([30.0, None, 1.0], ["30.0", "None", "1.0"]),
        ([True, False], ["True", "False"]),
        ([1.0, 1, 0.5], ["1.0", "1", "0.5"]),
        ([1.0, math.inf], ["1.0", "inf"]),
    ],
)
def test_values_that_are_not_distinct_finite_numbers_are_placed_side_by_side(values, labels):
    ax = plot.sensitivity(made(values))
    assert [text.get_text() for text in ax.get_xticklabels()] == labels
    assert list(lines_of(ax)["a"].get_xdata()) == list(range(len(values)))
    assert list(lines_of(ax)["b"].get_ydata()) == pytest.approx(
        [1.05 + i for i in range(len(values))]
    )


def test_a_value_that_failed_is_a_gap():
    whole = made([1.0, 2.0, 3.0], models=["a"])
    records = [r for r in whole.records if r["setting"] != 2.0]
    ax = plot.sensitivity(evaluate.Sensitivity("C", whole.values, records))
    assert [math.isnan(y) for y in lines_of(ax)["a"].get_ydata()] == [False, True, False]


def test_more_lines_than_colours_can_be_distinguished():
    names = [f"model {i}" for i in range(9)]
    ax = plot.sensitivity(made([1.0, 2.0], models=names))
    looks = {(line.get_color(), line.get_linestyle()) for line in lines_of(ax).values()}
    assert len(looks) == 9


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="stream must be one of 's'; got 'other'"):
        plot.sensitivity(made([1.0]), stream="other")
