"""Pieces of a page in Markdown, as code hosts show it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["escaped", "heading", "table", "terms"]

# What would be taken for markup; underlines within words are not.
_MARKUP = re.compile(r"[\\`*|<>&\[\]~#]|(?<!\w)_|_(?!\w)")


def escaped(text: str) -> str:
    """A text without markup."""
    return _MARKUP.sub(r"\\\g<0>", text)


def heading(level: int, text: str) -> str:
    """A heading."""
    return f"{'#' * level} {escaped(text)}"


def terms(meanings: Mapping[str, str]) -> str:
    """A list of terms and their meanings."""
    return "\n".join(f"- **{escaped(term)}**: {escaped(text)}." for term, text in meanings.items())


def table(header: Sequence[str], rows: Iterable[Sequence[str]], n_text: int) -> str:
    """A table of cells that are Markdown already.

    Parameters
    ----------
    header
        The names of the columns.
    rows
        The cells of each row.
    n_text
        The number of columns of text, which are before those of numbers.

    """
    rule = ["---"] * n_text + ["---:"] * (len(header) - n_text)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *rows))
