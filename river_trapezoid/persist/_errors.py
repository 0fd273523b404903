from __future__ import annotations

import reprlib
from typing import Any

__all__ = ["ModelFileError", "shortened"]

_LONGEST = 100
_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxlong = _REPR.maxother = _LONGEST


class ModelFileError(ValueError):
    """A model file that cannot be loaded: damaged, truncated, forged, too large or too new."""


def shortened(value: Any) -> str:
    """Return a value for an error message; a file may hold a very long one."""
    text = _REPR.repr(value)
    return text if len(text) < _LONGEST else f"{text[:_LONGEST]}..."
