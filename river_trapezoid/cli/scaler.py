from __future__ import annotations

from collections.abc import Collection

from river import base

from river_trapezoid.preprocessing import StandardScaler
from river_trapezoid.preprocessing.table_scaler import TableScaler

__all__ = ["scaler_for"]


def scaler_for(numbers: Collection[str] | None) -> base.Transformer:
    """A scaler for the features of a table.

    Parameters
    ----------
    numbers
        Names of the features that are numbers; None if all are.

    """
    if numbers is None:
        return StandardScaler()
    return TableScaler(numbers) if numbers else StandardScaler(with_mean=False)
