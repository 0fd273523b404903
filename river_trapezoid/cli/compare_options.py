"""The options of `compare`."""

from __future__ import annotations

import pathlib
from typing import Annotated

import typer

from river_trapezoid.datasets.tables import FORMATS

from .options import writable
from .streams import KINDS
from .systems import BASELINE, RECOMMENDED, SYSTEMS

__all__ = [
    "CSV",
    "HTML",
    "JSON",
    "Budget",
    "Delay",
    "Encoding",
    "File",
    "Format",
    "Ignore",
    "Learners",
    "Metrics",
    "NoHeader",
    "Positive",
    "Repeats",
    "Save",
    "SaveLearner",
    "Seed",
    "Shuffle",
    "Streams",
    "Target",
    "Text",
]

_FILE, _COMPARISON, _OUTPUT = "The file", "The comparison", "Output"

File = Annotated[
    str | None,
    typer.Argument(
        metavar="FILE",
        help="CSV, JSON lines, LIBSVM or Parquet, also compressed by gzip; - for the standard "
        "input. Without a FILE, data that come with River.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="The column of the label.", rich_help_panel=_FILE),
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help=f"{', '.join(FORMATS)}; by default, by the name of the file or its content.",
        rich_help_panel=_FILE,
    ),
]
Text = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="A column of text, of which each word is a feature; may be repeated. Detected by "
        "default.",
        rich_help_panel=_FILE,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", help="A column to leave out; may be repeated.", rich_help_panel=_FILE
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        metavar="LABEL",
        help="Which of two labels is positive; the last in order by default.",
        rich_help_panel=_FILE,
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first line of a CSV file has no names; columns are called f1, f2, ...",
        rich_help_panel=_FILE,
    ),
]
Encoding = Annotated[
    str, typer.Option(metavar="NAME", help="The encoding of the text.", rich_help_panel=_FILE)
]
Learners = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME,...",
        help=f"The learners: {', '.join(SYSTEMS)}; or all. By default {RECOMMENDED} and "
        f"{BASELINE}, and without a FILE those that were made for the stream as well.",
        rich_help_panel=_COMPARISON,
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME,...",
        help="River's metrics and AveragePrecision; by default Accuracy and ROCAUC, or MacroF1 for "
        "more than two labels; ROCAUC, AveragePrecision and F1 if less than 10 % of the labels are "
        "positive. ROCAUC is exact up to fine bins, where River's has ten thresholds.",
        rich_help_panel=_COMPARISON,
    ),
]
Streams = Annotated[
    list[str] | None,
    typer.Option(
        "--stream",
        metavar="KIND,...",
        help=f"How the feature space changes: {', '.join(KINDS)}. By default, a FILE is taken "
        "as it is.",
        rich_help_panel=_COMPARISON,
    ),
]
Shuffle = Annotated[
    bool,
    typer.Option(
        "--shuffle",
        help="Take the rows of a FILE in random order; holds them in memory.",
        rich_help_panel=_COMPARISON,
    ),
]
Delay = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Labels arrive N rows late.",
        rich_help_panel=_COMPARISON,
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="The share of the labels that a learner may query, some of them ahead of the budget "
        "at first; the Uncertainty learners keep to it only on average.",
        rich_help_panel=_COMPARISON,
    ),
]
Repeats = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="The number of runs of what is random: 10, or 1 for a FILE. With a FILE, --shuffle "
        "draws the order of the rows, and --stream the features.",
        rich_help_panel=_COMPARISON,
    ),
]
Seed = Annotated[
    int,
    typer.Option(metavar="N", help="The seed of the first repeat.", rich_help_panel=_COMPARISON),
]
JSON = Annotated[
    bool,
    typer.Option("--json", help="Print JSON instead of tables.", rich_help_panel=_OUTPUT),
]
CSV = Annotated[
    pathlib.Path | None,
    typer.Option(
        "--csv",
        metavar="FILE",
        callback=writable,
        help="Write every record as CSV.",
        rich_help_panel=_OUTPUT,
    ),
]
HTML = Annotated[
    pathlib.Path | None,
    typer.Option(
        "--html",
        metavar="FILE",
        callback=writable,
        help="Write a report with plots.",
        rich_help_panel=_OUTPUT,
    ),
]
Save = Annotated[
    pathlib.Path | None,
    typer.Option(
        "--save",
        metavar="MODEL",
        callback=writable,
        help="Write the first learner of the table, trained on all rows of the FILE, with its "
        "encoder and labels; for predict, update and describe.",
        rich_help_panel=_OUTPUT,
    ),
]
SaveLearner = Annotated[
    str | None,
    typer.Option(
        "--save-learner",
        metavar="NAME",
        help="Which of the compared learners --save writes.",
        rich_help_panel=_OUTPUT,
    ),
]
