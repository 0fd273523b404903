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
    wrong = tmp_path / "wrong.py"
    wrong.write_text(PROGRAM.read_text() + 'linear_model.OLSFClassifier(mode="1")\n')
    checked = run(
        "-m", "mypy", "--follow-imports=silent", str(PROGRAM), str(wrong), folder=tmp_path
    )
    (mistake, summary) = checked.stdout.splitlines()
    assert 'Argument "mode" to "OLSFClassifier" has incompatible type "str"' in mistake
    assert summary == "Found 1 error in 1 file (checked 2 source files)", checked.stderr


def test_the_program_runs(tmp_path):
    ran = run(str(PROGRAM), folder=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
