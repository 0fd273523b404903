"""Both forms of the weights, whichever of them the package has chosen."""

from __future__ import annotations

import pytest

from river_trapezoid.weights import compiled, evidence, passive_aggressive, sparse

try:
    MODULES = compiled.load()
except ImportError:
    COMPILED = COMPILED_EVIDENCE = COMPILED_RULE = None
    NEEDS_BOTH = pytest.mark.skip(reason="the extensions have not been built")
else:
    COMPILED = MODULES["sparse"].SparseWeights
    COMPILED_EVIDENCE = MODULES["evidence"].EvidenceWeights
    COMPILED_RULE = MODULES["passive_aggressive"].PassiveAggressive
    NEEDS_BOTH = pytest.mark.skipif(False, reason="")

PURE, PURE_EVIDENCE = sparse.SparseWeights, evidence.EvidenceWeights
PURE_RULE = passive_aggressive.PassiveAggressive
RULES = {PURE: PURE_RULE, COMPILED: COMPILED_RULE}

KINDS = [
    pytest.param(PURE, id="pure"),
    pytest.param(COMPILED, id="compiled", marks=NEEDS_BOTH),
]


def assert_same(pure, compiled):
    scale, power_sum, drift, v, seen = pure.__getstate__()
    *numbers, v_compiled, seen_compiled = compiled.__getstate__()
    assert [scale, power_sum, drift] == numbers
    assert v == v_compiled
    assert (seen is None) == (seen_compiled is None)
    assert set(seen or ()) == set(seen_compiled or ())
    for name in ("norm", "n_seen", "capacity", "budget", "order"):
        assert getattr(pure, name) == getattr(compiled, name), name
    assert len(pure) == len(compiled)
    assert repr(pure) == repr(compiled)


def assert_same_evidence(pure, compiled):
    # Categories come last, where there are any.
    *numbers, seen, pairs = pure.__getstate__()[:5]
    *numbers_compiled, seen_compiled, pairs_compiled = compiled.__getstate__()[:5]
    assert numbers == numbers_compiled
    assert pure.__getstate__()[5:] == compiled.__getstate__()[5:]
    assert pairs == pairs_compiled
    assert (seen is None) == (seen_compiled is None)
    assert set(seen or ()) == set(seen_compiled or ())
    assert pure.to_dict() == compiled.to_dict()
    assert list(map(tuple, pure.intercepts)) == list(map(tuple, compiled.intercepts))
    for name in ("intercept", "log_odds", "n_pairs", "n_seen", "budget"):
        assert getattr(pure, name) == getattr(compiled, name), name
    assert len(pure) == len(compiled)
    assert repr(pure) == repr(compiled)
