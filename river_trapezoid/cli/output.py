"""What a comparison prints and writes at its end."""

from __future__ import annotations

import json
import math
import pathlib
from typing import Any

import river_trapezoid
from river_trapezoid._files import replacing

from .protocol import Outcome
from .terminal import one_line, say

__all__ = ["WIDTH", "show", "write_files"]

WIDTH = 80


def show(outcome: Outcome, as_json: bool = False) -> None:
    """Print failures and an interrupt to the standard error, and the results to the output.

    Parameters
    ----------
    outcome
        The outcome.
    as_json
        Whether to print JSON instead of tables.

    """
    for failure in outcome.comparison.failures:
        where = f"the {failure['stream']} stream (seed {failure['seed']})"
        say(f"{failure['model']} failed on {where}: {one_line(failure['error'])}", error=True)
    say(*outcome.interruption, error=True)
    if as_json:
        print(json.dumps(_without_nan(_record(outcome)), indent=1, default=str))
    elif outcome.comparison.records:
        say("", error=True)
        _show_tables(outcome)


def _show_tables(outcome: Outcome) -> None:
    comparison, baseline = outcome.comparison, outcome.baseline
    blocks = []
    for kind in comparison.names("stream"):
        tables = [comparison.table(baseline=baseline, stream=kind)]
        if max(map(len, tables[0].splitlines())) > WIDTH:
            tables = [
                comparison.table(metric, baseline, kind) for metric in comparison.names("metric")
            ]
        blocks += tables
    if legend := outcome.legend():
        blocks.append("\n".join(legend))
    say("\n\n".join(blocks))


def _record(outcome: Outcome) -> dict[str, Any]:
    """All of an outcome as plain data."""
    return {
        "version": river_trapezoid.__version__,
        **outcome.protocol.record(),
        "interrupted": bool(outcome.interruption),
        "results": outcome.summary,
        "failures": [
            {what: value for what, value in failure.items() if what != "traceback"}
            for failure in outcome.comparison.failures
        ],
    }


def _without_nan(value: Any) -> Any:
    """The same, with None for infinite numbers and NaN, which JSON has not."""
    if isinstance(value, dict):
        return {str(key): _without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_files(
    outcome: Outcome, csv: pathlib.Path | None, html: pathlib.Path | None, error: bool
) -> None:
    """Write the records and the report, unless there is nothing to write.

    Parameters
    ----------
    outcome
        The outcome.
    csv
        The file for the records; None for none.
    html
        The file for the report; None for none.
    error
        Whether the standard error gets the names of the files.

    """
    if not outcome.comparison.records:
        return
    lines = []
    if csv:
        with replacing(csv) as scratch:
            outcome.comparison.to_csv(scratch)
        lines.append(f"records: {csv}")
    if html:
        from .report import write_report

        with replacing(html) as scratch:
            write_report(scratch, outcome)
        lines.append(f"report: {html}")
    if lines:
        say("", *lines, error=error)
