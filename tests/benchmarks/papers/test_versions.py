"""Results that a change of a learner or a protocol changes must not pass for the former ones."""

from __future__ import annotations

import json
import pathlib

import pytest

from benchmarks import papers
from benchmarks.papers.data import Data
from benchmarks.papers.job import VERSIONS, run
from benchmarks.papers.protocols import PROTOCOLS

KNOWN = pathlib.Path(__file__).with_name("versions.json")
OLSF = [
    {"mode": 0, "B": 0.5},
    {"mode": 1, "B": 0.3, "C": 0.1},
    {"mode": 2, "B": 1.0, "C": 0.1},
    {"mode": 1, "B": 0.3, "C": 0.1, "selection": "random"},
    {"mode": 1, "B": 0.3, "step": "perceptron"},
]
OFS = [{"B": 0.3}, {"B": 0.3, "epsilon": 0.2, "predict_from": "observed"}]
TRAPEZOID = {"shares": (0.1, 0.4, 0.7, 1.0)}
CHUNKS = {"chunk": 50, "labels": 0.3, "drift": 0.1, "n_chunks": 4}
SVMS = ("SVMClassifier", "TrSVMClassifier", "S3VMClassifier", "TS3VMClassifier")
RANDOM = {"query": 0.2, "sampler": "random"}
IONOSPHERE = Data("Ionosphere")


def jobs():
    for protocol in ("text", "as-run"):
        for params in OLSF:
            yield IONOSPHERE, TRAPEZOID, "OLSFClassifier", params, protocol
    yield IONOSPHERE, TRAPEZOID, "OLSFClassifier", OLSF[1], "bound"
    for params in OFS:
        yield IONOSPHERE, TRAPEZOID, "OFSClassifier", params, "text"
    for sampler in ("random", "margin"):
        stream = {**TRAPEZOID, "query": 0.2, "sampler": sampler}
        yield IONOSPHERE, stream, "OLSFClassifier", OLSF[1], "hold-out"
    yield IONOSPHERE, stream, "FESLClassifier", {"max_overlap": 1}, "hold-out"
    for name in (*SVMS, "RKTS3VMClassifier"):
        yield Data("synth.DriftingHyperplane"), CHUNKS, name, {}, "chunks"
    raw = Data("Ionosphere", form="raw")
    for kind in ("capricious", "evolvable", "trapezoidal"):
        for name in ("OCDSClassifier", "OCO"):
            yield raw, {"kind": kind, "n_rows": 100}, name, {}, "progressive"
    for name, scaled in (("EvidenceClassifier", False), ("LogisticRegression", True)):
        yield IONOSPHERE, {**TRAPEZOID, "scaled": scaled}, name, {}, "text"
        yield IONOSPHERE, {**TRAPEZOID, **RANDOM, "scaled": scaled}, name, {}, "hold-out"
        yield Data("synth.DriftingHyperplane"), {**CHUNKS, "scaled": scaled}, name, {}, "chunks"
        stream = {"kind": "capricious", "n_rows": 100, "scaled": scaled}
        yield raw, stream, name, {}, "progressive"
    yield IONOSPHERE, {**TRAPEZOID, **RANDOM, "copies": 0.5}, "OLSFClassifier", OLSF[1], "hold-out"
    yield raw, {"n_rows": 100}, "offline", {}, "offline"
    for name in ("EvidenceClassifier", "LogisticRegression", "OCDSClassifier"):
        yield raw, {"p": 0.5, "scaled": True}, name, {}, "haphazard"


JOBS = [papers.Job(*fields, seed=1) for fields in jobs()]


@pytest.fixture(autouse=True)
def _data(shared, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(shared / "data"))


def test_a_change_of_results_has_raised_a_version():
    """If this fails, raise the version of what was changed, and write `versions.json` anew."""
    known = json.loads(KNOWN.read_text())
    assert {job.key: json.loads(json.dumps(run(job)[0])) for job in JOBS} == known


def test_every_learner_and_protocol_is_watched():
    assert {job.system for job in JOBS} == set(VERSIONS)
    assert {job.protocol for job in JOBS} == set(PROTOCOLS)
