from __future__ import annotations

import base64
import html
import importlib.resources
from collections.abc import Iterable, Mapping, Sequence

from ..results import VERDICTS
from .blocks import Block, Command, Gallery, Grid, Heading, Paragraph, Part, Picture, Terms
from .content import METRIC_NAMES, marked
from .sheet import Entry, Line, Sheet

__all__ = ["hypertext"]


def hypertext(blocks: Iterable[Block], pictures: Mapping[str, bytes]) -> str:
    """A page as one HTML file that needs no other.

    Parameters
    ----------
    blocks
        What it says.
    pictures
        The contents of the pictures by name.

    """
    blocks = list(blocks)
    title = next(block.text for block in blocks if isinstance(block, Heading))
    opening = [block for block in blocks if not isinstance(block, Part)]
    papers = [block for block in blocks if isinstance(block, Part)]
    parts = [_written(block, pictures) for block in opening]
    parts += [_choice(papers), *(_written(block, pictures) for block in papers)]
    own = importlib.resources.files(__package__)
    style, script = (own.joinpath(f"page.{kind}").read_text("utf-8") for kind in ("css", "js"))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)} - river-trapezoid</title>\n<style>\n{style}</style>\n"
        f"</head>\n<body>\n{''.join(parts)}\n"
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _choice(papers: Sequence[Part]) -> str:
    """The form that picks lines; the script shows it, since without one it is of no use."""
    sheets = [
        sheet
        for paper in papers
        for table in paper.blocks
        if isinstance(table, Part)
        for sheet in table.blocks
        if isinstance(sheet, Sheet)
    ]
    protocols = dict.fromkeys(protocol for sheet in sheets for protocol in sheet.runs)
    there = {e.verdict for sheet in sheets for line in sheet.lines for e in line.entries.values()}
    options = {
        "paper": {paper.name: paper.title for paper in papers},
        "protocol": {protocol: protocol for protocol in protocols},
        "verdict": {verdict: marked(verdict) for verdict in VERDICTS if verdict in there},
    }
    fields = "".join(
        f'<label>{name} <select name="{name}"><option value="">all</option>'
        + "".join(
            f'<option value="{html.escape(value)}">{html.escape(text)}</option>'
            for value, text in own.items()
        )
        + "</select></label>"
        for name, own in options.items()
    )
    return f'<form hidden>{fields}<button type="reset">clear</button><output></output></form>'


def _written(block: Block, pictures: Mapping[str, bytes]) -> str:
    match block:
        case Part():
            inner = "".join(_written(own, pictures) for own in (block.heading(), *block.blocks))
            return f'<section data-{block.kind}="{html.escape(block.name)}">{inner}</section>\n'
        case Heading():
            return f"<h{block.level}>{html.escape(block.text)}</h{block.level}>"
        case Paragraph():
            return f"<p>{html.escape(block.text)}</p>"
        case Command():
            return f"<pre>{html.escape(block.text)}</pre>"
        case Terms():
            terms = "".join(
                f"<dt>{html.escape(term)}</dt><dd>{html.escape(text)}</dd>"
                for term, text in block.meanings.items()
            )
            return f"<dl>{terms}</dl>"
        case Grid():
            return f'<div class="scroll">{_grid(block)}</div>'
        case Picture():
            data = base64.b64encode(pictures[block.name]).decode()
            return (
                f'<div class="scroll"><img alt="{html.escape(block.alt)}" '
                f'src="data:image/png;base64,{data}"></div>'
            )
        case Gallery():
            images = "".join(_written(own, pictures) for own in block.pictures)
            return f"<details><summary>Figures</summary>{images}</details>"
        case Sheet():
            return _sheet(block)


def _grid(grid: Grid) -> str:
    kinds = ["text"] * grid.n_text + ["number"] * (len(grid.header) - grid.n_text)
    header = "".join(f"<th>{html.escape(name)}</th>" for name in grid.header)
    rows = "".join(
        "<tr>"
        + "".join(
            f'<td class="{kind}">{html.escape(cell)}</td>'
            for kind, cell in zip(kinds, row, strict=True)
        )
        + "</tr>\n"
        for row in grid.rows
    )
    return f"<table><thead><tr>{header}</tr></thead><tbody>\n{rows}</tbody></table>"


def _sheet(sheet: Sheet) -> str:
    metric = METRIC_NAMES.get(sheet.metric, sheet.metric)
    header = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in sheet.header())
    notes = "".join(
        f"<dt>{letter}</dt><dd>{html.escape(note)}</dd>" for letter, note in sheet.notes.items()
    )
    return (
        f'<details class="sheet"><summary>{html.escape(metric)}'
        f"<small>{html.escape(sheet.summary())}</small></summary>"
        f"<p>{html.escape(sheet.about())}</p>"
        f'<table class="figures"><thead><tr>{header}</tr></thead><tbody>\n'
        + "".join(_line(line, sheet) for line in sheet.lines)
        + f'</tbody></table><dl class="notes">{notes}</dl></details>'
    )


def _line(line: Line, sheet: Sheet) -> str:
    dataset, system, *params = map(html.escape, sheet.names(line))
    labels = [html.escape(name) for name in sheet.header()]
    cells = [f'<th scope="row">{dataset}</th>', f'<td class="name">{system}</td>']
    # Where there is no room for the head of the column, a parameter is named beside its value.
    named = f' data-name="{labels[2]}"' if sheet.varied != "parameters" and any(params) else ""
    cells += [f'<td class="name"{named}>{param}</td>' for param in params]
    cells.append(f'<td data-label="published">{html.escape(line.published)}</td>')
    for entry in sheet.entries(line):
        cells.append(_entry(entry, labels[len(cells)]) if entry else '<td class="none"></td>')
    return f"<tr>{''.join(cells)}</tr>\n"


def _entry(entry: Entry, label: str) -> str:
    verdict = html.escape(entry.verdict)
    marks = f"<sup>{html.escape(' '.join(entry.marks))}</sup>" if entry.marks else ""
    return (
        f'<td data-label="{label}" data-protocol="{html.escape(entry.protocol)}" '
        f'data-verdict="{verdict}">{html.escape(entry.ours)} '
        f"<small>{html.escape(entry.difference)} <b>{html.escape(marked(entry.verdict))}</b> "
        f"{marks}</small></td>"
    )
