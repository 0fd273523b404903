from __future__ import annotations

import csv
import shutil

import pytest

from benchmarks import papers
from benchmarks.papers import runner
from benchmarks.papers.data import Data
from benchmarks.papers.job import run
from benchmarks.papers.results import COLUMNS, compared, result


@pytest.fixture(autouse=True)
def _data(shared, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(shared / "data"))


@pytest.fixture(scope="session")
def _second_table(shared, tmp_path_factory):
    """A store with the second table of STSD, which is run once."""
    folder = tmp_path_factory.mktemp("second table")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RIVER_DATA", str(shared / "data"))
        return folder, reproduce(folder)


@pytest.fixture
def stored(_second_table, tmp_path):
    """A copy of that store, and what its run returned."""
    folder, reproduction = _second_table
    return shutil.copytree(folder, tmp_path / "stored"), reproduction


def reproduce(folder, names=("stsd",), table="II", **options):
    return papers.reproduce(
        list(names), table=table, quick=True, store=folder, progress=False, **options
    )


def test_results_stand_beside_the_published_figures(stored):
    folder, reproduction = stored
    with (folder / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == COLUMNS
    assert len(rows) == len(reproduction.rows)
    german = [row for row in rows if row["dataset"] == "german" and row["protocol"] == "as-run"]
    assert [row["published"] for row in german] == ["415.9", "366.9", "366.9"]
    assert {row["verdict"] for row in german} == {"digit"}
    assert {row["repeats"] for row in german} == {"20"}
    large = [row for row in rows if row["dataset"] == "magic04"]
    assert {(row["verdict"], row["reason"]) for row in large} == {
        ("not run", "too large for a quick run")
    }
    assert "digit" in str(reproduction)


def test_stored_results_are_not_run_again(stored, monkeypatch):
    folder, _ = stored
    before = (folder / "results.csv").read_bytes()
    monkeypatch.setattr(runner, "run", None)
    reproduce(folder)
    assert (folder / "results.csv").read_bytes() == before


def test_tables_are_filled_in_one_by_one(stored):
    folder, _ = stored
    reproduce(folder, ["olsf"], table="6")
    reproduction = reproduce(folder, table="III")
    places = list(dict.fromkeys((row["paper"], row["table"]) for row in reproduction.rows))
    assert places == [("stsd", "II"), ("stsd", "III"), ("olsf", "6")]
    assert sum(row["verdict"] == "no data" for row in reproduction.rows) == 8


def test_several_jobs_come_to_the_same(stored, tmp_path):
    folder, _ = stored
    reproduce(tmp_path / "two", n_jobs=2)
    for name in ("results.csv", "cells.jsonl"):
        one, two = ((place / name).read_bytes() for place in (folder, tmp_path / "two"))
        assert sorted(one.splitlines()) == sorted(two.splitlines())


def test_a_dask_cluster_comes_to_the_same(stored, tmp_path):
    import joblib
    from dask import distributed

    folder, _ = stored
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        reproduce(tmp_path / "dask", n_jobs=-1)
    one, dask = ((place / "results.csv").read_bytes() for place in (folder, tmp_path / "dask"))
    assert one == dask


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"papers": ["olsf", "nosuch"]}, "papers must be of stsd.*got 'nosuch'"),
        ({"table": "12"}, "table must be one of .*III.*got '12'"),
        ({"papers": ["stsd"], "systems": ["OLSF"]}, "systems must be of STSD.*got 'OLSF'"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_mistakes_are_named_before_anything_is_written(tmp_path, arguments, message):
    with pytest.raises(ValueError, match=message):
        papers.reproduce(**{"store": tmp_path / "new", **arguments})
    assert not (tmp_path / "new").exists()


def test_data_that_are_not_there_are_a_named_row(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(tmp_path / "none"))
    monkeypatch.setattr("urllib.request.urlopen", _no_network)
    reproduction = reproduce(tmp_path / "store")
    rows = reproduction.rows
    assert {row["verdict"] for row in rows} == {"no data", "not run"}
    assert any("could not be downloaded" in row["reason"] for row in rows)
    assert not any("To use it" in row["reason"] for row in rows)
    assert reproduction.n_run == 0
    assert all("To use it" in lack for lack in reproduction.lacking)
    assert len(reproduction.lacking) == 2


def test_names_of_papers_are_known_in_any_case(tmp_path):
    rows = reproduce(tmp_path, ["OLSF"], table="6").rows
    assert {row["paper"] for row in rows} == {"olsf"}


def _no_network(*args, **kwargs):
    raise OSError("there is no network")


@pytest.mark.parametrize(
    ("mean", "std", "n_samples", "n_orders", "verdict"),
    [
        (415.9, 15.6, 1000, 20, "digit"),
        (415.95, 15.607, 1000, 20, "digit"),
        (415.9, 15.7, 1000, 20, "point"),
        # One point of errors is a hundredth of the instances.
        (425.9, 15.6, 1000, 20, "point"),
        (425.9, 15.6, 900, 20, "holds"),
        (435.9, 15.6, 1000, 20, "holds"),
        (436.0, 15.6, 1000, 20, "off"),
        (395.8, 15.6, 1000, 20, "off"),
        # The standard error is 15.6 / 2, and 7.8 points of a hundred instances.
        (420.7, 15.6, 100, 4, "holds"),
        (421.0, 15.6, 100, 4, "off"),
        # A deviation between chunks is no tolerance.
        (420.7, 15.6, 100, None, "off"),
        (417.8, 15.6, 100, None, "holds"),
    ],
)
def test_verdicts(mean, std, n_samples, n_orders, verdict):
    figure = papers.published("stsd")[2]
    assert compared(figure, mean, std, n_samples, n_orders) == verdict


def test_a_figure_whose_runs_overflow_has_no_mean():
    data = Data("Ionosphere", form="raw")
    jobs = tuple(
        papers.Job(data, {"kind": "capricious"}, "OCDSClassifier", {}, "progressive", seed)
        for seed in range(3)
    )
    stored = {job.key: {"accuracy": 0.5, "n_samples": 351} for job in jobs}
    stored[jobs[1].key]["diverged_at"] = 7
    figure = papers.published("ocds")[0]
    own = result(papers.Plan(figure, "text", {"alpha=1": jobs}), stored, 10)
    assert (own["verdict"], own["ours"], own["repeats"]) == ("diverged", "", 3)
    assert own["reason"] == "alpha=1; 1 of 3 runs overflow, the first after 7 of 351 rows"


def test_a_step_that_overflows_ends_a_run():
    params = {"graph": "random", "step_cap": False, "alpha": 0.1, "sleep": False, "seed": 0}
    data = Data("Diabetes", form="raw")
    job = papers.Job(data, {"kind": "trapezoidal"}, "OCDSClassifier", params, "progressive", 0)
    assert run(job)[0]["diverged_at"] == 17


def test_one_system_is_run_again_among_the_others(stored):
    folder, reproduction = stored
    whole = reproduction.rows
    before = (folder / "results.csv").read_bytes()
    own = [row for row in whole if row["algorithm"] == "STSD-I"]
    again = reproduce(folder, systems=["STSD-I"]).rows
    assert len(again) == len(whole) > len(own)
    assert (folder / "results.csv").read_bytes() == before
