"""What the commands print."""

from __future__ import annotations

import sys

from river_trapezoid._printable import printable

__all__ = ["one_line", "say"]


def say(*lines: str, error: bool = False) -> None:
    """Print lines without control characters, which could steer the terminal.

    Parameters
    ----------
    lines
        The lines, or texts of several lines.
    error
        Whether they go to the standard error.

    """
    for line in lines:
        print(printable(line), file=sys.stderr if error else sys.stdout)


def one_line(text: object) -> str:
    """A text on one line, with single spaces."""
    return " ".join(str(text).split())
