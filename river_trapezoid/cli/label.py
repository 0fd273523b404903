from __future__ import annotations

import pathlib
import shutil
import sys
import textwrap
from typing import Annotated, Any

import typer

from river_trapezoid import datasets
from river_trapezoid.datasets.tables import FileError, text_lines
from river_trapezoid.labelling import Desk, JournalError

from .failure import Failure
from .terminal import say

__all__ = ["label"]


def label(
    file: Annotated[
        pathlib.Path,
        typer.Argument(
            metavar="FILE", help="What to label: CSV, JSON lines, Parquet, or lines of text (.txt)."
        ),
    ],
    classes: Annotated[
        str,
        typer.Option(metavar="A,B", help="Names of the classes; you may also name them as you go."),
    ] = "",
    budget: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="How many labels you will give at most.")
    ] = None,
    out: Annotated[
        pathlib.Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where answers and results are kept; FILE.labels by default.",
        ),
    ] = None,
    check: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            min=0.0,
            max=0.5,
            help="Share of the questions that is drawn at random to estimate the accuracy.",
        ),
    ] = 0.1,
    text: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column of text; found out by default."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column neither to show nor to learn from."),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="csv, jsonl, libsvm, parquet, or text for lines of text; found out by default.",
        ),
    ] = None,
    header: Annotated[
        bool, typer.Option(help="Whether a CSV file begins with the names of its columns.")
    ] = True,
    encoding: Annotated[str, typer.Option(metavar="NAME", help="Encoding of the file.")] = "utf-8",
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of what is drawn.")] = 0,
) -> None:
    """Label a file by hand; a model asks for what is worth it.

    Each answer is on the disk before the next question. Run the same command to go on.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure("label asks questions: run it in a terminal, without a pipe", 2)
    folder = file.with_name(f"{file.name}.labels") if out is None else out
    names = [name.strip() for name in classes.split(",")] if classes else []
    if len(names) == 1 or not all(names) or len(set(names)) < len(names):
        raise typer.BadParameter(
            f"must be two names or more, separated by commas; got {classes!r}",
            param_hint="--classes",
        )
    if not all(map(str.isprintable, names)):
        raise typer.BadParameter(
            f"must be names without control characters; got {classes!r}", param_hint="--classes"
        )
    features: Any = None
    table: datasets.TableFile | None = None
    try:
        if not file.is_file():
            problem = "is a folder" if file.is_dir() else "there is no such file"
            raise ValueError(f"{file.name}: {problem}")
        if format == "text" or (format is None and _is_text(file)):
            instances: list[Any] = _lines(file, encoding)
        else:
            table = datasets.TableFile(
                file,
                format=format,
                text=text,
                ignore=ignore or (),
                header=header,
                encoding=encoding,
                progress=True,
            )
            instances, features = _rows(table, set(ignore or ())), table.features_of
        folder.mkdir(parents=True, exist_ok=True)
        desk = Desk(
            instances,
            names,
            budget=budget,
            check_share=check,
            journal=folder / "journal.jsonl",
            features=features,
            seed=seed,
        )
    except JournalError as error:
        raise Failure(f"{error}; --out FOLDER begins another journal", 1) from None
    except (OSError, ValueError) as error:
        raise Failure(str(error), 1) from None
    _ask(desk, file.name, table)
    _finish(desk, folder, table)


def _is_text(file: pathlib.Path) -> bool:
    name = file.name.lower().removesuffix(".gz")
    return name.endswith((".txt", ".text"))


def _lines(file: pathlib.Path, encoding: str) -> list[str]:
    """The lines of a file of text that are not empty."""
    lines = list(text_lines(file, encoding))
    if not lines:
        raise FileError(f"{file.name}: there are no lines in it")
    return lines


def _rows(table: datasets.TableFile, left_out: set[str]) -> list[dict[str, Any]]:
    """The rows of a table, as they are in its file, but for some columns."""
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
        # The same as to quit: all answers are in the journal.
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
    # Not wrapped, so that they can be copied.
    say(
        f"labels: {labels}",
        f"predictions for the others: {predictions}",
        f"model: {model}",
        f"summary: {summary}",
    )
    meaning = ", ".join(f"{desk.target(name)!r} for {name}" for name in desk.classes)
    takes = (
        "a line of text"
        if table is None
        else f"datasets.TableFile({table.filename!r}).features_of(row), with the options of this run"
    )
    _wrapped(f"The model is read by persist.load. It takes {takes}; it predicts {meaning}.")
    if desk.question is not None:
        _wrapped("Run the same command to go on.")


def _wrapped(text: str) -> None:
    """Print a text in lines that end between words."""
    width = shutil.get_terminal_size().columns
    say(textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False))
