"""Checks of every estimator."""

from __future__ import annotations

import copy
import math
import pickle
import random
import re

import numpy as np
import pytest

from river_trapezoid import persist

from .conditions import (
    applies_to,
    is_not_a_wrapper,
    is_passive,
    takes_categories,
    takes_numbers_only,
)
from .steps import answer, growing_stream, learn, outputs, questions, state, trained

NAN = float("nan")


def check_order_of_features_changes_nothing(model):
    rng = random.Random(3)
    twin = model.clone()
    for x, y in growing_stream():
        keys = list(x)
        rng.shuffle(keys)
        shuffled = {key: x[key] for key in keys}
        assert answer(model, x) == answer(twin, shuffled)
        learn(model, x, y)
        learn(twin, shuffled, y)


def check_unpickled_model_continues_identically(model):
    trained(model)
    twin = pickle.loads(pickle.dumps(model))
    assert list(outputs(model)) == list(outputs(twin))


def check_loaded_model_continues_identically(model):
    trained(model)
    twin = persist.loads(persist.dumps(model))
    assert list(outputs(model)) == list(outputs(twin))


def check_copies_are_independent(model):
    trained(model)
    before = state(model)
    twin = copy.deepcopy(model)
    assert list(outputs(twin)) == list(outputs(copy.deepcopy(model)))
    trained(twin, 20)
    assert state(model) == before


# River clones a wrapped model without its attributes.
@applies_to(is_not_a_wrapper)
def check_clone_can_include_what_was_learned(model):
    trained(model)
    before = state(model)
    twin = model.clone(include_attributes=True)
    assert list(outputs(twin)) == list(outputs(copy.deepcopy(model)))
    trained(twin, 20)
    assert state(model) == before


def check_clone_starts_afresh(model):
    fresh = model.clone()
    trained(model)
    late = model.clone()
    assert repr(late) == repr(model) == repr(fresh)
    assert list(outputs(late)) == list(outputs(fresh))


def check_same_seed_same_result(model):
    twin = model.clone()
    assert list(outputs(model, 150)) == list(outputs(twin, 150))


@applies_to(is_passive)
def check_prediction_changes_nothing(model):
    trained(model)
    before = state(model)
    for x, _ in growing_stream(40, seed=5):
        answer(model, x)
        answer(model, {**x, "never seen": 1.0})
        assert state(model) == before


BAD = [
    ({"f0": 1.0, "list": [1.0]}, True, TypeError, "list"),
    ({"f0": 1.0, "array": np.ones(1)}, True, TypeError, "array"),
    ({"f0": 1.0, "complex": 1j}, True, TypeError, "complex"),
    ({"f0": 1.0, "endless": math.inf}, True, ValueError, "endless"),
    ({"f0": -math.inf, "f1": math.inf}, False, ValueError, "f0|f1"),
    ({"f0": 1.0, "integer": 10**400}, True, ValueError, "integer"),
]


BAD_CATEGORIES = [({"f0": 1.0, "colour": ""}, True, ValueError, "colour")]
BAD_STRINGS = [({"f0": 1.0, "colour": "red"}, True, TypeError, "colour")]


def bad_features(model):
    """What a model refuses, with the type of error and what it names."""
    return BAD + (BAD_CATEGORIES if takes_categories(model) else BAD_STRINGS)


@applies_to(takes_numbers_only)
def check_bad_features_raise_and_change_nothing(model):
    trained(model)
    for x, y, error, named in bad_features(model):
        before = state(model)
        with pytest.raises(error, match=named):
            learn(model, x, y)
        assert state(model) == before
        for ask in questions(model):
            with pytest.raises(error, match=named):
                ask(x)


@applies_to(is_passive, takes_numbers_only)
def check_a_prediction_that_raises_changes_nothing(model):
    trained(model)
    before = state(model)
    for x, _, error, _ in bad_features(model):
        for ask in questions(model):
            with pytest.raises(error):
                ask(x)
        assert state(model) == before


@applies_to(takes_numbers_only)
def check_keys_without_an_order_are_refused_by_name(model):
    trained(model)
    for key in (frozenset(["odd"]), (float("nan"), "odd"), 1j):
        before = state(model)
        with pytest.raises(TypeError, match=re.escape(f"feature {key!r}")):
            learn(model, {"f0": 1.0, key: 2.0, "new": 1.0}, True)
        assert state(model) == before


def check_missing_means_absent(model):
    twin = model.clone()
    rng = random.Random(1)
    for x, y in growing_stream():
        gaps = {f"gap{rng.randint(0, 30)}": rng.choice([None, NAN, np.nan, np.float32("nan")])}
        padded = {**gaps, **x, "always": None}
        assert answer(model, x) == answer(twin, padded)
        learn(model, x, y)
        learn(twin, padded, y)
    assert answer(model, {}) == answer(twin, {"a": None, "b": NAN})


def check_kinds_of_number_do_not_matter(model):
    twin = model.clone()
    kinds = [int, bool, np.int8, np.float32, np.float64, np.bool_]
    for i, (x, y) in enumerate(growing_stream()):
        x = {k: float(v > 0.5) for k, v in x.items()}
        kind = kinds[i % len(kinds)]
        assert answer(model, x) == answer(twin, {k: kind(v) for k, v in x.items()})
        learn(model, x, y)
        learn(twin, {k: kind(v) for k, v in x.items()}, y)


def check_keys_of_mixed_types(model):
    keys = ["a", 1, 2.5, ("b", 1), (2, "c"), None, b"bytes", -7, "zz", ("b", "d")]
    rng = random.Random(0)
    twin = model.clone()
    for _ in range(150):
        some = rng.sample(keys, rng.randint(1, len(keys)))
        x = {key: rng.choice([1.0, -1.0, 0.5]) for key in some}
        y = rng.random() < 0.5
        backwards = dict(reversed(x.items()))
        assert answer(model, x) == answer(twin, backwards)
        learn(model, x, y)
        learn(twin, backwards, y)


def check_extreme_values(model):
    rng = random.Random(0)
    sizes = [1e-320, 1e-160, 1e-30, 1.0, 1e30, 1e150, 1e300]
    for _ in range(300):
        x = {f"f{rng.randint(0, 9)}": rng.choice([-1, 1]) * rng.choice(sizes) for _ in range(4)}
        assert not any(math.isnan(number) for number in numbers_in(answer(model, x)))
        before = state(model)
        try:
            learn(model, x, rng.random() < 0.5)
        except OverflowError:
            assert state(model) == before


def numbers_in(answer):
    """Yield the numbers of an answer, wherever it has them."""
    if isinstance(answer, dict):
        answer = answer.values()
    if isinstance(answer, (float, int)):
        yield answer
    elif not isinstance(answer, str) and answer is not None:
        for part in answer:
            yield from numbers_in(part)


def check_inputs_are_not_modified(model):
    for x, y in growing_stream(80):
        kept = copy.deepcopy(x)
        answer(model, x)
        learn(model, x, y)
        assert list(x.items()) == list(kept.items())
