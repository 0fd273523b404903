"""The options of several commands, and the checks of names and files in options."""

from __future__ import annotations

import contextlib
import difflib
import importlib.util
import os
import pathlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import typer

from river_trapezoid._extras import install
from river_trapezoid._files import scratch_file

__all__ = ["DataFolder", "Jobs", "data_home", "names", "require", "writable"]


def _jobs(number: int) -> int:
    if number < 1 and number != -1:
        raise typer.BadParameter(f"must be at least 1, or -1 for all processors; got {number}")
    if number != 1:
        require("--jobs", "joblib", "cli")
    return number


Jobs = Annotated[
    int,
    typer.Option(
        metavar="N",
        callback=_jobs,
        help="The number of processes; -1 for the number of processors.",
    ),
]
DataFolder = Annotated[
    pathlib.Path | None,
    typer.Option(
        metavar="FOLDER",
        exists=True,
        file_okay=False,
        help="The folder of the data sets; by default RIVER_DATA or ~/river_data.",
    ),
]


@contextlib.contextmanager
def data_home(folder: pathlib.Path | None) -> Iterator[None]:
    """Set River's data home to a folder, unless it is None."""
    former = os.environ.get("RIVER_DATA")
    if folder is not None:
        os.environ["RIVER_DATA"] = str(folder.absolute())
    try:
        yield
    finally:
        if former is not None:
            os.environ["RIVER_DATA"] = former
        elif folder is not None:
            del os.environ["RIVER_DATA"]


def require(option: str, module: str, extra: str) -> None:
    """Raise an error about an option whose module is not installed."""
    if importlib.util.find_spec(module) is None:
        raise typer.BadParameter(f"needs {module}; {install(extra)}", param_hint=option)


def names(option: str, given: Iterable[str], known: Sequence[str]) -> list[str]:
    """The names in an option, which may be repeated and have several names, separated by commas.

    Case is ignored. The error about an unknown name has the nearest known name.
    """
    folded = {name.lower(): name for name in known}
    chosen = []
    for wanted in (name.strip() for text in given for name in text.split(",")):
        if wanted.lower() not in folded:
            near = difflib.get_close_matches(wanted.lower(), folded, n=1)
            hint = f"did you mean {folded[near[0]]!r}?" if near else f"known: {', '.join(known)}"
            raise typer.BadParameter(f"unknown name {wanted!r}; {hint}", param_hint=option)
        chosen.append(folded[wanted.lower()])
    return list(dict.fromkeys(chosen))


def writable(path: pathlib.Path | None) -> pathlib.Path | None:
    """Raise an error about a file that cannot be written."""
    if path is None:
        return None
    folder = path.absolute().parent
    if not folder.is_dir():
        raise typer.BadParameter(f"there is no folder {folder}")
    if path.is_dir():
        raise typer.BadParameter(f"{path} is a folder")
    try:
        with scratch_file(path):
            pass
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be written ({error.strerror})") from None
    return path
