from __future__ import annotations

import os
import pathlib
import sys
import types

import pytest

import river_trapezoid
from river_trapezoid.cli import main


class StoreError(Exception):
    pass


@pytest.fixture
def experiments(monkeypatch):
    """A stand-in that keeps what it is called with, and raises `error` if that is set."""
    module = types.ModuleType("river_trapezoid.experiments")
    module.calls, module.error, module.StoreError = [], None, StoreError

    def reproduce(**arguments):
        module.calls.append({**arguments, "data": os.environ.get("RIVER_DATA")})
        if module.error is not None:
            raise module.error
        return "a table"

    module.reproduce = reproduce
    monkeypatch.setattr(river_trapezoid, "experiments", module, raising=False)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def test_by_default_every_paper_is_run(experiments, monkeypatch, capsys):
    monkeypatch.setenv("RIVER_DATA", "somewhere")
    assert main(["reproduce"]) == 0
    assert experiments.calls == [
        {
            "papers": None,
            "table": None,
            "quick": False,
            "n_jobs": 1,
            "store": pathlib.Path("reproduction"),
            "progress": True,
            "data": "somewhere",
        }
    ]
    assert capsys.readouterr().out == "a table\nstore: reproduction\n"


def test_options_are_passed_on_and_the_data_folder_is_that_of_the_run_only(
    experiments, tmp_path, monkeypatch
):
    monkeypatch.delenv("RIVER_DATA", raising=False)
    options = ["--paper", "olsf", "--paper", "flls", "--table", "3", "--quick", "--jobs", "2"]
    folders = ["--store", str(tmp_path / "store"), "--data", str(tmp_path)]
    assert main(["reproduce", *options, *folders]) == 0
    assert experiments.calls == [
        {
            "papers": ["olsf", "flls"],
            "table": "3",
            "quick": True,
            "n_jobs": 2,
            "store": tmp_path / "store",
            "progress": True,
            "data": str(tmp_path),
        }
    ]
    assert "RIVER_DATA" not in os.environ


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ValueError("papers must be one of olsf, flls"), 2),
        (StoreError("the store is damaged"), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_errors_are_one_line_and_a_status(error, status, experiments, capsys):
    experiments.error = error
    assert main(["reproduce"]) == status
    shown = capsys.readouterr()
    assert str(error) in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


@pytest.mark.parametrize("arguments", [["--jobs", "0"], ["--data", "no/such/folder"]])
def test_mistakes_are_found_before_the_work(arguments, experiments, capsys):
    assert main(["reproduce", *arguments]) == 2
    assert arguments[0] in capsys.readouterr().err
    assert experiments.calls == []
