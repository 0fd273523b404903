"""Incremental feature spaces learning with label scarcity (FLLS, 2021)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .data import Data
from .job import Job
from .olsf import ALL, DATA, RADIUS, TENTHS
from .paper import Figure, Paper, Plan, Seeds
from .published import Published
from .systems import learner_of

__all__ = ["FLLS"]

C_GRID = tuple(2.0**i for i in range(-5, 6))
# The number of divisions of the first training set on which C is chosen.
N_VALIDATIONS = 3

ONE_LABEL = "one label"

OLSF = {"B": 0.5, "radius": RADIUS}

_WORDS = {"PCMAC": "PCMAC", "basehock": "BaseHock"}
_NOMINAL = (("nominal", "ordinal"),)
FLLS_DATA: dict[str, Data | str] = {
    "vote": Data("Vote", arguments=_NOMINAL, missing="mean"),
    "wdbc": Data("WDBC", n_features=29),
    "dna": Data("DNA"),
    "svmguide3": Data("SVMGuide3"),
    **{name: Data(dataset) for name, dataset in _WORDS.items()},
    "splice": DATA["splice"],
    "kr-vs-kp": Data("KrVsKp", arguments=_NOMINAL),
    "spambase": DATA["spambase"],
    "phishing": Data("PhishingLIBSVM"),
    "a9a": Data("A9a"),
    "air": "no data: no data set of that name and size was found",
    "RFID": "no data: no copy was found",
    "rcv1": "no data: no copy of LIBSVM's training file was at hand",
}


# The share of the features that are copied, which the paper does not state.
COPIES = 0.5
QUERIES = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
SYSTEMS = (
    *("RPEA", "RFESL", "RFLLS", "RFLLS-I", "RFLLS-II"),
    *("PEA", "FLLS", "FLLS-I", "FLLS-II"),
)


def _place(system: str, query: float) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The learner of a system, its parameters, and the stream that it learns from."""
    stream: dict[str, Any] = {"shares": TENTHS, "query": query, "sampler": "margin"}
    if system.startswith("R"):
        system, stream["sampler"] = system[1:], "random"
    system, _, kind = system.partition("_")
    if kind == "SN":  # a new model when features are added
        stream["restarted"] = True
    elif kind == "SI":  # the initial features only
        stream["shares"] = TENTHS[:1]
    elif kind == "f":  # all features from the start
        stream["shares"] = ALL
    elif kind == "r":  # with redundant features
        stream["copies"] = COPIES
    # FESL alone is not one of the systems.
    learner, params = learner_of("RFESL" if system == "FESL" else system)
    return learner, {**OLSF, **params} if "mode" in params else params, stream


def _jobs(
    data: Data,
    place: tuple[str, dict[str, Any], dict[str, Any]],
    seeds: Sequence[int],
    params: dict[str, float],
) -> tuple[Job, ...]:
    learner, of_system, stream = place
    return tuple(
        Job(data, stream, learner, {**of_system, **params}, "hold-out", seed) for seed in seeds
    )


def _plans(figure: Published, data: Data, seeds: Seeds) -> list[Plan]:
    place = _place(figure.algorithm, figure.param("query") / 100)
    fixed = {"B": 1.0} if figure.table == "5" else {}
    # The paper's AUC is that of predicted labels; beside it stands that of scores.
    metrics = {"text": ""}
    if figure.metric == "AUC":
        metrics["text, AUC of scores"] = "score_auc"
    own_seeds = seeds("hold-out", data)
    if place[1].get("mode") not in (1, 2):
        return [
            Plan(figure, protocol, {"": _jobs(data, place, own_seeds, fixed)}, metric=metric)
            for protocol, metric in metrics.items()
        ]
    learner, params, stream = place
    inner = learner, params, {**stream, "outer": 0}
    grid = {f"C={C:g}": _jobs(data, inner, range(N_VALIDATIONS), {**fixed, "C": C}) for C in C_GRID}

    def following(protocol: str, metric: str) -> Plan:
        def final(best: str, jobs: tuple[Job, ...]) -> Plan:
            said = f"{best}, chosen within the first training set"
            compared = _jobs(data, place, own_seeds, {**fixed, "C": jobs[0].params["C"]})
            return Plan(figure, protocol, {said: compared}, metric=metric)

        return Plan(figure, protocol, grid, "compared", "AUC", final)

    plans = [following(protocol, metric) for protocol, metric in metrics.items()]
    if stream.get("restarted"):
        one = learner, params, {**stream, "query": 1.0, "sampler": "random", "one_label": True}
        jobs = _jobs(data, one, own_seeds, {**fixed, "C": 1.0})
        plans.append(Plan(figure, ONE_LABEL, {"": jobs}))
    return plans


def _beside(figure: Published) -> tuple[str, str, dict[str, Any]]:
    """As many labels, drawn at random."""
    query = figure.param("query")
    stream = {"shares": TENTHS, "query": query / 100, "sampler": "random"}
    return f"query={query:g}", "hold-out", stream


def _sweep(
    figure: Figure, dataset: str, data: Data, system: str, protocol: str, seeds: Sequence[int]
) -> list[tuple[Job, ...]]:
    by_value = []
    for value in figure.values:
        query = value if figure.parameter == "query" else 0.5
        place = _place(system, query)
        # The paper's, where it varies B.
        chosen = {"C": 1.0} if place[1].get("mode") in (1, 2) else {}
        if figure.parameter in place[1] or figure.parameter in chosen:
            chosen[figure.parameter] = value
        by_value.append(_jobs(data, place, seeds, chosen))
    return by_value


def _reasons(figure: Published, protocol: str, verdict: str) -> str:
    if verdict != "off":
        return ""
    if protocol == ONE_LABEL:
        return "the published model has learned from more than one label here"
    if protocol == "text, AUC of scores":
        return "the printed AUC is that of predicted labels"
    if figure.algorithm == "FLLS-I_SN" and figure.dataset in ("basehock", "spambase", "phishing"):
        return "a model of a single label comes closer; see one label"
    if figure.algorithm == "RFESL":
        return "FESL as its authors publish it; the paper does not state how it adapts FESL"
    return "the paper states neither the scaling nor how C and rho were chosen"


EXPLANATIONS = {
    "3": (
        "Four fifths of the rows are the training set, a trapezoidal stream of ten chunks; the "
        "others are the test set, with all features. The printed AUC is that of predicted labels, "
        "which is balanced accuracy; the AUC of the scores is shown as well and is mostly higher. "
        "The paper states neither the scaling nor how C and rho were chosen: z-scores with rows of "
        "unit length come closest, and C is chosen within the first training set. The published "
        "gain of queries near the decision boundary over the same number of random labels is "
        "reproduced in part: FLLS gains up to 3.5 points (a9a, wdbc, spambase, splice), while "
        "FLLS-I and FLLS-II are between 4 points below random labels and 2 above. RFESL is FESL as "
        "its authors publish it, without an intercept; the paper does not state how it adapts FESL "
        "for these tables. The share of labels queried holds by construction, as rho is fitted to "
        "it, and is not counted. Seconds depend on the machine and are not compared. No data set "
        "like air was found."
    ),
    "4": "As Table 3, with a fifth of the labels in place of a tenth.",
    "5": (
        "FLLS-I with B = 1, with a new model whenever features are added (SN), and with the "
        "features of the first chunk only (SI). The protocol is that of "
        "Table 3, with the same gaps in its description. Our SN is 11 to 32 points better than the "
        "published one on basehock, spambase and phishing. A model that has learned from a single "
        "label, that of the first instance with all features, has an AUC of .537, .609 and .601 "
        "there, against .546, .604 and .582 in print, and .703 on vote (.678 in print); but .554 on "
        "a9a, where .751 is in print and SN has .769. So the published runs may restart far more "
        "often than the paper describes, but not on a9a."
    ),
    "6": "Neither data set could be had, so this table was not run.",
}

FLLS = Paper(
    name="flls",
    title="FLLS (Gu et al., 2021)",
    data=FLLS_DATA,
    plans=_plans,
    figures=(
        *(
            Figure(
                number,
                "sensitivity",
                "accuracy against the share of labels asked for (C = 1)",
                table="3",
                datasets=datasets,
                metric="accuracy",
                parameter="query",
                values=QUERIES,
                systems=SYSTEMS,
                protocols=("text",),
            )
            for number, datasets in (
                ("3", ("air", "vote", "wdbc", "dna", "svmguide3", "PCMAC")),
                ("4", ("basehock", "splice", "kr-vs-kp", "spambase", "phishing", "a9a")),
            )
        ),
        Figure(
            "5",
            "sensitivity",
            "accuracy with all features from the start (C = 1)",
            table="3",
            datasets=("vote", "basehock", "phishing", "a9a"),
            metric="accuracy",
            parameter="query",
            values=QUERIES,
            systems=("FLLS-I", "FLLS-I_f"),
            protocols=("text",),
        ),
        Figure(
            "6",
            "sensitivity",
            "accuracy with copies of half of the features, revealed last (_r), and without (C = 1)",
            table="3",
            datasets=("vote", "svmguide3", "PCMAC", "a9a"),
            metric="accuracy",
            parameter="query",
            values=(0.1, 0.5, 0.9),
            systems=("FLLS", "FLLS_r", "FLLS-I", "FLLS-I_r", "FLLS-II", "FLLS-II_r"),
            protocols=("text",),
        ),
        Figure(
            "7a",
            "sensitivity",
            "accuracy against C, half of the labels",
            table="3",
            datasets=("dna", "splice"),
            metric="accuracy",
            parameter="C",
            values=C_GRID,
            systems=("FLLS-I", "FLLS-II"),
            protocols=("text",),
        ),
        Figure(
            "7b",
            "sensitivity",
            "accuracy against B, half of the labels (C = 1)",
            table="3",
            datasets=("dna", "splice"),
            metric="accuracy",
            parameter="B",
            values=(0.04, 0.08, 0.16, 0.32, 0.64),
            systems=("FLLS", "FLLS-I", "FLLS-II"),
            protocols=("text",),
        ),
    ),
    n_orders=20,
    proposed=("FLLS", "FLLS-I", "FLLS-II"),
    sweep=_sweep,
    reasons=_reasons,
    beside=_beside,
    explanations=EXPLANATIONS,
)
