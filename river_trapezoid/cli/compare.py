from __future__ import annotations

import dataclasses
import pathlib
import sys
import textwrap
from collections.abc import Sequence

import typer
from river import base

from river_trapezoid.persist import TableModel

from .compare_options import (
    CSV,
    HTML,
    JSON,
    Budget,
    Delay,
    Encoding,
    File,
    Format,
    Ignore,
    Learners,
    Metrics,
    NoHeader,
    Positive,
    Repeats,
    Save,
    SaveLearner,
    Seed,
    Shuffle,
    Streams,
    Target,
    Text,
)
from .data import Data, Source, loaded
from .kept import saved, trained, untrained
from .metrics import metric_names, metrics_for
from .options import Jobs, names, require
from .output import WIDTH, show, write_files
from .protocol import Protocol
from .scaler import scaler_for
from .streams import KINDS
from .systems import BASELINE, RECOMMENDED, SYSTEMS
from .terminal import say

__all__ = ["compare"]

# The number of points of a learning curve in the report.
_N_POINTS = 50
# Below this share of positive labels, the accuracy hardly depends on the learner.
_RARE = 0.1
# The streams that are made of the data that come with River.
_SHOWN = ("trapezoidal", "evolvable", "capricious")


def compare(
    file: File = None,
    target: Target = None,
    format: Format = None,
    text: Text = None,
    ignore: Ignore = None,
    positive: Positive = None,
    no_header: NoHeader = False,
    encoding: Encoding = "utf-8",
    learners: Learners = None,
    metrics: Metrics = None,
    streams: Streams = None,
    shuffle: Shuffle = False,
    delay: Delay = None,
    budget: Budget = None,
    repeats: Repeats = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    json: JSON = False,
    csv: CSV = None,
    html: HTML = None,
    save: Save = None,
    save_learner: SaveLearner = None,
) -> None:
    """Compare learners on a table of your own, or on data that come with River."""
    if html is not None:
        require("--html", "matplotlib", "plot")
    _check_save(save, save_learner, file, budget)
    source = Source(
        file, target, format, text or None, ignore or (), positive, not no_header, encoding, shuffle
    )
    request = Request(
        kinds=names("--stream", streams or (["as-is"] if file else _SHOWN), list(KINDS)),
        learners=None if learners is None else _learner_names(learners),
        metrics=None if metrics is None else metric_names(metrics),
        of_a_file=file is not None,
        repeats=repeats,
        seed=seed,
        delay=delay,
        budget=budget,
    )
    with loaded(source) as data:
        protocol = request.protocol(data)
        kept = None if save is None else untrained(_learner_to_save(save_learner, protocol), data)
        say(*_opening(protocol, all_wanted="all" in (request.learners or ())), error=True)
        outcome = protocol.run(jobs, _N_POINTS if html else 1)
        show(outcome, json)
        write_files(outcome, csv, html, error=json)
        if save is not None and kept is not None and not outcome.interruption:
            _keep(kept, save, protocol, error=json)
    if outcome.interruption:
        raise typer.Exit(130)


def _check_save(
    save: pathlib.Path | None, learner: str | None, file: str | None, budget: float | None
) -> None:
    if save is None:
        if learner is not None:
            raise typer.BadParameter("needs --save MODEL", param_hint="--save-learner")
        return
    if file is None:
        raise typer.BadParameter("needs a FILE", param_hint="--save")
    if budget is not None:
        raise typer.BadParameter(
            "cannot be combined with --budget, as a saved model learns from all labels",
            param_hint="--save",
        )


def _learner_to_save(wanted: str | None, protocol: Protocol) -> str:
    """The learner to save: the one that is named, or the first one of the table."""
    compared = list(protocol.learners())
    return compared[0] if wanted is None else names("--save-learner", [wanted], compared)[0]


def _keep(kept: TableModel, path: pathlib.Path, protocol: Protocol, error: bool) -> None:
    """Train the model to save on all rows, and write it."""
    trained(kept, protocol.data, protocol.seed, sys.stderr.isatty())
    saved(kept, path)
    say("", f"model: {path} ({kept.name}, trained on {kept.n_rows:,} rows)", error=error)


@dataclasses.dataclass(frozen=True)
class Request:
    """What the options of a comparison ask for, whatever the data are.

    Parameters
    ----------
    kinds
        The kinds of streams.
    learners
        The names of the learners, or `["all"]`; None for the default.
    metrics
        The names of the metrics; None for the default.
    of_a_file
        Whether the data are in a file rather than in River.
    repeats
        The number of runs; None for the default.
    seed
        The seed of the first run.
    delay
        The number of rows after which a label arrives; None for no delay.
    budget
        The share of the labels that a learner may query; None for all.

    """

    kinds: Sequence[str]
    learners: Sequence[str] | None
    metrics: Sequence[str] | None
    of_a_file: bool
    repeats: int | None
    seed: int
    delay: int | None
    budget: float | None

    def __post_init__(self) -> None:
        if self.budget is not None and not 0 < self.budget <= 1:
            raise typer.BadParameter(
                f"must be a share, above 0 and at most 1; got {self.budget:g}",
                param_hint="--budget",
            )

    def protocol(self, data: Data) -> Protocol:
        """The comparison on some data."""
        n_rows = data.record["rows"]
        if self.delay is not None and self.delay >= n_rows:
            raise typer.BadParameter(
                f"must be less than the number of rows, {n_rows:,}, for any label to arrive; got "
                f"{self.delay:,}",
                param_hint="--delay",
            )
        repeats = self.repeats or (1 if self.of_a_file else 10)
        if repeats > 1 and not data.shuffled and all(kind == "as-is" for kind in self.kinds):
            repeats = 1
            data.hints.append(
                "--repeats is ignored: without --shuffle or --stream nothing is random, and all "
                "runs would be the same"
            )
        share = data.share_of_positives
        are_rare = share is not None and share < _RARE
        if share is not None and are_rare and self.metrics is None:
            data.hints.append(
                f"{share:.1%} of the labels are positive, so that the metrics are ROCAUC, "
                "AveragePrecision and F1 of the positive label: without learning, the accuracy is "
                f"{1.0 - share:.1%}"
            )
        return Protocol(
            data=data,
            models={kind: self._models(data, kind) for kind in self.kinds},
            metrics=metrics_for(self.metrics, data.is_multiclass, are_rare),
            repeats=repeats,
            seed=self.seed,
            delay=self.delay,
            budget=self.budget,
        )

    def _models(self, data: Data, kind: str) -> dict[str, base.Estimator]:
        """The learners for a kind of stream."""
        fitting = {
            name: system
            for name, system in SYSTEMS.items()
            if (data.is_multiclass or not system.only_multiclass)
            and (self.budget is None or system.no_budget is None)
        }
        if self.learners is None:
            wanted = [
                name
                for name, system in fitting.items()
                if name in (RECOMMENDED, BASELINE)
                or (not self.of_a_file and kind in system.made_for)
            ]
        elif "all" in self.learners:
            wanted = list(fitting)
        else:
            wanted = list(self.learners)
        for name in wanted:
            if name not in fitting:
                why = None if self.budget is None else SYSTEMS[name].no_budget
                why = why or "is for more than two labels"
                raise typer.BadParameter(f"{name} {why}", param_hint="--learners")
        scaler = scaler_for(data.numbers)
        return {
            name: fitting[name].make(scaler, data.is_multiclass, self.budget) for name in wanted
        }


def _learner_names(given: Sequence[str]) -> list[str]:
    if [name.strip().lower() for name in given] == ["all"]:
        return ["all"]
    return names("--learners", given, [*SYSTEMS, "all"])


def _opening(protocol: Protocol, all_wanted: bool) -> list[str]:
    """The facts about the comparison, and what the user may want to change."""
    lines = [f"{what}: {value}" for what, value in protocol.facts().items()]
    lines += [f"note: {hint}" for hint in protocol.data.hints]
    if all_wanted and protocol.budget is not None:
        left_out: dict[str, list[str]] = {}
        for name, system in SYSTEMS.items():
            if system.no_budget is not None:
                left_out.setdefault(system.no_budget, []).append(name)
        lines += [
            f"note: without {', '.join(without)}: each {why}" for why, without in left_out.items()
        ]
    on_average = [name for name in protocol.learners() if name.startswith("Uncertainty")]
    if protocol.budget is not None and on_average:
        lines.append(
            f"note: {', '.join(on_average)}: the budget holds on average over the last rows; the "
            "whole run may exceed it a little"
        )
    return [
        line
        for text in lines
        for line in textwrap.wrap(text, WIDTH, subsequent_indent="  ") or [text]
    ]
