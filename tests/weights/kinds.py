"""Both kinds of weights, whichever of them the package has chosen."""

from __future__ import annotations

import pytest

from river_trapezoid.weights import sparse

try:
    from river_trapezoid.weights import _kernel
except ImportError:
    COMPILED = None
    NEEDS_BOTH = pytest.mark.skip(reason="the extension has not been built")
else:
    COMPILED = _kernel.SparseWeights
    NEEDS_BOTH = pytest.mark.skipif(False, reason="")

PURE = sparse.SparseWeights
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
