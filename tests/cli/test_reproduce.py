from __future__ import annotations

import csv
import os
import pathlib
import subprocess
import sys

import pytest

from river_trapezoid import experiments
from river_trapezoid.cli import main


def test_the_table_and_the_store_are_named(shared, tmp_path, capsys):
    store = tmp_path / "store"
    arguments = ["--quick", "--data", str(shared / "data"), "--store", str(store)]
    assert main(["reproduce", "--paper", "stsd", "--table", "II", *arguments]) == 0
    shown = capsys.readouterr()
    assert f"store: {store}" in shown.out
    assert "as-run" in shown.out
    assert "digit" in shown.out
    assert shown.err == ""
    with (store / "results.csv").open(newline="") as file:
        assert {row["paper"] for row in csv.DictReader(file)} == {"stsd"}


def test_options_are_passed_on_and_the_data_folder_is_that_of_the_run_only(tmp_path, monkeypatch):
    calls = []

    def reproduce(**arguments):
        calls.append({**arguments, "data": os.environ["RIVER_DATA"]})

    monkeypatch.setattr(experiments, "reproduce", reproduce)
    monkeypatch.delenv("RIVER_DATA", raising=False)
    options = ["--paper", "olsf", "--paper", "stsd", "--table", "3", "--jobs", "2"]
    assert main(["reproduce", *options, "--data", str(tmp_path)]) == 0
    assert calls == [
        {
            "papers": ["olsf", "stsd"],
            "table": "3",
            "quick": False,
            "n_jobs": 2,
            "store": pathlib.Path("reproduction"),
            "progress": False,
            "data": str(tmp_path),
        }
    ]
    assert "RIVER_DATA" not in os.environ


@pytest.mark.parametrize(
    ("error", "status"), [(experiments.StoreError("damaged"), 1), (KeyboardInterrupt(), 130)]
)
def test_an_interruption_is_one_line_and_a_status(error, status, monkeypatch, capsys):
    def reproduce(**arguments):
        raise error

    monkeypatch.setattr(experiments, "reproduce", reproduce)
    assert main(["reproduce"]) == status
    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1
    assert shown.out == ""


@pytest.mark.parametrize("arguments", [["--jobs", "0"], ["--data", "no/such/folder"]])
def test_mistakes_are_found_before_the_work(arguments, capsys):
    assert main(["reproduce", *arguments]) == 2
    assert arguments[0] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--paper", "ocds"], "the tables of 'ocds' cannot be run yet"),
        (["--paper", "nosuch"], "no paper 'nosuch'"),
        (["--table", "17"], "table must be one of"),
    ],
)
def test_what_cannot_be_run_is_said_in_one_line(arguments, message, tmp_path, capsys):
    store = tmp_path / "store"
    assert main(["reproduce", "--store", str(store), *arguments]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.count("\n") == 1
    assert not store.exists()


def test_a_store_that_cannot_be_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    run = subprocess.run(
        [
            *(sys.executable, "-m", "river_trapezoid", "reproduce"),
            *("--paper", "olsf", "--table", "6", "--store", str(tmp_path / "file")),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "cannot be written" in run.stderr
    assert "Traceback" not in run.stderr
