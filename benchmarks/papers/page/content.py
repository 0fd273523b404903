from __future__ import annotations

import collections
import re
from collections.abc import Container, Iterator, Mapping, Sequence

from ..paper import Paper
from ..results import VERDICTS
from ..verdicts import OUTCOMES, counts, said, sums
from .blocks import Block, Command, Gallery, Grid, Heading, Paragraph, Part, Picture, Terms
from .sheet import sheets

__all__ = [
    "AGREEMENT",
    "MARKS",
    "MEANINGS",
    "METRIC_NAMES",
    "PROTOCOLS",
    "content",
    "marked",
    "systems",
]

Row = dict[str, str]

AGREEMENT = "agreement.png"
# Signs that can be told apart without colours.
MARKS = {"digit": "=", "within": "≈", "off": "≠", "above": "▲", "below": "▽"}
METRIC_NAMES = {
    "errors": "errors, the number of wrong predictions",
    "AUC": "AUC",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy, per cent",
    "query_percent": "labels that were asked for, per cent",
    "seconds": "seconds",
}
_HEADS = {"text": "by the text", "otherwise": "only otherwise", "off": "do not hold"}
MEANINGS = {
    "digit": "mean and standard deviation are those in print",
    "within": "the mean is within two published standard deviations or two points of the one in "
    "print; where errors are counted, a point is 1 % of the instances",
    "off": "it is further away",
    "above": "ours is better than the best published figure of others, by however little",
    "below": "it is not",
    "not compared": "what was measured depends on the machine",
    "no data": "the data set cannot be had",
    "not run": "left out by this run, or not runnable yet; the note says which",
}
PROTOCOLS = {
    "text": "what the paper says, with the learners of this package; a parameter that the paper "
    "leaves to be chosen is the best one on the compared runs",
    "text, first order": "the same, with the parameter that is best on the first order of the "
    "rows, compared on the other orders",
    "text, AUC of scores": "the same runs, with the AUC of the scores in place of that of the "
    "predicted labels, which the papers print",
    "as-run": "what the published runs did as far as it is known, which is not what the paper says; "
    "where the printed figures are all there is to tell parameters by, those that come closest to "
    "them are taken, so that agreement shows what the figures may come from rather than what they "
    "are worth",
    "text, our step": "the same, with OCDS's steps kept from overshooting and edges that begin as "
    "the identity, which are departures from the paper",
    "after": "predictions are made after the model has learned from the instance",
    "after, our step": "the same, with these departures",
    "haphazard": "values are there or not by chance, and ours have default parameters",
    "haphazard, balanced": 'the same, with decision="balanced"',
    "haphazard, scaled": "the same, with a StandardScaler in front",
}


def content(
    rows: Sequence[Row], papers: Mapping[str, Paper], pictures: Container[str] = ()
) -> Iterator[Block]:
    """What the page says, block by block.

    Parameters
    ----------
    rows
        All rows, with those of figures that were not run.
    papers
        The papers that can be run.
    pictures
        The names of the pictures that there are.

    """
    yield Heading(1, "Published figures, run again")
    yield Paragraph(
        "The tables of the papers on learning from streams whose features change, with our "
        "figures beside the published ones. Every published figure is here, with a verdict or "
        "with the reason why it has none."
    )
    yield Paragraph(said(rows))
    if AGREEMENT in pictures:
        yield Picture(AGREEMENT, "The difference between ours and each published figure, by table")
    yield Paragraph("To run them again, all of them or one table, a small part first:")
    yield Command(
        "python -m benchmarks.papers --quick\n"
        "python -m benchmarks.papers --jobs -1\n"
        "python -m benchmarks.papers --paper stsd --table III"
    )
    yield Paragraph(
        "The folder reproduction then has this page, results.csv with the same figures, and the "
        "papers' figures, drawn anew. What is there is not run again."
    )
    yield Heading(2, "How far they hold")
    yield Paragraph(
        "By the text: a figure holds under the protocol text, which follows the paper's words. Only "
        "otherwise: it does not, but holds under another protocol, such as as-run. To hold is to "
        "have the verdict digit or within."
    )
    yield _sums(rows, papers)
    yield Heading(2, "How to read the tables")
    yield Paragraph(
        "An entry has our mean ± standard deviation, its difference from the published mean, the "
        "verdict, and in small print what it was run with and the letter of a note below the table; "
        "n is the number of runs where it is not that of the others. Verdicts:"
    )
    yield Terms({marked(verdict): MEANINGS[verdict] for verdict in _used(rows)})
    yield Paragraph(
        "Lines without a published figure are baselines on the same stream: River's "
        "LogisticRegression and our EvidenceClassifier, both by default parameters and with as many "
        "labels as the others, and offline, a linear model with all features and labels at once, "
        "which is a ceiling for linear models rather than a rival."
    )
    yield Paragraph("Protocols:")
    used = {own["protocol"] for own in rows}
    yield Terms({name: text for name, text in PROTOCOLS.items() if name in used})
    yield Heading(2, "Counts")
    yield _counts(rows)
    for name in dict.fromkeys(own["paper"] for own in rows):
        own_rows = [own for own in rows if own["paper"] == name]
        yield _paper(name, own_rows, papers.get(name), pictures)


def marked(verdict: str) -> str:
    """A verdict with its sign, if it has one."""
    return f"{MARKS[verdict]} {verdict}" if verdict in MARKS else verdict


def _used(rows: Sequence[Row]) -> list[str]:
    there = {own["verdict"] for own in rows}
    return [verdict for verdict in VERDICTS if verdict in there]


def _sums(rows: Sequence[Row], papers: Mapping[str, Paper]) -> Grid:
    counted = sums(rows)
    lines = {systems(name, papers): count for name, count in counted.items()}
    lines["total"] = sum(counted.values(), collections.Counter())
    return Grid(
        ("paper", *(_HEADS.get(name, name) for name in OUTCOMES), "figures"),
        [
            (title, *(_number(count[name]) for name in OUTCOMES), _number(count.total()))
            for title, count in lines.items()
        ],
        n_text=1,
    )


def _counts(rows: Sequence[Row]) -> Grid:
    verdicts = _used(rows)
    return Grid(
        ("paper", "table", "protocol", *map(marked, verdicts)),
        [
            (
                *(count[name] for name in ("paper", "table", "protocol")),
                *(_number(count[verdict]) for verdict in verdicts),
            )
            for count in counts(rows)
        ],
        n_text=3,
    )


def _number(n: int) -> str:
    return f"{n:,}" if n else ""


def systems(name: str, papers: Mapping[str, Paper]) -> str:
    """What a paper is called by its systems, if it can be run."""
    return papers[name].title.partition(" (")[0] if name in papers else name


def _paper(name: str, rows: list[Row], paper: Paper | None, pictures: Container[str]) -> Part:
    parts: list[Block] = [
        _table(name, table, [own for own in rows if own["table"] == table], paper)
        for table in dict.fromkeys(own["table"] for own in rows)
    ]
    drawn = [
        Picture(file, f"Figure {figure.number}: {figure.caption}; {protocol}")
        for figure in (paper.figures if paper else ())
        for protocol in figure.protocols
        if (file := f"{name}-figure-{figure.number}-{protocol}.png") in pictures
    ]
    if drawn:
        parts.append(Gallery(drawn))
    return Part("paper", name, paper.title if paper else name, parts)


def _table(name: str, table: str, rows: list[Row], paper: Paper | None) -> Part:
    numbered = re.fullmatch(r"\d+|[IVX]+", table)
    title = f"{systems(name, {name: paper} if paper else {})}, {'Table ' * bool(numbered)}{table}"
    blocks: list[Block] = [*sheets(rows)]
    if paper and table in paper.explanations:
        blocks.insert(0, Paragraph(paper.explanations[table]))
    return Part("table", table, title, blocks)
