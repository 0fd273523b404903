"""The published runs on german, with the authors' orders of the rows, to the printed digit."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.papers.data import Data, order, table
from benchmarks.papers.olsf import FOUR, FROM_HALF
from benchmarks.papers.published_code import as_run

GERMAN = Data("German", orders="authors")


@pytest.fixture(autouse=True)
def _data(shared, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(shared / "data"))


def errors(shares, **params):
    _, X, y = table(GERMAN)
    return [as_run(X, y, order(GERMAN, seed), shares, **params).sum() for seed in range(20)]


@pytest.mark.parametrize(
    ("shares", "params", "mean", "std"),
    [
        (FOUR, {"mode": 0, "B": 0.5}, 415.9, 15.6),
        (FOUR, {"mode": 1, "B": 0.5, "C": 0.01}, 366.9, 8.8),
        (FOUR, {"mode": 2, "B": 0.5, "C": 0.01}, 366.9, 12.8),
        (FOUR, {"mode": 1, "B": 1.0, "C": 0.01, "radius": None}, 344.1, 7.1),
        (FOUR, {"mode": 1, "B": 0.2, "C": 0.01}, 702.7, 20.1),
        (FOUR, {"mode": 1, "B": 0.2, "step": "perceptron"}, 703.7, 20.5),
        (FOUR, {"mode": 1, "B": 0.5, "step": "perceptron"}, 368.7, 16.4),
        (FOUR, {"mode": 1, "B": 0.8, "step": "perceptron"}, 354.2, 7.7),
        (FROM_HALF, {"mode": 1, "B": 1.0, "C": 0.01}, 318.5, 7.3),
        (FROM_HALF, {"mode": 2, "B": 1.0, "C": 0.01}, 348.7, 11.6),
    ],
)
def test_german_comes_out_to_the_printed_digit(shares, params, mean, std):
    own = errors(shares, **params)
    assert np.mean(own) == pytest.approx(mean, abs=0.05 + 1e-9)
    assert np.std(own, ddof=1) == pytest.approx(std, abs=0.05)


def test_a_model_without_weights_errs_always():
    """A tenth of few features is rounded to none."""
    _, X, y = table(GERMAN)
    assert as_run(X, y, range(1000), (1.0,), mode=1, B=0.01, C=0.1).all()


def test_new_features_at_zero_loss_take_the_last_step_size():
    X = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    y = np.array([1.0, 1.0, 1.0, -1.0])
    # The first row is learned with a step of 1. The others have no loss, but the third brings a
    # feature, which the fourth is predicted by: wrongly.
    wrong = as_run(X, y, range(4), (0.5, 0.5, 1.0, 1.0), mode=0, B=1.0)
    assert wrong.tolist() == [True, False, False, True]
