"""Calls in a row that no interrupt can separate."""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable
from typing import Any

__all__ = ["at_once"]


def at_once(*calls: Callable[[], Any]) -> None:
    """Make calls one after another, with no point between them at which an interrupt could come.

    Python delivers interrupts between the instructions of Python code. The loop below is in C, so
    that calls of built-in functions and methods all happen or none does. If one of them raises an
    error, the calls before it are not undone.

    Parameters
    ----------
    calls
        The calls, for instance `functools.partial` of built-in methods.

    Examples
    --------
    >>> from functools import partial
    >>> waiting, finished = {"a": 1}, set()
    >>> at_once(partial(waiting.pop, "a"), partial(finished.add, "a"))
    >>> waiting, finished
    ({}, {'a'})

    """
    collections.deque(map(operator.call, calls), maxlen=0)
