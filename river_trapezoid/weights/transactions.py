# cython: language_level=3, binding=False
from __future__ import annotations

from collections.abc import Hashable, Sequence
from random import Random
from typing import Any

__all__ = ["transaction"]


class transaction:
    """Group several learning steps: all take effect, or none if an exception is raised.

    Compiled, this holds for an interrupt at any point as well: what is learned becomes final in one
    call that no interrupt divides. Within another transaction of the same weights, the outer one
    decides.

    Parameters
    ----------
    columns
        The features that may be learned from meanwhile, for a mini-batch. None for any, which suits
        few instances.
    parts
        The weights, rules and generators that change.
    attributes
        A dict that changes as well, such as the attributes of a learner. Its values are not copied.

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

    def __init__(
        self,
        columns: Sequence[Hashable] | None,
        *parts: Any,
        attributes: dict[str, Any] | None = None,
    ):
        self.columns = columns
        self.parts = parts
        self.attributes = attributes
        self.before: dict[str, Any] | None = None
        # What has begun and is not final yet, generators with their state.
        self.begun: list[Any] | None = None

    def __enter__(self) -> transaction:
        self.begun = []
        try:
            for part in self.parts:
                if isinstance(part, Random):
                    self.begun.append((part, part.getstate()))
                elif part.begin(self.columns):
                    self.begun.append((part, None))
            # Within another transaction, that one brings the attributes back: this one could do so
            # after it, where an interrupt leaves the end of this one to the garbage collector.
            if self.attributes is not None and (self.begun or not self.parts):
                self.before = dict(self.attributes)
        except BaseException:
            self.rollback()
            raise
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is None:
            self.commit()
        else:
            self.rollback()

    def __del__(self) -> None:
        # An interrupt may come before the block is left in order.
        self.rollback()

    def commit(self) -> None:
        """Make the learned state final."""
        begun, self.begun, self.before = self.begun, None, None
        for part, state in begun or ():
            if state is None:
                part.commit()

    def rollback(self) -> None:
        """Restore the state before the transaction, unless the new one is final."""
        # Without memory for anything new, as that may be what is missing.
        begun, self.begun = self.begun, None
        before, self.before = self.before, None
        for part, state in begun or ():
            if state is None:
                part.rollback()
            else:
                part.setstate(state)
        if before is not None and self.attributes is not None:
            for name in before:
                self.attributes[name] = before[name]
            if len(self.attributes) > len(before):
                for name in self.attributes.keys() - before.keys():
                    del self.attributes[name]
