"""Online learning from capricious data streams (OCDS, IJCAI 2019)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from .data import Data, source
from .job import Job
from .paper import Figure, Paper, Plan, Seeds
from .published import Published
from .systems import learner_of

__all__ = ["OCDS"]

GRID = (1e-5, 1e-3, 1e-1, 1.0)
# For runs with few repeats.
QUICK_GRID = GRID[1:3]
N_REPEATS = 10
# Parameters are chosen on the beginning of the first order of the rows.
N_CHOICE = 1000
# The number of rows that are run of long streams with many features.
N_ROWS = 5000

# The form of the paper, and ours, whose steps do not overshoot.
LITERAL = {
    "graph": "random",
    "step_cap": False,
    "learn_intercept": False,
    "sleep": False,
    "seed": 0,
}
OURS: dict[str, Any] = {"learn_intercept": False}

SYSTEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "OCDS": learner_of("OCDS"),
    "OCO": ("OCO", {}),
    "FESL": (learner_of("FESL")[0], {"learn_intercept": False}),
    "OLSF": learner_of("OLSF-I"),
}


def _raw(dataset: str, **more: Any) -> Data:
    return Data(dataset, **{"form": "raw", **more})


_NOMINAL = (("nominal", "ordinal"),)
OCDS_DATA: dict[str, Data | str] = {
    "wpbc": _raw("WPBC"),
    "ionosphere": _raw("Ionosphere"),
    "wdbc": _raw("WDBC"),
    "australian": _raw("Australian"),
    "credit-a": _raw("CreditA", arguments=_NOMINAL),
    "wbc": _raw("WBC"),
    "diabetes": _raw("Diabetes"),
    "dna": _raw("DNA"),
    "german": _raw("German"),
    "svmguide3": _raw("SVMGuide3"),
    "splice": _raw("Splice"),
    "kr-vs-kp": _raw("KrVsKp", arguments=_NOMINAL),
    "HAPT": "no data: no copy of the files was at hand",
    "magic04": _raw("Magic04"),
    "IMDB": _raw("IMDB", form="sparse"),
    "a8a": _raw("A8a"),
}
LARGE = ("IMDB", "a8a")


def _stream(kind: str, n_rows: int | None) -> dict[str, Any]:
    return {"kind": kind} if n_rows is None else {"kind": kind, "n_rows": n_rows}


def _jobs(
    system: str,
    data: Data,
    kind: str,
    seeds: Sequence[int],
    params: dict[str, Any],
    n_rows: int | None,
    after: bool = False,
) -> tuple[Job, ...]:
    learner, of_system = SYSTEMS[system]
    stream = _stream(kind, n_rows)
    if after:
        stream["after"] = True
    return tuple(
        Job(data, stream, learner, {**of_system, **params}, "progressive", seed) for seed in seeds
    )


def _shown(figure: Published) -> tuple[str, int | None]:
    """The kind of a figure's stream, and how many rows of it are run; None for all."""
    return figure.params.partition("=")[2], N_ROWS if figure.dataset in LARGE else None


def _beside(figure: Published) -> tuple[str, str, dict[str, Any]]:
    return figure.params, "progressive", _stream(*_shown(figure))


def _plans(figure: Published, data: Data, seeds: Seeds) -> list[Plan]:
    kind, n_rows = _shown(figure)
    own_seeds = seeds("progressive", data)[:N_REPEATS]
    rows_said = f"{n_rows:,} rows" if n_rows else ""
    if figure.algorithm != "OCDS":
        jobs = _jobs(figure.algorithm, data, kind, own_seeds, {}, n_rows)
        return [Plan(figure, "text", {rows_said: jobs})]
    return [
        _chosen(figure, data, kind, own_seeds, n_rows, protocol, form, after)
        for protocol, form, after in (
            ("text", LITERAL, False),
            ("text, our step", OURS, False),
            ("after", LITERAL, True),
            ("after, our step", OURS, True),
        )
    ]


def _horizon(data: Data, n_rows: int | None, form: dict[str, Any]) -> dict[str, int]:
    """The number of instances of a stream, which the paper's mixture is given and ours is not."""
    if form is not LITERAL:
        return {}
    n_samples = int(source(data).n_samples)
    return {"horizon": n_samples if n_rows is None else min(n_samples, n_rows)}


def _chosen(
    figure: Published,
    data: Data,
    kind: str,
    seeds: Sequence[int],
    n_rows: int | None,
    protocol: str,
    form: dict[str, Any],
    after: bool,
) -> Plan:
    """A plan with parameters chosen on the beginning of the first order of the rows."""

    def final(best: str, jobs: tuple[Job, ...]) -> Plan:
        params = {**jobs[0].params, **_horizon(data, n_rows, form)}
        said = f"{best}, chosen on the first {N_CHOICE:,} rows of the first order"
        said += f"; {n_rows:,} rows" if n_rows else ""
        compared = _jobs("OCDS", data, kind, seeds, params, n_rows, after)
        return Plan(figure, protocol, {said: compared})

    fixed = {**form, **_horizon(data, N_CHOICE, form)}
    grid = {
        f"alpha={alpha:g}, beta1={beta1:g}, beta2={beta2:g}": _jobs(
            "OCDS",
            data,
            kind,
            seeds[:1],
            {**fixed, "alpha": alpha, "beta1": beta1, "beta2": beta2},
            N_CHOICE,
            after,
        )
        for alpha, beta1, beta2 in itertools.product(
            GRID if len(seeds) == N_REPEATS else QUICK_GRID, repeat=3
        )
    }
    return Plan(figure, protocol, grid, "compared", then=final)


def _curves(
    figure: Figure, dataset: str, data: Data, system: str, protocol: str, seeds: Sequence[int]
) -> list[tuple[Job, ...]]:
    """A system on a capricious stream; OCDS with our step and default parameters."""
    if system == "OCO":
        return [_jobs(system, data, "capricious", seeds, {}, None)]
    experts = {"OCDS": "mixture", "OCDS-o": "observed", "OCDS-r": "reconstructed"}
    params = {**OURS, "prediction": experts[system]}
    return [_jobs("OCDS", data, "capricious", seeds, params, None)]


def _reasons(figure: Published, protocol: str, verdict: str) -> str:
    if verdict != "off":
        return ""
    if figure.algorithm == "OCDS":
        return "29 of the 45 published figures of OCDS are above an offline linear model with all features"
    return "the paper states neither the scaling nor how parameters were chosen"


EXPLANATIONS = {
    "2": "OCDS as it is printed mixes its two experts on every instance, knows the length of the "
    "stream, and takes steps that overshoot. Many settings diverge, on IMDB within the first rows, "
    "and often one that is best on the first order of the rows diverges on others. One departure "
    "remains: an edge exists once both its features have been seen, in print once they have been "
    "observed together. With our "
    "departures from the printed step OCDS does not diverge, and is level with gradient descent on "
    "the observed features. Of the published figures of OCDS, 12 of 15 on capricious streams, 8 on "
    "evolvable and 9 on trapezoidal ones are above those of an offline linear model with all "
    "features. Predictions made after the model has learned from the instance, with our step, "
    "exceed most of them, by 5 to 20 points. That shows one way to reach such figures, not that "
    "they were obtained in this way.",
}

OCDS = Paper(
    name="ocds",
    title="OCDS (He et al., IJCAI 2019)",
    data=OCDS_DATA,
    plans=_plans,
    figures=(
        Figure(
            "2",
            "curves",
            "average cumulative loss in bits, capricious streams",
            table="2",
            datasets=tuple(name for name in OCDS_DATA if name not in ("magic04", *LARGE)),
            metric="loss",
            values=(0.0,),
            systems=("OCO", "OCDS", "OCDS-o", "OCDS-r"),
            protocols=("text, our step",),
        ),
    ),
    n_orders=10,
    proposed=("OCDS",),
    sweep=_curves,
    reasons=_reasons,
    beside=_beside,
    explanations=EXPLANATIONS,
)
