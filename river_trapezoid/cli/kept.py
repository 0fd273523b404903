"""Models that commands keep in files: made of a learner and a table, saved, and loaded."""

from __future__ import annotations

import hashlib
import pathlib
from collections.abc import Iterator
from typing import Any

import typer

from river_trapezoid import persist
from river_trapezoid._progress import bar
from river_trapezoid.datasets import TableFile
from river_trapezoid.persist import TableModel
from river_trapezoid.preprocessing import RowEncoder

from .data import Data
from .failure import Failure
from .scaler import scaler_for
from .streams import stream_of
from .systems import SYSTEMS

__all__ = ["digest", "opened", "saved", "trained", "untrained"]


def untrained(name: str, data: Data) -> TableModel:
    """A model of a table that has learned nothing yet; an error if it could not be saved.

    Parameters
    ----------
    name
        The name of the learner.
    data
        The table.

    """
    table: TableFile = data.dataset
    system = SYSTEMS[name]
    if system.sampler is not None:
        raise typer.BadParameter(
            f"{name} queries labels, and a saved model learns from all of them; name another "
            "learner with --save-learner",
            param_hint="--save",
        )
    encoder = RowEncoder(columns=table.columns, one_hot=True)
    model = encoder | system.make(scaler_for(data.numbers), data.is_multiclass)
    kept = TableModel(model, str(table.target), list(table.labels), table.positive, name)
    try:
        persist.dumps(kept, verify=True)
    except (TypeError, ValueError) as error:
        raise typer.BadParameter(f"{name}: {error}", param_hint="--save") from None
    return kept


def trained(kept: TableModel, data: Data, seed: int, progress: bool) -> None:
    """Let a model learn from all rows of a table.

    Parameters
    ----------
    kept
        The model.
    data
        The table.
    seed
        The seed of the order of the rows, if it is random.
    progress
        Whether to show a progress bar.

    """
    table: TableFile = data.dataset
    instances: Any = _Rows(table)
    if data.shuffled:
        instances = stream_of(instances, "as-is", shuffle=True)(seed)
    with bar(table.n_samples, progress, desc="Learning", unit=" rows", leave=False) as advance:
        for row, _ in instances:
            kept.learn_row(row)
            advance(1)
    kept.source = digest(table.path)


class _Rows:
    """The raw rows of a table, each with its label.

    Parameters
    ----------
    table
        The table.

    """

    def __init__(self, table: TableFile):
        self._table = table

    def __iter__(self) -> Iterator[tuple[dict[str, Any], Any]]:
        for row in self._table.rows():
            yield row, self._table.label_of(row)


def digest(path: pathlib.Path) -> str:
    """The checksum of the content of a file.

    Parameters
    ----------
    path
        The file.

    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def saved(kept: TableModel, path: pathlib.Path) -> None:
    """Save a model; an error ends the command, and leaves the file as it was.

    Parameters
    ----------
    kept
        The model.
    path
        The file.

    """
    try:
        persist.save(kept, path)
    except (OSError, TypeError, ValueError) as error:
        raise Failure(f"{path}: cannot be written ({error})", 1) from None


def opened(path: pathlib.Path) -> TableModel:
    """The model in a file; an error ends the command.

    Parameters
    ----------
    path
        The file.

    """
    if not path.is_file():
        problem = "is a folder" if path.is_dir() else "there is no such file"
        raise Failure(f"{path}: {problem}", 2)
    try:
        kept = persist.load(path)
    except persist.ModelFileError as error:
        raise Failure(str(error), 1) from None
    except OSError as error:
        raise Failure(f"{path}: cannot be read ({error.strerror or error})", 1) from None
    if not isinstance(kept, TableModel):
        raise Failure(
            f"{path}: holds {type(kept).__name__}, not a model of a table; write one with "
            "river-trapezoid compare FILE --target COLUMN --save MODEL",
            2,
        )
    return kept
