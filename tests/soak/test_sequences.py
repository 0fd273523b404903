"""Sequences of operations give the same state compiled, with features in another order, and pure."""

from __future__ import annotations

import copy
import pickle
import random
from collections import Counter

import numpy as np
import pytest

from river_trapezoid._frame import Rows
from river_trapezoid.weights import compiled, evidence, moments, passive_aggressive, sparse
from tests.weights.kinds import NEEDS_BOTH

pytestmark = NEEDS_BOTH

PURE = {
    "SparseWeights": sparse,
    "PassiveAggressive": passive_aggressive,
    "FeatureMoments": moments,
    "EvidenceWeights": evidence,
}
MODULES = {"SparseWeights": "sparse", "PassiveAggressive": "passive_aggressive"}
MODULES |= {"FeatureMoments": "moments", "EvidenceWeights": "evidence"}


class Undone(Exception):
    """Raised to undo a transaction."""


def classes():
    built = compiled.load()
    fast = {name: getattr(built[module], name) for name, module in MODULES.items()}
    pure = {name: getattr(module, name) for name, module in PURE.items()}
    return fast, pure


class Sequence:
    """One kind of object in three forms, and random operations on all of them."""

    def __init__(self, rng):
        self.rng = rng
        fast, pure = classes()
        self.kind = rng.choice(["sparse", "rule", "moments", "evidence"])
        n = rng.choice([4, 30, 300])
        self.keys = [rng.choice([f"k{i}", i, (i, "x"), i + 0.5]) for i in range(n)]
        arguments = self.arguments()
        seed = rng.random()
        self.forms = [self.made(form, arguments, seed) for form in (fast, fast, pure)]

    def arguments(self):
        choice = self.rng.choice
        budget = choice([1, 3, 20, 0.05, 0.5, 1.0])
        if self.kind == "moments":
            return (choice([True, False]), choice([True, False]), choice([None, 1, 5, 50]))
        if self.kind == "evidence":
            return (
                *(choice([2, 5, 10]), choice([0.5, 2.0]), choice([0.5, 0.997, 1.0])),
                *(choice([0, 1, 3, 10]), choice([1, 5, 1000]), choice([True, True, False]), budget),
            )
        if self.kind == "sparse":
            return budget, choice([0, 1, 2])
        settings = {
            "mode": choice([0, 1, 2]),
            "C": choice([0.01, 1.0, 1e-200]),
            "radius": choice([None, 0.5, 30.0]),
            "learn_intercept": choice([True, False]),
            "step": choice(["pa", "pa", "perceptron"]),
            "update_on": choice(["loss", "mistake"]),
        }
        return budget, choice([True, False]), settings

    def made(self, form, arguments, seed):
        if self.kind == "moments":
            return form["FeatureMoments"](*arguments)
        if self.kind == "evidence":
            return form["EvidenceWeights"](*arguments)
        if self.kind == "sparse":
            return form["SparseWeights"](*arguments)
        budget, at_random, settings = arguments
        rng = random.Random(seed) if at_random else None
        return form["PassiveAggressive"](form["SparseWeights"](budget, 1), rng=rng, **settings)

    def instance(self):
        rng = self.rng
        scale = rng.choice([1.0, 1.0, 1.0, 1e-160, 1e100, 1e200])
        draw = rng.choice([lambda: rng.gauss(0, 1), lambda: rng.choice([-1.0, 0.0, 1.0])])
        size = rng.choice([0, 1, 3, 8, 40])
        x = {rng.choice(self.keys): scale * draw() for _ in range(size)}
        if rng.random() < 0.05:
            x[1 + 0j] = 1.0
        return x

    def each(self, operation):
        """Do the same with all forms, the second with shuffled features; compare what comes back."""
        results = []
        for i, form in enumerate(self.forms):
            try:
                result = operation(form, i == 1)
            except (OverflowError, TypeError, ValueError) as error:
                result = type(error)
            results.append(result)
        assert results[0] == results[1] == results[2], self.kind
        return results[0]

    def shuffled(self, x):
        items = list(x.items())
        random.Random(0).shuffle(items)
        return dict(items)

    def step(self):
        rng = self.rng
        names = {
            "sparse": ["update", "update", "observe", "scale", "dot", "budget", "undone", "copy"],
            "rule": ["learn", "learn", "learn", "rows", "margin", "undone", "copy"],
            "moments": ["learn", "learn", "rows", "transform", "copy"],
            "evidence": ["learn", "learn", "learn", "margin", "read", "undone", "copy"],
        }
        name = rng.choice(names[self.kind])
        getattr(self, f"do_{name}")()
        self.compare()
        return f"{self.kind}.{name}"

    def learner(self, x, sign, w):
        def learn(form, shuffle):
            x_ = self.shuffled(x) if shuffle else x
            if self.kind == "sparse":
                return form.update(x_, sign * w, 5.0)
            if self.kind == "moments":
                return form.learn(x_)
            return form.learn(x_, sign, w)

        return learn

    def any_learner(self):
        x, sign = self.instance(), self.rng.choice([-1, 1])
        return self.learner(x, sign, self.rng.choice([1.0, 1.0, 0.5, 3.0, 1e-200]))

    def do_learn(self):
        self.each(self.any_learner())

    def do_update(self):
        x, step = self.instance(), self.rng.choice([0.5, -2.0, 1e-3])
        radius = self.rng.choice([None, 0.1, 30.0])
        seed = self.rng.random() if self.rng.random() < 0.2 else None

        def update(form, shuffle):
            rng = None if seed is None else random.Random(seed)
            form.update(self.shuffled(x) if shuffle else x, step, radius, rng)

        self.each(update)

    def do_observe(self):
        x = self.instance()
        self.each(lambda form, shuffle: form.observe(self.shuffled(x) if shuffle else x))

    def do_scale(self):
        factor = self.rng.choice([0.0, 1.0, 0.5, 1e-30, 1e-100])
        self.each(lambda form, _: form.scale_by(factor))

    def do_dot(self):
        x = self.instance()
        self.each(lambda form, shuffle: form.dot(self.shuffled(x) if shuffle else x))

    def do_margin(self):
        x = self.instance()
        self.each(lambda form, shuffle: form.margin(self.shuffled(x) if shuffle else x))

    def do_transform(self):
        x = self.instance()
        self.each(lambda form, shuffle: form.transform(self.shuffled(x) if shuffle else x))

    def do_read(self):
        x = self.instance()

        def read(form, _):
            return form.inputs(x), form.pairs(x), form.heads(x), form.mixed(x), form.to_dict()

        self.each(read)

    def do_budget(self):
        budget = self.rng.choice([1, 7, 0.3, 1.0])

        def change(form, _):
            form.budget = budget

        self.each(change)

    def do_rows(self):
        rng = self.rng
        columns = rng.sample(self.keys, min(len(self.keys), rng.choice([1, 5, 40])))
        columns = list(dict.fromkeys(columns))
        values = np.array(
            [[rng.choice([0.0, 1.0, rng.gauss(0, 1)]) for _ in columns] for _ in range(5)]
        )
        values[rng.randrange(5), rng.randrange(len(columns))] = rng.choice([1.0, np.nan, 1e308])
        signs = np.array([rng.choice([-1, 1]) for _ in range(5)], dtype=np.int8)

        def learn(form, shuffle):
            order = list(range(len(columns)))
            if shuffle:
                random.Random(0).shuffle(order)
            rows = Rows(values[:, order], [columns[i] for i in order])
            form.learn_rows(*((rows,) if self.kind == "moments" else (rows, signs)))

        self.each(learn)

    def do_undone(self):
        steps = [self.any_learner() for _ in range(self.rng.choice([1, 5]))]
        kept = self.rng.random() < 0.5

        def change(form, shuffle):
            form.begin(None)
            try:
                for step in steps:
                    step(form, shuffle)
                if not kept:
                    raise Undone
                form.commit()
            except (Undone, OverflowError, TypeError):
                form.rollback()

        self.each(change)

    def do_copy(self):
        duplicate = self.rng.choice([copy.deepcopy, lambda form: pickle.loads(pickle.dumps(form))])
        crossed = self.kind in ("moments", "evidence") and self.rng.random() < 0.5
        self.forms = [duplicate(form) for form in self.forms[:2]] + [
            self.restored(self.forms[0] if crossed else self.forms[2])
        ]

    def restored(self, form):
        """A pure form with the state of another, which may be compiled."""
        pure = classes()[1]
        if self.kind == "rule":
            settings = {name: getattr(form, name) for name in passive_aggressive.ARGUMENTS}
            weights = settings.pop("weights")
            twin = pure["SparseWeights"](weights.budget, weights.order)
            twin.__setstate__(weights.__getstate__())
            settings["rng"] = copy.deepcopy(settings["rng"])
            return pure["PassiveAggressive"](twin, **settings)
        _, arguments, state = form.__reduce__()
        name, *arguments = arguments
        keywords = arguments.pop() if self.kind == "evidence" else {}
        twin = pure[name](*arguments, **keywords)
        twin.__setstate__(state)
        return twin

    def state(self, form):
        """All there is to a form, what comes in no order as sets."""
        if self.kind == "moments":
            rows = form.__getstate__()
            return rows if form.budget else set(rows)
        if self.kind == "evidence":
            numbers, mixture, features, seen, pairs = form.__getstate__()
            return numbers, mixture, features, None if seen is None else set(seen), pairs
        weights = form.weights if self.kind == "rule" else form
        *numbers, seen = weights.__getstate__()
        state = [*numbers, None if seen is None else set(seen), weights.budget]
        if self.kind == "rule":
            state += [form.intercept, None if form.rng is None else form.rng.getstate()]
        # The sign of a zero is a difference as well.
        return repr(state[:3]), state

    def compare(self):
        states = [self.state(form) for form in self.forms]
        assert states[0] == states[1] == states[2], self.kind


def run(seeds, n_steps=40):
    """Run a sequence for each seed; return how often each operation was compared."""
    counts = Counter()
    for seed in seeds:
        sequence = Sequence(random.Random(seed))
        for _ in range(n_steps):
            counts[sequence.step()] += 1
    return counts


def test_sequences_of_operations_are_the_same_in_all_forms():
    counts = run(range(60))
    assert len(counts) > 20


@pytest.mark.long
def test_many_sequences_of_operations_are_the_same_in_all_forms(capsys):
    counts = run(range(1_000, 3_000))
    with capsys.disabled():
        print(f"\n2,000 sequences, {sum(counts.values()):,} operations in three forms")
        for name, count in sorted(counts.items()):
            print(f"  {name:20}{count:8,}")
