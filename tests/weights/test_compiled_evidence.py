"""The compiled weights of evidence against the pure ones, bit by bit."""

from __future__ import annotations

import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_trapezoid import weights
from river_trapezoid.linear_model import EvidenceClassifier
from tests.weights.kinds import (
    COMPILED_EVIDENCE,
    NEEDS_BOTH,
    PURE_EVIDENCE,
    assert_same_evidence,
)
from tests.weights.test_compiled_sparse import KINDS_OF_INSTANCE

pytestmark = NEEDS_BOTH

PARAMETERS = st.tuples(
    st.sampled_from([10, 2, 3, 7]),
    st.sampled_from([2.0, 2, 0.001, 50.5]),
    st.sampled_from([0.0, 0.002, 1]),
    st.sampled_from([1.0, 1.0, 0.5, 0.01, 3, 1, 10**30]),
)


def applied(weights, name, *arguments):
    """What an operation returns or raises."""
    try:
        return getattr(weights, name)(*arguments)
    except Exception as error:
        return type(error), str(error)


@settings(max_examples=300)
@given(PARAMETERS, st.lists(st.tuples(KINDS_OF_INSTANCE, st.booleans()), max_size=30))
def test_every_operation_has_the_same_result(parameters, instances):
    pure, compiled = PURE_EVIDENCE(*parameters), COMPILED_EVIDENCE(*parameters)
    intercept = 0.0
    for x, y in instances:
        assert applied(pure, "margin", x, intercept) == applied(compiled, "margin", x, intercept)
        assert applied(pure, "inputs", x) == applied(compiled, "inputs", x)
        sign = 1 if y else -1
        stepped = applied(pure, "step", x, sign, intercept)
        assert stepped == applied(compiled, "step", x, sign, intercept)
        assert_same_evidence(pure, compiled)
        if isinstance(stepped, float):
            intercept = stepped


@pytest.mark.parametrize("budget", [1.0, 0.3, 40])
@pytest.mark.parametrize("forgetting", [0.0, 0.01])
def test_long_streams_stay_the_same(budget, forgetting):
    rng = random.Random(0)
    pure = PURE_EVIDENCE(10, 2.0, forgetting, budget)
    compiled = COMPILED_EVIDENCE(10, 2.0, forgetting, budget)
    intercept = 0.0
    for t in range(3000):
        keys = rng.sample(range(20 + t // 4), 8)
        x = {f"k{key}": rng.choice([1.0, 2, rng.gauss(0, 1)]) for key in keys}
        assert pure.margin(x, intercept) == compiled.margin(x, intercept)
        sign = 1 if sum(x.values()) + rng.gauss(0, 1) > 0 else -1
        stepped = pure.step(x, sign, intercept)
        assert stepped == compiled.step(x, sign, intercept)
        intercept = stepped
        if t % 500 == 0:
            # From here on with weights that have come from the other kind.
            pure, compiled = (
                PURE_EVIDENCE(10, 2.0, forgetting, budget),
                pickle.loads(pickle.dumps(compiled)),
            )
            pure.__setstate__(compiled.__getstate__())
            if type(compiled) is not COMPILED_EVIDENCE:
                state = compiled.__getstate__()
                compiled = COMPILED_EVIDENCE(10, 2.0, forgetting, budget)
                compiled.__setstate__(state)
    assert_same_evidence(pure, compiled)


def test_the_package_uses_the_kind_it_says():
    kind = COMPILED_EVIDENCE if weights.KERNEL == "compiled" else PURE_EVIDENCE
    assert weights.EvidenceWeights is kind
    assert type(pickle.loads(pickle.dumps(EvidenceClassifier()))._weights) is kind
