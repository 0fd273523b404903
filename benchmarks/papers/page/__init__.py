"""The results as a page to read: Markdown, and one HTML file that needs no other."""

from __future__ import annotations

import importlib.util
import os
import pathlib
from collections.abc import Container, Iterable, Mapping
from typing import Any

from river_trapezoid._files import write_file

from ..paper import Paper
from ..verdicts import whole
from .agreement import draw_agreement
from .content import AGREEMENT, content
from .hypertext import hypertext
from .markdown import markdown

__all__ = ["to_markdown", "write_page"]


def write_page(
    rows: Iterable[Mapping[str, Any]],
    folder: str | os.PathLike[str],
    papers: Mapping[str, Paper],
) -> None:
    """Write `page.md` and `page.html`, and the picture of all figures if matplotlib is there.

    The same rows and pictures give the same bytes.

    Parameters
    ----------
    rows
        Rows as in `results.csv`.
    folder
        Where to write, and where the pictures are, in `figures`.
    papers
        The papers that can be run, by name.

    """
    rows, folder = list(rows), pathlib.Path(folder)
    figures, complete = folder / "figures", whole(rows, papers)
    if importlib.util.find_spec("matplotlib"):
        figures.mkdir(exist_ok=True)
        draw_agreement(complete, papers, figures / AGREEMENT)
    pictures = {path.name: path.read_bytes() for path in sorted(figures.glob("*.png"))}
    write_file(folder / "page.md", [to_markdown(rows, papers, pictures).encode()])
    page = hypertext(content(complete, papers, pictures), pictures)
    write_file(folder / "page.html", [page.encode()])


def to_markdown(
    rows: Iterable[Mapping[str, Any]], papers: Mapping[str, Paper], pictures: Container[str] = ()
) -> str:
    """The page as Markdown.

    Of the pictures it has that of all figures only, so that it is easily taken elsewhere.

    Parameters
    ----------
    rows
        Rows as in `results.csv`.
    papers
        The papers that can be run, by name.
    pictures
        The names of the pictures that are in the folder `figures` beside it.

    """
    shown = [AGREEMENT] if AGREEMENT in pictures else []
    return markdown(content(whole(rows, papers), papers, shown))
