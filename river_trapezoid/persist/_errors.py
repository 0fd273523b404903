from __future__ import annotations

__all__ = ["ModelFileError"]


class ModelFileError(ValueError):
    """What is wrong with a model file, whatever it is: damaged, cut short, too large, too new."""
