"""The options that several commands have."""

from __future__ import annotations

import importlib.util
import pathlib
from collections.abc import Iterable, Sequence
from typing import Annotated

import typer

__all__ = ["Jobs", "Seed", "names", "require", "writable"]


def _jobs(number: int) -> int:
    if number == 0:
        raise typer.BadParameter("must be at least 1, or -1 for all processors; got 0")
    if number != 1:
        require("--jobs", "joblib", "cli")
    return number


Jobs = Annotated[
    int,
    typer.Option(metavar="N", callback=_jobs, help="Processes; -1 for one for each processor."),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Seed of the first repeat.")]


def require(option: str, module: str, extra: str) -> None:
    """Refuse an option whose module is not installed."""
    if importlib.util.find_spec(module) is None:
        raise typer.BadParameter(
            f'needs {module}: pip install "river-trapezoid[{extra}]"', param_hint=option
        )


def names(option: str, given: Iterable[str], known: Sequence[str]) -> list[str]:
    """The names in an option that may be repeated or hold several, separated by commas."""
    chosen = [name.strip() for text in given for name in text.split(",")]
    for name in chosen:
        if name not in known:
            raise typer.BadParameter(
                f"{name!r} is not one of {', '.join(known)}", param_hint=option
            )
    return list(dict.fromkeys(chosen))


def writable(path: pathlib.Path | None) -> pathlib.Path | None:
    """Refuse a file whose folder does not exist."""
    if path is not None and not path.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {path.absolute().parent}")
    return path
