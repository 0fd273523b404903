from __future__ import annotations

import datetime
import math
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_trapezoid._instance import observed

PLAIN = st.one_of(st.booleans(), st.integers(-(2**70), 2**70), st.floats(-1e300, 1e300))
NUMPY = [np.float32(0.1), np.float64(0.1), np.int8(3), np.bool_(True), np.float32("nan")]
ODD = st.sampled_from(
    [None, math.nan, Fraction(1, 3), Decimal("0.3"), Decimal("nan"), pd.NA, *NUMPY]
)


@given(st.dictionaries(st.integers(), st.one_of(PLAIN, ODD), max_size=8))
def test_values_are_plain_numbers_and_the_rest_is_absent(x):
    cleaned = observed(x)
    assert all(type(value) in (float, int, bool) for value in cleaned.values())
    assert cleaned == {
        key: float(value) if type(cleaned[key]) is float else value
        for key, value in x.items()
        if value is not None and value is not pd.NA and value == value
    }


# Larger integers are turned into floats.
@given(st.dictionaries(st.integers(), PLAIN.filter(lambda v: abs(v) < 2**53), max_size=8))
def test_an_instance_that_is_clean_is_not_copied(x):
    assert observed(x) is x


@pytest.mark.parametrize("value", [math.inf, -math.inf, 10**400, np.float32("inf")])
def test_infinite_values_are_named(value):
    with pytest.raises(ValueError, match="'b' is infinite"):
        observed({"a": 1.0, "b": value})


@pytest.mark.parametrize("rest", [{}, {"c": 1.0}, {"c": True}, {"c": np.int8(1)}])
def test_integers_too_large_for_a_float_are_named_also_where_they_cancel(rest):
    for x in ({"a": 10**400, "b": -(10**400), **rest}, {**rest, "a": -(10**400), "b": 10**400}):
        with pytest.raises(ValueError, match="'a' is infinite or too large"):
            observed(x)


ENCODE = "; encode rows first, with river_trapezoid.preprocessing.RowEncoder"
LEAVE_OUT = "; leave the feature out, or pass None, where the value is not known"
SECONDS = "; convert it first, for instance to seconds"


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("red", ENCODE),
        ("", LEAVE_OUT),
        (" \n", LEAVE_OUT),
        ("1.5", "; convert it first, for instance with float"),
        ("nan", "; convert it first, for instance with float"),
        ([1.0], ""),
        (1j, ""),
        ({}, ""),
        (Decimal("sNaN"), ""),
        (np.timedelta64(5, "s"), SECONDS),
        (np.timedelta64("NaT"), SECONDS),
        (datetime.timedelta(1), SECONDS),
        (pd.Timedelta(1, "s"), SECONDS),
        (np.datetime64("2020-01-01"), ""),
    ],
    ids=repr,
)
def test_what_is_not_a_number_is_named_with_a_hint_that_fits(value, hint):
    with pytest.raises(TypeError, match=r"'b' has the value .* not a number") as error:
        observed({"a": 1.0, "b": value})
    assert str(error.value).endswith("which is not a number" + hint)


@pytest.mark.parametrize(
    ("x", "hint"),
    [
        ("free money", "BagOfWords"),
        ([1, 2], r"of type list; .* dict\(enumerate\(x\)\)"),
        ((1, 2), r"dict\(enumerate\(x\)\)"),
        (np.ones(2), r"of type ndarray; .*dict\(enumerate\(x\)\)"),
        (None, "of type NoneType$"),
        (1.0, "of type float$"),
        (pd.Series({"a": 1.0}), r"of type Series; .*x\.to_dict\(\)"),
        (pd.DataFrame({"a": [1.0]}), "of type DataFrame; .*learn_many"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_a_dict_gets_a_hint_that_fits(x, hint):
    with pytest.raises(TypeError, match=f"^x must be a dict.*{hint}"):
        observed(x)


@pytest.mark.parametrize("x", ["spam " * 10_000, list(range(10_000)), {1: "a" * 10_000}])
def test_messages_are_short_whatever_they_quote(x):
    with pytest.raises(TypeError) as error:
        observed({"a": x})
    assert len(str(error.value)) < 300


def test_nothing_is_asked_of_pandas_where_it_is_not_imported(monkeypatch):
    monkeypatch.delitem(sys.modules, "pandas")
    assert observed({"a": 1.0, "b": None}) == {"a": 1.0}
    with pytest.raises(TypeError, match="'b'"):
        observed({"a": 1.0, "b": object()})
