# cython: language_level=3, infer_types=True, annotation_typing=False, binding=False
# cython: cdivision=True, boundscheck=False, wraparound=False
from __future__ import annotations

import copy
import sys
from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from river_trapezoid._frame import Rows, in_row
from river_trapezoid._instance import FeatureDict, Features
from river_trapezoid._parameters import check_bool, check_number
from river_trapezoid.weights.key_order import check_keys, in_order

from ._feature_table import FeatureTable
from ._rows import SlotRows

try:
    import cython
except ImportError:
    from river_trapezoid.weights import _nocython as cython
if not cython.compiled:
    from math import copysign, sqrt

    # Number of values, mean and spread of each entry.
    WIDTH = 3

__all__ = ["FeatureMoments"]

LARGEST = sys.float_info.max


class FeatureMoments(FeatureTable):
    """Running moments of features that come and go, and values brought to a common scale by them.

    For each feature: the number of its values, their mean, and their variance, or their mean square
    where they are not centred.

    Parameters
    ----------
    centred
        Whether to subtract the mean.
    scaled
        Whether to divide by the root of the variance, or of the mean square.
    budget
        Number of features held; None for all. The one learned from longest ago is dropped first,
        and among those of one instance the one whose key ranks lower.

    Examples
    --------

    >>> from river_trapezoid.weights import FeatureMoments

    >>> moments = FeatureMoments()
    >>> for value in (1.0, 2.0, 3.0, None):
    ...     moments.learn({"a": value, "b": 5.0})
    >>> moments.to_dict()
    {'a': (3, 2.0, 0.666...), 'b': (4, 5.0, 0.0)}

    >>> moments.transform({"a": 3.0, "b": 5.0, "c": None})
    {'a': 1.224..., 'b': 0.0}

    """

    # An entry's v is the number of the instance it was learned from last, so that the one that was
    # learned from longest ago is the smallest.

    def __cinit__(self, *args: Any, **kwargs: Any) -> None:
        self.width = WIDTH
        self.centred = self.scaled = True

    def __init__(self, centred: bool = True, scaled: bool = True, budget: int | None = None):
        centred = check_bool("centred", centred)
        scaled = check_bool("scaled", scaled)
        budget = check_number("budget", budget, integer=True, at_least=1, optional=True)
        self.acquire()
        try:
            self.clear()
            self.set_budget(1.0 if budget is None else budget)
            self.centred = centred
            self.scaled = scaled
            self.clock = 0.0
        finally:
            self.users -= 1

    def __reduce__(self) -> tuple[Any, ...]:
        from river_trapezoid.weights import restore

        arguments = (self.centred, self.scaled, self.budget)
        return restore, ("FeatureMoments", *arguments), self.__getstate__()

    def __getstate__(self) -> list[tuple[Hashable, int, float, float]]:
        rows = self.rows()
        if self.count:
            ranks = {key: place for place, key in enumerate(in_order([row[0] for row in rows]))}
            rows.sort(key=lambda row: (row[4], ranks[row[0]]))
        return [row[:4] for row in rows]

    def __setstate__(self, state: Any) -> None:
        rows = checked_state(state, self.budget)
        self.acquire()
        try:
            self.clear()
            self.clock = 0.0
            self.reserve(len(rows))
            for key, n, mean, spread in rows:
                self.clock += 1.0
                slot = self.add(key)
                self.put(slot, self.clock)
                at = WIDTH * slot
                self.numbers[at] = float(n)
                self.numbers[at + 1] = mean
                self.numbers[at + 2] = spread
        finally:
            self.users -= 1

    def __contains__(self, key: Hashable) -> bool:
        """Whether a feature has been learned from, and is held."""
        slot = self.slot(key)
        return slot >= 0 and self.entries[slot].v != 0.0

    def __repr__(self) -> str:
        return (
            f"FeatureMoments(centred={self.centred!r}, scaled={self.scaled!r}, "
            f"budget={self.budget!r}) with {len(self)} features"
        )

    @property  # type: ignore[misc]
    def budget(self) -> int | None:
        """Number of features held; None for all."""
        return self._budget if self.count else None

    def to_dict(self) -> dict[Hashable, tuple[int, float, float]]:
        """Number, mean, and variance or mean square of the values of each feature, as a new dict.

        Moments that the transformation does not need are not kept, and are zero.
        """
        return {row[0]: (row[1], row[2], row[3]) for row in self.rows()}

    def learn(self, x: Features) -> None:
        """Learn from the values of the features that are observed.

        Raises
        ------
        OverflowError
            If a moment would exceed the range of a float. Nothing has changed then.

        """
        held = self.open(x, False)
        try:
            self.acquire()
            try:
                self.enter(held.x, False)
                self.learn_entered(held.x)
            finally:
                self.users -= 1
        finally:
            held.close()

    def transform(self, x: Features) -> FeatureDict:
        """The features that are observed, each on its scale.

        A result beyond the range of a float becomes the largest float.
        """
        held = self.open(x, False)
        try:
            read = held.x
            if not read.all_found:
                self.find(read)
            for i in range(read.n):
                read.terms[i] = self.transformed(read.slots[i], read.values[i])
            return held.result()
        finally:
            held.close()

    def learn_rows(self, rows: Rows) -> None:
        """Learn from the rows of a batch, one after the other: from all of them, or from none."""
        if self.count:
            # A feature may be dropped in one row and come back in another.
            other = copy.copy(self)
            for row, features in enumerate(rows):
                try:
                    other.learn(features)
                except OverflowError as error:
                    raise in_row(row, error) from None
            self.__setstate__(other.__getstate__())
            return
        batch = SlotRows()
        batch.open(self, rows)
        self.acquire()
        try:
            batch.find(True)
            clock, done = self.clock, False
            batch.record_payloads()
            try:
                self.learn_batch(batch)
                done = True
            finally:
                if not done:
                    batch.undo()
                    self.clock = clock
                batch.end()
            batch.close()
        finally:
            self.users -= 1

    def transform_rows(self, rows: Rows) -> npt.NDArray[np.float64]:
        """The scaled values of the rows of a batch, in the same places."""
        result = np.empty(rows.values.shape if rows.dense is None else rows.dense.shape)
        flat: Any = result.reshape(-1)
        batch = SlotRows()
        batch.open(self, rows)
        self.users += 1
        try:
            batch.find(False)
            self.transform_batch(batch, memoryview(flat))
        finally:
            self.users -= 1
        return result

    def transform_batch(self, batch: Any, flat: Any) -> int:
        """Store the values of rows, whose columns are found."""
        n = 0
        for i in range(batch.n):
            x = batch.row(i)
            for j in range(x.n):
                flat[n] = self.transformed(x.slots[j], x.values[j])
                n += 1
        return 0

    def rows(self) -> list[tuple[Hashable, int, float, float, float]]:
        """Key, moments and time of each feature."""
        rows = []
        self.users += 1
        try:
            for key, slot in self.kept():
                at = WIDTH * slot
                n, mean, spread = self.numbers[at], self.numbers[at + 1], self.numbers[at + 2]
                rows.append((key, int(n), mean, spread, self.entries[slot].v))
        finally:
            self.users -= 1
        return rows

    def learn_entered(self, x: Any) -> int:
        """Learn from an instance whose features are entered."""
        for i in range(x.n):
            if not self.update(x, i):
                raise moments_overflow(self.key_at(x.slots[i]), x.values[i])
        self.clock += 1.0
        for i in range(x.n):
            self.keep(x, i)
        if self.count:
            self.drop_to(x, False, self.count, self.room_for(self.n_kept))
        return 0

    def learn_batch(self, batch: Any) -> int:
        """Learn from rows whose columns are found, so that all of it can be undone."""
        for i in range(batch.n):
            x = batch.row(i)
            self.clock += 1.0
            for j in range(x.n):
                if not self.update(x, j):
                    raise in_row(i, moments_overflow(self.key_at(x.slots[j]), x.values[j]))
                self.keep(x, j)
            batch.look(i)
        return 0

    def update(self, x: Any, i: int) -> bool:
        """Find the moments of a feature with one more value; return whether they are finite."""
        at = WIDTH * x.slots[i]
        value = x.values[i]
        n = mean = spread = 0.0
        if self.entries[x.slots[i]].v != 0.0:
            n, mean, spread = self.numbers[at], self.numbers[at + 1], self.numbers[at + 2]
        n += 1.0
        if self.centred:
            deviation = value - mean
            mean += deviation / n
            if self.scaled:
                spread += (deviation * (value - mean) - spread) / n
        elif self.scaled:
            spread += (value * value - spread) / n
        x.terms[i] = mean
        x.updated[i] = spread
        return mean >= -LARGEST and mean <= LARGEST and spread <= LARGEST

    def keep(self, x: Any, i: int) -> None:
        """Store the moments that `update` has found."""
        at = WIDTH * x.slots[i]
        n = self.numbers[at] if self.entries[x.slots[i]].v != 0.0 else 0.0
        self.numbers[at] = n + 1.0
        self.numbers[at + 1] = x.terms[i]
        self.numbers[at + 2] = x.updated[i]
        self.put(x.slots[i], self.clock)

    def transformed(self, slot: int, value: float) -> float:
        """A value on the scale of its feature."""
        n = mean = spread = 0.0
        if slot >= 0 and self.entries[slot].v != 0.0:
            at = WIDTH * slot
            n, mean, spread = self.numbers[at], self.numbers[at + 1], self.numbers[at + 2]
        if self.centred:
            value -= mean
        elif self.scaled and n == 0.0:
            # Its own size is all that is known of its scale.
            return copysign(1.0, value) if value != 0.0 else 0.0
        if self.scaled:
            value = value / sqrt(spread) if spread != 0.0 else 0.0
        return value if abs(value) <= LARGEST else copysign(LARGEST, value)


def moments_overflow(key: Hashable, value: float) -> OverflowError:
    """The error for a value that brings a moment out of the range of a float."""
    return OverflowError(
        f"feature {key!r} = {value!r} brings its mean or variance out of the range of a float"
    )


def checked_state(state: Any, budget: int | None) -> list[tuple[Hashable, int, float, float]]:
    """Raise a `ValueError` unless it is a state of moments."""
    try:
        rows = [(key, int(n), float(mean), float(spread)) for key, n, mean, spread in state]
        check_keys([row[0] for row in rows])
        fine = len({row[0] for row in rows}) == len(rows) and (
            budget is None or len(rows) <= budget
        )
        fine = fine and all(
            0 < row[1] <= 2**53 and abs(row[2]) <= LARGEST and 0.0 <= row[3] <= LARGEST
            for row in rows
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"expected a state of FeatureMoments: {error}") from error
    if not fine:
        raise ValueError("expected a state of FeatureMoments with these settings")
    return rows
