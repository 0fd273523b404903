"""Instances and labels that no one should send, sent all the same."""

from __future__ import annotations

import decimal
import fractions
import math
import random

import numpy as np
import pytest

from tests import contracts
from tests.contracts.conditions import takes_categories
from tests.estimators import classifiers, seeded

OURS = dict(classifiers())
VALUES = [
    *("", b"1.0", [1.0], (1.0,), {}, set(), object(), 1j, 10**400, -(10**400)),
    *(math.inf, -math.inf, np.inf, np.float32("inf"), np.ones(1), np.ones(3), np.array("a")),
    *(np.datetime64("2020-01-01"), type, len, decimal.Decimal("Infinity"), float("-inf")),
]
KEYS = [frozenset(["odd"]), (math.nan, "odd"), 1j, math.nan, np.datetime64("NaT"), object()]
LABELS = ["spam", 2, -3, 0.5, math.nan, [1], {}, 1j]
FINE = [1.0, -2.5, 0, True, None, math.nan, np.float32(0.1), fractions.Fraction(1, 3), 1e300]


def malformed(rng, binary, values):
    """Features and a label, at least one of which is wrong."""
    x = {f"f{rng.randrange(12)}": rng.choice(FINE[:-1]) for _ in range(rng.randrange(5))}
    y = rng.random() < 0.5
    wrong = rng.choice(["value", "key", "label"] if binary else ["value", "key"])
    if wrong == "value":
        # Not the first feature, which one of the estimators is not shown.
        x[rng.choice(["f1", "f2", "new"])] = rng.choice(values)
    elif wrong == "key":
        x[rng.choice(KEYS)] = 1.0
    else:
        y = rng.choice(LABELS)
    items = list(x.items())
    rng.shuffle(items)
    return dict(items), y


def attack(name, n, seed):
    rng = random.Random(seed)
    model, twin = seeded(OURS[name]), seeded(OURS[name])
    stream = contracts.growing_stream(n)
    binary = contracts.is_binary(model)
    values = VALUES if takes_categories(model) else ["red", *VALUES]
    for i, (x, y) in enumerate(stream):
        if i % 10 == 0:
            model.learn_one(x, y)
            twin.learn_one(x, y)
        before = contracts.state(model)
        x, y = malformed(rng, binary, values)
        with pytest.raises((TypeError, ValueError)):
            model.learn_one(x, y)
        assert contracts.state(model) == before
    assert list(contracts.outputs(model)) == list(contracts.outputs(twin))


@pytest.mark.parametrize("name", OURS)
def test_malformed_instances_are_refused_and_change_nothing(name):
    attack(name, 100, seed=0)


@pytest.mark.long
@pytest.mark.parametrize("name", OURS)
def test_a_hundred_thousand_malformed_instances(name):
    attack(name, 100_000 // len(OURS) + 1, seed=1)
