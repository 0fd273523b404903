from __future__ import annotations

import pathlib
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from . import version
from .compare import compare
from .datasets import datasets
from .describe import describe
from .label import label
from .predict import predict
from .terminal import one_line, say
from .update import update

__all__ = ["bare_application", "execute", "run"]


def run(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name and return its exit status.

    Parameters
    ----------
    arguments
        The arguments of the command line. Without a command, options and files are passed to
        `compare`.

    """
    first = next(iter(arguments), None)
    if (
        first is None
        or (first.startswith("-") and first not in ("-h", "--help", "--version"))
        or pathlib.Path(first).is_file()
    ):
        arguments = ["compare", *arguments]
    return execute(_application(), arguments, "river-trapezoid")


def execute(application: typer.Typer, arguments: Sequence[str], program: str) -> int:
    """Run an application, print an error as one line, and return the exit status.

    Parameters
    ----------
    application
        The application.
    arguments
        The arguments of the command line.
    program
        The name of the program in its help and in errors.

    """
    try:
        status = application(args=list(arguments), prog_name=program, standalone_mode=False)
    except typer.Abort:
        return 130
    except Exception as error:
        # Depending on its version, Typer has its own copy of click or uses the installed one; the
        # errors of both have this method.
        if not hasattr(error, "format_message"):
            raise
        say(f"{program}: error: {one_line(error.format_message())}", error=True)
        return int(getattr(error, "exit_code", 1))
    return status if isinstance(status, int) else 0


def bare_application() -> typer.Typer:
    """An application without commands, whose help has boxes and colours only in a terminal."""
    return typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich" if sys.stdout.isatty() else None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _application() -> typer.Typer:
    application = bare_application()
    application.callback()(_top)
    application.command()(compare)
    application.command()(label)
    application.command()(describe)
    application.command()(predict)
    application.command()(update)
    application.add_typer(datasets(), name="datasets")
    return application


def _show_version(wanted: bool) -> None:
    if wanted:
        print(version())
        raise typer.Exit


def _top(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Online learning while the feature space changes.

    Without a command, compare learners on data that come with River.
    """
