"""Towards mining trapezoidal data streams (STSD, ICDM 2015)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from .data import Data
from .job import Job
from .olsf import C_GRID, DATA, FOUR, as_run_C, as_run_plan, beside, sweep, text_plans
from .olsf import reasons as olsf_reasons
from .paper import Figure, Paper, Plan, Seeds
from .published import Published

__all__ = ["STSD"]

# The names that the same systems have in the later paper.
SYSTEMS = {
    "STSD": "OLSF",
    "STSD-I": "OLSF-I",
    "STSD-II": "OLSF-II",
    "STSDI-all": "OLSF-I-all",
    "STSDI-rand": "OLSF-I-rand",
    "STSDI-per": "OLSF-I-per",
}


def _plans(figure: Published, data: Data, seeds: Seeds) -> list[Plan]:
    system, B = SYSTEMS[figure.algorithm], figure.param("B")
    table = "4" if system == "OLSF-I-all" else "3"
    return [
        *text_plans(figure, system, data, seeds, B, (figure.param("C"),)),
        as_run_plan(figure, system, data, seeds, B, as_run_C(table, system, figure.dataset), FOUR),
    ]


def _sweep(
    figure: Figure, dataset: str, data: Data, system: str, protocol: str, seeds: Sequence[int]
) -> list[tuple[Job, ...]]:
    return sweep(
        dataclasses.replace(figure, table="3"), dataset, data, SYSTEMS[system], protocol, seeds
    )


def _reasons(figure: Published, protocol: str, verdict: str) -> str:
    place = figure.table, figure.dataset, figure.algorithm, figure.params.partition(";")[0]
    if protocol == "as-run" and place == ("III", "german", "STSD-I", "B=0.8"):
        return "probably a misprint: ours is 346.4, with the printed deviation"
    return olsf_reasons(figure, protocol, verdict)


EXPLANATIONS = {
    "II": (
        "The published runs differ from the paper. A step is divided by the length of the "
        "instance, not by its square: rows have length one over all features, so that with part "
        "of them the published steps are smaller, which matters most where no C caps them, as in "
        "STSD on svmguide3. The features come in four chunks, with shares of .1, .4, .7 and "
        "1, not in ten; the first chunk lasts twice as long and the last share comes with the "
        "last few instances, if at all, so that the published models see fewer features for most "
        "of the time, which costs errors on magic04. As it was run, german comes out to the "
        "digit, with the authors' own orders of the rows. The text has C = 0.1; the printed "
        "figures come out with 0.01, 0.1 or 1, differing between data sets."
    ),
    "III": (
        "As in Table II, with one more cause where B is small: the published runs keep round(B d) "
        "weights of d features, which is none while d is small, and a model without "
        "weights errs on every instance. That is where 13,367.3 errors in 19,020 instances of "
        "magic04 with B = 0.2 come from; by the text, at least one weight is kept. STSDI-all "
        "keeps all features, so that its figures are the same for every B; by the text it has the "
        "ball of the other systems, which its published runs do not have. With B = 0.8, STSD-I "
        "has 336.4 errors on german in print, probably a misprint of 346.4, which is our "
        "figure, with the printed deviation."
    ),
}

STSD = Paper(
    name="stsd",
    title="STSD (Zhang et al., ICDM 2015)",
    data={
        name: DATA[name] for name in ("magic04", "svmguide3", "german", "splice", "spambase", "a8a")
    },
    plans=_plans,
    figures=(
        Figure(
            "1",
            "sensitivity",
            "errors against C",
            table="III",
            parameter="C",
            values=C_GRID,
            systems=("STSD", "STSD-I", "STSD-II"),
        ),
    ),
    n_orders=20,
    proposed=("STSD", "STSD-I", "STSD-II"),
    sweep=_sweep,
    reasons=_reasons,
    beside=beside,
    explanations=EXPLANATIONS,
)
