from __future__ import annotations

import collections
import re
from collections.abc import Iterator, Mapping, Sequence

from ..paper import Paper, systems
from ..results import VERDICTS
from ..verdicts import COUNTED, OUTCOMES, by_system, counts, said, sums
from .agreement import AGREEMENT
from .markdown import escaped, heading, table, terms
from .sheet import Entry, Line, Sheet, sheets

__all__ = ["MEANINGS", "PROTOCOL_MEANINGS", "content"]

Row = dict[str, str]

# Signs that differ without colours.
MARKS = {
    **{"digit": "=", "point": "≈", "holds": "≃", "off": "≠", "diverged": "∞"},
    **{"above": "▲", "below": "▽"},
}
METRIC_NAMES = {
    "errors": "errors, the number of wrong predictions",
    "AUC": "AUC",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy, per cent",
    "query_percent": "labels queried, per cent",
    "seconds": "seconds",
}
_HEADS = {
    "point": "within one point",
    "off": "does not hold",
    "elsewhere": "of which holds otherwise",
}
MEANINGS = {
    "digit": "the mean and the standard deviation are those in print",
    "point": "the mean differs from the published one by at most one point",
    "holds": "the mean differs by at most two points or one standard error of the published mean, "
    "whichever is more, and by at most five points",
    "off": "the mean differs by more",
    "diverged": "a run overflows; the rows after that have no prediction, and there is no mean",
    "above": "ours is better than the best published figure of others, by however little",
    "below": "it is not",
    "by construction": "a share of labels queried, which rho is fitted to or which is fixed; it "
    "counts in no total",
    "not compared": "what was measured depends on the machine",
    "no data": "the data set cannot be had",
    "not run": "left out by this run, for the reason in the note",
}
PROTOCOL_MEANINGS = {
    "text": "the paper's words, with the learners of this package; a parameter that the paper "
    "leaves open is the best one on the compared runs",
    "text, first order": "the same, with the parameter that is best on the first order of the "
    "rows, compared on the other orders",
    "text, AUC of scores": "the same runs, with the AUC of the scores in place of that of the "
    "predicted labels, which the papers print",
    "one label": "a model that has learned from one labelled instance with all features, the first "
    "one, and from nothing else",
    "as-run": "the published runs as far as they are known, which differ from the paper; parameters "
    "that are only known from the printed figures are those that come closest to them, so that "
    "agreement shows how the figures may have come about rather than what they are worth",
    "text, our step": "the same, with OCDS's steps kept from overshooting and edges that begin as "
    "the identity, which are departures from the paper",
    "after": "predictions are made after the model has learned from the instance",
    "after, our step": "the same, with these departures",
    "haphazard": "values are absent by chance, and ours have default parameters",
    "haphazard, balanced": 'the same, with decision="balanced"',
    "haphazard, scaled": "the same, with a StandardScaler in front",
}


def content(
    rows: Sequence[Row], papers: Mapping[str, Paper], with_picture: bool = False
) -> Iterator[str]:
    """The page in Markdown, block by block.

    Parameters
    ----------
    rows
        All rows, with those of figures that were not run.
    papers
        The papers that can be run.
    with_picture
        Whether to show the picture of all figures.

    """
    yield heading(1, "Published figures, run again")
    yield escaped(
        "The tables of the papers on learning from streams whose features change, with our "
        "figures beside the published ones. Every published mean and standard deviation in a table "
        "is here, with a verdict or with the reason why it has none. Counts of wins, marks of "
        "significance and averages in prose are not."
    )
    yield escaped(said(rows))
    yield heading(2, "The proposed systems")
    yield escaped(
        "The number of figures of the systems that the papers propose that hold by the paper's "
        "words (text) and, for STSD and OLSF, as the published runs were made (as-run). A figure holds if our "
        "mean differs from the published one by at most two points or one standard error of the "
        "published mean, whichever is more, and by at most five points. A point is a hundredth of "
        "the accuracy or AUC or, where errors are counted, of the instances. The standard error is "
        "the published deviation divided by the root of the number of orders of the rows; a "
        "deviation between chunks gives none."
    )
    yield _proposed(rows, papers)
    if with_picture:
        yield f"![The difference between ours and each published figure, by table](figures/{AGREEMENT})"
    yield escaped("To run all tables again, a small part of all first, one table or one system:")
    yield (
        "```sh\n"
        "python -m benchmarks.papers --quick\n"
        "python -m benchmarks.papers --jobs -1\n"
        "python -m benchmarks.papers --paper stsd --table III\n"
        "python -m benchmarks.papers --paper flls --system RFESL\n"
        "```"
    )
    yield escaped(
        "The folder reproduction then has this page, results.csv with the same figures, and the "
        "papers' figures, drawn anew. Runs that are stored there are not repeated."
    )
    yield heading(2, "By paper")
    yield escaped(
        "The outcome by the protocol text, which follows the paper's words. Some figures that do "
        "not hold by it hold under another protocol, such as as-run. Within one point is a part of "
        "holds."
    )
    yield _sums(rows, papers)
    yield from _how_to_read(rows)
    yield heading(2, "Counts")
    yield _counts(rows)
    for name, printed in dict.fromkeys((row["paper"], row["table"]) for row in rows):
        if printed == next(row["table"] for row in rows if row["paper"] == name):
            yield heading(2, papers[name].title if name in papers else name)
        numbered = re.fullmatch(r"\d+|[IVX]+", printed)
        yield heading(3, f"{systems(name, papers)}, {'Table ' * bool(numbered)}{printed}")
        if name in papers and printed in papers[name].explanations:
            yield escaped(papers[name].explanations[printed])
        for sheet in sheets(
            [row for row in rows if (row["paper"], row["table"]) == (name, printed)]
        ):
            yield from _sheet(sheet)


def _how_to_read(rows: Sequence[Row]) -> Iterator[str]:
    yield heading(2, "How to read the tables")
    yield escaped(
        "An entry has our mean ± standard deviation, its difference from the published mean, the "
        "verdict, and in small print what it was run with and the letter of a note below the table; "
        "n is the number of runs where it is not that of the others. Verdicts:"
    )
    yield terms({_marked(verdict): MEANINGS[verdict] for verdict in _used(rows)})
    yield escaped(
        "Lines without a published figure are baselines on the same stream: River's "
        "LogisticRegression and our EvidenceClassifier, both with default parameters and the same "
        "number of labels as the others, and offline, a linear model with all features and labels "
        "at once, which is a ceiling for linear models rather than a rival."
    )
    yield escaped("Protocols:")
    used = {row["protocol"] for row in rows}
    yield terms({name: text for name, text in PROTOCOL_MEANINGS.items() if name in used})


def _marked(verdict: str) -> str:
    """A verdict with its sign, if it has one."""
    return f"{MARKS[verdict]} {verdict}" if verdict in MARKS else verdict


def _used(rows: Sequence[Row]) -> list[str]:
    there = {row["verdict"] for row in rows}
    return [verdict for verdict in VERDICTS if verdict in there]


def _proposed(rows: Sequence[Row], papers: Mapping[str, Paper]) -> str:
    proposed = {name: paper.proposed for name, paper in papers.items() if paper.proposed}
    return table(
        ("system", "protocol", "figures", "within one point", "holds", "does not hold"),
        [
            (names, protocol, f"{holds + fails:,}", *map(_number, (close, holds, fails)))
            for names, protocol, (close, holds, fails) in by_system(rows, proposed)
        ],
        n_text=2,
    )


def _sums(rows: Sequence[Row], papers: Mapping[str, Paper]) -> str:
    counted = sums(rows)
    lines = {systems(name, papers): count for name, count in counted.items()}
    lines["total"] = sum(counted.values(), collections.Counter())
    return table(
        ("paper", *(_HEADS.get(name, name) for name in OUTCOMES), "figures"),
        [
            (title, *(_number(count[name]) for name in (*OUTCOMES, "figures")))
            for title, count in lines.items()
        ],
        n_text=1,
    )


def _counts(rows: Sequence[Row]) -> str:
    counted = counts(rows)
    used = [name for name in COUNTED if any(count[name] for count in counted)]
    return table(
        ("paper", "table", "protocol", *used),
        [
            (
                *(count[name] for name in ("paper", "table", "protocol")),
                *(_number(count[name]) for name in used),
            )
            for count in counted
        ],
        n_text=3,
    )


def _number(n: int) -> str:
    return f"{n:,}" if n else ""


def _sheet(sheet: Sheet) -> Iterator[str]:
    title = METRIC_NAMES.get(sheet.metric, sheet.metric)
    yield escaped(f"{title[0].upper()}{title[1:]}. {sheet.summary()}.")
    yield f"<details><summary>{len(sheet.lines)} lines</summary>"
    if sheet.about():
        yield escaped(sheet.about())
    yield table(
        sheet.header(),
        [_cells(line, sheet) for line in sheet.lines],
        n_text=len(sheet.header()) - 1 - len(sheet.protocols),
    )
    if sheet.notes:
        yield "\n".join(f"- {letter}: {escaped(note)}" for letter, note in sheet.notes.items())
    yield "</details>"


def _cells(line: Line, sheet: Sheet) -> list[str]:
    entries = [_entry(entry) if entry else "" for entry in sheet.entries(line)]
    return [*map(escaped, sheet.names(line)), line.published, *entries]


def _entry(entry: Entry) -> str:
    small = f"<sup>{escaped(' '.join(entry.marks))}</sup>" if entry.marks else ""
    verdict = MARKS.get(entry.verdict, entry.verdict)
    below = " ".join(filter(None, (entry.difference, verdict, small)))
    return f"{entry.ours}<br>{below}" if entry.ours else below
