from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator
from typing import Annotated

import typer
from river.utils.pretty import print_table

from river_trapezoid import datasets as public
from river_trapezoid.datasets import DownloadError
from river_trapezoid.datasets.base import PublicDataset

from .failure import Failure
from .options import DataFolder, data_home, names
from .terminal import say

__all__ = ["datasets"]

_CLASSES = {
    name: cls
    for name in sorted(public.__all__, key=str.lower)
    if inspect.isclass(cls := getattr(public, name)) and issubclass(cls, PublicDataset)
}
Names = Annotated[
    list[str], typer.Argument(metavar="NAME", help="Names of data sets, as in the list.")
]


def datasets() -> typer.Typer:
    """The command `datasets` with its subcommands."""
    command = typer.Typer(help="The papers' data sets: list, fetch and verify them.")
    command.callback(invoke_without_command=True)(_top)
    command.command("list")(show)
    command.command()(fetch)
    command.command()(verify)
    return command


def _top(context: typer.Context, data: DataFolder = None) -> None:
    """The papers' data sets: list, fetch and verify them."""
    # Holds until the subcommand has ended, whose own option has priority.
    context.with_resource(data_home(data))
    if context.invoked_subcommand is None:
        show()


def show(data: DataFolder = None) -> None:
    """List the data sets, with whether their files are there."""
    rows = []
    with data_home(data):
        for name, cls in _CLASSES.items():
            dataset = cls()
            features = dataset.n_features
            rows.append(
                (
                    name.ljust(max(map(len, _CLASSES))),
                    f"{dataset.n_samples:,}",
                    "" if features is None else f"{features:,}",
                    _state(dataset),
                )
            )
    table = print_table(
        headers=["name", "rows", "features", "files"],
        columns=[list(column) for column in zip(*rows, strict=True)],
    )
    say(*(line.rstrip() for line in table.splitlines()))


def fetch(wanted: Names, data: DataFolder = None) -> None:
    """Download the files of data sets that are not there yet."""
    with data_home(data):
        for name, dataset in _instances(wanted):
            if not dataset.is_downloaded:
                try:
                    dataset.download(verbose=sys.stdout.isatty())
                except DownloadError as error:
                    raise Failure(str(error), 1) from None
            say(f"{name}: {dataset.path}")


def verify(wanted: Names, data: DataFolder = None) -> None:
    """Compare files with their published checksums, and count their rows."""
    fine = True
    with data_home(data):
        for name, dataset in _instances(wanted):
            problems = [problem for file in dataset.files if (problem := file.problem())]
            if not problems:
                n_rows = sum(1 for _ in dataset)
                if n_rows != dataset.n_samples:
                    problems = [f"has {n_rows:,} rows rather than {dataset.n_samples:,}"]
            fine = fine and not problems
            outcome = f"intact, {dataset.n_samples:,} rows"
            if not all(file.sums for file in dataset.files):
                outcome = f"{dataset.n_samples:,} rows; there are no published checksums"
            say(f"{name}: {'; '.join(problems) or outcome}")
    if not fine:
        raise typer.Exit(1)


def _instances(wanted: Iterable[str]) -> Iterator[tuple[str, PublicDataset]]:
    for name in names("NAME", wanted, list(_CLASSES)):
        yield name, _CLASSES[name]()


def _state(dataset: PublicDataset) -> str:
    if dataset.is_downloaded:
        return "there"
    damaged = any(file.path.is_file() and file.problem() for file in dataset.files)
    return "damaged" if damaged else "not there"
