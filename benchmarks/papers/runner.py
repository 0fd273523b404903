from __future__ import annotations

import dataclasses
import importlib.util
import math
import os
import pathlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from river import utils

from river_trapezoid._parameters import check_bool, check_number
from river_trapezoid._progress import bar

from .baselines import beside
from .data import Data, prepared, source
from .flls import FLLS
from .haphazard import HAPHAZARD
from .job import Cell, run
from .ocds import OCDS
from .olsf import OLSF
from .page import write_page
from .paper import Figure, Paper, Plan
from .published import Published
from .results import BY_CONSTRUCTION, COLUMNS, Outcome, chosen, result, row
from .rkts3vm import RKTS3VM
from .store import Store
from .stsd import STSD
from .verdicts import COUNTED, counts, place, said, whole

__all__ = ["PAPERS", "Reproduction", "reproduce"]

PAPERS = {paper.name: paper for paper in (STSD, OLSF, FLLS, RKTS3VM, OCDS, HAPHAZARD)}
N_REPEATS = 20
N_QUICK_REPEATS = 3
# Of each value of a parameter, in the figures that only show how it matters.
N_SWEEP_REPEATS = 5
# What a quick run leaves out, by rows times features.
QUICK_SIZE = 60_000

Row = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Reproduction:
    """The outcome of `reproduce`.

    It shows itself as a table of how many published figures hold, and the sums over all of them.

    Attributes
    ----------
    rows
        The rows of `results.csv`.
    store
        The folder that holds them.

    """

    rows: list[Row]
    store: pathlib.Path

    def counts(self) -> list[Row]:
        """How many figures have which verdict, for each paper, table and protocol."""
        return counts(self.rows)

    def __str__(self) -> str:
        counted = self.counts()
        headers = ["paper", "table", "protocol", *COUNTED]
        columns = [[str(count[name] or "") for count in counted] for name in headers]
        table = utils.pretty.print_table(headers=headers, columns=columns)
        return f"{table}\n{said(whole(self.rows, PAPERS))}"


def reproduce(
    papers: Sequence[str] | None = None,
    table: str | None = None,
    systems: Sequence[str] | None = None,
    quick: bool = False,
    n_jobs: int = 1,
    store: str | os.PathLike[str] = "reproduction",
    progress: bool = True,
) -> Reproduction:
    """Run the published tables and figures again, with ours beside them.

    Every run is stored as soon as it is done, so that a second call goes on where the first was
    interrupted. The results do not depend on the number of jobs.

    Parameters
    ----------
    papers
        Names of the papers, as in `PAPERS`; all of them by default.
    table
        The number of a table, as printed; all tables and figures by default.
    systems
        Names of the systems, as in the papers; all by default. The papers' figures are drawn, and
        baselines run, only if all are.
    quick
        Whether to run small data sets only, with few repeats.
    n_jobs
        Number of jobs; -1 for one for each processor. The runs go through joblib, so that any of
        its backends can carry them (`joblib.parallel_config`).
    store
        The folder of the results: `results.csv`, the same to read as `page.md`, `cells.jsonl`, `seconds.jsonl`, and the figures if matplotlib is installed. Rows of other
        published figures that are there are kept.
    progress
        Whether to show a progress bar, if tqdm is installed.

    Raises
    ------
    StoreError
        If the folder cannot be used.

    Examples
    --------

    >>> from benchmarks import papers

    >>> papers.reproduce(["resnet"])
    Traceback (most recent call last):
        ...
    ValueError: papers must be of stsd, olsf, flls, rkts3vm, ocds, haphazard; got 'resnet'

    """
    check_bool("quick", quick)
    check_bool("progress", progress)
    check_number("n_jobs", n_jobs, integer=True)
    if n_jobs == 0:
        raise ValueError("n_jobs must be an integer other than 0; got 0")
    selected = _selected(papers)
    tables = {figure.table for paper in selected for figure in paper.published()}
    if table is not None and table not in tables:
        raise ValueError(f"table must be one of {', '.join(sorted(tables))}; got {table!r}")

    known = {figure.algorithm for paper in selected for figure in paper.published(table)}
    for system in systems or ():
        if system not in known:
            raise ValueError(f"systems must be of {', '.join(sorted(known))}; got {system!r}")

    supply = _Supply(quick)
    jobs = [
        _Job(paper, figure, supply)
        for paper in selected
        for figure in paper.published(table)
        if systems is None or figure.algorithm in systems
    ]
    if systems is None:
        jobs += [job for paper in selected for job in _baselines(paper, table, supply)]
    drawings = [
        _Drawing(paper, figure, protocol, [job for job in jobs if job.paper is paper], supply)
        for paper in selected
        for figure in paper.figures
        for protocol in figure.protocols
        if systems is None and table in (None, figure.table)
    ]
    wanted = [cell for job in jobs for cell in job.cells()]
    wanted += [cell for drawing in drawings for cell in drawing.cells()]
    with Store(store).opened() as opened:
        _run(wanted, opened, n_jobs, progress)
        # What follows from these.
        for job in jobs:
            job.go_on(opened)
        wanted = [cell for job in jobs for cell in job.cells()]
        wanted += [cell for drawing in drawings for cell in drawing.bounds(opened).values()]
        _run(wanted, opened, n_jobs, progress)
        rows = _among_others([own for job in jobs for own in job.rows(opened)], opened)
        opened.write_results(rows, COLUMNS)
        if importlib.util.find_spec("matplotlib"):
            for drawing in drawings:
                drawing.draw(opened)
        write_page(rows, opened.folder, PAPERS)
    return Reproduction(rows, pathlib.Path(store))


def _selected(papers: Sequence[str] | None) -> list[Paper]:
    names = list(PAPERS) if papers is None else list(dict.fromkeys(papers))
    for name in names:
        if name not in PAPERS:
            raise ValueError(f"papers must be of {', '.join(PAPERS)}; got {name!r}")
    return [PAPERS[name] for name in names]


class _Supply:
    """What there is to run on, and how often."""

    def __init__(self, quick: bool):
        self.quick = quick
        self._prepared: dict[Data, tuple[Data | None, str]] = {}

    def seeds(self, protocol: str, data: Data) -> range:
        """The seeds of a protocol's runs on a data set."""
        # The runs that come out to the digit are quick enough, and do so only all together.
        to_the_digit = protocol == "as-run" and data.orders == "authors"
        if not self.quick or to_the_digit:
            return range(N_REPEATS)
        # One on chunks is long, and its deviation is that between them.
        return range(1 if protocol == "chunks" else N_QUICK_REPEATS)

    def get(self, data: Data | str) -> tuple[Data | None, str, str]:
        """The data set, if it is there, and otherwise the verdict and the reason."""
        if isinstance(data, str):
            return None, "no data", data
        if self.quick and _size(data) > QUICK_SIZE:
            return None, "not run", "too large for a quick run"
        if data not in self._prepared:
            self._prepared[data] = prepared(data)
        there, lack = self._prepared[data]
        return there, "" if there else "no data", lack


def _size(data: Data) -> int:
    dataset = source(data)
    # A stream without an end is taken to be of a middle size.
    return int((dataset.n_samples or 10_000) * dataset.n_features)


class _Job:
    """A published figure that is run under one or several plans, or cannot be."""

    def __init__(self, paper: Paper, figure: Published, supply: _Supply, plan: Plan | None = None):
        self.paper = paper
        self.figure = figure
        data, self.verdict, self.lack = supply.get(paper.data[figure.dataset])
        self.plans: list[Plan] = []
        if plan:
            self.plans, self.lack = [plan], ""
        elif figure.metric == "seconds":
            self.verdict, self.lack = "not compared", "seconds depend on the machine"
        elif paper.systems is not None and figure.algorithm not in paper.systems:
            self.verdict, self.lack = "not run", "no such learner here"
        elif data:
            self.plans = paper.plans(figure, data, supply.seeds)
        elif figure.metric == BY_CONSTRUCTION:
            self.verdict = "by construction"

    def cells(self) -> Iterator[Cell]:
        """All cells that it needs."""
        return (c for plan in self.plans for setting in plan.settings for c in setting.cells)

    def go_on(self, store: Store) -> None:
        """Put what follows from them in the place of plans that come before others."""
        self.plans = [
            plan.then(chosen(plan, store.results, self.figure.metric).setting)
            if plan.then
            else plan
            for plan in self.plans
        ]

    def shown_in(self, figure: Figure) -> bool:
        """Whether it is one of those that a figure shows."""
        own = self.figure
        return (
            not figure.systems
            and not math.isnan(own.mean)
            and own.table == figure.table
            and (not figure.params or own.params in figure.params)
        )

    def outcome(self, protocol: str, store: Store) -> Outcome | None:
        """What it came to under a protocol, if it was run under it."""
        plans = [plan for plan in self.plans if plan.protocol == protocol]
        return chosen(plans[0], store.results, self.figure.metric) if plans else None

    def rows(self, store: Store) -> Iterator[Row]:
        """Its rows, for each plan."""
        if not self.plans:
            yield row(self.figure, verdict=self.verdict, reason=self.lack)
        for plan in self.plans:
            own = result(self.figure, plan, store.results, self.paper.n_orders)
            why = ""
            if own["verdict"]:
                why = self.paper.reasons(self.figure, plan.protocol, own["verdict"])
            own["reason"] = "; ".join(filter(None, (own["reason"], self.lack, why)))
            yield own


def _baselines(paper: Paper, table: str | None, supply: _Supply) -> Iterator[_Job]:
    """What stands beside the published figures, once for all systems of a table."""
    there = set()
    for figure in paper.published(table):
        data = supply.get(paper.data[figure.dataset])[0]
        if data is None or figure.metric in ("seconds", BY_CONSTRUCTION):
            continue
        for baseline, plan in beside(figure, data, paper.beside(figure), supply.seeds):
            place = dataclasses.astuple(baseline)[:-2]
            if place not in there:
                there.add(place)
                yield _Job(paper, baseline, supply, plan)


class _Drawing:
    """A figure under a protocol, of what the jobs of its paper came to, or of cells of its own."""

    def __init__(
        self, paper: Paper, figure: Figure, protocol: str, jobs: list[_Job], supply: _Supply
    ):
        self.paper = paper
        self.figure = figure
        self.protocol = protocol
        self.jobs = [job for job in jobs if job.shown_in(figure)]
        shown = figure.datasets or {own.dataset for own in paper.published(figure.table)}
        there = {name: supply.get(data)[0] for name, data in paper.data.items() if name in shown}
        self.left_out = [name for name, data in there.items() if data is None]
        self.sweeps = {
            (name, system): paper.sweep(
                figure, name, data, system, protocol, supply.seeds(protocol, data)[:N_SWEEP_REPEATS]
            )
            for name, data in there.items()
            if data is not None
            for system in figure.systems
        }
        self.order = list(there)

    def cells(self) -> Iterator[Cell]:
        """The cells that only it needs."""
        return (c for settings in self.sweeps.values() for own in settings for c in own.cells)

    def bounds(self, store: Store) -> dict[str, Cell]:
        """The cells of the bound that it shows, by data set, once it is known what was chosen."""
        cells = {}
        for job in self.jobs:
            outcome = job.outcome(self.protocol, store)
            if outcome and self.protocol == "text" and job.figure.algorithm == self.figure.bound:
                first = outcome.setting.cells[0]
                cells[job.figure.dataset] = dataclasses.replace(first, protocol="bound")
        return cells

    def draw(self, store: Store) -> None:
        """Draw it, unless there is nothing to draw."""
        from .figures import draw, run_records

        panels: dict[str, list[Row]] = {}
        for (name, system), settings in self.sweeps.items():
            for value, setting in zip(self.figure.values, settings, strict=True):
                results = [store.results[cell.key] for cell in setting.cells]
                panels.setdefault(name, []).extend(
                    run_records(name, system, results, self.figure.metric, setting=value)
                )
        for job in self.jobs:
            outcome = job.outcome(self.protocol, store)
            if outcome:
                name = job.figure.dataset
                panels.setdefault(name, []).extend(
                    run_records(name, job.figure.algorithm, outcome.results, self.figure.metric)
                )
        if not panels:
            return
        number = self.figure.number
        title = f"{self.paper.title}, Figure {number}: {self.figure.caption}; {self.protocol}"
        if self.left_out:
            title += f" (not drawn: {', '.join(self.left_out)})"
        file = f"{self.paper.name}-figure-{number}-{self.protocol}.png"
        in_order = {name: panels[name] for name in self.order if name in panels}
        bounds = {name: store.results[c.key] for name, c in self.bounds(store).items()}
        draw(self.figure, in_order, bounds, title, store.folder / "figures" / file)


def _run(wanted: list[Cell], store: Store, n_jobs: int, progress: bool) -> None:
    """Run the cells that the store does not have."""
    cells = list({c.key: c for c in wanted if c.key not in store.results}.values())
    # Those on the same data one after the other, as a process keeps the last ones it has read.
    sizes = {cell.data: _size(cell.data) for cell in cells}
    cells = sorted(cells, key=lambda cell: (sizes[cell.data], cell.data.dataset, cell.protocol))
    total = sum(sizes[cell.data] for cell in cells)
    options = {
        "desc": "Reproducing",
        "leave": False,
        "smoothing": 0.05,
        "bar_format": "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}",
    }
    with bar(total, progress, **options) as advance:
        for cell in store.add(_outcomes(cells, n_jobs)):
            advance(sizes[cell.data])


def _outcomes(cells: Iterable[Cell], n_jobs: int) -> Iterable[tuple[Cell, Row, float]]:
    if n_jobs == 1:
        return map(_outcome, cells)
    import joblib

    # As they are done, so that none that is done waits for another to be stored.
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    # Processes that have been there before may know another folder.
    home = os.environ.get("RIVER_DATA")
    return parallel(joblib.delayed(_outcome)(cell, home) for cell in cells)


def _outcome(cell: Cell, home: str | None = None) -> tuple[Cell, Row, float]:
    if home is not None:
        os.environ["RIVER_DATA"] = home
    try:
        return cell, *run(cell)
    except Exception as error:
        raise RuntimeError(f"{cell.content} failed: {type(error).__name__}: {error}") from error


def _among_others(rows: list[Row], store: Store) -> list[Row]:
    """The rows, with those of other figures that the store has, in the order of publication."""
    printed = [row(figure) for paper in PAPERS.values() for figure in paper.published()]
    stored = store.read_results()
    tables: dict[tuple[str, str], int] = {}
    places: dict[tuple[str, ...], int] = {}
    for own in (*printed, *stored, *rows):
        tables.setdefault((own["paper"], own["table"]), len(tables))
        places.setdefault(place(own), len(places))
    fresh = {place(own) for own in rows}
    others = [own for own in stored if place(own) not in fresh]
    return sorted(
        [*others, *rows],
        key=lambda own: (tables[own["paper"], own["table"]], places[place(own)]),
    )
