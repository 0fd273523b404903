from __future__ import annotations

import csv
import os
import pathlib
import re
import subprocess
import sys

import pytest

from benchmarks import papers
from benchmarks.papers.__main__ import main
from benchmarks.papers.results import empty_row


def test_the_table_and_the_store_are_named(shared, tmp_path, capsys):
    store = tmp_path / "store"
    arguments = ["--quick", "--data", str(shared / "data"), "--store", str(store)]
    assert main(["--paper", "stsd", "--table", "II", *arguments]) == 0
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
        return papers.Reproduction(
            [empty_row(papers.published()[0], "text", "off")], tmp_path, 1, []
        )

    monkeypatch.setattr(papers, "reproduce", reproduce)
    monkeypatch.delenv("RIVER_DATA", raising=False)
    options = [
        "--paper",
        "olsf",
        "--paper",
        "stsd",
        "--table",
        "3",
        "--system",
        "OLSF-I",
        "--jobs",
        "2",
    ]
    assert main([*options, "--data", str(tmp_path)]) == 0
    assert calls == [
        {
            "papers": ["olsf", "stsd"],
            "table": "3",
            "systems": ["OLSF-I"],
            "quick": False,
            "n_jobs": 2,
            "store": pathlib.Path("reproduction"),
            "progress": False,
            "data": str(tmp_path),
        }
    ]
    assert "RIVER_DATA" not in os.environ


@pytest.mark.parametrize(
    ("error", "status"), [(papers.StoreError("damaged"), 1), (KeyboardInterrupt(), 130)]
)
def test_an_interruption_is_one_line_and_a_status(error, status, monkeypatch, capsys):
    def reproduce(**arguments):
        raise error

    monkeypatch.setattr(papers, "reproduce", reproduce)
    assert main([]) == status
    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_a_run_without_data_fails_and_says_how_to_get_them(tmp_path, monkeypatch, capsys):
    def no_network(*args, **kwargs):
        raise OSError("there is no network")

    monkeypatch.setattr("urllib.request.urlopen", no_network)
    (tmp_path / "empty").mkdir()
    options = ["--data", str(tmp_path / "empty"), "--store", str(tmp_path / "store"), "--quick"]
    assert main(["--paper", "STSD", "--table", "II", *options]) == 1
    shown = capsys.readouterr()
    assert "no data" in shown.out
    for name in ("german", "svmguide3"):
        assert re.search(rf"{name}.*could not be downloaded.*To use it", shown.err, re.IGNORECASE)
    assert "nothing could be run" in shown.err


@pytest.mark.parametrize("arguments", [["--jobs", "0"], ["--data", "no/such/folder"]])
def test_mistakes_are_found_before_the_work(arguments, capsys):
    assert main([*arguments]) == 2
    assert arguments[0] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--paper", "nosuch"], "got 'nosuch'"),
        (["--table", "17"], "table must be one of"),
    ],
)
def test_what_cannot_be_run_is_said_in_one_line(arguments, message, tmp_path, capsys):
    store = tmp_path / "store"
    assert main(["--store", str(store), *arguments]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.count("\n") == 1
    assert not store.exists()


def test_a_store_that_cannot_be_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    run = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.papers"),
            *("--paper", "olsf", "--table", "6", "--store", str(tmp_path / "file")),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "cannot be written" in run.stderr
    assert "Traceback" not in run.stderr
