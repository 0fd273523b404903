"""The results as a page of Markdown."""

from __future__ import annotations

import importlib.util
import os
import pathlib
from collections.abc import Iterable, Mapping
from typing import Any

from river_trapezoid._files import write_file

from ..paper import Paper
from ..verdicts import whole
from .agreement import AGREEMENT, draw_agreement
from .content import content

__all__ = ["to_markdown", "write_page"]


def write_page(
    rows: Iterable[Mapping[str, Any]],
    folder: str | os.PathLike[str],
    papers: Mapping[str, Paper],
) -> None:
    """Write `page.md`, and the picture of all figures if matplotlib is installed.

    The same rows give the same bytes.

    Parameters
    ----------
    rows
        Rows as in `results.csv`.
    folder
        The folder to write to; the picture goes to `figures` in it.
    papers
        The papers that can be run, by name.

    """
    rows, folder = list(rows), pathlib.Path(folder)
    picture = folder / "figures" / AGREEMENT
    if importlib.util.find_spec("matplotlib"):
        picture.parent.mkdir(exist_ok=True)
        draw_agreement(whole(rows, papers), papers, picture)
    text = to_markdown(rows, papers, with_picture=picture.exists())
    write_file(folder / "page.md", [text.encode()])


def to_markdown(
    rows: Iterable[Mapping[str, Any]], papers: Mapping[str, Paper], with_picture: bool = False
) -> str:
    """The page as Markdown.

    Parameters
    ----------
    rows
        Rows as in `results.csv`.
    papers
        The papers that can be run, by name.
    with_picture
        Whether to show the picture of all figures, in the folder `figures` beside the page.

    """
    return "\n\n".join(content(whole(rows, papers), papers, with_picture)) + "\n"
