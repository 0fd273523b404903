from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .blocks import Block, Command, Gallery, Grid, Heading, Paragraph, Part, Picture, Terms
from .content import MARKS, METRIC_NAMES
from .sheet import Entry, Line, Sheet

__all__ = ["markdown"]

# What would be taken for markup; underlines within words are not.
_MARKUP = re.compile(r"[\\`*|<>&\[\]~#]|(?<!\w)_|_(?!\w)")


def markdown(blocks: Iterable[Block]) -> str:
    """A page as Markdown, as code hosts show it."""
    return "\n\n".join(_written(block) for block in blocks) + "\n"


def _written(block: Block) -> str:
    match block:
        case Part():
            return "\n\n".join(_written(own) for own in (block.heading(), *block.blocks))
        case Heading():
            return f"{'#' * block.level} {_escaped(block.text)}"
        case Paragraph():
            return _escaped(block.text)
        case Command():
            return f"```sh\n{block.text}\n```"
        case Terms():
            return "\n".join(
                f"- **{_escaped(term)}**: {_escaped(text)}."
                for term, text in block.meanings.items()
            )
        case Grid():
            rows = [[_escaped(cell) for cell in row] for row in block.rows]
            return _table(block.header, rows, block.n_text)
        case Picture():
            return f"![{_escaped(block.alt)}](figures/{block.name})"
        case Gallery():
            return "\n\n".join(map(_written, block.pictures))
        case Sheet():
            return _sheet(block)


def _sheet(sheet: Sheet) -> str:
    title = METRIC_NAMES.get(sheet.metric, sheet.metric)
    parts = [
        _escaped(f"{title[0].upper()}{title[1:]}. {sheet.summary()}."),
        f"<details><summary>{len(sheet.lines)} lines</summary>",
        _escaped(sheet.about()),
        _table(
            sheet.header(),
            [_cells(line, sheet) for line in sheet.lines],
            n_text=len(sheet.header()) - 1 - len(sheet.protocols),
        ),
        "\n".join(f"- {letter}: {_escaped(note)}" for letter, note in sheet.notes.items()),
        "</details>",
    ]
    return "\n\n".join(filter(None, parts))


def _cells(line: Line, sheet: Sheet) -> list[str]:
    entries = [_entry(entry) if entry else "" for entry in sheet.entries(line)]
    return [*map(_escaped, sheet.names(line)), line.published, *entries]


def _entry(entry: Entry) -> str:
    small = f"<sup>{_escaped(' '.join(entry.marks))}</sup>" if entry.marks else ""
    verdict = MARKS.get(entry.verdict, entry.verdict)
    below = " ".join(filter(None, (entry.difference, verdict, small)))
    return f"{entry.ours}<br>{below}" if entry.ours else below


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], n_text: int) -> str:
    rule = ["---"] * n_text + ["---:"] * (len(header) - n_text)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *rows))


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", text)
