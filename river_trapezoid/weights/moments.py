from __future__ import annotations

import math
import sys
from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from river_trapezoid._frame import Rows, in_row
from river_trapezoid._instance import FeatureDict, Features, observed
from river_trapezoid._parameters import check_bool, check_number

from .key_order import check_keys, in_order

__all__ = ["FeatureMoments"]

_LARGEST = sys.float_info.max


class FeatureMoments:
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
        How many features are held; None for all. The one learned from longest ago goes first, and
        among those of one instance the one whose key ranks lower.

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

    __slots__ = ("_budget", "_known", "centred", "scaled")

    def __init__(self, centred: bool = True, scaled: bool = True, budget: int | None = None):
        self.centred = check_bool("centred", centred)
        self.scaled = check_bool("scaled", scaled)
        self._budget = check_number("budget", budget, integer=True, at_least=1, optional=True)
        # Where there is a budget, the feature learned from longest ago comes first.
        self._known: dict[Hashable, tuple[int, float, float]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        from river_trapezoid.weights import restore

        arguments = (self.centred, self.scaled, self.budget)
        return restore, ("FeatureMoments", *arguments), self.__getstate__()

    def __getstate__(self) -> list[tuple[Hashable, int, float, float]]:
        return [(key, *moments) for key, moments in self._known.items()]

    def __setstate__(self, state: Any) -> None:
        self._known = {
            key: (n, mean, spread) for key, n, mean, spread in checked_state(state, self._budget)
        }

    def __len__(self) -> int:
        """Number of features held."""
        return len(self._known)

    def __contains__(self, key: Hashable) -> bool:
        """Whether a feature has been learned from, and is held."""
        return key in self._known

    def __repr__(self) -> str:
        return (
            f"FeatureMoments(centred={self.centred!r}, scaled={self.scaled!r}, "
            f"budget={self.budget!r}) with {len(self)} features"
        )

    @property
    def budget(self) -> int | None:
        """How many features are held; None for all."""
        return self._budget

    def to_dict(self) -> dict[Hashable, tuple[int, float, float]]:
        """Number, mean, and variance or mean square of the values of each feature, as a new dict.

        What is not needed for the transformation is not kept, and zero.
        """
        return dict(self._known)

    def learn(self, x: Features) -> None:
        """Learn from the values of the features that are observed.

        Raises
        ------
        OverflowError
            If a moment would exceed the range of a float. Nothing has changed then.

        """
        x = observed(x)
        check_keys(x)
        known, centred, scaled = self._known, self.centred, self.scaled
        learned = {}
        for key, value in x.items():
            value = float(value)
            n, mean, spread = known.get(key, (0, 0.0, 0.0))
            n += 1
            if centred:
                deviation = value - mean
                mean += deviation / n
                if scaled:
                    spread += (deviation * (value - mean) - spread) / n
            elif scaled:
                spread += (value * value - spread) / n
            if not (abs(mean) <= _LARGEST and spread <= _LARGEST):
                raise moments_overflow(key, value)
            learned[key] = n, mean, spread
        if self._budget is None:
            known.update(learned)
            return
        for key in in_order(learned):
            known.pop(key, None)
            known[key] = learned[key]
        for key in list(known)[: max(0, len(known) - self._budget)]:
            del known[key]

    def transform(self, x: Features) -> FeatureDict:
        """The features that are observed, each on its scale.

        A result beyond the range of a float is the largest one.
        """
        known = self._known
        return {
            key: self._transformed(float(value), *known.get(key, (0, 0.0, 0.0)))
            for key, value in observed(x).items()
        }

    def learn_rows(self, rows: Rows) -> None:
        """Learn from the rows of a batch, one after the other: from all of them, or from none."""
        before = self._known
        self._known = dict(before)
        try:
            for row, x in enumerate(rows):
                try:
                    self.learn(x)
                except OverflowError as error:
                    raise in_row(row, error) from None
        except BaseException:
            self._known = before
            raise

    def transform_rows(self, rows: Rows) -> npt.NDArray[np.float64]:
        """The values of the rows of a batch, each on its scale, in the places of the values."""
        values = [value for x in rows for value in self.transform(x).values()]
        shape = rows.values.shape if rows.dense is None else rows.dense.shape
        return np.array(values, dtype=float).reshape(shape)

    def _transformed(self, value: float, n: int, mean: float, spread: float) -> float:
        if self.centred:
            value -= mean
        elif self.scaled and not n:
            # Its own size is all that is known of its scale.
            return math.copysign(1.0, value) if value else 0.0
        if self.scaled:
            value = value / math.sqrt(spread) if spread else 0.0
        return max(-_LARGEST, min(_LARGEST, value))


def moments_overflow(key: Hashable, value: float) -> OverflowError:
    """The error for a value that brings a moment out of the range of a float."""
    return OverflowError(
        f"feature {key!r} = {value!r} brings its mean or variance out of the range of a float"
    )


def checked_state(state: Any, budget: int | None) -> list[tuple[Hashable, int, float, float]]:
    """Raise a `ValueError` unless it is a state of moments."""
    try:
        rows = [(key, int(n), float(mean), float(spread)) for key, n, mean, spread in state]
        check_keys([key for key, *_ in rows])
        fine = len({key for key, *_ in rows}) == len(rows) and (
            budget is None or len(rows) <= budget
        )
        fine = fine and all(
            0 < n <= 2**53 and abs(mean) <= _LARGEST and 0.0 <= spread <= _LARGEST
            for _, n, mean, spread in rows
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"this is no state of moments: {error}") from error
    if not fine:
        raise ValueError("this is no state of moments of these settings")
    return rows
