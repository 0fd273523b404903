from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_array, check_slots
from river_trapezoid.weights import in_order

from ._geometry import Array, Mask

__all__ = ["Standardiser"]

# Below this share of its largest value, a feature's deviation is a rounding error.
_SMALLEST_DEVIATION = 1e-14
# So far from the mean every answer is the same, and powers of it are still finite.
_LARGEST = 1e50


@dataclass(frozen=True)
class Standardiser:
    """Turns dicts into rows of features with mean 0 and deviation 1 over the fitted instances.

    Its features are those of the instances, in the order of their keys. A feature that an instance
    lacks is 0, the mean; a constant feature is always 0; an unknown feature is ignored.

    With `active=False`, features are not scaled, and a feature that an instance lacks is its mean.

    >>> standardiser, rows = Standardiser.fit([{"a": 0.0}, {"a": 4.0, "b": 7.0}])
    >>> rows.tolist()
    [[-1.0, 0.0], [1.0, 0.0]]

    >>> standardiser.row({"a": 6.0, "z": 1.0}).tolist()
    [2.0, 0.0]

    """

    columns: dict[Hashable, int]
    scale: Array
    mean: Array
    stretch: Array
    absent: Array

    _TAG: ClassVar[str] = "river_trapezoid.semi_supervised.Standardiser"

    def _check_state(self) -> None:
        """Raise a `ValueError` unless the attributes, which come from a file, fit together."""
        check_slots("columns", self.columns)
        for name in ("scale", "mean", "stretch", "absent"):
            check_array(name, getattr(self, name), max(1, len(self.columns)))

    @classmethod
    def fit(cls, instances: Sequence[Features], active: bool = True) -> tuple[Standardiser, Array]:
        """Return a standardiser fitted on the instances, and a row for each of them.

        There is a single column of zeros if there are no features.
        """
        keys = in_order({key for x in instances for key in x})
        columns = {key: column for column, key in enumerate(keys)}
        values, present = _table(instances, columns)
        # Squares of the values themselves might leave the range of a float.
        scale = np.abs(values).max(axis=0)
        scale[scale == 0.0] = 1.0
        shares = values / scale
        counts = np.maximum(1, present.sum(axis=0))
        mean = shares.sum(axis=0) / counts
        zeros, ones = np.zeros_like(mean), np.ones_like(mean)
        if active:
            deviation = np.sqrt((((shares - mean) * present) ** 2).sum(axis=0) / counts)
            varies = deviation > _SMALLEST_DEVIATION
            stretch = np.where(varies, 1.0 / np.where(varies, deviation, 1.0), 0.0)
            self = cls(columns, scale, mean, stretch, zeros)
        else:
            self = cls(columns, ones, zeros, ones, np.clip(mean * scale, -_LARGEST, _LARGEST))
        return self, self._rows(values, present)

    def row(self, x: Features) -> Array:
        """The row of an instance."""
        row: Array = self._rows(*_table([x], self.columns))[0]
        return row

    def _rows(self, values: Array, present: Mask) -> Array:
        with np.errstate(over="ignore"):
            rows = np.clip(values / self.scale, -_LARGEST, _LARGEST)
            rows = np.clip((rows - self.mean) * self.stretch, -_LARGEST, _LARGEST)
        return np.where(present, rows, self.absent)


def _table(instances: Sequence[Features], columns: dict[Hashable, int]) -> tuple[Array, Mask]:
    """The values of known features, and which of them are there."""
    shape = len(instances), max(1, len(columns))
    values, present = np.zeros(shape), np.zeros(shape, bool)
    cells = [
        i * shape[1] + columns[key] for i, x in enumerate(instances) for key in x if key in columns
    ]
    values.flat[cells] = [v for x in instances for key, v in x.items() if key in columns]
    present.flat[cells] = True
    return values, present
