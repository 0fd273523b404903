from __future__ import annotations

import os
import pathlib
import sys
from typing import Annotated, NoReturn

import typer

from .options import Jobs

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
    data: Annotated[
        pathlib.Path | None,
        typer.Option(
            metavar="FOLDER",
            exists=True,
            file_okay=False,
            help="Where the data sets are; by default RIVER_DATA or ~/river_data.",
        ),
    ] = None,
) -> None:
    """Run the papers' experiments; show published figures and ours."""
    from river_trapezoid import experiments  # type: ignore[attr-defined, unused-ignore]

    former = os.environ.get("RIVER_DATA")
    if data is not None:
        os.environ["RIVER_DATA"] = str(data.absolute())
    try:
        result = experiments.reproduce(
            papers=paper or None,
            table=table,
            quick=quick,
            n_jobs=jobs,
            store=store,
            progress=True,
        )
    except ValueError as error:
        _end(str(error), 2)
    except experiments.StoreError as error:
        _end(str(error), 1)
    except KeyboardInterrupt:
        _end(
            f"interrupted; what is done is in {store}, and the same command goes on from there", 130
        )
    finally:
        if former is not None:
            os.environ["RIVER_DATA"] = former
        elif data is not None:
            del os.environ["RIVER_DATA"]
    print(result)
    print(f"store: {store}")


def _end(message: str, status: int) -> NoReturn:
    print(f"river-trapezoid reproduce: error: {' '.join(message.split())}", file=sys.stderr)
    raise typer.Exit(status)
