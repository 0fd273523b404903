"""Classes made from a learner whose base may be compiled: they behave as they would without it."""

from __future__ import annotations

import copy
import pickle

import pandas as pd
import pytest

from river_trapezoid.linear_model import OLSFClassifier
from tests.contracts import growing_stream


class Counting(OLSFClassifier):
    """Steps otherwise."""

    n_steps = 0

    def _step(self, x, sign):
        self.n_steps += 1
        super()._step(x, sign)


class Elsewhere(OLSFClassifier):
    """Keeps a parameter and the intercept in other places."""

    intercept = 0.5

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


class Versioned(OLSFClassifier):
    """Has a state of another shape."""

    def __getstate__(self):
        return {"version": 2, "state": super().__getstate__()}


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


@pytest.mark.parametrize("cls", [Counting, Elsewhere, Slotted, Frozen, Versioned])
def test_a_batch_that_fails_leaves_a_subclass_as_it_was(cls):
    model = cls(step="perceptron", B=1.0)
    model.learn_one({"a": 1.0}, True)
    before = model.weights, model.intercept
    X = pd.DataFrame({"a": [-3.0, 1.6e308], "b": [2.0, 1.7e308]})
    with pytest.raises(OverflowError, match="row 1"):
        model.learn_many(X, pd.Series([True, False]))
    assert (model.weights, model.intercept) == before
    assert not hasattr(model, "version")


def test_the_class_may_change():
    model = OLSFClassifier()
    model.learn_one({"a": 1.0}, True)
    model.__class__ = Counting
    model.learn_one({"a": 1.0}, True)
    assert model.n_steps == 1
