"""Run the papers' experiments again.

python -m benchmarks.papers [--paper NAME] [--table NAME] [--system NAME] [--quick] [--jobs N] [--store FOLDER]
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from river_trapezoid.cli.app import bare_application, execute
from river_trapezoid.cli.failure import Failure
from river_trapezoid.cli.options import DataFolder, Jobs, data_home

__all__ = ["main"]


def reproduce(
    paper: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A paper; may be repeated. All by default."),
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="One table of the paper.")
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A system of the paper; may be repeated."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run small data sets only, with few repeats.")
    ] = False,
    jobs: Jobs = 1,
    store: Annotated[
        pathlib.Path,
        typer.Option(metavar="FOLDER", help="The folder of the results, from which a run resumes."),
    ] = pathlib.Path("reproduction"),
    data: DataFolder = None,
) -> None:
    """Run the papers' experiments; show published figures and ours."""
    from benchmarks import papers

    try:
        with data_home(data):
            result = papers.reproduce(
                papers=paper or None,
                table=table,
                systems=system or None,
                quick=quick,
                n_jobs=jobs,
                store=store,
                progress=sys.stderr.isatty(),
            )
    except ValueError as error:
        raise Failure(str(error), 2) from None
    except papers.StoreError as error:
        raise Failure(str(error), 1) from None
    except KeyboardInterrupt:
        raise Failure(
            f"interrupted; results so far are in {store}, and the same command resumes", 130
        ) from None
    print(result)
    print(f"store: {store}")
    for lack in result.lacking:
        print(lack, file=sys.stderr)
    if not result.n_run:
        raise Failure("nothing could be run: see why above, or in page.md of the store", 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the papers' experiments and return the exit status."""
    application = bare_application()
    application.command()(reproduce)
    given = sys.argv[1:] if arguments is None else arguments
    return execute(application, given, "python -m benchmarks.papers")


if __name__ == "__main__":
    sys.exit(main())
