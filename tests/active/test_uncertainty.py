from __future__ import annotations

import math
import random

import pytest
from river import dummy

from river_trapezoid.active import UncertaintySampler

STRATEGIES = ["fixed", "variable", "randomised", "split"]


class Told(dummy.NoChangeClassifier):
    """A classifier that is as certain as it is told."""

    def predict_proba_one(self, x):
        return {True: x["p"], False: 1.0 - x["p"]}

    def predict_one(self, x):
        return x["p"] > 0.5


def certainties(n, seed=0):
    rng = random.Random(seed)
    return [rng.uniform(0.5, 1.0) for _ in range(n)]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("budget", [0.05, 0.3, 1.0])
def test_strategies_follow_the_paper(strategy, budget):
    model = UncertaintySampler(Told(), budget, strategy, threshold=0.8, window=50, seed=3)
    rng = random.Random(3)
    theta, u, w, s = 0.8, 0.0, 50, 0.01
    for p in certainties(2000):
        asked = False
        if u / w < budget:
            if strategy == "split" and rng.random() < 0.2:
                asked = rng.random() < budget
            elif strategy == "fixed":
                asked = p < theta
            else:
                eta = rng.gauss(1.0, 1.0) if strategy == "randomised" else 1.0
                asked = p < theta * eta
                theta *= 1 - s if asked else 1 + s
        u = u * (w - 1) / w + asked
        assert model.predict_one({"p": p})[1] is asked
        assert model.theta == pytest.approx(theta, rel=1e-12)
    assert 0 < model.labels_spent <= 2000 * budget * 1.2 + 1


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_probability_to_ask_is_how_often_it_is_asked(strategy):
    n = 4000
    for p in (0.55, 0.9, 0.999):
        asked = 0
        for seed in range(n):
            model = UncertaintySampler(Told(), 0.3, strategy, threshold=0.9, seed=seed)
            probability = model.query_probability_one({"p": p})
            asked += model.predict_one({"p": p})[1]
        error = 5 * math.sqrt(probability * (1 - probability) / n) + 1e-12
        assert abs(asked / n - probability) <= error


def test_nothing_is_asked_for_when_the_budget_is_spent():
    model = UncertaintySampler(Told(), 0.01, "fixed", window=100)
    assert model.query_probability_one({"p": 0.6}) == 1.0
    assert model.predict_one({"p": 0.6})[1] is True
    assert model.query_probability_one({"p": 0.6}) == 0.0
    assert model.predict_one({"p": 0.6})[1] is False


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_is_not_a_number_is_not_certain(strategy):
    model = UncertaintySampler(Told(), 0.2, strategy, seed=1)
    for i in range(2000):
        model.predict_one({"p": math.nan if i % 10 == 0 else 0.7})
    assert 200 < model.labels_spent < 450
    assert math.isfinite(model.theta)


def test_unknown_strategies_are_named():
    with pytest.raises(ValueError, match=r"^strategy must be one of 'fixed', .*; got 'entropy'"):
        UncertaintySampler(Told(), strategy="entropy")
