"""How many of the published figures hold."""

from __future__ import annotations

import collections
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from .published import published
from .results import BY_CONSTRUCTION, CLOSE, COLUMNS, FAILS, HOLDS, VERDICTS, empty_row

__all__ = [
    "COUNTED",
    "OUTCOMES",
    "by_system",
    "by_the_text_first",
    "counts",
    "place",
    "said",
    "sums",
    "three_counts",
    "whole",
]

Row = dict[str, str]

# The outcomes of a published figure by the paper's words, of which `"point"` is a part of `"holds"`
# and `"elsewhere"`, for those that hold under another protocol, a part of `"off"`.
OUTCOMES = (
    *("point", "holds", "off", "elsewhere"),
    *("by construction", "not compared", "no data", "not run"),
)

# What the verdicts on rows are counted by. One point is within what holds.
COUNTED = {
    "to the digit": ("digit",),
    "within one point": CLOSE,
    "holds": HOLDS,
    "does not hold": FAILS,
    **{verdict: (verdict,) for verdict in VERDICTS if verdict not in (*HOLDS, *FAILS)},
}

_FIGURE = ("paper", "table", "dataset", "algorithm", "params", "metric")


def place(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What identifies the figure that a row is about."""
    return tuple(str(row[name]) for name in _FIGURE)


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
    for row in rows:
        text = {name: "" if row.get(name) is None else str(row[name]) for name in COLUMNS}
        there.setdefault(place(text), []).append(text)
    result = []
    for figure in published():
        reason = "this table was not run" if figure.paper in papers else "cannot be run yet"
        absent = empty_row(figure, verdict="not run", reason=reason)
        result += there.pop(place(absent), []) or [{name: str(absent[name]) for name in COLUMNS}]
    # Those beside the published figures, such as baselines.
    result += [row for others in there.values() for row in others]
    papers_in_order = list(dict.fromkeys(row["paper"] for row in result))
    tables = list(dict.fromkeys((row["paper"], row["table"]) for row in result))
    # Tables by number, or as they come.
    tables.sort(key=lambda t: (papers_in_order.index(t[0]), int(t[1]) if t[1].isdigit() else 0))
    return sorted(result, key=lambda row: tables.index((row["paper"], row["table"])))


def outcomes(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The `OUTCOMES` of a published figure, given its rows.

    Protocols that vary the text, such as another choice of parameters or another metric, count
    neither by the paper's words nor elsewhere.
    """
    verdicts = {row["protocol"]: row["verdict"] for row in rows}
    verdict = verdicts.get("text", next(iter(verdicts.values())))
    if "text" in verdicts and verdict in HOLDS:
        return ["point", "holds"] if verdict in CLOSE else ["holds"]
    elsewhere = any(v in HOLDS for p, v in verdicts.items() if not p.startswith("text"))
    if elsewhere:
        return ["off", "elsewhere"]
    return ["off"] if verdict in FAILS else [verdict]


def sums(rows: Iterable[Mapping[str, Any]]) -> dict[str, collections.Counter[str]]:
    """The number of published figures of each paper with each outcome, and of all, `"figures"`.

    What is compared beside the figures of `published` is not counted.
    """
    figures: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in _published(rows):
        figures.setdefault(place(row), []).append(row)
    counted = {figure.paper: collections.Counter[str]() for figure in published()}
    for (paper, *_), of_figure in figures.items():
        if paper in counted:
            counted[paper].update([*outcomes(of_figure), "figures"])
    return counted


def three_counts(rows: Iterable[Mapping[str, Any]]) -> tuple[int, int, int]:
    """The number of rows within one point, that hold, and that do not."""
    verdicts = [row["verdict"] for row in rows]
    close, holds, fails = (sum(v in kinds for v in verdicts) for kinds in (CLOSE, HOLDS, FAILS))
    return close, holds, fails


def by_system(
    rows: Iterable[Mapping[str, Any]], proposed: Mapping[str, Sequence[str]]
) -> list[tuple[str, str, tuple[int, int, int]]]:
    """The three counts of the systems that the papers propose, by the text and as they were run.

    Parameters
    ----------
    rows
        Rows as in `results.csv`.
    proposed
        The proposed systems of each paper.

    Returns
    -------
    The names of the systems, the protocol and the counts. Where a paper has several systems, the
    counts of all of them follow those of each.

    """
    compared = [row for row in _published(rows) if row["metric"] != BY_CONSTRUCTION]
    lines = []
    for paper, systems in proposed.items():
        groups = [(system,) for system in systems]
        for group in groups if len(groups) == 1 else [*groups, tuple(systems)]:
            for protocol in ("text", "as-run"):
                counted = three_counts(
                    row
                    for row in compared
                    if row["paper"] == paper
                    and row["algorithm"] in group
                    and row["protocol"] == protocol
                )
                if any(counted):
                    lines.append((", ".join(group), protocol, counted))
    return lines


def said(rows: Iterable[Mapping[str, Any]]) -> str:
    """The sums over all published figures, in words."""
    total = sum(sums(rows).values(), collections.Counter())
    n_compared = total["holds"] + total["off"]
    text = f"Of {total['figures']:,} published figures, {n_compared:,} are compared: "
    text += (
        f"{total['point']:,} are within one point, {total['holds']:,} hold, and {total['off']:,} do "
        f"not hold by the paper's words, {total['elsewhere']:,} of which hold under another protocol."
    )
    left_out = {
        "by construction": "shares of labels hold by construction",
        "not compared": "are seconds, which depend on the machine",
        "no data": "have no data",
        "not run": "were not run",
    }
    others = [f"{total[name]:,} {words}" for name, words in left_out.items() if total[name]]
    return f"{text} Of the others, {', '.join(others)}." if others else text


def counts(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The number of rows by `COUNTED`, for each paper, table and protocol."""
    counted: dict[tuple[str, str, str], collections.Counter[str]] = {}
    for row in _published(rows):
        line = row["paper"], row["table"], row["protocol"]
        counted.setdefault(line, collections.Counter())[row["verdict"]] += 1
    tables = list(dict.fromkeys(line[:2] for line in counted))
    return [
        {
            "paper": line[0],
            "table": line[1],
            "protocol": line[2] or "none",
            **{
                name: sum(counted[line][verdict] for verdict in verdicts)
                for name, verdicts in COUNTED.items()
            },
        }
        for line in sorted(counted, key=lambda p: (tables.index(p[:2]), by_the_text_first(p[2])))
    ]


def by_the_text_first(protocol: str) -> int:
    """The place of a protocol among others: the text, what varies it, others, and none."""
    return 0 if protocol == "text" else 1 if protocol.startswith("text") else 2 if protocol else 3


def _published(rows: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    return (row for row in rows if row["published"] != "")
