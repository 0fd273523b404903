"""Constructor arguments: checks with one message format, and the count that equals a share."""

from __future__ import annotations

import math
import numbers
import operator
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

# Above the relative errors of the rounding of a share and of its product with a count, which add up
# to one epsilon.
_SHARE_TOLERANCE = 1.0 + 4.0 * sys.float_info.epsilon


def check_number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    integer: bool = False,
    optional: bool = False,
) -> Any:
    """Raise a `ValueError` unless `value` is a finite number within the given bounds.

    Returns
    -------
    The number that was checked, as a plain `int` or `float`.

    """
    number = _plain(value)
    fine = optional and value is None
    if number is not None and not (integer and type(number) is float):
        fine = (
            (type(number) is int or math.isfinite(number))
            and (above is None or number > above)
            and (at_least is None or number >= at_least)
            and (below is None or number < below)
            and (at_most is None or number <= at_most)
        )
    if not fine:
        bounds = [
            f"{sign} {bound}"
            for sign, bound in ((">", above), (">=", at_least), ("<", below), ("<=", at_most))
            if bound is not None
        ]
        wanted = ("an integer" if integer else "a finite number") + (
            " " + " and ".join(bounds) if bounds else ""
        )
        if optional:
            wanted += ", or None"
        raise ValueError(f"{name} must be {wanted}; got {value!r}")
    return number


def _plain(value: Any) -> int | float | None:
    """Return a number as a plain `int` or `float`, also of a subclass; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return int.__index__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, numbers.Integral):
        return operator.index(value)
    try:
        return float(value) if isinstance(value, numbers.Real) else None
    except OverflowError:
        return math.inf


def check_choice(name: str, value: Any, choices: Sequence[Any]) -> Any:
    """Raise a `ValueError` unless `value` is one of `choices`, type included; return it."""
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}")
    return value


def check_bool(name: str, value: Any) -> bool:
    """Raise a `ValueError` unless `value` is `True` or `False`; return it."""
    return bool(check_choice(name, value, (True, False)))


def check_budget(name: str, value: Any, like: int | float | None = None) -> int | float:
    """Raise a `ValueError` unless `value` is a count (int >= 1) or a share (0 < float <= 1).

    With `like`, it must be of the same kind.

    Returns
    -------
    The number that was checked, as a plain `int` or `float`.

    """
    number = _plain(value)
    if number is None or not (number >= 1 if type(number) is int else 0 < number <= 1):
        raise ValueError(
            f"{name} must be an integer >= 1 (a number of features) or a float > 0 and <= 1 "
            f"(a share of the features seen); got {value!r}"
        )
    if like is not None and type(number) is not type(like):
        raise ValueError(f"{name} must be of the same kind as {like!r}; got {value!r}")
    return number


def check_array(name: str, value: Any, *shape: int | None) -> npt.NDArray[np.float64]:
    """Raise a `ValueError` unless `value` is a finite float64 array of a shape; return it.

    None in the shape allows any number.

    """
    fine = (
        type(value) is np.ndarray
        and value.dtype == np.float64
        and value.ndim == len(shape)
        and all(n in (None, found) for n, found in zip(shape, value.shape, strict=True))
    )
    if not fine:
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        got = (
            f"{value.dtype} of shape {value.shape}"
            if isinstance(value, np.ndarray)
            else type(value).__name__
        )
        raise ValueError(f"{name} must be a float64 array of shape ({wanted}); got {got}")
    if not np.isfinite(value).all():
        raise ValueError(f"{name} must hold finite numbers only")
    return value


def check_slots(name: str, value: Any) -> None:
    """Raise a `ValueError` unless `value` is a dict that numbers its keys from 0 on."""
    fine = type(value) is dict and all(type(slot) is int for slot in value.values())
    if not fine or sorted(value.values()) != list(range(len(value))):
        raise ValueError(f"{name} must be a dict with the values 0 to {len(value) - 1}")


def check_seed(name: str, value: Any) -> None:
    """Raise a `ValueError` unless `value` is an integer or None."""
    check_number(name, value, integer=True, optional=True)


def share_of(share: float, n: int) -> int:
    """Return the count that equals a share of `n`, rounded down: floor(share · n).

    It is computed in floats as floor((share · n) · (1 + 4ε)), with ε = 2⁻⁵². The tolerance makes up
    for a share such as 0.7, which has no exact float: a product that is a whole number but for
    rounding counts as that number. For 0 <= share <= 1 and n < 2⁴⁹ the result is at most `n`.

    Examples
    --------
    >>> int(0.7 * 90), share_of(0.7, 90)
    (62, 63)

    >>> int(7 / 10 * 180), share_of(7 / 10, 180)
    (125, 126)

    """
    return math.floor(float(share) * n * _SHARE_TOLERANCE)
