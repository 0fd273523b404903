from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

__all__ = ["transaction"]


@contextlib.contextmanager
def transaction(columns: Sequence[Hashable], *weights: Any) -> Iterator[None]:
    """Let weights learn from a mini-batch whole, or not at all if anything is raised.

    Parameters
    ----------
    columns
        The features that may be learned from meanwhile.
    weights
        The weights.

    Examples
    --------

    >>> from river_trapezoid.weights import SparseWeights

    >>> w = SparseWeights()
    >>> w.update({"a": 1.0}, step=0.5)
    >>> with transaction(["a", "b"], w):
    ...     w.update({"a": 1.0, "b": 2.0}, step=0.5)
    ...     w.update({"b": 1e308}, step=10.0)
    Traceback (most recent call last):
    ...
    OverflowError: the weights leave their range at feature 'b' = 1e+308; scale the features first

    >>> w.to_dict(), w.n_seen
    ({'a': 0.5}, 1)

    """
    begun: list[Any] = []
    try:
        for one in weights:
            one.begin(columns)
            begun.append(one)
        yield
    except BaseException:
        for one in begun:
            one.rollback()
        raise
    for one in begun:
        one.commit()
