from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator
from typing import Annotated

import typer
from river.utils.pretty import print_table

from river_trapezoid import datasets as public
from river_trapezoid.datasets._download import DownloadError, check
from river_trapezoid.datasets.base import PublicDataset, RemoteFile

from .failure import Failure
from .options import DataFolder, data_home, names
from .terminal import say

__all__ = ["datasets"]

_CLASSES = {
    name: cls
    for name in public.__all__
    if inspect.isclass(cls := getattr(public, name)) and issubclass(cls, PublicDataset)
}
Names = Annotated[
    list[str], typer.Argument(metavar="NAME", help="Data sets, as the list has them.")
]


def datasets() -> typer.Typer:
    """The command with its own commands."""
    command = typer.Typer(help="The papers' data sets: list, fetch and verify them.")
    command.callback(invoke_without_command=True)(_top)
    command.command("list")(show)
    command.command()(fetch)
    command.command()(verify)
    return command


def _top(context: typer.Context, data: DataFolder = None) -> None:
    """The papers' data sets: list, fetch and verify them."""
    # Until the command within has ended, whose own option goes first.
    context.with_resource(data_home(data))
    if context.invoked_subcommand is None:
        show()


def show(data: DataFolder = None) -> None:
    """List the data sets, and whether their files are there."""
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
    """Download the files of data sets, unless they are there."""
    with data_home(data):
        for name, dataset in _instances(wanted):
            if not dataset.is_downloaded:
                try:
                    dataset.download(verbose=sys.stdout.isatty())
                except DownloadError as error:
                    raise Failure(str(error), 1) from None
            say(f"{name}: {dataset.path}")


def verify(wanted: Names, data: DataFolder = None) -> None:
    """Compare files with their published sums, and count their rows."""
    fine = True
    with data_home(data):
        for name, dataset in _instances(wanted):
            problems = [problem for file in dataset.files if (problem := _problem(file))]
            if not problems:
                n_rows = sum(1 for _ in dataset)
                if n_rows != dataset.n_samples:
                    problems = [f"has {n_rows:,} rows, not {dataset.n_samples:,}"]
            fine = fine and not problems
            known = all(file.sums for file in dataset.files)
            outcome = f"intact, {dataset.n_samples:,} rows"
            if not known:
                outcome = f"{dataset.n_samples:,} rows; there are no published sums"
            say(f"{name}: {'; '.join(problems) or outcome}")
    if not fine:
        raise typer.Exit(1)


def _instances(wanted: Iterable[str]) -> Iterator[tuple[str, PublicDataset]]:
    for name in names("NAME", wanted, list(_CLASSES)):
        yield name, _CLASSES[name]()


def _state(dataset: PublicDataset) -> str:
    if dataset.is_downloaded:
        return "there"
    return "damaged" if any(map(_damage, dataset.files)) else "not there"


def _problem(file: RemoteFile) -> str | None:
    return _damage(file) if file.path.is_file() else f"{file.path} is not there"


def _damage(file: RemoteFile) -> str | None:
    """In what a file that is there differs from what it should be."""
    try:
        check(file.path, str(file.path), file.sums)
    except DownloadError as error:
        return str(error)
    except OSError:
        return None
    return None
