"""Mining data streams with labeled and unlabeled training examples (RK-TS3VM, ICDM 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .data import Data
from .job import Job
from .paper import Figure, Paper, Plan, Seeds
from .published import Published
from .systems import learner_of

__all__ = ["RKTS3VM"]

CHUNK = 500
N_CHUNKS = 100
# More runs of a hundred chunks each change nothing.
N_RUNS = 5

RKTS3VM_DATA: dict[str, Data | str] = {
    "hyperplane": Data("synth.DriftingHyperplane"),
    "powersupply": Data("PowerSupply"),
    "sensor": "no data: no copy of the 2,219,803 rows was at hand",
}


def _jobs(
    system: str,
    data: Data,
    seeds: Sequence[int],
    params: dict[str, Any] | None = None,
    chunk: int = CHUNK,
    labels: float = 0.1,
    drift: float | None = None,
) -> tuple[Job, ...]:
    stream = _stream(chunk, labels, drift)
    return tuple(
        Job(data, stream, learner_of(system)[0], params or {}, "chunks", seed)
        for seed in seeds[:N_RUNS]
    )


def _stream(chunk: int = CHUNK, labels: float = 0.1, drift: float | None = None) -> dict[str, Any]:
    stream: dict[str, Any] = {"chunk": chunk, "labels": labels}
    return stream if drift is None else {**stream, "drift": drift, "n_chunks": N_CHUNKS}


def _where(figure: Published) -> dict[str, Any]:
    """The parameters of the stream of a figure."""
    name, _, value = figure.params.partition("=")
    where: dict[str, Any] = (
        {"chunk": int(value)}
        if name == "chunk"
        else {{"drift_percent": "drift", "label_percent": "labels"}[name]: float(value) / 100}
    )
    # The paper does not state the drift where it varies the labels.
    return {"drift": 0.5, **where} if figure.dataset == "hyperplane" else where


def _plans(figure: Published, data: Data, seeds: Seeds) -> list[Plan]:
    where = _where(figure)
    said = f"drift {where['drift']:.0%}" if "drift" in where else ""
    own_seeds = seeds("chunks", data)
    return [Plan(figure, "text", {said: _jobs(figure.algorithm, data, own_seeds, **where)})]


def _beside(figure: Published) -> tuple[str, str, dict[str, Any]]:
    """Instances without a label are skipped."""
    return figure.params, "chunks", _stream(**_where(figure))


def _sweep(
    figure: Figure, dataset: str, data: Data, system: str, protocol: str, seeds: Sequence[int]
) -> list[tuple[Job, ...]]:
    return [
        _jobs(system, data, seeds, {figure.parameter: value}, drift=0.5) for value in figure.values
    ]


def _reasons(figure: Published, protocol: str, verdict: str) -> str:
    if verdict != "off":
        return ""
    if figure.algorithm == "RK-TS3VM":
        return "the published lead of RK-TS3VM is not reproduced"
    if figure.dataset == "hyperplane":
        return "the paper states neither the number of features nor how often the stream drifts"
    return "the paper does not state how it makes two classes of the hours"


_LEAD = (
    "Of the 12 figures of each system, 8 of S3VM hold, 5 of TrSVM and 3 of SVM, which are mostly "
    "better here than published. The lead of RK-TS3VM is not reproduced: with the parameters of the "
    "paper it is 6 to 22 points below its published figures, and below the other three throughout."
)
EXPLANATIONS = {
    "1": f"{_LEAD} Standard deviations are over chunks. Four features, and one drift in each chunk, "
    "come closest to the stream of the paper, which states neither.",
    "2": f"{_LEAD} The rate of drift, 50 %, is that of the paper's study of parameters; for this "
    "table it is not stated. With 1 % of the labels, five in a chunk, S3VM is far below print as well.",
    "3": "The data were not at hand.",
    "4": f"{_LEAD} The paper does not state how it makes two classes of the hours; here they are "
    "before noon, and noon or later.",
    "5": "The data were not at hand.",
    "6": f"{_LEAD} Classes are as in Table 4.",
}

RKTS3VM = Paper(
    name="rkts3vm",
    title="RK-TS3VM (Zhang et al., ICDM 2009)",
    data=RKTS3VM_DATA,
    plans=_plans,
    figures=(
        *(
            Figure(
                f"4{letter}",
                "sensitivity",
                f"accuracy of TS3VM against {parameter}, drift 50 %",
                table="1",
                metric="accuracy",
                parameter=parameter,
                values=(0.0, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0),
                systems=("TS3VM",),
                protocols=("text",),
            )
            for letter, parameter in zip("abcd", ("C1", "C2", "C_star", "C"), strict=True)
        ),
        *(
            Figure(
                f"{number}{letter}",
                "curves",
                f"accuracy chunk by chunk, {percent} % of the labels",
                table=table,
                params=(f"label_percent={percent}",),
                metric="accuracy",
                protocols=("text",),
            )
            for number, table in (("5", "5"), ("6", "6"))
            for letter, percent in zip("abc", (1, 5, 10), strict=True)
        ),
    ),
    proposed=("RK-TS3VM",),
    sweep=_sweep,
    reasons=_reasons,
    beside=_beside,
    explanations=EXPLANATIONS,
)
