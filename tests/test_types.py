"""The annotations, as the type checker of a user sees them."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import river_trapezoid

PROGRAM = pathlib.Path(__file__).with_name("user_program.py")


def run(*arguments, folder):
    # The package that is tested, installed or not.
    root = str(pathlib.Path(river_trapezoid.__file__).parents[1])
    environment = {**os.environ, "MYPYPATH": root, "PYTHONPATH": root}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_a_program_passes_the_type_checker(tmp_path):
    checked = run("-m", "mypy", "--follow-imports=silent", str(PROGRAM), folder=tmp_path)
    assert checked.stdout == "Success: no issues found in 1 source file\n", checked.stderr
    wrong = tmp_path / "wrong.py"
    wrong.write_text(PROGRAM.read_text() + 'linear_model.OLSFClassifier(mode="1")\n')
    checked = run("-m", "mypy", "--follow-imports=silent", str(wrong), folder=tmp_path)
    assert 'Argument "mode" to "OLSFClassifier" has incompatible type "str"' in checked.stdout


def test_the_program_runs(tmp_path):
    ran = run(str(PROGRAM), folder=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
