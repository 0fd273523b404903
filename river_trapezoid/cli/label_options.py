"""The options of `label`."""

from __future__ import annotations

import pathlib
from typing import Annotated

import typer

__all__ = [
    "Budget",
    "Check",
    "Classes",
    "Encoding",
    "File",
    "Format",
    "Ignore",
    "NoHeader",
    "Out",
    "Seed",
    "Text",
]

File = Annotated[
    pathlib.Path,
    typer.Argument(
        metavar="FILE", help="What to label: CSV, JSON lines, Parquet, or lines of text (.txt)."
    ),
]
Classes = Annotated[
    str,
    typer.Option(
        metavar="A,B", help="Names of the classes; you can also add classes while you label."
    ),
]
Budget = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="The largest number of labels that you will give."),
]
Out = Annotated[
    pathlib.Path | None,
    typer.Option(
        metavar="FOLDER", help="The folder for answers and results; FILE.labels by default."
    ),
]
Check = Annotated[
    float,
    typer.Option(
        metavar="SHARE",
        min=0.0,
        max=0.5,
        help="The share of the questions that are drawn at random to estimate the accuracy.",
    ),
]
Text = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="A column of text; detected by default."),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="A column to hide and not to learn from."),
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="csv, jsonl, libsvm, parquet, or text for lines of text; detected by default.",
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first line of a CSV file has no names; columns are called f1, f2, ...",
    ),
]
Encoding = Annotated[str, typer.Option(metavar="NAME", help="The encoding of the file.")]
Seed = Annotated[int, typer.Option(metavar="N", help="The seed of the random draws.")]
