"""What a page is made of, whatever it is written in."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from .sheet import Sheet

__all__ = [
    "Block",
    "Command",
    "Gallery",
    "Grid",
    "Heading",
    "Paragraph",
    "Part",
    "Picture",
    "Terms",
]


@dataclasses.dataclass(frozen=True)
class Heading:
    """A heading."""

    level: int
    text: str


@dataclasses.dataclass(frozen=True)
class Paragraph:
    """A paragraph of plain text."""

    text: str


@dataclasses.dataclass(frozen=True)
class Command:
    """Lines for a shell."""

    text: str


@dataclasses.dataclass(frozen=True)
class Terms:
    """Terms and what they mean."""

    meanings: Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class Grid:
    """A small table, with columns of text before those of numbers."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_text: int


@dataclasses.dataclass(frozen=True)
class Picture:
    """A picture by the name of its file."""

    name: str
    alt: str


@dataclasses.dataclass(frozen=True)
class Gallery:
    """The figures of a paper."""

    pictures: Sequence[Picture]


@dataclasses.dataclass(frozen=True)
class Part:
    """What belongs together: all of a `"paper"` or, as part of it, of a `"table"`.

    Attributes
    ----------
    kind
        Which of them.
    name
        Its name.
    title
        Its title, which stands above it.
    blocks
        What it is made of.

    """

    kind: str
    name: str
    title: str
    blocks: Sequence[Block]

    def heading(self) -> Heading:
        """Its title as a heading."""
        return Heading(2 if self.kind == "paper" else 3, self.title)


Block = Part | Heading | Paragraph | Command | Terms | Grid | Picture | Gallery | Sheet
