"""Both kinds of weights, whichever of them the package has chosen."""

from __future__ import annotations

import pytest

from river_trapezoid.weights import evidence, sparse

try:
    from river_trapezoid.weights import _evidence, _sparse
except ImportError:
    COMPILED = COMPILED_EVIDENCE = None
    NEEDS_BOTH = pytest.mark.skip(reason="the extensions have not been built")
else:
    COMPILED, COMPILED_EVIDENCE = _sparse.SparseWeights, _evidence.EvidenceWeights
    NEEDS_BOTH = pytest.mark.skipif(False, reason="")

PURE, PURE_EVIDENCE = sparse.SparseWeights, evidence.EvidenceWeights


def kinds(pure, compiled):
    return [
        pytest.param(pure, id="pure"),
        pytest.param(compiled, id="compiled", marks=NEEDS_BOTH),
    ]


KINDS = kinds(PURE, COMPILED)
KINDS_OF_EVIDENCE = kinds(PURE_EVIDENCE, COMPILED_EVIDENCE)


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
    *numbers, features, seen = pure.__getstate__()
    *numbers_compiled, features_compiled, seen_compiled = compiled.__getstate__()
    assert numbers == numbers_compiled
    assert features == features_compiled
    assert (seen is None) == (seen_compiled is None)
    assert set(seen or ()) == set(seen_compiled or ())
    assert pure.to_dict() == compiled.to_dict()
    assert pure.n_seen == compiled.n_seen
    assert pure.budget == compiled.budget
    assert len(pure) == len(compiled)
    assert repr(pure) == repr(compiled)


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
        self.act("lt")
        return self.name < other.name if isinstance(other, Evil) else NotImplemented

    def __repr__(self):
        return f"Evil({self.name!r})"


class Told(Exception):
    """What an evil key raises."""
