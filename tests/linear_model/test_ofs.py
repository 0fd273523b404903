from __future__ import annotations

import math
import random

import pytest

from river_trapezoid.linear_model import OFSClassifier


def _instances(n=400, seed=0, d=12):
    rng = random.Random(seed)
    for _ in range(n):
        x = {f"f{i:02}": rng.gauss(0, 1) for i in rng.sample(range(d), d // 2)}
        yield x, sum(x.values()) > 0


@pytest.mark.parametrize("B", [3, 0.4, 1.0])
def test_agrees_with_the_algorithm_as_printed(B):
    eta, lam = 0.2, 0.01
    model, w, seen = OFSClassifier(B=B, eta=eta, lam=lam), {}, set()
    for x, y in _instances():
        sign = 1 if y else -1
        seen.update(x)
        q = sum(w.get(k, 0.0) * v for k, v in x.items())
        assert model.margin_one(x) == pytest.approx(q, abs=1e-9)
        w = {k: (1 - lam * eta) * v for k, v in w.items()}
        if sign * q <= 1:
            for k, v in x.items():
                w[k] = w.get(k, 0.0) + eta * sign * v
            norm = math.sqrt(sum(v * v for v in w.values()))
            w = {k: v * min(1.0, 1 / (math.sqrt(lam) * norm)) for k, v in w.items()}
            k = B if isinstance(B, int) else max(1, math.floor(B * len(seen)))
            w = {key: w[key] for key in sorted(w, key=lambda key: -abs(w[key]))[:k]}
        model.learn_one(x, y)
        assert model.weights == pytest.approx(w, rel=1e-9)


@pytest.mark.parametrize("B", [3, 0.4])
def test_partial_information_estimates_the_instance_without_bias(B):
    model = OFSClassifier(B=B, epsilon=0.3, seed=1)
    for x, y in _instances():
        model.learn_one(x, y)
    x, _ = next(_instances(seed=9))
    total = dict.fromkeys(x, 0.0)
    n = 20_000
    for _ in range(n):
        looked_at, estimate = model._look(x)
        assert len(looked_at) <= max(3, 0.4 * 12)
        for key, value in estimate.items():
            total[key] += value / n
    assert total == pytest.approx(x, rel=0.15, abs=0.05)


def test_partial_information_learns():
    model = OFSClassifier(B=6, epsilon=0.2, seed=1)
    right = 0
    for x, y in _instances(3000):
        right += model.predict_one(x) == y
        model.learn_one(x, y)
    assert right / 3000 > 0.6


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("B", [0, 1.5, None]),
        ("eta", [0, -1, math.nan, None]),
        ("lam", [0, -1, math.inf]),
        ("epsilon", [0, 1.1, "a"]),
        ("seed", ["a", 0.5]),
    ],
)
def test_wrong_parameters_are_named(name, values):
    for value in values:
        with pytest.raises(ValueError, match=f"^{name} must be .*got"):
            OFSClassifier(**{name: value})


def test_step_and_shrinkage_must_fit():
    with pytest.raises(ValueError, match="eta \\* lam must be < 1"):
        OFSClassifier(eta=2, lam=0.5)
