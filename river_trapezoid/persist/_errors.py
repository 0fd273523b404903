from __future__ import annotations

from typing import Any

__all__ = ["ModelFileError", "shortened"]


class ModelFileError(ValueError):
    """What is wrong with a model file, whatever it is: damaged, cut short, too large, too new."""


def shortened(value: Any) -> str:
    """A value as it is shown in an error, which a file may have made very long."""
    text = repr(value)
    return text if len(text) < 100 else f"{text[:100]}..."
