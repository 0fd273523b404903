"""Features on a common scale, while they come and go."""

from .standard_scaler import StandardScaler

__all__ = ["StandardScaler"]
