"""The one place where an instance's features are cleaned."""

from __future__ import annotations

import datetime
import decimal
import math
import numbers
import reprlib
import sys
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

# The features that methods accept and only read. `Mapping` is invariant in the type of its keys, so
# that only `Any` accepts a `dict[str, float]`.
Features = Mapping[Any, Any]
# The features that they return: River's own methods accept only a dict.
FeatureDict = dict[Hashable, Any]
_PLAIN = {float, int, bool}
_TOO_LARGE = 2**53
# Error messages stay short whatever value they quote.
_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = 60


def observed(x: Features) -> Features:
    """Return the features of `x` that carry a value.

    `None`, NaN and pandas' `NA` mean "not observed" and are left out. The result is a plain dict of
    plain numbers. The instance itself is returned when there is nothing to clean, so treat the
    result as read-only.

    Raises
    ------
    TypeError
        If a value is not a number, or `x` is not a dict.
    ValueError
        If a value is infinite, or an integer too large for a float.

    Examples
    --------
    >>> observed({"a": 1, "b": None, "c": float("nan")})
    {'a': 1.0}

    >>> observed({"colour": "red"})
    Traceback (most recent call last):
    ...
    TypeError: feature 'colour' has the value 'red', which is not a number; encode rows first, with river_trapezoid.preprocessing.RowEncoder

    >>> observed("free money")
    Traceback (most recent call last):
    ...
    TypeError: x must be a dict from features to values; got an object of type str; turn text into counts first, with river.feature_extraction.BagOfWords
    """
    # Two passes in C handle the common case: plain numbers with a finite sum need no cleaning. The
    # types are checked one by one, as a sum may be a float where its terms are not. The sum starts
    # from a float, so that every integer must fit one, also where others would cancel it.
    try:
        values = x.values()
    except (AttributeError, TypeError):
        raise _not_a_dict(x) from None
    kinds = set(map(type, values))
    if type(x) is not dict or not kinds <= _PLAIN:
        return _cleaned(x)
    try:
        total = sum(values, 0.0)
    except OverflowError:
        return _cleaned(x)
    # Not all larger integers are floats, and as integers they are squared without rounding.
    if int in kinds and (max(values) >= _TOO_LARGE or min(values) <= -_TOO_LARGE):
        return _cleaned(x)
    return x if total - total == 0.0 else _cleaned(x)


def _cleaned(x: Features) -> dict[Hashable, float]:
    values = {}
    for key, value in x.items():
        if value is None:
            continue
        if not isinstance(value, numbers.Real | np.bool_ | decimal.Decimal):
            # This value exists only where pandas has been imported.
            if value is getattr(sys.modules.get("pandas"), "NA", None):
                continue
            raise _not_a_number(key, value)
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        except (TypeError, ValueError):
            # NumPy registers time spans as integers; a signalling NaN raises.
            raise _not_a_number(key, value) from None
        if math.isinf(number):
            raise ValueError(f"feature {key!r} is infinite or too large for a float")
        if number == number:
            values[key] = number
    return values


def out_of_range(x: Features, remedy: str = "") -> OverflowError:
    """Return the error for a step that is too long, with a remedy beside scaling."""
    key = max(x, key=lambda key: abs(float(x[key])), default=None)
    at = f" at feature {key!r} = {float(x[key])!r}" if x else ""
    return OverflowError(f"the weights leave their range{at}; scale the features first{remedy}")


def _not_a_number(key: Hashable, value: Any) -> TypeError:
    hint = ""
    if isinstance(value, str) and not value.strip():
        hint = "; leave the feature out, or pass None, where the value is not known"
    elif isinstance(value, str):
        try:
            float(value)
            hint = "; convert it first, for instance with float"
        except ValueError:
            hint = "; encode rows first, with river_trapezoid.preprocessing.RowEncoder"
    elif isinstance(value, datetime.timedelta | np.timedelta64):
        hint = "; convert it first, for instance to seconds"
    return TypeError(
        f"feature {key!r} has the value {_REPR.repr(value)}, which is not a number{hint}"
    )


def _not_a_dict(x: Any) -> TypeError:
    hint = ""
    if isinstance(x, str):
        hint = "; turn text into counts first, with river.feature_extraction.BagOfWords"
    elif hasattr(x, "columns"):
        hint = "; for the rows of a frame there are learn_many and predict_many"
    elif hasattr(x, "to_dict"):
        hint = "; convert it first, with x.to_dict()"
    elif hasattr(x, "__len__"):
        hint = "; give the values names first, for instance with dict(enumerate(x))"
    return TypeError(
        f"x must be a dict from features to values; got an object of type {type(x).__name__}{hint}"
    )
