"""How many of the published figures hold."""

from __future__ import annotations

import collections
from collections.abc import Container, Iterable, Mapping
from typing import Any

from .published import published
from .results import COLUMNS, VERDICTS, row

__all__ = [
    "HOLDS",
    "OUTCOMES",
    "by_the_text_first",
    "counts",
    "outcome",
    "said",
    "sums",
    "whole",
]

Row = dict[str, str]

HOLDS = ("digit", "within")
# What a published figure comes to over all protocols, and what to say of it.
OUTCOMES = {
    "text": "hold by the paper's words",
    "otherwise": "hold under another protocol only",
    "off": "do not hold",
    "not compared": "not compared",
    "no data": "no data",
    "not run": "not run",
}

_FIGURE = ("paper", "table", "dataset", "algorithm", "params", "metric")


def whole(rows: Iterable[Mapping[str, Any]], papers: Container[str]) -> list[Row]:
    """The rows as text, with one more, and the reason, for each published figure that has none.

    Parameters
    ----------
    rows
        Rows as in `results.csv`.
    papers
        The papers that can be run.

    """
    there: dict[tuple[str, ...], list[Row]] = {}
    for own in rows:
        text = {name: "" if own[name] is None else str(own[name]) for name in COLUMNS}
        there.setdefault(tuple(text[name] for name in _FIGURE), []).append(text)
    result = []
    for figure in published():
        reason = "this table was not run" if figure.paper in papers else "cannot be run yet"
        absent = row(figure, verdict="not run", reason=reason)
        place = tuple(str(absent[name]) for name in _FIGURE)
        result += there.pop(place, []) or [{name: str(absent[name]) for name in COLUMNS}]
    # Those beside the published figures, such as baselines.
    result += [own for others in there.values() for own in others]
    papers_in_order = list(dict.fromkeys(own["paper"] for own in result))
    tables = list(dict.fromkeys((own["paper"], own["table"]) for own in result))
    # Tables by number, or as they come.
    tables.sort(key=lambda t: (papers_in_order.index(t[0]), int(t[1]) if t[1].isdigit() else 0))
    return sorted(result, key=lambda own: tables.index((own["paper"], own["table"])))


def outcome(rows: Iterable[Mapping[str, Any]]) -> str:
    """What a published figure comes to, given its rows: one of `OUTCOMES`.

    Protocols that vary the text, such as another choice of parameters or another metric, are told
    apart from it elsewhere; it is the text itself that is asked here.
    """
    verdicts = {own["protocol"]: own["verdict"] for own in rows}
    if verdicts.get("text") in HOLDS:
        return "text"
    if any(v in HOLDS for p, v in verdicts.items() if not p.startswith("text")):
        return "otherwise"
    return "off" if "off" in verdicts.values() else next(iter(verdicts.values()))


def sums(rows: Iterable[Mapping[str, Any]]) -> dict[str, collections.Counter[str]]:
    """How many published figures of each paper have which outcome.

    What is compared beside the figures of `published` is not among them.
    """
    figures: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for own in _published(rows):
        figures.setdefault(tuple(own[name] for name in _FIGURE), []).append(own)
    counted = {figure.paper: collections.Counter[str]() for figure in published()}
    for place, own_rows in figures.items():
        if place[0] in counted:
            counted[place[0]][outcome(own_rows)] += 1
    return counted


def said(rows: Iterable[Mapping[str, Any]]) -> str:
    """The sums over all published figures, in one sentence."""
    total = sum(sums(rows).values(), collections.Counter())
    parts = ", ".join(f"{total[name]:,} {text}" for name, text in OUTCOMES.items() if total[name])
    return f"Of {total.total():,} published figures: {parts}."


def counts(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """How many figures have which verdict, for each paper, table and protocol."""
    counted: dict[tuple[str, str, str], collections.Counter[str]] = {}
    for own in _published(rows):
        place = own["paper"], own["table"], own["protocol"]
        counted.setdefault(place, collections.Counter())[own["verdict"]] += 1
    tables = list(dict.fromkeys(place[:2] for place in counted))
    return [
        {
            "paper": place[0],
            "table": place[1],
            "protocol": place[2] or "none",
            **{verdict: counted[place][verdict] for verdict in VERDICTS},
        }
        for place in sorted(counted, key=lambda p: (tables.index(p[:2]), by_the_text_first(p[2])))
    ]


def by_the_text_first(protocol: str) -> int:
    """The place of a protocol among others: the text, what varies it, others, and none."""
    return 0 if protocol == "text" else 1 if protocol.startswith("text") else 2 if protocol else 3


def _published(rows: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    return (own for own in rows if own["published"] != "")
