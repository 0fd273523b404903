"""Every estimator, through learning and everything that should leave it as it is, in any order."""

from __future__ import annotations

import copy
import pickle

import hypothesis.strategies as st
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from river_trapezoid import persist
from tests import contracts
from tests.estimators import classifiers, seeded

OURS = dict(classifiers())
names = st.sampled_from([f"f{i}" for i in range(8)])
numbers = st.sampled_from([0.0, 1.0, -1.0, 0.5, -2.5, 1e-9, 1e6, None])
instances = st.dictionaries(names, numbers, max_size=6)
labels = st.booleans()


class Machine(RuleBasedStateMachine):
    """A model that lives through everything, beside one that only learns and predicts."""

    new = None

    @initialize()
    def start(self):
        self.model = seeded(self.new)
        self.twin = seeded(self.new)

    def learn(self, x, y):
        answers = []
        for model in (self.model, self.twin):
            try:
                answers.append(model.learn_one(dict(x), y))
            except (OverflowError, RuntimeError) as error:
                answers.append(str(error))
        assert answers[0] == answers[1]

    @rule(x=instances, y=labels)
    def learn_one(self, x, y):
        self.learn(x, y)

    @rule(rows=st.lists(st.tuples(instances, labels), min_size=2, max_size=12))
    def learn_many_times(self, rows):
        for x, y in rows:
            self.learn(x, y)

    @rule(rows=st.lists(st.tuples(instances, labels), min_size=1, max_size=6))
    def learn_many(self, rows):
        if not hasattr(self.model, "learn_many"):
            return
        X = pd.DataFrame([x for x, _ in rows], columns=[f"f{i}" for i in range(8)], dtype=float)
        y = pd.Series([y for _, y in rows])
        self.model.learn_many(X, y)
        for x, (_, label) in zip(X.to_dict("records"), rows, strict=True):
            self.twin.learn_one(x, label)

    @rule(x=instances)
    def predict(self, x):
        assert self.model.predict_one(x) == self.twin.predict_one(x)
        assert self.model.predict_proba_one(x) == self.twin.predict_proba_one(x)

    @rule(x=instances)
    def explain(self, x):
        if hasattr(self.model, "debug_one"):
            assert self.model.debug_one(x) == self.twin.debug_one(x)

    @rule(protocol=st.integers(2, pickle.HIGHEST_PROTOCOL))
    def pickle(self, protocol):
        self.model = pickle.loads(pickle.dumps(self.model, protocol))

    @rule()
    def copy(self):
        self.model = copy.deepcopy(self.model)

    @rule()
    def save_and_load(self):
        self.model = persist.loads(persist.dumps(self.model))

    @rule()
    def save_and_forget(self):
        persist.dumps(self.model)

    @rule(x=instances, y=labels)
    def clone(self, x, y):
        fresh, twin = self.model.clone(), seeded(self.new)
        assert fresh.predict_proba_one(x) == twin.predict_proba_one(x)
        fresh.learn_one(x, y)

    @rule()
    def clone_with_attributes(self):
        if contracts.is_not_a_wrapper(self.model):
            self.model = self.model.clone(include_attributes=True)


def run(name, n_examples, n_steps):
    machine = type(f"Machine of {name}", (Machine,), {"new": OURS[name]})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=n_examples,
            stateful_step_count=n_steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("name", OURS)
def test_any_order_of_operations(name):
    run(name, 8, 25)


@pytest.mark.long
@pytest.mark.parametrize("name", OURS)
def test_any_order_of_many_operations(name):
    run(name, 100, 50)
