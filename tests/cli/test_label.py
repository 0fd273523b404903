"""Labelling in a real terminal by a person who answers correctly, also when the program is killed."""

from __future__ import annotations

import csv
import gzip
import json
import random
import re
import signal
import sys
import time

import pexpect
import pytest

from river_trapezoid import datasets, persist
from river_trapezoid.cli import main
from river_trapezoid.labelling import Desk
from tests.cli.terminals import ended, started
from tests.labelling.labellers import CLASSES, label_all, texts

QUESTION = re.compile(r"Row ([\d,]+): ")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "messages.txt"
    path.write_text("\n".join(texts()[0]) + "\n", encoding="utf-8")
    return path


def start(file, *options):
    return started("label", file, *options)


def asked(terminal):
    """The number of the instance in the question."""
    terminal.expect(QUESTION)
    return int(terminal.match.group(1).replace(",", "")) - 1


def answered(terminal, truth):
    index = asked(terminal)
    terminal.send(str(1 + CLASSES.index(truth[index])))
    return index


def rest(terminal):
    """What is printed until the program ends, as one line of text."""
    terminal.expect(pexpect.EOF)
    terminal.close()
    return " ".join(ESCAPE.sub("", terminal.before).split())


def labels_in(folder):
    with open(folder / "labels.csv", newline="", encoding="utf-8") as lines:
        return {int(row["row"]) - 1: row["label"] for row in csv.DictReader(lines)}


def test_a_session_from_the_first_question_to_the_files(file, tmp_path):
    _, truth = texts()
    terminal = start(file, "--classes", "ham,spam", "--budget", "12")
    wrong = asked(terminal)
    terminal.send("2" if truth[wrong] == "ham" else "1")
    asked(terminal)
    terminal.send("u")
    indices = [answered(terminal, truth) for _ in range(12)]
    assert indices[0] == wrong
    terminal.expect("the budget of 12 labels is spent")
    terminal.send("q")
    said = rest(terminal)
    assert terminal.exitstatus == 0
    folder = tmp_path / "messages.txt.labels"
    assert labels_in(folder) == {index: truth[index] for index in indices}
    assert "12 of 12 labels given" in said
    assert "It takes a line of text, and predicts False for ham, True for spam." in said
    model = persist.load(folder / "labels.model")
    assert model.predict_one("claim your free prize") in (True, False)
    assert len((folder / "predictions.csv").read_text(encoding="utf-8").splitlines()) == 109


def test_a_session_with_arrows_held_keys_new_classes_and_ctrl_c(file, tmp_path):
    """Press arrows, hold keys down, add a class, press Ctrl-C, and resume."""
    terminal = start(file)
    first = asked(terminal)
    terminal.send("\x1b[A")
    terminal.send("n")
    terminal.expect("Name of the class")
    terminal.sendline("junk")
    second = asked(terminal)
    assert first != second
    terminal.send("n")
    terminal.expect("Escape cancels")
    terminal.send("maybe\x1b")
    assert asked(terminal) == second
    terminal.send("n")
    terminal.expect("Name of the class")
    terminal.sendline("goo\x1b[Ddx\x7f")
    third = asked(terminal)
    # At once: the first key answers this question, and the others are dropped.
    terminal.send("1111")
    fourth = asked(terminal)
    terminal.sendintr()
    said = rest(terminal)
    assert "3 labels given" in said
    assert "Run the same command again to resume." in said
    folder = tmp_path / "messages.txt.labels"
    assert labels_in(folder) == {first: "junk", second: "good", third: "junk"}
    terminal = start(file)
    assert asked(terminal) == fourth
    terminal.sendeof()
    terminal.send("q")
    rest(terminal)
    assert labels_in(folder) == {first: "junk", second: "good", third: "junk"}


@pytest.fixture(params=[signal.SIG_DFL, signal.SIG_IGN], ids=["by default", "where it is ignored"])
def _hangup(request):
    """What SIGHUP does to this process, whose children inherit it."""
    before = signal.signal(signal.SIGHUP, request.param)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("_hangup")
def test_a_terminal_that_is_closed_loses_nothing(file, tmp_path):
    _, truth = texts()
    terminal = start(file, "--classes", "ham,spam")
    indices = [answered(terminal, truth) for _ in range(3)]
    question = asked(terminal)
    terminal.kill(signal.SIGHUP)
    ended(terminal)
    terminal = start(file)
    assert asked(terminal) == question
    terminal.send("q")
    rest(terminal)
    assert labels_in(tmp_path / "messages.txt.labels") == {i: truth[i] for i in indices}


def killed(file, folder, n_kills, n_labels):
    """Label a file in a terminal that is killed again and again, at moments drawn at random."""
    instances, truth = texts()
    journal = folder / "journal.jsonl"
    rng = random.Random()
    seen = []
    confirmed: set[int] = set()
    moments = sorted(rng.sample(range(n_labels - 1), n_kills))
    for moment in [*moments, None]:
        terminal = start(file, "--classes", "ham,spam", "--budget", str(n_labels))
        last = None
        while moment is None or len(confirmed) < moment:
            found = terminal.expect([QUESTION, "labels is spent"])
            if last is not None:
                # The next question is on the screen: the answer before it was given.
                confirmed.add(last)
            if found == 1:
                break
            last = int(terminal.match.group(1).replace(",", "")) - 1
            assert last not in confirmed, "asked again"
            seen.append(last)
            terminal.send(str(1 + CLASSES.index(truth[last])))
        if moment is None:
            terminal.send("q")
            rest(terminal)
            assert terminal.exitstatus == 0
            break
        # At the beginning, while a question is drawn, or while an answer is written.
        time.sleep(rng.choice([0.0, rng.uniform(0.0, 0.05), rng.uniform(0.0, 2.0)]))
        terminal.kill(signal.SIGKILL)
        ended(terminal)
        entries = journal.read_bytes().split(b"\n")[1:-1] if journal.exists() else []
        written = [json.loads(entry)["index"] for entry in entries]
        assert len(written) == len(set(written))
        # The answer in progress may be there, or the question may be repeated.
        assert confirmed <= set(written) <= confirmed | {last}
        confirmed = set(written)
    assert labels_in(folder) == {index: truth[index] for index in confirmed}
    assert len(confirmed) == n_labels
    # To the last byte, it is the journal of a session that was never killed.
    desk = Desk(instances, CLASSES, budget=n_labels, journal=folder / "whole.jsonl")
    label_all(desk, truth)
    assert journal.read_bytes() == (folder / "whole.jsonl").read_bytes()


def test_a_session_that_is_killed_loses_nothing_and_asks_nothing_again(file, tmp_path):
    killed(file, tmp_path / "messages.txt.labels", n_kills=3, n_labels=25)


@pytest.mark.long
def test_a_session_that_is_killed_twenty_times_loses_nothing(file, tmp_path):
    killed(file, tmp_path / "messages.txt.labels", n_kills=20, n_labels=100)


def test_ignored_columns_are_not_shown(tmp_path):
    path = tmp_path / "plants.csv"
    rows = [f"{i % 7}.5,{'red' if i % 2 else 'blue'},secret{i % 2}" for i in range(40)]
    path.write_text("\n".join(["height,colour,answer", *rows]), encoding="utf-8")
    terminal = start(path, "--classes", "a,b", "--ignore", "answer", "--out", str(tmp_path / "out"))
    index = asked(terminal)
    terminal.expect("save and quit")
    screen = ESCAPE.sub("", terminal.before)
    assert "red" in screen if index % 2 else "blue" in screen
    assert "secret" not in screen
    terminal.send("1")
    asked(terminal)
    terminal.send("2")
    asked(terminal)
    terminal.send("q")
    assert "datasets.TableFile('plants.csv').features_of(row)" in rest(terminal)
    model = persist.load(tmp_path / "out" / "labels.model")
    assert not any("answer" in key for key in model.value_weights)
    plants = datasets.TableFile(path, ignore=["answer"])
    assert model.predict_one(plants.features_of({"height": "2.5", "colour": "red"})) in (
        True,
        False,
    )


def test_compressed_lines_of_text_may_have_any_name(file, tmp_path):
    path = tmp_path / "messages.gz"
    path.write_bytes(gzip.compress(file.read_bytes()))
    terminal = start(path, "--classes", "ham,spam", "--format", "text")
    index = asked(terminal)
    terminal.expect(texts()[0][index])
    terminal.kill(signal.SIGKILL)
    terminal.close()


def fails(capsys, monkeypatch, *arguments):
    """The message and exit status of a command that fails at its start."""
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    status = main(["label", *map(str, arguments)])
    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1
    assert shown.err.startswith("river-trapezoid: error: ")
    assert shown.out == ""
    return status, shown.err


def test_without_a_terminal_nothing_is_asked(file, capsys):
    assert main(["label", str(file)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("river-trapezoid: error: label asks questions: run it in a terminal")
    assert said.count("\n") == 1
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--classes", "ham"], 2, "at least two distinct names"),
        (["--classes", "ham,,spam"], 2, "at least two distinct names"),
        (["--classes", "ham,ham"], 2, "at least two distinct names"),
        (["--classes", "ham,sp\x1bam"], 2, "control characters"),
        (["--budget", "0"], 2, "--budget"),
        (["--check", "0.7"], 2, "--check"),
        (["--format", "xml"], 2, "format must be one of"),
        (["--encoding", "utf-99"], 2, "encoding must be one that Python knows"),
        (["--encoding", "ascii"], 1, "line 121: is not ASCII text; try another encoding"),
    ],
)
def test_mistakes_give_one_line_before_labelling_starts(
    file, capsys, monkeypatch, arguments, status, message
):
    with file.open("a", encoding="utf-8") as lines:
        lines.write("ä")
    found, said = fails(capsys, monkeypatch, file, *arguments)
    assert found == status
    assert message in said
    assert list(file.parent.iterdir()) == [file]


def test_files_that_cannot_be_read_or_written_give_one_line(tmp_path, file, capsys, monkeypatch):
    for name in ("missing.txt", "missing.csv"):
        status, said = fails(capsys, monkeypatch, tmp_path / name)
        assert status == 1
        assert f"{name}: there is no such file" in said
    assert "is a folder" in fails(capsys, monkeypatch, tmp_path)[1]
    empty = tmp_path / "empty.txt"
    empty.write_text("\n \n")
    assert "has no lines" in fails(capsys, monkeypatch, empty)[1]
    status, said = fails(capsys, monkeypatch, file, "--out", file / "folder")
    assert status == 1
    assert "messages.txt" in said
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,2\n")
    assert "did you mean" in fails(capsys, monkeypatch, table, "--ignore", "aa")[1]
    assert (
        "got 'foo'; the columns are 'a', 'b'"
        in fails(capsys, monkeypatch, table, "--text", "foo")[1]
    )


def test_a_line_of_text_has_a_largest_length(tmp_path, capsys, monkeypatch):
    path = tmp_path / "bomb.txt.gz"
    path.write_bytes(gzip.compress(b"short\n" + b"x" * (1 << 24) + b"x\n"))
    status, said = fails(capsys, monkeypatch, path)
    assert status == 1
    assert "bomb.txt.gz, line 2: has more than 16,777,216 characters" in said


def test_a_file_that_has_changed_is_an_error(file, capsys, monkeypatch):
    folder = file.parent / "out"
    folder.mkdir()
    Desk(texts()[0], CLASSES, journal=folder / "journal.jsonl")
    file.write_text("something else\n", encoding="utf-8")
    status, said = fails(capsys, monkeypatch, file, "--out", folder)
    assert status == 1
    assert "other instances" in said
    assert "--out FOLDER starts another journal" in said
