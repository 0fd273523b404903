"""Results that a change of a learner or a protocol changes must not pass for the former ones."""

from __future__ import annotations

import json
import pathlib

import pytest

from river_trapezoid import experiments
from river_trapezoid.experiments.cell import LEARNERS, run
from river_trapezoid.experiments.data import Data
from river_trapezoid.experiments.protocols import PROTOCOLS

KNOWN = pathlib.Path(__file__).with_name("versions.json")
OLSF = [
    {"mode": 0, "B": 0.5},
    {"mode": 1, "B": 0.3, "C": 0.1},
    {"mode": 2, "B": 1.0, "C": 0.1},
    {"mode": 1, "B": 0.3, "C": 0.1, "selection": "random"},
    {"mode": 1, "B": 0.3, "step": "perceptron"},
]
HOLD_OUT = {"query": 0.2, "sampler": "random"}
HAPHAZARD = {"p": 0.5, "scaled": True}
OFS = [{"B": 0.3}, {"B": 0.3, "epsilon": 0.2, "predict_from": "observed"}]
CELLS = [
    experiments.Cell(
        Data("Ionosphere"),
        {"shares": (0.1, 0.4, 0.7, 1.0), **(HOLD_OUT if protocol == "hold-out" else {})},
        learner,
        params,
        protocol,
        seed=1,
    )
    for learner, settings, protocols in (
        ("OLSFClassifier", OLSF, ("text", "as-run")),
        ("OLSFClassifier", OLSF[1:2], ("bound",)),
        ("OFSClassifier", OFS, ("text",)),
        ("FESLClassifier", [{"max_overlap": 1}], ("hold-out",)),
    )
    for protocol in protocols
    for params in settings
] + [
    experiments.Cell(Data("Ionosphere", form="raw"), HAPHAZARD, learner, {}, "haphazard", seed=1)
    for learner in ("EvidenceClassifier", "LogisticRegression", "OCDSClassifier")
]


@pytest.fixture(autouse=True)
def _data(shared, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(shared / "data"))


def test_a_change_of_results_has_raised_a_version():
    """If this fails, raise the version of what was changed, and write `versions.json` anew."""
    known = json.loads(KNOWN.read_text())
    assert {cell.key: json.loads(json.dumps(run(cell)[0])) for cell in CELLS} == known


def test_every_learner_and_protocol_is_watched():
    assert {cell.system for cell in CELLS} == set(LEARNERS)
    assert {cell.protocol for cell in CELLS} == set(PROTOCOLS)
