from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any

from river import base

from river_trapezoid.preprocessing import StandardScaler

__all__ = ["TableScaler", "scaler_for"]

Features = dict[Hashable, Any]


class TableScaler(base.Transformer):
    """Centres and scales the numbers of a table, and only scales its categories and words.

    Where a feature is there with the value 1 or not at all, as a category or a word is, centring
    leaves nothing of it.

    Parameters
    ----------
    numbers
        Names of the features that are numbers.

    """

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


def scaler_for(numbers: Collection[str] | None) -> base.Transformer:
    """A scaler for features of which the given ones are numbers, all of them if None.

    Parameters
    ----------
    numbers
        Names of the features that are numbers.

    """
    if numbers is None:
        return StandardScaler()
    return TableScaler(numbers) if numbers else StandardScaler(with_mean=False)
