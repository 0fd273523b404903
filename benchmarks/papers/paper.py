from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from .data import Data
from .job import Job
from .published import Published, published

__all__ = ["BASELINES", "OFFLINE", "Figure", "Paper", "Plan", "Seeds", "systems"]

OFFLINE = "offline"
BASELINES = ("LogisticRegression", "EvidenceClassifier", OFFLINE)

Jobs = tuple[Job, ...]
Settings = Mapping[str, Jobs]

# The seeds of a protocol's runs on a data set.
Seeds = Callable[[str, Data], Sequence[int]]


@dataclasses.dataclass(frozen=True)
class Plan:
    """How a published figure is run under one protocol, or why it is not.

    Attributes
    ----------
    figure
        The published figure.
    protocol
        Name of the protocol, as results have it.
    settings
        The settings to choose from: a note on each, and its jobs, one for each seed. Empty if the
        figure is not run.
    choice
        How to choose: `"only"` if there is one setting, `"compared"` for the best one on the
        compared runs, and `"first"` for the best one on the first order of the rows, which is
        compared on the others.
    metric
        The metric to compare and to choose by; that of the figure if empty.
    then
        Returns the plan of the compared runs, if those to choose by are others, given the note on
        the chosen setting and its jobs.
    against
        What the published figure is: `"same"` for that of the same system, `"best"` for the best
        one of others, `"none"` for a baseline, which has none.
    verdict
        The verdict on a figure that is not run.
    reason
        Why it is not run, or what its data lack.

    """

    figure: Published
    protocol: str = ""
    settings: Settings = dataclasses.field(default_factory=dict)
    choice: str = "only"
    metric: str = ""
    then: Callable[[str, Jobs], Plan] | None = None
    against: str = "same"
    verdict: str = ""
    reason: str = ""

    def jobs(self) -> Iterator[Job]:
        """All jobs of all settings."""
        return itertools.chain.from_iterable(self.settings.values())


@dataclasses.dataclass(frozen=True)
class Figure:
    """A figure of a paper.

    Attributes
    ----------
    number
        Its number, as printed.
    kind
        `"curves"` for errors over time and `"bars"` for errors, of the systems in a table;
        `"sensitivity"` for errors against a parameter.
    caption
        Its caption.
    table
        The table whose data sets it shows, and whose systems, unless it has some of its own.
    datasets
        The data sets, of those of the table; all by default.
    metric
        The metric that it shows.
    params
        The rows of that table, by their parameters; all by default.
    parameter
        The parameter.
    values
        Its values.
    systems
        The systems, where it shows others than the table, or with other parameters.
    bound
        The system whose bound is drawn beside its errors, where they are by the text.
    protocols
        The protocols under which it is drawn.

    """

    number: str
    kind: str
    caption: str
    table: str
    datasets: tuple[str, ...] = ()
    metric: str = "errors"
    params: tuple[str, ...] = ()
    parameter: str = ""
    values: tuple[float, ...] = ()
    systems: tuple[str, ...] = ()
    bound: str = ""
    protocols: tuple[str, ...] = ("text", "as-run")


@dataclasses.dataclass(frozen=True)
class Paper:
    """The published figures of a paper, and how to run them again.

    Attributes
    ----------
    name
        Its name here.
    title
        Its systems and where they were published.
    data
        Its data sets, or the reason why one cannot be had.
    plans
        The plans of a published figure.
    figures
        Its figures.
    sweep
        The jobs of a system on a data set, under a protocol and with seeds, for each value of the
        parameter that a figure is about.
    reasons
        The reason for the verdict on a published figure under a protocol.
    beside
        Where the baselines of a published figure are run: the parameters of the figure that
        concern them, the protocol of their jobs, and how it shows the data.
    baselines
        The baselines.
    n_orders
        The number of orders of the rows that a published figure is a mean over; None if the paper
        has one order only, or deviations between chunks.
    proposed
        The systems that the paper proposes.
    systems
        The systems that there are here; None for all of the paper.
    rivals
        The best published figures of others, under the names of the systems that the paper does not
        have and that are compared with them.
    explanations
        A paragraph for each table on the figures that do not hold.

    """

    name: str
    title: str
    data: Mapping[str, Data | str]
    plans: Callable[[Published, Data, Seeds], list[Plan]]
    figures: Sequence[Figure]
    sweep: Callable[[Figure, str, Data, str, str, Sequence[int]], list[Jobs]]
    reasons: Callable[[Published, str, str], str]
    beside: Callable[[Published], tuple[str, str, Mapping[str, Any]]]
    baselines: Sequence[str] = BASELINES
    n_orders: int | None = None
    proposed: Sequence[str] = ()
    systems: Collection[str] | None = None
    rivals: Callable[[], Iterable[Published]] = tuple
    explanations: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def published(self, table: str | None = None) -> Iterator[Published]:
        """The published figures, of one table or of all."""
        figures = (*published(self.name), *self.rivals())
        return (row for row in figures if table in (None, row.table))


def systems(name: str, papers: Mapping[str, Paper]) -> str:
    """The systems of a paper, which it is called by, if it can be run; otherwise its name."""
    return papers[name].title.partition(" (")[0] if name in papers else name
