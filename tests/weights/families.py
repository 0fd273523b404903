"""Both families of weights, and keys that misbehave in their hands."""

from __future__ import annotations

import pytest

from tests.weights.kinds import (
    COMPILED,
    COMPILED_EVIDENCE,
    PURE,
    PURE_EVIDENCE,
    RULES,
    assert_same,
    assert_same_evidence,
)


class Sparse:
    """What the tests do with sparse weights."""

    pure, compiled, assert_same = PURE, COMPILED, staticmethod(assert_same)
    bytes_per_weight = 100

    @staticmethod
    def make(kind, budget):
        return kind(budget)

    @staticmethod
    def frozen(weights):
        """The state, whatever the order of the features seen."""
        *state, seen = weights.__getstate__()
        return state, None if seen is None else set(seen)

    @staticmethod
    def readings(weights):
        return [weights.dot, RULES[type(weights)](weights).margin]

    @staticmethod
    def step(weights, sign=1):
        rule = RULES[type(weights)](weights, radius=30.0)
        return lambda x: rule.learn(x, sign)

    @classmethod
    def steps(cls, weights):
        return [lambda x: weights.update(x, 1.0, 30.0), cls.step(weights)]


class Evidence:
    """What the tests do with weights of evidence."""

    pure, compiled = PURE_EVIDENCE, COMPILED_EVIDENCE
    assert_same = staticmethod(assert_same_evidence)
    bytes_per_weight = 500

    @staticmethod
    def frozen(weights):
        """The state, whatever the order of the features seen."""
        *state, seen, pairs = weights.__getstate__()
        return state, None if seen is None else set(seen), pairs

    @staticmethod
    def make(kind, budget):
        return kind(max_pairs=100, budget=budget)

    @staticmethod
    def readings(weights):
        return [weights.inputs, weights.pairs, weights.heads, weights.mixed, weights.margin]

    @staticmethod
    def step(weights, sign=1):
        return lambda x: weights.learn(x, sign)

    @classmethod
    def steps(cls, weights):
        return [cls.step(weights)]


families = pytest.mark.parametrize("family", [Sparse, Evidence])


class Evil:
    """A key that does what it is told to when it is hashed, compared or freed."""

    def __init__(self, name, act=lambda event: None):
        self.name, self.act = name, act

    def __hash__(self):
        self.act("hash")
        return 7

    def __eq__(self, other):
        if not isinstance(other, Evil):
            return False
        self.act("eq")
        other.act("eq")
        return self.name == other.name

    def __lt__(self, other):
        if other is not self:
            self.act("lt")
        return self.name < other.name if isinstance(other, Evil) else NotImplemented

    def __repr__(self):
        return f"Evil({self.name!r})"


class Told(Exception):
    """What an evil key raises."""


def trained(family, kind, budget=0.5):
    weights = family.make(kind, budget)
    for sign in (1, -1, 1):
        step = family.step(weights, sign)
        step({Evil(f"e{i}"): 1.0 + i % 2 for i in range(6)})
        step({"a": 3.0, "b": 0.5})
    return weights
