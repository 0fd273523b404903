from __future__ import annotations

from typing import Any

__all__ = ["printable"]


def printable(value: Any) -> str:
    r"""The text of a value without control characters, for a terminal.

    Escape sequences could move the cursor, change colours or hide text. Each control character but
    a line feed or a tab becomes the replacement character.

    >>> printable("red\x1b[2Jgreen")
    'red�[2Jgreen'

    """
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in str(value))
