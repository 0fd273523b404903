from __future__ import annotations

import pathlib
import sys
from typing import Annotated

import typer

from .failure import Failure
from .options import DataFolder, Jobs, data_home

__all__ = ["reproduce"]


def reproduce(
    paper: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A paper; may be repeated. All by default."),
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="One table of the paper.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small part, to see that it works.")
    ] = False,
    jobs: Jobs = 1,
    store: Annotated[
        pathlib.Path,
        typer.Option(metavar="FOLDER", help="Where results are kept, and taken up again."),
    ] = pathlib.Path("reproduction"),
    data: DataFolder = None,
) -> None:
    """Run the papers' experiments; show published figures and ours."""
    from river_trapezoid import experiments

    try:
        with data_home(data):
            result = experiments.reproduce(
                papers=paper or None,
                table=table,
                quick=quick,
                n_jobs=jobs,
                store=store,
                progress=sys.stderr.isatty(),
            )
    except ValueError as error:
        raise Failure(str(error), 2) from None
    except experiments.StoreError as error:
        raise Failure(str(error), 1) from None
    except KeyboardInterrupt:
        raise Failure(
            f"interrupted; what is done is in {store}, and the same command goes on from there", 130
        ) from None
    print(result)
    print(f"store: {store}")
