"""The content of a file cannot steer the terminal."""

from __future__ import annotations

import io
import json
import sys

import pexpect
import pytest

from river_trapezoid.cli import main
from river_trapezoid.labelling import Desk
from tests.cli.terminals import ended, started

# Clears the screen, sets the title of the window, turns the direction of writing.
ESCAPES = "\x1b[2J\x1b]0;title\x07\x9b31m\u202e"


def is_harmless(text):
    return all(c.isprintable() or c in "\n\t" for c in text)


@pytest.fixture
def hostile(tmp_path):
    """A CSV file with escapes in its name, its columns, its categories and its labels."""
    path = tmp_path / f"data{ESCAPES}.csv"
    rows = [
        f"{i % 7},red{ESCAPES},doc{i}{ESCAPES},{'yes' if i % 2 else 'no'}{ESCAPES}"
        for i in range(60)
    ]
    header = f"a{ESCAPES},colour{ESCAPES},id{ESCAPES},label{ESCAPES}"
    path.write_text("\n".join([header, *rows]), encoding="utf-8")
    return path


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_comparison_prints_no_escapes(hostile, tmp_path, capsys, jobs):
    page = tmp_path / f"report{ESCAPES}.html"
    options = ["--target", f"label{ESCAPES}", "--html", str(page), "--jobs", jobs]
    assert main(["compare", str(hostile), *options]) == 0
    shown = capsys.readouterr()
    assert "numbers: a\ufffd[2J" in shown.err
    assert "labels in" in shown.err
    for text in (shown.out, shown.err, page.read_text(encoding="utf-8")):
        assert is_harmless(text)


def test_json_has_the_names_with_their_escapes_encoded(hostile, capsys):
    assert main(["compare", str(hostile), "--target", f"label{ESCAPES}", "--json"]) == 0
    shown = capsys.readouterr()
    assert is_harmless(shown.out)
    assert is_harmless(shown.err)
    assert json.loads(shown.out)["data"]["target"] == f"label{ESCAPES}"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--target", f"lable{ESCAPES}"],
        ["--target", f"id{ESCAPES}"],
        ["--target", f"label{ESCAPES}", "--positive", f"maybe{ESCAPES}"],
        ["--target", f"label{ESCAPES}", "--learners", f"none{ESCAPES}"],
        ["--target", f"label{ESCAPES}", "--format", "libsvm"],
        ["--target", f"label{ESCAPES}", "--csv", f"no{ESCAPES}/records.csv"],
    ],
)
def test_errors_print_no_escapes(hostile, capsys, arguments):
    assert main(["compare", str(hostile), *arguments]) in (1, 2)
    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1
    assert is_harmless(shown.err)


def test_the_report_of_a_failed_learner_prints_no_escapes(tmp_path, capsys):
    path = tmp_path / "huge.csv"
    rows = "".join(f"{i}e300,{i % 2}\n" for i in range(30))
    path.write_text(f"a{ESCAPES},y\n{rows}", encoding="utf-8")
    assert main(["compare", str(path), "--target", "y", "--learners", "Evidence,OLSF,FESL"]) == 0
    shown = capsys.readouterr()
    assert "failed on the as-is stream" in shown.err
    assert is_harmless(shown.err)
    assert is_harmless(shown.out)


def test_commands_on_data_sets_print_no_escapes(tmp_path, capsys):
    folder = tmp_path / f"data{ESCAPES}"
    folder.mkdir()
    assert main(["datasets", "verify", "German", "--data", str(folder)]) == 1
    assert main(["datasets", "fetch", "German", "--data", f"{folder}none"]) == 2
    shown = capsys.readouterr()
    assert "is not there" in shown.out
    assert is_harmless(shown.out)
    assert is_harmless(shown.err)


def test_errors_before_labelling_print_no_escapes(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    path = tmp_path / f"lines{ESCAPES}.txt"
    assert main(["label", str(path)]) == 1
    path.write_text("one\ntwo\n")
    folder = tmp_path / "lines.labels"
    folder.mkdir()
    Desk(["other"], journal=folder / "journal.jsonl")
    assert main(["label", str(path), "--out", str(folder)]) == 1
    shown = capsys.readouterr()
    assert shown.err.count("\n") == 2
    assert is_harmless(shown.err)


def test_labelling_in_a_terminal_sends_no_escapes_of_the_file(hostile):
    terminal = started("label", hostile, "--classes", "a,b")
    terminal.logfile_read = io.StringIO()
    terminal.expect("save and quit")
    terminal.send("1")
    terminal.expect(r"Row \d+ is a")
    terminal.send("q")
    terminal.expect(pexpect.EOF)
    ended(terminal)
    sent = terminal.logfile_read.getvalue()
    assert "title" in sent
    assert "\x1b]0;" not in sent
    assert "\x9b31m" not in sent
    assert "\u202e" not in sent


def test_the_progress_of_reading_sends_no_escapes_of_the_file(tmp_path):
    path = tmp_path / f"data{ESCAPES}.csv"
    path.write_text("a,y\n" + "".join(f"{i % 7},{i % 2}\n" for i in range(100_000)))
    terminal = started("compare", path, "--target", "y", "--learners", "OLSF")
    terminal.logfile_read = io.StringIO()
    terminal.expect("Reading data")
    terminal.expect(pexpect.EOF)
    ended(terminal)
    assert "\x1b]0;" not in terminal.logfile_read.getvalue()
