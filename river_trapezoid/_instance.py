"""The one place where an instance's features are cleaned."""

from __future__ import annotations

import decimal
import math
import numbers
from collections.abc import Hashable
from typing import Any

import numpy as np

Features = dict[Hashable, Any]
_PLAIN = {float, int, bool}


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
    # Two passes in C decide for the common case: plain numbers with a finite sum
    # leave nothing to clean. Integers are summed as floats once more, as they may not fit one.
    # The types have to be looked at one by one, as a sum may be a float where its terms are not.
    values = x.values()
    if not _PLAIN.issuperset(map(type, values)):
        return _cleaned(x)
    try:
        total: float = sum(values)
        if type(total) is int:
            total = math.fsum(values)
    except OverflowError:
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
