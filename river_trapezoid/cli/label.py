from __future__ import annotations

import pathlib
import shutil
import sys
import textwrap
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import typer

from river_trapezoid import datasets
from river_trapezoid.datasets.tables import FileError, text_lines
from river_trapezoid.labelling import Desk, JournalError

from .failure import Failure
from .label_options import (
    Budget,
    Check,
    Classes,
    Encoding,
    File,
    Format,
    Ignore,
    NoHeader,
    Out,
    Seed,
    Text,
)
from .terminal import say

__all__ = ["label"]

T = TypeVar("T")


def label(
    file: File,
    classes: Classes = "",
    budget: Budget = None,
    out: Out = None,
    check: Check = 0.1,
    text: Text = None,
    ignore: Ignore = None,
    format: Format = None,
    no_header: NoHeader = False,
    encoding: Encoding = "utf-8",
    seed: Seed = 0,
) -> None:
    """Label a file by hand, with a model that chooses the questions.

    Each answer is on the disk before the next question. Run the same command again to resume.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure("label asks questions: run it in a terminal, without a pipe", 2)
    names = _class_names(classes)
    table: datasets.TableFile | None = None
    instances: list[Any]
    if format == "text" or (format is None and _is_text(file)):
        instances = _loaded(lambda: _lines(file, encoding))
    else:
        table = _loaded(lambda: _table(file, format, text, ignore or (), not no_header, encoding))
        instances = _loaded(lambda: _rows(table, set(ignore or ())))
    folder = file.with_name(f"{file.name}.labels") if out is None else out
    try:
        folder.mkdir(parents=True, exist_ok=True)
        desk = Desk(
            instances,
            names,
            budget=budget,
            check_share=check,
            journal=folder / "journal.jsonl",
            features=None if table is None else table.features_of,
            seed=seed,
        )
    except JournalError as error:
        raise Failure(f"{error}; --out FOLDER starts another journal", 1) from None
    except (OSError, ValueError) as error:
        raise Failure(str(error), 1) from None
    _ask(desk, file.name, table)
    _finish(desk, folder, table)


def _class_names(classes: str) -> list[str]:
    names = [name.strip() for name in classes.split(",")] if classes else []
    if len(names) == 1 or not all(names) or len(set(names)) < len(names):
        raise typer.BadParameter(
            f"must be at least two distinct names, separated by commas; got {classes!r}",
            param_hint="--classes",
        )
    if not all(map(str.isprintable, names)):
        raise typer.BadParameter(
            f"must be names without control characters; got {classes!r}", param_hint="--classes"
        )
    return names


def _loaded(load: Callable[[], T]) -> T:
    """What is loaded from the file; an error ends the command."""
    try:
        return load()
    except (FileError, OSError) as error:
        raise Failure(str(error), 1) from None
    except (ImportError, ValueError) as error:
        raise Failure(str(error), 2) from None


def _table(
    file: pathlib.Path,
    format: str | None,
    text: Collection[str] | None,
    ignore: Collection[str],
    header: bool,
    encoding: str,
) -> datasets.TableFile:
    return datasets.TableFile(
        file,
        format=format,
        text=text,
        ignore=ignore,
        header=header,
        encoding=encoding,
        progress=True,
    )


def _is_text(file: pathlib.Path) -> bool:
    name = file.name.lower().removesuffix(".gz")
    return name.endswith((".txt", ".text"))


def _lines(file: pathlib.Path, encoding: str) -> list[str]:
    """The lines of a text file that are not empty."""
    lines = list(text_lines(file, encoding))
    if not lines:
        raise FileError(f"{file.name}: has no lines")
    return lines


def _rows(table: datasets.TableFile, left_out: Collection[str]) -> list[dict[str, Any]]:
    """The rows of a table, with the cells in its file, without some columns."""
    return [
        {name: value for name, value in row.items() if name not in left_out} for row in table.rows()
    ]


def _ask(desk: Desk, title: str, table: datasets.TableFile | None) -> None:
    from river_trapezoid.labelling.terminal import Keyboard, Terminal

    columns = {} if table is None else table.columns
    last = [name for name, kind in columns.items() if kind == "identifier"]
    try:
        with Keyboard() as keyboard:
            Terminal(desk, title, keyboard, last=last).run()
    except KeyboardInterrupt:
        # As if the user had quit: all answers are in the journal.
        print()
    except (JournalError, OSError) as error:
        raise Failure(str(error), 1) from None


def _finish(desk: Desk, folder: pathlib.Path, table: datasets.TableFile | None) -> None:
    from river_trapezoid.labelling import wording

    _wrapped(f"{wording.spent(desk)}.")
    if not desk.n_labels:
        return
    _wrapped(wording.accuracy(desk.accuracy))
    try:
        labels, predictions, model, summary = desk.save(folder)
    except OSError as error:
        raise Failure(str(error), 1) from None
    # Not wrapped, so that the paths can be copied.
    say(
        f"labels: {labels}",
        f"predictions for the rest: {predictions}",
        f"model: {model}",
        f"summary: {summary}",
    )
    meaning = ", ".join(f"{desk.target(name)!r} for {name}" for name in desk.classes)
    takes = (
        "a line of text"
        if table is None
        else f"datasets.TableFile({table.filename!r}).features_of(row), with the options of this run"
    )
    _wrapped(f"Load the model with persist.load. It takes {takes}, and predicts {meaning}.")
    if desk.question is not None:
        _wrapped("Run the same command again to resume.")


def _wrapped(text: str) -> None:
    """Print a text in lines that end between words."""
    width = shutil.get_terminal_size().columns
    say(textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False))
