from __future__ import annotations

import reprlib
from typing import Any

__all__ = ["printable", "quoted"]

_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = 60


def printable(value: Any) -> str:
    r"""The text of a value without control characters, for a terminal.

    Escape sequences could move the cursor, change colours or hide text. Each control character but
    a line feed or a tab becomes the replacement character.

    >>> printable("red\x1b[2Jgreen")
    'red�[2Jgreen'

    """
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in str(value))


def quoted(value: Any) -> str:
    """The representation of a value, shortened, for an error about it.

    >>> quoted("word " * 1000)
    "'word word word word word wo...d word word word word word '"

    """
    return _REPR.repr(value)
