"""The command line: `river-trapezoid compare | label | datasets`."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, that of a comparison if none is named, and return the exit status.

    Parameters
    ----------
    arguments
        The arguments of the command line; those of the process by default.

    Returns
    -------
    0; 1 if the data are at fault, 2 if the arguments are, 130 if the run was interrupted.

    """
    if importlib.util.find_spec("typer") is None:
        print(
            "river-trapezoid: error: the command line needs Typer: "
            'pip install "river-trapezoid[cli]"',
            file=sys.stderr,
        )
        return 2
    from .app import run

    return run(sys.argv[1:] if arguments is None else arguments)
