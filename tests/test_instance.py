from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_trapezoid._instance import observed

PLAIN = st.one_of(st.booleans(), st.integers(-(2**70), 2**70), st.floats(-1e300, 1e300))
NUMPY = [np.float32(0.1), np.float64(0.1), np.int8(3), np.bool_(True), np.float32("nan")]
ODD = st.sampled_from([None, math.nan, Fraction(1, 3), Decimal("0.3"), *NUMPY])


@given(st.dictionaries(st.integers(), st.one_of(PLAIN, ODD), max_size=8))
def test_values_are_plain_numbers_and_the_rest_is_absent(x):
    cleaned = observed(x)
    assert all(type(value) in (float, int, bool) for value in cleaned.values())
    assert cleaned == {
        key: float(value) if type(cleaned[key]) is float else value
        for key, value in x.items()
        if value is not None and value == value
    }


@given(st.dictionaries(st.integers(), PLAIN, max_size=8))
def test_an_instance_that_is_clean_is_not_copied(x):
    if math.isfinite(math.fsum(x.values())):
        assert observed(x) is x


@pytest.mark.parametrize("value", [math.inf, -math.inf, 10**400, np.float32("inf")])
def test_infinite_values_are_named(value):
    with pytest.raises(ValueError, match="'b' is infinite"):
        observed({"a": 1.0, "b": value})


@pytest.mark.parametrize("value", ["red", [1.0], 1j, {}])
def test_what_is_not_a_number_is_named(value):
    with pytest.raises(TypeError, match="'b' has the value"):
        observed({"a": 1.0, "b": value})
