"""Systems of ours beside what others have published on haphazard inputs."""

from __future__ import annotations

import collections
import dataclasses

import pytest

from benchmarks import papers
from benchmarks.papers import runner
from benchmarks.papers.data import Data, rows
from benchmarks.papers.job import run
from benchmarks.papers.paper import OFFLINE
from benchmarks.papers.results import ranked

# The cells in print: 15 data sets with three values of p, 5 that come and go by themselves.
N_CELLS = 15 * 3 + 5
N_CELLS_WITH_DATA = 12 * 3 + 1


@pytest.fixture(autouse=True)
def _data(shared, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(shared / "data"))


def reproduce(folder, table=None):
    return papers.reproduce(
        ["haphazard"], table=table, quick=True, store=folder, progress=False
    ).rows


@pytest.fixture(scope="module")
def quick(shared, tmp_path_factory):
    """The rows of a quick run, with one order of the rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RIVER_DATA", str(shared / "data"))
        patch.setattr(runner, "N_QUICK_REPEATS", 1)
        return reproduce(tmp_path_factory.mktemp("store"))


def test_each_published_figure_has_a_verdict_or_a_reason(quick):
    counted = collections.Counter(
        own["algorithm"] for own in quick if own["table"] != "best" and not own["protocol"]
    )
    in_print = {(own["table"], own["dataset"], own["algorithm"], own["params"]) for own in quick}
    for figure in papers.published("haphazard"):
        assert (figure.table, figure.dataset, figure.algorithm, figure.params) in in_print
    assert all(own["verdict"] for own in quick if own["algorithm"] != OFFLINE)
    assert all(own["reason"] for own in quick if own["verdict"] in ("off", "no data", "not run"))
    assert counted["NB3"] == 50 + 12
    assert {own["reason"] for own in quick if own["algorithm"] == "NB3"} == {"no such learner here"}


def test_ocds_is_run_as_the_others_were_and_with_a_scaler(quick):
    wpbc = [own for own in quick if own["dataset"] == "wpbc" and own["algorithm"] == "OCDS"]
    assert [own["protocol"] for own in wpbc] == ["haphazard", "haphazard, scaled"] * 3
    assert all(own["verdict"] in ("digit", "point", "holds", "off") for own in wpbc)
    assert all(own["reason"].startswith(("default", "StandardScaler")) for own in wpbc)


def test_systems_without_a_figure_stand_beside_the_best_one(quick):
    best = [own for own in quick if own["table"] == "best" and own["algorithm"] != OFFLINE]
    cells = {(own["dataset"], own["params"]) for own in best}
    assert len(cells) == N_CELLS
    there = [own for own in best if own["verdict"] != "no data"]
    assert len({(own["dataset"], own["params"]) for own in there}) == N_CELLS_WITH_DATA
    for own in there:
        figures = [
            figure
            for figure in papers.published("haphazard")
            if (figure.dataset, figure.params) == (own["dataset"], own["params"])
        ]
        highest = max(figures, key=lambda figure: figure.mean)
        assert own["published"] == highest.mean
        if own["protocol"]:
            above = float(own["ours"]) > highest.mean
            assert own["verdict"] == ("above" if above else "below")
            assert f"the best in print is {highest.algorithm}" in own["reason"]
    protocols = collections.Counter(own["protocol"] for own in there if own["dataset"] == "wbc")
    assert set(protocols.values()) == {3}
    assert list(protocols) == ["haphazard", "haphazard, balanced", "haphazard, scaled"]


def test_the_best_of_all_sources_counts():
    best = {
        (figure.dataset, figure.params): figure.mean
        for figure in papers.PAPERS["haphazard"].published("best")
    }
    assert best["magic04", "p=0.5"] == 68.2  # packetLSTM
    assert best["magic04", "p=0.75"] == 74.48  # a variant of HI2
    assert best["a8a", "p=0.5"] == 68.57  # of the review


def test_they_do_not_come_among_the_figures_of_the_five_papers(tmp_path):
    assert {figure.paper for figure in papers.published()}.isdisjoint({"haphazard"})
    assert {own["table"] for own in reproduce(tmp_path, table="packetLSTM")} == {"packetLSTM"}
    assert not (tmp_path / "cells.jsonl").exists()


@pytest.mark.parametrize(
    ("metric", "mean", "verdict"),
    [
        *(("balanced_accuracy", 70.01, "above"), ("balanced_accuracy", 70.0, "below")),
        *(("balanced_accuracy", 60.0, "below"), ("errors", 69.0, "above")),
        *(("errors", 70.0, "below"), ("errors", 71.0, "below")),
    ],
)
def test_above_is_better_than_the_figure(metric, mean, verdict):
    figure = papers.published("haphazard")[0]
    assert ranked(dataclasses.replace(figure, metric=metric, mean=70.0), mean) == verdict


def test_raw_data_have_their_values_zeros_and_gaps():
    wbc = rows(Data("WBC", form="raw"))
    assert len(wbc) == 699
    assert wbc[0][0]["clump_thickness"] == 5.0
    assert sum(len(x) for x, _ in wbc) == 699 * 9 - 16
    full, sparse, few = (
        rows(Data("DNA", **form))[0][0]
        for form in ({"form": "raw"}, {"form": "sparse"}, {"form": "raw", "n_features": 5})
    )
    assert list(full) == [f"f{i}" for i in range(1, 181)]
    assert set(sparse.values()) == {1.0}
    assert {name: value for name, value in full.items() if value} == sparse
    assert few == {name: full[name] for name in ("f1", "f2", "f3", "f4", "f5")}


def test_letters_are_ordinals():
    data = papers.PAPERS["haphazard"].data["krvskp"]
    assert {value for x, _ in rows(data) for value in x.values()} == {0.0, 1.0, 2.0}


def balanced_accuracy(system, seed=0, **stream):
    job = papers.Job(Data("WDBC", form="raw"), stream, system, {}, "haphazard", seed)
    result, _ = run(job)
    assert result["n_samples"] == 569
    return result["balanced_accuracy"]


def test_the_share_that_is_available_matters_and_a_seed_repeats():
    values = [balanced_accuracy("EvidenceClassifier", p=p) for p in (0.05, 0.25, 1.0)]
    assert 50 < values[0] < values[1] < values[2] < 100
    assert balanced_accuracy("EvidenceClassifier", p=1.0) == values[2]
    assert balanced_accuracy("EvidenceClassifier") == values[2]
    assert balanced_accuracy("EvidenceClassifier", p=0.25) == values[1]
    assert balanced_accuracy("EvidenceClassifier", p=0.25, seed=1) != values[1]


def test_a_scaler_stands_in_front_where_it_is_asked_for():
    plain = balanced_accuracy("LogisticRegression", p=0.5)
    assert balanced_accuracy("LogisticRegression", p=0.5, scaled=True) > plain + 5
