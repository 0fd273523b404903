from __future__ import annotations

import pathlib
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

import river_trapezoid
from river_trapezoid import weights

from .compare import compare
from .datasets import datasets
from .label import label
from .reproduce import reproduce

__all__ = ["run"]


def run(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name and return its exit status.

    Parameters
    ----------
    arguments
        The arguments of the command line. Options and files without a command are those of
        `compare`.

    """
    first = next(iter(arguments), None)
    if (
        first is None
        or (first.startswith("-") and first not in ("-h", "--help", "--version"))
        or pathlib.Path(first).is_file()
    ):
        arguments = ["compare", *arguments]
    try:
        status = _application()(
            args=list(arguments), prog_name="river-trapezoid", standalone_mode=False
        )
    except typer.Abort:
        return 130
    except Exception as error:
        # Typer brings its own copy of click or uses the one installed, depending on its version;
        # this is what their errors have in common.
        if not hasattr(error, "format_message"):
            raise
        message = " ".join(error.format_message().split())
        print(f"river-trapezoid: error: {message}", file=sys.stderr)
        return int(getattr(error, "exit_code", 1))
    return status if isinstance(status, int) else 0


def _application() -> typer.Typer:
    application = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        # Boxes and colours only where a person looks.
        rich_markup_mode="rich" if sys.stdout.isatty() else None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    application.callback()(_top)
    application.command()(compare)
    application.command()(label)
    application.command()(reproduce)
    application.add_typer(datasets(), name="datasets")
    return application


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"river-trapezoid {river_trapezoid.__version__} ({weights.KERNEL} weights)")
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
