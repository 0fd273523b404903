"""OLSF is a plain Python class, whichever kind of weights it holds: subclasses, hooks, settings."""

from __future__ import annotations

import copy
import logging
import pickle
import random

import numpy as np
import pandas as pd
import pytest
from river import preprocessing, utils

from river_trapezoid.active import MarginSampler
from river_trapezoid.linear_model import OLSFClassifier
from river_trapezoid.weights import PassiveAggressive, SparseWeights
from tests.contracts import growing_stream
from tests.weights.kinds import KINDS, RULES


class Counting(OLSFClassifier):
    """Steps otherwise."""

    n_steps = 0

    def _step(self, x, sign):
        self.n_steps += 1
        super()._step(x, sign)


class Elsewhere(OLSFClassifier):
    """Keeps a parameter in another place."""

    @property
    def C(self):
        return self._aggressiveness

    @C.setter
    def C(self, value):
        self._aggressiveness = value


class Slotted(OLSFClassifier):
    """Has a place of its own."""

    __slots__ = ("extra",)


class Frozen(OLSFClassifier):
    """Does not want its parameters changed."""

    def __setattr__(self, name, value):
        if name in vars(self).get("_closed", ()):
            raise AttributeError(name)
        super().__setattr__(name, value)


class Shifted(OLSFClassifier):
    """Has another margin."""

    def margin_one(self, x):
        return super().margin_one(x) + 0.3


class Cautious(OLSFClassifier):
    """Decides by another threshold."""

    def label_at(self, margin):
        return super().label_at(margin - 0.2)


class Inverted(OLSFClassifier):
    """Learns the opposite."""

    def _step(self, x, sign):
        super()._step(x, -sign)


def of_kind(model, kind):
    model._rule = RULES[kind](kind(model._weights.budget, model._weights.order))
    return model


@pytest.mark.parametrize("cls", [OLSFClassifier, Counting, Elsewhere, Slotted, Frozen])
@pytest.mark.parametrize("how", [*range(pickle.HIGHEST_PROTOCOL + 1), "copy", "deepcopy", "clone"])
def test_subclasses_learn_as_told_and_may_be_copied(cls, how):
    model, plain = cls(C=0.3, learn_intercept=True), OLSFClassifier(C=0.3, learn_intercept=True)
    model.extra = [5]
    instances = list(growing_stream(60))
    for x, y in instances[:30]:
        assert model.predict_one(x) == plain.predict_one(x)
        for learner in (model, plain):
            learner.learn_one(x, y)
    if cls is Counting:
        assert model.n_steps == 30
    if cls is Frozen:
        model._closed = {"C", "seed"}
    if how == "clone":
        twin = model.clone(include_attributes=True)
        twin.extra = [5]
    elif isinstance(how, int):
        # Python itself knows nothing of slots in the oldest protocols.
        protocol = max(how, 2) if cls is Slotted else how
        twin = pickle.loads(pickle.dumps(model, protocol))
    else:
        twin = getattr(copy, how)(model)
    assert twin.extra == [5]
    assert repr(twin) == repr(model)
    for x, y in instances[30:]:
        assert twin.margin_one(x) == plain.margin_one(x)
        for learner in (twin, plain):
            learner.learn_one(x, y)
    assert twin.intercept == plain.intercept != 0.0


@pytest.mark.parametrize("cls", [Counting, Elsewhere, Slotted, Frozen])
def test_a_batch_that_fails_leaves_a_subclass_as_it_was(cls):
    model = cls(step="perceptron", B=1.0)
    model.learn_one({"a": 1.0}, True)
    before = model.weights, model.intercept
    X = pd.DataFrame({"a": [-3.0, 1.6e308], "b": [2.0, 1.7e308]})
    with pytest.raises(OverflowError, match="row 1"):
        model.learn_many(X, pd.Series([True, False]))
    assert (model.weights, model.intercept) == before


def test_the_class_may_change():
    model = OLSFClassifier()
    model.learn_one({"a": 1.0}, True)
    model.__class__ = Counting
    model.learn_one({"a": 1.0}, True)
    assert model.n_steps == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cls", [Shifted, Cautious, Inverted])
def test_hooks_hold_alone_in_a_pipeline_and_in_a_sampler(cls, kind):
    # The oracle: what the hook says, computed beside a learner that has none.
    plain = OLSFClassifier(learn_intercept=True)
    alone = of_kind(cls(learn_intercept=True), kind)
    pipeline = preprocessing.StandardScaler() | of_kind(cls(learn_intercept=True), kind)
    scaled = preprocessing.StandardScaler() | OLSFClassifier(learn_intercept=True)
    sampler = MarginSampler(of_kind(cls(learn_intercept=True), kind), rho=1e9, seed=1)
    shift, threshold = 0.3 * (cls is Shifted), 0.2 * (cls is Cautious)
    n_positive = 0
    for x, y in growing_stream(80):
        margin = plain.margin_one(x) + shift
        expected = margin > threshold
        n_positive += expected
        assert alone.margin_one(x) == margin
        assert alone.predict_one(x) is expected
        assert alone.predict_proba_one(x) == plain.proba_at(margin)
        assert sampler.predict_one(x) == (expected, True)
        assert sampler.confidence_one(x) == abs(margin)
        scaled_x = scaled.transform_one(x)
        margin = scaled["OLSFClassifier"].margin_one(scaled_x) + shift
        assert pipeline.predict_one(x) is (margin > threshold)
        for learner in (alone, sampler, pipeline):
            learner.learn_one(x, y)
        for learner in (plain, scaled):
            learner.learn_one(x, y is not (cls is Inverted))
    assert 0 < n_positive < 80


@pytest.mark.parametrize("kind", KINDS)
def test_settings_and_intercept_may_change_mid_stream(kind):
    instances = list(growing_stream(40))
    fresh = {"mode": 2, "C": 0.7, "learn_intercept": True, "step": "pa", "update_on": "mistake"}

    def run(change):
        model = of_kind(OLSFClassifier(step="perceptron"), kind)
        for x, y in instances[:20]:
            model.learn_one(x, y)
        change(model)
        model.intercept = 0.25
        for x, y in instances[20:]:
            model.learn_one(x, y)
        return model

    def assign(model):
        for name, value in fresh.items():
            setattr(model, name, value)

    def rebuild(model):
        # The oracle: another learner from the start, which takes the weights over.
        weights = model._weights
        model.__init__(**fresh)
        model._rule = RULES[kind](weights)

    expected = run(rebuild)
    for change in (assign, lambda model: model.mutate(fresh)):
        model = run(change)
        assert model.weights == expected.weights
        assert model.intercept == expected.intercept != 0.25
        assert {name: vars(model)[name] for name in fresh} == fresh
        assert repr(model) == repr(expected)
        twin = model.clone({"C": 3.0}, include_attributes=True)
        assert twin._rule.C == twin.C == 3.0
        assert twin.weights == model.weights


@pytest.mark.parametrize("kind", KINDS)
def test_a_ball_needs_weights_that_keep_their_norm(kind):
    model = of_kind(OLSFClassifier(radius=None), kind)
    with pytest.raises(ValueError, match="radius"):
        model.radius = 3.0
    assert model.radius is None
    model = of_kind(OLSFClassifier(), kind)
    model.radius = 0.5
    for x, y in growing_stream(30):
        model.learn_one(x, y)
    assert sum(map(abs, model.weights.values())) <= 0.5 * (1 + 1e-12)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("radius", -1.0),
        ("radius", float("nan")),
        ("C", -1),
        ("C", "x"),
        ("mode", 7),
        ("step", "foo"),
        ("update_on", "foo"),
        ("learn_intercept", "no"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_wrong_settings_are_named_and_change_nothing(kind, name, value):
    model = of_kind(OLSFClassifier(), kind)
    before = getattr(model, name)
    for change in (setattr, lambda model, name, value: model.mutate({name: value})):
        with pytest.raises(ValueError, match=f"^{name} must be"):
            change(model, name, value)
        assert getattr(model, name) == getattr(model._rule, name) == before


@pytest.mark.parametrize("kind", KINDS)
def test_settings_are_computed_with_as_plain_numbers(kind):
    rounded, plain = OLSFClassifier(C=np.float32(0.1)), OLSFClassifier(C=float(np.float32(0.1)))
    for model in (rounded, plain):
        of_kind(model, kind)
        for x, y in growing_stream(30):
            model.learn_one(x, y)
    assert rounded.weights == plain.weights
    assert all(type(w) is float for w in rounded.weights.values())


def test_parameters_and_state_are_where_python_keeps_them():
    model = OLSFClassifier(C=0.3, seed=4)
    assert model._get_params().items() <= vars(model).items()


def test_method_calls_can_be_logged(caplog):
    model = OLSFClassifier()
    with (
        caplog.at_level(logging.DEBUG),
        utils.log_method_calls(lambda instance: isinstance(instance, OLSFClassifier)),
    ):
        model.learn_one({"a": 1.0}, True)
    assert "OLSFClassifier.learn_one" in caplog.text


def test_a_copy_of_the_rule_learns_on_its_own():
    rule = PassiveAggressive(SparseWeights(0.5), rng=random.Random(1), learn_intercept=True)
    rule.learn({"a": 1.0, "b": 2.0}, 1)
    twin = copy.copy(rule)
    before = rule.weights.to_dict(), rule.intercept, rule.rng.getstate()
    for _ in range(3):
        twin.learn({"a": -1.0, "c": 2.0}, -1)
    assert (rule.weights.to_dict(), rule.intercept, rule.rng.getstate()) == before
    assert twin.weights.to_dict() != rule.weights.to_dict()
