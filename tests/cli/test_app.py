from __future__ import annotations

import json
import subprocess
import sys

import pytest

import river_trapezoid
from river_trapezoid import weights
from river_trapezoid.cli import main


def test_runs_as_a_module():
    run = subprocess.run(
        [sys.executable, "-m", "river_trapezoid", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == (
        f"river-trapezoid {river_trapezoid.__version__} ({weights.KERNEL} weights)\n"
    )


def test_help_lists_the_commands_and_is_plain_text_outside_a_terminal(capsys):
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    for command in ("compare", "label", "datasets"):
        assert f"\n  {command}" in out
    assert out.isascii()
    assert max(map(len, out.splitlines())) <= 80


def test_without_a_command_options_belong_to_compare(capsys):
    outcomes = []
    for command in ([], ["compare"]):
        assert main([*command, "--repeats", "1", "--stream", "capricious", "--json"]) == 0
        outcome = json.loads(capsys.readouterr().out)
        for row in outcome["results"]:
            del row["seconds"]
        outcomes.append(outcome)
    assert outcomes[0] == outcomes[1]


def test_without_a_command_a_file_is_compared(table, capsys):
    assert main([str(table), "--target", "label"]) == 0
    assert "Evidence" in capsys.readouterr().out


def test_an_unknown_command_gives_one_line_with_the_nearest_name(capsys):
    assert main(["compre"]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("river-trapezoid: error: ")
    assert "'compare'" in shown.err
    assert shown.err.count("\n") == 1


def test_the_version_needs_no_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "typer", None)
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith(f"river-trapezoid {river_trapezoid.__version__} (")


@pytest.mark.parametrize("arguments", [[], ["--help"], ["compare"]])
def test_a_missing_extra_gives_the_command_that_installs_it(arguments, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "typer", None)
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert 'pip install -e ".[cli]"' in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""
