from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any

from river import base

from .standard_scaler import StandardScaler

__all__ = ["TableScaler"]

Features = dict[Hashable, Any]


class TableScaler(base.Transformer):
    """Standardises the numbers of a table, and scales its categories and words without centring.

    The value of a category or a word is 1 wherever it is observed, so that centring would turn it
    into 0.

    Parameters
    ----------
    numbers
        Names of the features that are numbers.

    """

    _TAG = "river_trapezoid.preprocessing.TableScaler"

    def __init__(self, numbers: Collection[str]):
        self.numbers = numbers
        self._known = frozenset(numbers)
        self._of_numbers = StandardScaler()
        self._of_others = StandardScaler(with_mean=False)

    def _parts(self, x: Features) -> tuple[Features, Features]:
        known = self._known
        return (
            {name: value for name, value in x.items() if name in known},
            {name: value for name, value in x.items() if name not in known},
        )

    def learn_one(self, x: Features) -> None:
        """Update the scales.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        numbers, others = self._parts(x)
        self._of_numbers.learn_one(numbers)
        self._of_others.learn_one(others)

    def transform_one(self, x: Features) -> Features:
        """Scale a set of features.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        numbers, others = self._parts(x)
        return self._of_numbers.transform_one(numbers) | self._of_others.transform_one(others)
