"""From raw rows to features, and features on a common scale, while they come and go."""

from .row_encoder import RowEncoder
from .standard_scaler import StandardScaler

__all__ = ["RowEncoder", "StandardScaler"]
