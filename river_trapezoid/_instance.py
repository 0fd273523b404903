"""The one place where an instance's features are cleaned."""

from __future__ import annotations

import decimal
import math
import numbers
from collections.abc import Hashable
from typing import Any

import numpy as np

Features = dict[Hashable, Any]


def observed(x: Features) -> Features:
    """Return the features of `x` that carry a value.

    `None` and NaN mean "not observed" and are left out. Values are plain Python numbers
    afterwards. The instance itself is returned when there is nothing to clean, so treat the
    result as read-only.

    Raises
    ------
    TypeError
        If a value is not a number.
    ValueError
        If a value is infinite.

    Examples
    --------
    >>> observed({"a": 1, "b": None, "c": float("nan")})
    {'a': 1.0}

    >>> observed({"colour": "red"})
    Traceback (most recent call last):
    ...
    TypeError: feature 'colour' has the value 'red', which is not a number; encode it first, for instance with river.preprocessing.OneHotEncoder
    """
    # One pass in C decides for the common case: a finite sum of type float or int rules out
    # strings, None, NaN, infinities and numpy scalars (whose own arithmetic may be of low
    # precision). Integers are summed as floats once more, as they may not fit one.
    try:
        total: float = sum(x.values())
        if type(total) is not float:
            total = math.fsum(x.values()) if type(total) is int else math.nan
    except (TypeError, OverflowError, decimal.InvalidOperation):
        return _cleaned(x)
    return x if total - total == 0.0 else _cleaned(x)


def _cleaned(x: Features) -> dict[Hashable, float]:
    values = {}
    for key, value in x.items():
        if value is None:
            continue
        if not isinstance(value, numbers.Real | np.bool_ | decimal.Decimal):
            raise TypeError(
                f"feature {key!r} has the value {value!r}, which is not a number; encode it "
                "first, for instance with river.preprocessing.OneHotEncoder"
            )
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isinf(number):
            raise ValueError(f"feature {key!r} is infinite or too large for a float")
        if number == number:
            values[key] = number
    return values
