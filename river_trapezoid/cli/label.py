from __future__ import annotations

import pathlib
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from river_trapezoid import datasets
from river_trapezoid.labelling import Desk, JournalError

__all__ = ["label"]

_TEXT = (".txt", ".text")


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
    encoding: Annotated[str, typer.Option(metavar="NAME", help="Encoding of the file.")] = "utf-8",
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of what is drawn.")] = 0,
) -> None:
    """Label a file by hand, with a model that asks for what is worth a label.

    Each answer is on the disk before the next question. Run the same command to go on.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise typer.BadParameter("asks questions: run it in a terminal", param_hint="label")
    folder = file.with_name(f"{file.name}.labels") if out is None else out
    names = [name.strip() for name in classes.split(",")] if classes else []
    if len(names) == 1 or not all(names) or len(set(names)) < len(names):
        raise typer.BadParameter(
            f"must be two names or more, separated by commas; got {classes!r}",
            param_hint="--classes",
        )
    try:
        instances, features = _read(file, text, ignore, encoding)
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
    except (OSError, ValueError) as error:
        raise _failure(error) from None
    _ask(desk, file.name)
    _finish(desk, folder)


def _read(
    file: pathlib.Path, text: list[str] | None, ignore: list[str] | None, encoding: str
) -> tuple[list[Any], Callable[[Any], Any] | None]:
    """The instances of a file, and what makes features of them."""
    if file.suffix.lower() in _TEXT:
        return _lines(file, encoding), None
    table = datasets.TableFile(
        file, text=text, ignore=ignore or (), encoding=encoding, progress=True
    )
    left_out = set(ignore or ())
    rows = [
        {name: value for name, value in row.items() if name not in left_out} for row in table.rows()
    ]
    return rows, table.features


def _lines(file: pathlib.Path, encoding: str) -> list[str]:
    """The lines of a file of text that are not empty."""
    try:
        lines = file.read_text(encoding=encoding).splitlines()
    except (LookupError, UnicodeError) as error:
        raise ValueError(f"{file.name} cannot be read as {encoding} ({error})") from None
    found = [line for line in lines if line.strip()]
    if not found:
        raise ValueError(f"{file.name}: there are no lines in it")
    return found


def _ask(desk: Desk, title: str) -> None:
    from river_trapezoid.labelling.terminal import Keyboard, Terminal

    try:
        with Keyboard() as keyboard:
            Terminal(desk, title, keyboard).run()
    except KeyboardInterrupt:
        # The same as to quit: all answers are in the journal.
        print()
    except (JournalError, OSError) as error:
        raise _failure(error) from None


def _finish(desk: Desk, folder: pathlib.Path) -> None:
    from river_trapezoid.labelling import wording

    print(f"{wording.spent(desk)}.")
    if not desk.n_labels:
        return
    print(wording.accuracy(desk.accuracy))
    try:
        labels, predictions, model, summary = desk.save(folder)
    except OSError as error:
        raise _failure(error) from None
    meaning = ", ".join(
        f"{desk.target(name)!r} for {wording.printable(name)}" for name in desk.classes
    )
    print(
        f"labels: {labels}",
        f"predictions for the others: {predictions}",
        f"model: {model} (read by persist.load; it predicts {meaning})",
        f"summary: {summary}",
        sep="\n",
    )
    if desk.question is not None:
        print("Run the same command to go on.")


def _failure(error: Exception) -> typer.Exit:
    """What ends the command after one line about what is wrong."""
    message = " ".join(str(error).split())
    print(f"river-trapezoid label: error: {message}", file=sys.stderr)
    return typer.Exit(1)
