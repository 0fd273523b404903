"""The command line: `river-trapezoid compare | predict | update | describe | label | datasets`."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence

import river_trapezoid
from river_trapezoid import weights
from river_trapezoid._extras import install

__all__ = ["main", "version"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, `compare` if none is named, and return the exit status.

    Parameters
    ----------
    arguments
        The arguments of the command line; by default those of the process.

    Returns
    -------
    0; 1 for an error in the data, 2 for an error in the arguments, 130 for an interrupt.

    """
    arguments = sys.argv[1:] if arguments is None else arguments
    if list(arguments) == ["--version"]:
        print(version())
        return 0
    if importlib.util.find_spec("typer") is None:
        print(
            f"river-trapezoid: error: the command line needs Typer; {install('cli')}",
            file=sys.stderr,
        )
        return 2
    from .app import run

    return run(arguments)


def version() -> str:
    """The name and version of the package, with the form of its weights."""
    return f"river-trapezoid {river_trapezoid.__version__} ({weights.KERNEL} weights)"
