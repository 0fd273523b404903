"""Weights in the hands of keys, states and settings that misbehave."""

from __future__ import annotations

import contextlib
import gc
import math
import random
import typing

import pytest

from river_trapezoid.linear_model import OLSFClassifier
from tests.weights.families import Evil, Sparse, Told, families, trained
from tests.weights.kinds import (
    COMPILED,
    COMPILED_EVIDENCE,
    NEEDS_BOTH,
    PURE,
    PURE_EVIDENCE,
    assert_same,
)

pytestmark = NEEDS_BOTH


@families
@pytest.mark.parametrize("kind", ["pure", "compiled"])
@pytest.mark.parametrize("event", ["hash", "eq"])
@pytest.mark.parametrize("budget", [1.0, 0.5, 4])
def test_what_a_key_raises_surfaces_and_changes_nothing(family, kind, event, budget):
    weights = trained(family, getattr(family, kind), budget)
    loaded = False

    def act(happening):
        if loaded and happening == event:
            raise Told

    x = {"a": 1.0, "new": 1.0, Evil("evil", act): 1.0}
    before = weights.__getstate__()
    loaded = True
    for operation in (*family.readings(weights), *family.steps(weights)):
        with pytest.raises(Told):
            operation(x)
        assert weights.__getstate__() == before
    loaded = False
    family.step(weights)(x)


@families
@pytest.mark.parametrize("kind", ["pure", "compiled"])
def test_a_key_that_does_not_want_to_be_ranked_leaves_the_weights_in_order(family, kind):
    loaded = True

    def act(event):
        if loaded and event == "lt":
            raise Told

    weights = family.make(getattr(family, kind), 3)
    with pytest.raises(Told):
        family.step(weights)({Evil(i, act): 1.0 for i in range(8)})
    loaded = False
    family.step(weights)({"a": 2.0})
    assert len(weights) == 3
    if family is Sparse:
        assert weights.norm == pytest.approx(math.fsum(map(abs, weights.to_dict().values())))


@families
def test_a_key_may_empty_the_instance_while_it_is_compared(family):
    weights = trained(family, family.compiled)
    loaded = False

    def act(event):
        if loaded:
            x.clear()

    for operation in (*family.readings(weights), *family.steps(weights)):
        loaded = False
        x = {Evil(f"x{i}", act): 1.0 for i in range(4)} | {f"text{i}": 1.0 for i in range(200)}
        loaded = True
        operation(x)
        assert not x


@families
def test_a_key_must_not_change_the_weights_while_it_is_compared(family):
    weights = trained(family, family.compiled)
    loaded = False

    def act(event):
        if loaded:
            family.step(weights)({f"other{i}": 1.0 for i in range(100)})

    x = {Evil("evil", act): 1.0}
    loaded = True
    for operation in family.steps(weights):
        with pytest.raises(RuntimeError, match="must not change"):
            operation(x)
    loaded = False
    family.step(weights)(x)


@families
def test_a_key_that_changes_the_weights_while_they_are_read_breaks_nothing(family):
    weights = trained(family, family.compiled, budget=50)
    rng = random.Random(0)
    loaded = False

    def act(event):
        nonlocal loaded
        if loaded and event == "eq":
            loaded = False
            for _ in range(50):
                family.step(weights)({rng.random(): 1.0 for _ in range(40)})

    x = {Evil("e3", act): 1.0, "a": 1.0}
    for reading in family.readings(weights):
        loaded = True
        # Whether it is let through or told off.
        with contextlib.suppress(RuntimeError):
            reading(x)
        assert not loaded
    family.step(weights)(x)
    assert len(weights) <= 50


@families
def test_a_key_that_is_seen_or_freed_may_empty_the_instance(family):
    def act(event):
        if loaded:
            x.clear()

    loaded = False
    texts = [f"text{i}" for i in range(50)]
    if family is Sparse:
        weights = COMPILED(0.5)
        seen = {Evil("seen", act): 1.0}
        x = {text + "!": 1.0 for text in texts}
        loaded = True
        weights.update(x, 1.0, seen=seen)
        assert len(weights) <= 1
    else:
        weights = family.make(family.compiled, 0.5)
        # A feature that was seen has the hash of one that is new.
        same = type("Same", (Evil,), {"__hash__": lambda self: hash("text0!")})("same", act)
        state = weights.__getstate__()
        weights.__setstate__((*state[:4], [same]))
        x = {text + "!": 1.0 for text in texts}
        loaded = True
        weights.step(x, 1, 0.0)
        assert weights.n_seen == 51


def test_weights_of_features_that_do_not_count_as_seen():
    pure, compiled = PURE(1.0), COMPILED(1.0)
    for i in range(300):
        for weights in (pure, compiled):
            weights.update({f"w{i}": 1.0}, 1.0, seen={f"s{i}": 1.0})
    assert_same(pure, compiled)


@families
def test_weights_that_are_created_twice_start_anew(family):
    weights = trained(family, family.compiled)

    class Last(Evil):
        def __del__(self):
            with contextlib.suppress(RuntimeError):
                family.step(weights)({"late": 1.0})

    family.step(weights)({Last("last"): 1.0})
    gc.collect()
    weights.__init__()
    assert weights.__getstate__() == type(weights)().__getstate__()


def test_strange_budgets_cost_weights_and_nothing_else():
    class Fickle(float):
        answers: typing.ClassVar = [1e6, 0.0]

        def __mul__(self, other):
            return self.answers.pop(0) if self.answers else 0.0

    for budget in (-5, -1, Fickle(0.5)):
        weights = COMPILED(0.5 if isinstance(budget, float) else 5)
        weights.update({f"k{i}": 1.0 for i in range(300)}, 1.0)
        weights.budget = budget
        weights.update({f"k{i}": 2.0 for i in range(3)}, 1.0)
        assert len(weights) <= 300
    weights = COMPILED(5)
    with pytest.raises(ValueError, match="invalid literal"):
        weights.budget = "many"
    assert weights.budget == 5


@pytest.mark.parametrize("kind", [PURE_EVIDENCE, COMPILED_EVIDENCE])
@pytest.mark.parametrize("n_bins", [-3, 0, 1, 10_001, 2**56, 2**70, 2.0])
def test_wrong_numbers_of_bins(kind, n_bins):
    with pytest.raises(ValueError, match="n_bins must be"):
        kind(n_bins)


@pytest.mark.parametrize("kind", [PURE, COMPILED])
def test_weights_are_not_scaled_out_of_range(kind):
    weights = kind(1.0)
    weights.update({"a": 1.0}, 1.0)
    for factor in (-1.0, 1.5, math.inf, -math.inf, math.nan):
        with pytest.raises(ValueError, match="factor must be"):
            weights.scale_by(factor)
    weights.scale_by(0.0)
    assert len(weights) == 0


def test_weights_that_are_no_numbers_are_not_restored():
    weights = COMPILED(2)
    with pytest.raises(ValueError, match="'b' is not finite"):
        weights.__setstate__((1.0, 2.0, 0.0, {"a": 1.0, "b": math.nan}, None))
    weights.update({"c": 1.0, "d": 2.0, "e": 3.0}, 1.0)
    assert len(weights) == 2


def test_weights_that_were_never_initialised_are_those_of_the_defaults():
    class Lazy(COMPILED_EVIDENCE or object):
        def __init__(self):
            pass

    weights = Lazy()
    weights.step({"a": 1.0}, 1, 0.0)
    assert len(weights) == 1


def test_a_key_may_take_the_attributes_of_the_learner_away():
    model = OLSFClassifier()
    loaded = False

    def act(event):
        if loaded:
            model._weights = COMPILED(0.5)
            model._labels = (0, 1)
            model.intercept = 0.25
            model.radius = None
            gc.collect()

    x = {Evil("evil", act): 1.0, "a": 1.0}
    for method in (model.predict_one, model.margin_one, lambda x: model.learn_one(x, True)):
        loaded = False
        model.__init__()
        model.learn_one({Evil("evil", act): 1.0, "a": 1.0}, True)
        loaded = True
        method(x)
        assert model._labels == (0, 1)


def test_a_key_may_take_the_labels_away():
    def act(event):
        if loaded:
            model._labels = None

    for method in ("predict_one", "predict_proba_one"):
        loaded = False
        model = OLSFClassifier()
        model.learn_one({Evil("evil", act): 1.0}, True)
        x = {Evil("evil", act): 1.0}
        loaded = True
        # Whether they were looked at before or not.
        with contextlib.suppress(TypeError):
            getattr(model, method)(x)
        assert model._labels is None


def test_a_learner_that_was_never_initialised_raises():
    model = OLSFClassifier.__new__(OLSFClassifier)
    for call in (model.predict_one, model.margin_one, lambda x: model.learn_one(x, True)):
        with pytest.raises((AttributeError, TypeError)):
            call({"a": 1.0})


@pytest.mark.parametrize("name", ["C", "intercept"])
def test_a_number_may_vanish_while_it_is_read(name):
    class Odd:
        def __float__(self):
            setattr(model, name, 0.5)
            return 0.25

    model = OLSFClassifier()
    for call in (model.predict_one, lambda x: model.learn_one(x, True)):
        setattr(model, name, Odd())
        # Whether it is taken for a number or not.
        with contextlib.suppress(TypeError):
            call({"a": 1.0})
