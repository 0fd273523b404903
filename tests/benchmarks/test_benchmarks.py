"""That the benchmarks run; what they measure is no matter of tests."""

from __future__ import annotations

import argparse
import json
import os

import pytest

from river_trapezoid.linear_model import OLSFClassifier
from tests.benchmarks import chunk_svms, data, evidence, micro, pseudo_labels, rivals, speed


def test_micro_benchmarks_save_and_compare(tmp_path, capsys):
    saved = tmp_path / "saved.json"
    few = ["--size", "2", "--rounds", "1"]
    assert micro.main([*few, "--save", str(saved)]) == 0
    costs = json.loads(saved.read_text())
    assert len(costs) == 19
    assert all(cost > 0 for cost in costs.values())
    assert micro.main([*few, "--against", str(saved), "--factor", "1e9"]) == 0

    saved.write_text(json.dumps({"learn_one words": 1e-12}))
    assert micro.main([*few, "--against", str(saved)]) == 1
    assert "slower by more than 1.3: learn_one words" in capsys.readouterr().out


def test_mini_batches_are_measured(capsys):
    speed.mini_batches(n_rows=20, n_columns=30, n_values=3, sizes=(10,), repeats=1)
    assert capsys.readouterr().out.count("learn_many") == 2


RIVALS = {name: make for group in rivals.installed() for name, make in group.items()}


@pytest.mark.parametrize("name", RIVALS)
def test_rivals_learn(name):
    instances = list(data.table(60))
    model = RIVALS[name]()
    for x, y in instances:
        model.learn_one(x, y)
    right = sum(model.predict_one(x) == y for x, y in instances)
    assert right > 40


@pytest.fixture
def home(shared, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(shared / "data"))
    data.instances.cache_clear()
    data.in_full.cache_clear()


def test_tables_in_full(home):
    for name, n_features in {"Vote": 32, "A8a": 123}.items():
        plain, full = data.instances(name), data.in_full(name)
        assert len(plain) == len(full)
        for (x, y), (x_full, y_full) in zip(plain[:500], full, strict=False):
            assert y_full == y
            assert {key: value for key, value in x_full.items() if value} == x
        assert len({key for x, _ in full for key in x}) == n_features
    assert {len(x) for x, _ in data.in_full("A8a")} == {123}
    # A vote that is not known is neither yes nor no.
    for (x, _), (x_full, _) in zip(data.instances("Vote"), data.in_full("Vote"), strict=True):
        assert {key.partition("=")[0] for key in x} == {key.partition("=")[0] for key in x_full}
        assert len(x_full) == 2 * len(x)
    assert data.in_full("PCMAC") == data.instances("PCMAC")


def test_the_folder_of_the_data_sets_is_an_option(monkeypatch):
    monkeypatch.setenv("RIVER_DATA", "elsewhere")
    parser = argparse.ArgumentParser()
    data.add_home(parser)
    parser.parse_args([])
    assert os.environ["RIVER_DATA"] == "elsewhere"
    parser.parse_args(["--data", "here"])
    assert os.environ["RIVER_DATA"] == "here"


def test_records_are_read_as_they_were_written(tmp_path):
    path = str(tmp_path / "records.csv")
    data.write(path, [{"stream": "a", "mean": 0.123456789, "std": 0.5, "difference": -1.0}])
    assert evidence.read(path) == [{"stream": "a", "mean": 0.12346, "std": 0.5, "difference": -1.0}]


def test_what_pseudo_labels_gain_is_measured(monkeypatch, capsys):
    learners = {"OLSF": (OLSFClassifier(), (None, 0.5))}
    monkeypatch.setattr(pseudo_labels, "LEARNERS", learners)
    records = pseudo_labels.compared("Phishing", "trapezoidal")
    assert [(r["share"], r["threshold"]) for r in records] == [
        *((0.05, "default"), (0.05, 0.5)),
        *((0.1, "default"), (0.1, 0.5)),
    ]
    assert all(0.5 < r["without"] < 0.9 and abs(r["gain"]) < 0.2 for r in records)
    assert any(r["gain"] for r in records)
    pseudo_labels.report(records)
    assert capsys.readouterr().out.count("OLSF") == 4


def test_chunk_svms_are_measured(monkeypatch):
    monkeypatch.setattr(chunk_svms, "SEEDS", range(2))
    records = chunk_svms.measured(n_chunks=2)
    assert len(records) == 2 + 3 * len(chunk_svms.TAILS)
    assert all(0.7 < record["accuracy"] < 1.0 for record in records)
