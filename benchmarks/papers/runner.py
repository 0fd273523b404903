from __future__ import annotations

import dataclasses
import functools
import importlib.util
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from river import utils

from river_trapezoid._parameters import check_bool, check_number
from river_trapezoid._progress import bar

from .baselines import beside
from .data import Data, prepared, source
from .figures import bound_jobs, draw, sweeps
from .flls import FLLS
from .haphazard import HAPHAZARD
from .job import Job, run
from .ocds import OCDS
from .olsf import OLSF
from .page import write_page
from .paper import Figure, Paper, Plan, Seeds
from .published import Published
from .results import BY_CONSTRUCTION, COLUMNS, Results, chosen, empty_row, result
from .rkts3vm import RKTS3VM
from .store import Store
from .stsd import STSD
from .verdicts import COUNTED, counts, place, said, whole

__all__ = ["PAPERS", "Reproduction", "reproduce"]

PAPERS = {paper.name: paper for paper in (STSD, OLSF, FLLS, RKTS3VM, OCDS, HAPHAZARD)}
N_REPEATS = 20
N_QUICK_REPEATS = 3
# The rows times features above which a quick run leaves a data set out.
QUICK_SIZE = 60_000

Row = dict[str, Any]
Available = Callable[[Data | str], tuple[Data | None, str, str]]


@dataclasses.dataclass(frozen=True)
class Reproduction:
    """The outcome of `reproduce`.

    It prints as a table of how many published figures hold, and the sums over all of them.

    Attributes
    ----------
    rows
        The rows of `results.csv`.
    store
        The folder that holds them.
    n_run
        The number of rows of this call that have a result.
    lacking
        Why data sets of this call cannot be had, and how to get them.

    """

    rows: list[Row]
    store: pathlib.Path
    n_run: int
    lacking: list[str]

    def counts(self) -> list[Row]:
        """The number of rows by verdict, for each paper, table and protocol."""
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
    """Run the published tables and figures again and compare the results with those in print.

    Every result is stored as soon as it is there, so that a second call resumes where the first was
    interrupted. The results do not depend on the number of jobs.

    Parameters
    ----------
    papers
        Names of the papers, as in `PAPERS`, in any case; all of them by default.
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
        The folder of the results: `results.csv`, the same to read as `page.md`, `cells.jsonl`,
        `seconds.jsonl`, and the figures if matplotlib is installed. Stored rows of other published
        figures are kept.
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
    _check_table_and_systems(selected, table, systems)
    run_missing = functools.partial(_run, n_jobs=n_jobs, progress=progress)
    return _reproduce(selected, table, systems, quick, store, run_missing)


def _reproduce(
    selected: list[Paper],
    table: str | None,
    systems: Sequence[str] | None,
    quick: bool,
    folder: str | os.PathLike[str],
    run_missing: Callable[[Iterable[Job], Store], None],
) -> Reproduction:
    available = functools.cache(functools.partial(_available, quick))
    seeds = functools.partial(_seeds, quick)
    plans = {
        paper.name: list(_plans(paper, table, systems, available, seeds)) for paper in selected
    }
    drawings = [
        (paper, figure, protocol, data, sweeps(paper, figure, protocol, data, seeds))
        for paper in selected
        for figure in paper.figures
        if systems is None and table in (None, figure.table)
        for protocol in figure.protocols
        for data in [_data_of(paper, figure, available)]
    ]
    with Store(folder).opened() as store:
        swept = (jobs for *_, sweep in drawings for by_value in sweep.values() for jobs in by_value)
        run_missing([*_jobs(plans), *chain.from_iterable(swept)], store)
        # What follows from these.
        for name in plans:
            plans[name] = [_following(plan, store.results) for plan in plans[name]]
        bounds = [
            job
            for paper, figure, protocol, _, _ in drawings
            if protocol == "text"
            for job in bound_jobs(figure, plans[paper.name], store.results).values()
        ]
        run_missing([*_jobs(plans), *bounds], store)
        fresh = [
            _row(paper, plan, store.results) for paper in selected for plan in plans[paper.name]
        ]
        rows = _among_others(fresh, store)
        store.write_results(rows, COLUMNS)
        if importlib.util.find_spec("matplotlib"):
            for paper, figure, protocol, data, own_sweeps in drawings:
                draw(
                    *(paper, figure, protocol, data, own_sweeps),
                    *(plans[paper.name], store.results, store.folder / "figures"),
                )
        write_page(rows, store.folder, PAPERS)
    wanted = {paper.data[figure.dataset] for paper in selected for figure in paper.published(table)}
    lacks = [available(data) for data in wanted if isinstance(data, Data)]
    return Reproduction(
        rows,
        pathlib.Path(folder),
        sum(bool(row["repeats"]) for row in fresh),
        sorted({lack for _, verdict, lack in lacks if verdict == "no data"}),
    )


def _selected(papers: Sequence[str] | None) -> list[Paper]:
    names = list(PAPERS) if papers is None else papers
    for name in names:
        if name.lower() not in PAPERS:
            raise ValueError(f"papers must be of {', '.join(PAPERS)}; got {name!r}")
    return [PAPERS[name] for name in dict.fromkeys(name.lower() for name in names)]


def _check_table_and_systems(
    selected: Iterable[Paper], table: str | None, systems: Sequence[str] | None
) -> None:
    figures = [figure for paper in selected for figure in paper.published()]
    tables = {figure.table for figure in figures}
    if table is not None and table not in tables:
        raise ValueError(f"table must be one of {', '.join(sorted(tables))}; got {table!r}")
    known = {figure.algorithm for figure in figures if table in (None, figure.table)}
    for system in systems or ():
        if system not in known:
            raise ValueError(f"systems must be of {', '.join(sorted(known))}; got {system!r}")


def _jobs(plans: Mapping[str, Iterable[Plan]]) -> Iterator[Job]:
    return (job for plan in chain.from_iterable(plans.values()) for job in plan.jobs())


def _seeds(quick: bool, protocol: str, data: Data) -> range:
    """The seeds of a protocol's runs on a data set."""
    # The runs that come out to the digit are quick enough, and do so only all together.
    to_the_digit = protocol == "as-run" and data.orders == "authors"
    if not quick or to_the_digit:
        return range(N_REPEATS)
    # One on chunks is long, and its deviation is that between them.
    return range(1 if protocol == "chunks" else N_QUICK_REPEATS)


def _available(quick: bool, data: Data | str) -> tuple[Data | None, str, str]:
    """The data set if it can be had, otherwise None; a verdict for that case; and what it lacks."""
    if isinstance(data, str):
        return None, "no data", data
    if quick and _size(data) > QUICK_SIZE:
        return None, "not run", "too large for a quick run"
    there, lack = prepared(data)
    return there, "" if there else "no data", lack


def _size(data: Data) -> int:
    dataset = source(data)
    # A stream without an end is taken to be of a middle size.
    return int((dataset.n_samples or 10_000) * dataset.n_features)


def _data_of(paper: Paper, figure: Figure, available: Available) -> dict[str, Data | None]:
    """The data sets of a figure, None for those that cannot be had."""
    names = figure.datasets or {printed.dataset for printed in paper.published(figure.table)}
    return {name: available(data)[0] for name, data in paper.data.items() if name in names}


def _plans(
    paper: Paper,
    table: str | None,
    systems: Sequence[str] | None,
    available: Available,
    seeds: Seeds,
) -> Iterator[Plan]:
    """The plans of the published figures, then those of the baselines, once for each stream."""
    for figure in paper.published(table):
        if systems is None or figure.algorithm in systems:
            yield from _plans_of(paper, figure, available, seeds)
    if systems is not None:
        return
    found = set()
    for figure in paper.published(table):
        data = available(paper.data[figure.dataset])[0]
        if data is None or figure.metric in ("seconds", BY_CONSTRUCTION):
            continue
        for plan in beside(paper, figure, data, seeds):
            stream = dataclasses.astuple(plan.figure)[:-2]
            if stream not in found:
                found.add(stream)
                yield plan


def _plans_of(paper: Paper, figure: Published, available: Available, seeds: Seeds) -> list[Plan]:
    """The plans of a published figure, or one with the reason why it is not run."""
    data, verdict, lack = available(paper.data[figure.dataset])
    if figure.metric == "seconds":
        return [Plan(figure, verdict="not compared", reason="seconds depend on the machine")]
    if paper.systems is not None and figure.algorithm not in paper.systems:
        return [Plan(figure, verdict="not run", reason="no such learner here")]
    if data is None:
        verdict = "by construction" if figure.metric == BY_CONSTRUCTION else verdict
        return [Plan(figure, verdict=verdict, reason=lack.partition("To use it")[0].strip())]
    return [dataclasses.replace(plan, reason=lack) for plan in paper.plans(figure, data, seeds)]


def _following(plan: Plan, results: Results) -> Plan:
    """The plan of the compared runs, where those of a plan are only to choose by."""
    if plan.then is None:
        return plan
    setting, jobs, _ = chosen(dataclasses.replace(plan, choice="only"), results)
    return dataclasses.replace(plan.then(setting, jobs), reason=plan.reason)


def _row(paper: Paper, plan: Plan, results: Results) -> Row:
    """The row of a plan, with what explains its verdict."""
    if not plan.settings:
        return empty_row(plan.figure, verdict=plan.verdict, reason=plan.reason)
    row = result(plan, results, paper.n_orders)
    why = ""
    if row["verdict"]:
        why = paper.reasons(plan.figure, plan.protocol, row["verdict"])
    row["reason"] = "; ".join(filter(None, (row["reason"], plan.reason, why)))
    return row


def _run(wanted: Iterable[Job], store: Store, *, n_jobs: int, progress: bool) -> None:
    """Run the jobs that the store does not have."""
    jobs = list({job.key: job for job in wanted if job.key not in store.results}.values())
    # Those on the same data one after the other, as a process keeps the last ones it has read.
    sizes = {job.data: _size(job.data) for job in jobs}
    jobs = sorted(jobs, key=lambda job: (sizes[job.data], job.data.dataset, job.protocol))
    total = sum(sizes[job.data] for job in jobs)
    options = {
        "desc": "Reproducing",
        "leave": False,
        "smoothing": 0.05,
        "bar_format": "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}",
    }
    with bar(total, progress, **options) as advance:
        for job in store.add(_results(jobs, n_jobs)):
            advance(sizes[job.data])


def _results(jobs: Iterable[Job], n_jobs: int) -> Iterable[tuple[Job, Row, float]]:
    if n_jobs == 1:
        return map(_result, jobs)
    import joblib

    # In the order in which they finish, so that none waits for another to be stored.
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    # Processes that joblib reuses may know another folder.
    home = os.environ.get("RIVER_DATA")
    return parallel(joblib.delayed(_result)(job, home) for job in jobs)


def _result(job: Job, home: str | None = None) -> tuple[Job, Row, float]:
    if home is not None:
        os.environ["RIVER_DATA"] = home
    try:
        return job, *run(job)
    except Exception as error:
        raise RuntimeError(f"{job.content} failed: {type(error).__name__}: {error}") from error


def _among_others(rows: list[Row], store: Store) -> list[Row]:
    """The rows, with those of other figures that the store has, in the order of publication."""
    printed = [empty_row(figure) for paper in PAPERS.values() for figure in paper.published()]
    stored = store.read_results()
    tables: dict[tuple[str, str], int] = {}
    places: dict[tuple[str, ...], int] = {}
    for row in (*printed, *stored, *rows):
        tables.setdefault((row["paper"], row["table"]), len(tables))
        places.setdefault(place(row), len(places))
    fresh = {place(row) for row in rows}
    others = [row for row in stored if place(row) not in fresh]
    return sorted(
        [*others, *rows],
        key=lambda row: (tables[row["paper"], row["table"]], places[place(row)]),
    )
