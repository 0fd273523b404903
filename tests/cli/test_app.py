from __future__ import annotations

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


def test_help_lists_the_commands_and_is_plain_where_nobody_looks(capsys):
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    for command in ("compare", "reproduce"):
        assert f"\n  {command}" in out
    assert out.isascii()
    assert max(map(len, out.splitlines())) <= 80


def test_options_without_a_command_are_those_of_a_comparison(capsys):
    options = ["--repeats", "1", "--seed", "3"]
    assert main(options) == 0
    bare = capsys.readouterr().out.splitlines()
    assert main(["compare", *options]) == 0
    # The seconds differ.
    assert capsys.readouterr().out.splitlines()[:5] == bare[:5]


def test_an_unknown_command_is_one_line_with_the_nearest_name(capsys):
    assert main(["compre"]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("river-trapezoid: error: ")
    assert "'compare'" in shown.err
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["--version"], ["compare"]])
def test_without_the_extra_the_command_line_says_what_to_install(arguments, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "typer", None)
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert 'pip install "river-trapezoid[cli]"' in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""
