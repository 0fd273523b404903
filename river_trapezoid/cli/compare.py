from __future__ import annotations

import contextlib
import json as json_format
import math
import pathlib
import sys
import textwrap
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from river import base

import river_trapezoid
from river_trapezoid._columns import listed
from river_trapezoid._files import replacing
from river_trapezoid.datasets import TableFile
from river_trapezoid.datasets._tables import FORMATS, FileError, LIBSVMTable, open_table
from river_trapezoid.evaluate import Comparison

from .data import Data, embedded, file_on_disk, table
from .failure import Failure
from .metrics import metrics_by_name
from .options import Jobs, Seed, names, require, writable
from .protocol import Protocol, baseline_of, explained
from .scaler import scaler_for
from .streams import KINDS
from .systems import BASELINE, RECOMMENDED, SYSTEMS

__all__ = ["compare"]

_WIDTH = 80
_POINTS = 50
# What the data that come with River are shown as.
_SHOWN = ["trapezoidal", "evolvable", "capricious"]
_FILE, _LEARNERS, _OUTPUT = "The file", "The comparison", "Output"


def compare(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="CSV, JSON lines, LIBSVM or Parquet, also compressed by gzip; - for the standard "
            "input. Data that come with River if there is none.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column with the label.", rich_help_panel=_FILE),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help=f"{', '.join(FORMATS)}; by the name of the file or its content by default.",
            rich_help_panel=_FILE,
        ),
    ] = None,
    text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="A column of text, taken word by word; may be repeated. Found out by default.",
            rich_help_panel=_FILE,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="A column to leave out; may be repeated.",
            rich_help_panel=_FILE,
        ),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL",
            help="The positive one of two labels; the last in order by default.",
            rich_help_panel=_FILE,
        ),
    ] = None,
    no_header: Annotated[
        bool,
        typer.Option(
            "--no-header",
            help="The first line of a CSV file has no names; columns are f1, f2, ...",
            rich_help_panel=_FILE,
        ),
    ] = False,
    encoding: Annotated[
        str, typer.Option(metavar="NAME", help="Encoding of the text.", rich_help_panel=_FILE)
    ] = "utf-8",
    learners: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME,...",
            help=f"Which learners: {', '.join(SYSTEMS)}; or all. By default {RECOMMENDED} and "
            f"{BASELINE}, and without a FILE those that were made for the stream as well.",
            rich_help_panel=_LEARNERS,
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME,...",
            help="River's metrics; by default Accuracy and ROCAUC, or MacroF1 for more than two "
            "labels.",
            rich_help_panel=_LEARNERS,
        ),
    ] = None,
    stream: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND,...",
            help=f"How the feature space changes: {', '.join(KINDS)}. As it is in a FILE.",
            rich_help_panel=_LEARNERS,
        ),
    ] = None,
    shuffle: Annotated[
        bool,
        typer.Option(
            "--shuffle",
            help="Take the rows of a FILE in random order; holds them in memory.",
            rich_help_panel=_LEARNERS,
        ),
    ] = False,
    delay: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Labels arrive N rows late.",
            rich_help_panel=_LEARNERS,
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Share of the labels that a learner may ask for, some of them ahead of it at first; "
            "the Uncertainty learners keep to it on average only.",
            rich_help_panel=_LEARNERS,
        ),
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Runs of what is random: 10, or 1 for a FILE. In a FILE that is the order of the "
            "rows with --shuffle, and the features with --stream.",
            rich_help_panel=_LEARNERS,
        ),
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    json: Annotated[
        bool,
        typer.Option("--json", help="Print JSON rather than tables.", rich_help_panel=_OUTPUT),
    ] = False,
    csv: Annotated[
        pathlib.Path | None,
        typer.Option(
            metavar="FILE",
            callback=writable,
            help="Write every record as CSV.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    html: Annotated[
        pathlib.Path | None,
        typer.Option(
            metavar="FILE",
            callback=writable,
            help="Write a report with plots.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
) -> None:
    """Compare learners on a table of your own, or on data that come with River."""
    if html is not None:
        require("--html", "matplotlib", "plot")
    if budget is not None and not 0 < budget <= 1:
        raise typer.BadParameter(
            f"must be a share, above 0 and at most 1; got {budget:g}", param_hint="--budget"
        )
    kinds = names("--stream", stream or (["as-is"] if file else _SHOWN), list(KINDS))
    chosen = None if learners is None else _chosen(learners)
    # Names that are not known are found before the file is read.
    metrics_by_name(metrics)
    if format is not None:
        (format,) = names("--format", [format], FORMATS)
    with contextlib.ExitStack() as stack:
        if file is None:
            for option, value in (
                ("--target", target),
                ("--format", format),
                ("--text", text),
                ("--ignore", ignore),
                ("--positive", positive),
            ):
                if value:
                    raise typer.BadParameter("needs a FILE", param_hint=option)
            data = embedded()
        else:
            path, name = stack.enter_context(file_on_disk(file))
            data = table(
                _read(
                    path,
                    name,
                    target,
                    format=format,
                    text=text or None,
                    ignore=ignore or (),
                    positive=positive,
                    header=not no_header,
                    encoding=encoding,
                ),
                shuffle,
            )
        n_rows = data.record.get("rows")
        if delay is not None and n_rows is not None and delay >= n_rows:
            raise typer.BadParameter(
                f"must be less than the number of rows, {n_rows:,}, for any label to arrive",
                param_hint="--delay",
            )
        wanted = repeats or (1 if file else 10)
        is_random = data.shuffled or any(kind != "as-is" for kind in kinds)
        if not is_random and wanted > 1:
            data.hints.append(
                "--repeats is not needed: without --shuffle or --stream nothing is random, and one "
                "run is all there is"
            )
        protocol = Protocol(
            data=data,
            models={kind: _models(data, kind, chosen, file is None, budget) for kind in kinds},
            metrics=metrics_by_name(metrics, data.several),
            repeats=wanted if is_random else 1,
            seed=seed,
            delay=delay,
            budget=budget,
        )
        for line in _opening(protocol, "all" in (chosen or ())):
            print(line, file=sys.stderr)
        comparison, interruption = protocol.run(jobs, _POINTS if html else 1)
        for failure in comparison.failures:
            print(
                f"{failure['model']} failed on the {failure['stream']} stream (seed "
                f"{failure['seed']}): {' '.join(failure['error'].split())}",
                file=sys.stderr,
            )
        for line in interruption:
            print(line, file=sys.stderr)
        _show(protocol, comparison, bool(interruption), json)
        if csv and comparison.records:
            with replacing(csv) as scratch:
                comparison.to_csv(scratch)
            print(f"records: {csv}", file=sys.stderr if json else sys.stdout)
        if html and comparison.records:
            from .report import write_report

            with replacing(html) as scratch:
                write_report(scratch, protocol, comparison, interruption)
            print(f"report: {html}", file=sys.stderr if json else sys.stdout)
    if interruption:
        raise typer.Exit(130)


def _read(path: pathlib.Path, name: str, target: str | None, **options: Any) -> TableFile:
    """The table in a file; what is wrong with it, or with its options, ends the command."""
    columns: list[str] = []
    try:
        first = open_table(path, name, options["format"], options["encoding"], options["header"])
        columns = first.columns or []
        if target is None and not isinstance(first, LIBSVMTable):
            known = f": {listed(columns)}" if columns else ""
            raise Failure(f"--target must name the column with the label{known}", 2)
        return TableFile(path, target, name=name, progress=sys.stderr.isatty(), **options)
    except FileError as error:
        raise Failure(str(error), 1) from None
    except (ImportError, ValueError) as error:
        hint = ""
        if options["header"] and target not in columns and any(map(_is_number, columns)):
            hint = "; add --no-header if the first line has no names"
        raise Failure(f"{error}{hint}", 2) from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _chosen(learners: Sequence[str]) -> list[str]:
    if [name.strip().lower() for name in learners] == ["all"]:
        return ["all"]
    return names("--learners", learners, [*SYSTEMS, "all"])


def _models(
    data: Data, kind: str, chosen: list[str] | None, made_for: bool, budget: float | None
) -> dict[str, base.Estimator]:
    """The learners for a kind of stream; by default those that were made for it, if asked."""
    fitting = {
        name: learner
        for name, learner in SYSTEMS.items()
        if (data.several or not learner.only_several)
        and (budget is None or learner.no_budget is None)
    }
    if chosen is None:
        wanted = [
            name
            for name, learner in fitting.items()
            if name in (RECOMMENDED, BASELINE) or (made_for and kind in learner.made_for)
        ]
    elif "all" in chosen:
        wanted = list(fitting)
    else:
        wanted = chosen
    for name in wanted:
        if name not in fitting:
            why = None if budget is None else SYSTEMS[name].no_budget
            why = why or "is for more than two labels"
            raise typer.BadParameter(f"{name} {why}", param_hint="--learners")
    scaler = scaler_for(data.numbers)
    return {name: fitting[name].make(scaler, data.several, budget) for name in wanted}


def _opening(protocol: Protocol, all_wanted: bool) -> list[str]:
    """What is compared and how, and what the user may want to do about it."""
    lines = [f"{what}: {value}" for what, value in protocol.facts().items()]
    lines += [f"note: {hint}" for hint in protocol.data.hints]
    if all_wanted and protocol.budget is not None:
        left_out: dict[str, list[str]] = {}
        for name, learner in SYSTEMS.items():
            if learner.no_budget is not None:
                left_out.setdefault(learner.no_budget, []).append(name)
        lines += [f"note: without {', '.join(own)}: each {why}" for why, own in left_out.items()]
    on_average = [name for name in protocol.learners() if name.startswith("Uncertainty")]
    if protocol.budget is not None and on_average:
        lines.append(
            f"note: {', '.join(on_average)}: the budget holds on average over the last rows, and may "
            "be exceeded by a little in all"
        )
    return [
        line
        for text in lines
        for line in textwrap.wrap(text, _WIDTH, subsequent_indent="  ") or [text]
    ]


def _show(protocol: Protocol, comparison: Comparison, interrupted: bool, json: bool) -> None:
    baseline = baseline_of(comparison)
    if json:
        outcome = {
            "version": river_trapezoid.__version__,
            **protocol.record(),
            "interrupted": interrupted,
            "results": comparison.summary(baseline) if comparison.records else [],
            "failures": [
                {what: value for what, value in failure.items() if what != "traceback"}
                for failure in comparison.failures
            ],
        }
        print(json_format.dumps(_without_nan(outcome), indent=1, default=str))
        return
    if not comparison.records:
        return
    print(file=sys.stderr)
    for kind in comparison.names("stream"):
        tables = [comparison.table(baseline=baseline, stream=kind)]
        if max(map(len, tables[0].splitlines())) > _WIDTH:
            tables = [
                comparison.table(metric, baseline, kind) for metric in comparison.names("metric")
            ]
        print(*tables, sep="\n\n", end="\n\n")
    for line in explained(comparison):
        print(line)


def _without_nan(value: Any) -> Any:
    """The same, with None for what is no number, which JSON has no word for."""
    if isinstance(value, dict):
        return {str(key): _without_nan(own) for key, own in value.items()}
    if isinstance(value, list):
        return [_without_nan(own) for own in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
