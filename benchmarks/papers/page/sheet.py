"""The figures of a table as they are set in print: data sets down, protocols side by side."""

from __future__ import annotations

import collections
import dataclasses
import decimal
import itertools
import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..results import CLOSE, HOLDS, METRICS
from ..verdicts import by_the_text_first

__all__ = ["Entry", "Line", "Sheet", "sheets"]

Row = Mapping[str, str]

_SETTING = re.compile(r"[A-Za-z_]\w*=[-+.\w]+")


@dataclasses.dataclass(frozen=True)
class Entry:
    """The result for a published figure under a protocol.

    Attributes
    ----------
    protocol
        The protocol; empty if it was run under none.
    ours
        Our figure, with its standard deviation.
    difference
        Ours less the published one.
    verdict
        The verdict.
    marks
        Its parameters, and the letter of the note on it.

    """

    protocol: str
    ours: str
    difference: str
    verdict: str
    marks: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Line:
    """A published figure, or a figure of ours beside it, under all protocols."""

    dataset: str
    system: str
    params: str
    published: str
    entries: Mapping[str, Entry]


@dataclasses.dataclass(frozen=True)
class Sheet:
    """The figures of one metric in a table.

    Attributes
    ----------
    paper, table, metric
        Their names.
    fixed
        The parameters that all its published figures have in common.
    varied
        The parameter that differs between lines, `"parameters"` if there are several, and empty if
        there is none.
    protocols
        The protocols, in the order of their columns; an empty one if there is none.
    lines
        The lines.
    notes
        The notes by letter.
    runs
        The number of runs of most figures of a protocol.

    """

    paper: str
    table: str
    metric: str
    fixed: str
    varied: str
    protocols: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: Mapping[str, str]
    runs: Mapping[str, str]

    def header(self) -> list[str]:
        """The names of the columns."""
        varied = [self.varied] if self.varied else []
        protocols = [protocol or "verdict" for protocol in self.protocols]
        return ["data set", "system", *varied, "published", *protocols]

    def names(self, line: Line) -> list[str]:
        """The names of a line, for the columns before those of figures."""
        return [line.dataset, line.system, *([line.params] if self.varied else [])]

    def entries(self, line: Line) -> list[Entry | None]:
        """The entries of a line, for the columns of the protocols."""
        first = line.entries.get("", line.entries.get(self.protocols[0]))
        return [first, *map(line.entries.get, self.protocols[1:])]

    def about(self) -> str:
        """The parameters and numbers of runs that most lines have in common."""
        runs = ", ".join(f"{n} ({protocol})" for protocol, n in self.runs.items())
        parts = (self.fixed and f"Parameters: {self.fixed}.", runs and f"Runs: {runs}.")
        return " ".join(filter(None, parts))

    def summary(self) -> str:
        """The counts of the figures under each protocol, and of those that were run under none."""
        published = [line.entries for line in self.lines if line.published]
        parts = []
        for protocol in self.runs:
            verdicts = [entries[protocol].verdict for entries in published if protocol in entries]
            n = len(verdicts)
            if {"above", "below"} & {*verdicts}:
                parts.append(f"{protocol}: {verdicts.count('above')} of {n} above")
            elif "by construction" in verdicts:
                parts.append(f"{protocol}: {n} by construction")
            else:
                digit, close, holds = (
                    sum(v in kinds for v in verdicts) for kinds in (("digit",), CLOSE, HOLDS)
                )
                part = f"{protocol}: {close} of {n} within one point"
                part += f" ({digit} to the digit)" if digit else ""
                parts.append(f"{part}, {holds} hold, {n - holds} do not")
        lacking = collections.Counter(entries[""].verdict for entries in published if "" in entries)
        parts += [f"{verdict}: {n}" for verdict, n in lacking.items()]
        return "; ".join(parts)


def sheets(rows: Sequence[Row]) -> list[Sheet]:
    """The sheets of the rows of a table, one for each metric."""
    by_metric: dict[str, list[Row]] = {}
    for row in rows:
        by_metric.setdefault(row["metric"], []).append(row)
    return [_sheet(metric, of_metric) for metric, of_metric in by_metric.items()]


def _sheet(metric: str, rows: list[Row]) -> Sheet:
    fixed = _in_common(rows)
    protocols = list(dict.fromkeys(row["protocol"] for row in rows if row["protocol"]))
    protocols.sort(key=by_the_text_first)
    runs = {
        protocol: collections.Counter(
            row["repeats"] for row in rows if row["protocol"] == protocol
        ).most_common(1)[0][0]
        for protocol in protocols
    }
    letters: dict[str, str] = collections.defaultdict(_letters().__next__)
    grouped: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        grouped.setdefault((row["dataset"], row["algorithm"], row["params"]), []).append(row)
    places = list(dict.fromkeys(dataset for dataset, _, _ in grouped))
    lines = [
        Line(
            dataset,
            system,
            ", ".join(p for p in params.split(";") if p not in fixed),
            _published(of_line[0], metric),
            {row["protocol"]: _entry(row, runs, letters) for row in of_line},
        )
        for (dataset, system, params), of_line in sorted(
            grouped.items(), key=lambda item: places.index(item[0][0])
        )
    ]
    names = {piece.partition("=")[0] for line in lines for piece in line.params.split(", ")} - {""}
    varied = "parameters" if len(names) > 1 else "".join(names)
    if len(names) == 1:
        lines = [dataclasses.replace(line, params=line.params.partition("=")[2]) for line in lines]
    return Sheet(
        rows[0]["paper"],
        rows[0]["table"],
        metric,
        ", ".join(fixed),
        varied,
        tuple(protocols) or ("",),
        tuple(lines),
        {letter: note for note, letter in letters.items()},
        runs,
    )


def _in_common(rows: Iterable[Row]) -> list[str]:
    """The parameters that all published figures have in common."""
    params = [row["params"].split(";") for row in rows if row["published"]]
    if not params:
        return []
    return [p for p in params[0] if p and all(p in others for others in params)]


def _published(row: Row, metric: str) -> str:
    if not row["published"]:
        return ""
    decimals = METRICS[metric][0] if metric in METRICS else 0
    return _spread(_padded(row["published"], decimals), _padded(row["published_std"], decimals))


def _padded(value: str, decimals: int) -> str:
    """A number with the decimals that it has in print, which a float has lost."""
    if not value:
        return ""
    number = decimal.Decimal(value).normalize()
    return f"{number:.{max(decimals, -int(number.as_tuple().exponent))}f}"


def _spread(mean: str, std: str) -> str:
    return f"{mean} ± {std}" if std else mean


def _entry(row: Row, runs: Mapping[str, str], letters: Mapping[str, str]) -> Entry:
    # Chosen parameters differ from figure to figure; the other words are the same for many.
    pieces = [part.split(", ") for part in row["reason"].split("; ")]
    marks = [piece for part in pieces for piece in part if _SETTING.fullmatch(piece)]
    words = (", ".join(p for p in part if not _SETTING.fullmatch(p)) for part in pieces)
    note = "; ".join(filter(None, words))
    protocol = row["protocol"]
    if protocol and row["repeats"] != runs[protocol]:
        marks.append(f"n={row['repeats']}")
    if note:
        marks.append(letters[note])
    difference = ""
    if row["ours"] and row["published"]:
        difference = f"{decimal.Decimal(row['ours']) - decimal.Decimal(row['published']):+}"
    return Entry(
        protocol, _spread(row["ours"], row["ours_std"]), difference, row["verdict"], tuple(marks)
    )


def _letters() -> Iterator[str]:
    """The names of notes: a to z, aa to zz, and so on."""
    for n in itertools.count(1):
        for letters in itertools.product(string.ascii_lowercase, repeat=n):
            yield "".join(letters)
