from __future__ import annotations

import csv
import json
import subprocess
import sys

import pytest

from river_trapezoid import linear_model, persist
from river_trapezoid.cli import main
from river_trapezoid.datasets import TableFile


@pytest.fixture
def kept(table, tmp_path, capsys):
    """The file of a model that has learned from the table."""
    path = tmp_path / "table.model"
    assert main(["compare", str(table), "--target", "label", "--save", str(path)]) == 0
    capsys.readouterr()
    return path


def test_the_saved_model_is_the_first_learner_trained_on_all_rows(table, tmp_path, capsys):
    path = tmp_path / "table.model"
    assert main(["compare", str(table), "--target", "label", "--save", str(path)]) == 0
    assert f"model: {path} (Evidence, trained on 300 rows)" in capsys.readouterr().out
    model = persist.load(path)
    same = linear_model.EvidenceClassifier()
    source = TableFile(table, "label")
    for x, y in source:
        same.learn_one(x, y)
    assert model.n_rows == 300
    for row in source.rows():
        share = same.predict_proba_one(source.features_of(row))[True]
        assert model.predict_proba_row(row)["yes"] == share


def test_another_learner_is_saved_by_name_with_its_scaler(table, tmp_path, capsys):
    path = tmp_path / "table.model"
    options = ["--target", "label", "--positive", "no", "--save", str(path)]
    assert main(["compare", str(table), *options, "--save-learner", "logisticregression"]) == 0
    model = persist.load(path)
    assert list(model.model.steps) == ["RowEncoder", "TableScaler", "LogisticRegression"]
    rows = list(TableFile(table, "label").rows())
    right = sum(model.predict_row(row) == row["label"] for row in rows)
    assert right > 0.9 * len(rows)


@pytest.mark.parametrize("learner", ["Evidence", "LogisticRegression", "MulticlassOLSF"])
def test_a_model_of_more_than_two_labels_is_saved(table, tmp_path, learner):
    path = tmp_path / "table.model"
    options = ["--target", "colour", "--learners", learner, "--save", str(path)]
    assert main(["compare", str(table), *options]) == 0
    model = persist.load(path)
    assert model.predict_row({"a": "1.0", "note": "a day of good"}) in {"red", "green", "blue"}


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--save-learner", "Evidence"], "needs --save MODEL"),
        (["--save", "x.model", "--save-learner", "OLSF"], "unknown name 'OLSF'"),
        (["--save", "x.model", "--budget", "0.5"], "cannot be combined with --budget"),
        (["--save", "x.model", "--learners", "FLLS"], "FLLS queries labels"),
        (["--save", "no/x.model"], "there is no folder"),
    ],
)
def test_what_cannot_be_saved_is_an_error_before_the_run(
    table, tmp_path, monkeypatch, capsys, options, problem
):
    monkeypatch.chdir(tmp_path)
    assert main(["compare", str(table), "--target", "label", *options]) == 2
    shown = capsys.readouterr()
    assert problem in shown.err
    assert not shown.out
    assert not (tmp_path / "x.model").exists()


def test_a_model_is_saved_of_a_file_only(tmp_path, capsys):
    assert main(["compare", "--save", str(tmp_path / "x.model")]) == 2
    assert "--save: needs a FILE" in capsys.readouterr().err


def test_every_row_of_a_file_gets_its_label_and_probability(table, kept, tmp_path, capsys):
    out = tmp_path / "predictions.csv"
    assert main(["predict", str(kept), str(table), "-o", str(out)]) == 0
    with out.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    model = persist.load(kept)
    rows = list(TableFile(table, "label").rows())
    assert len(found) == len(rows)
    for row, line in zip(rows, found, strict=True):
        shares = model.predict_proba_row(row)
        assert line["label"] == model.predict_row(row)
        assert float(line["probability"]) == shares[line["label"]]
        assert float(line["probability_yes"]) == shares["yes"]


def test_predictions_are_the_same_in_both_formats(table, kept, tmp_path, capsys):
    assert main(["predict", str(kept), str(table)]) == 0
    lines = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    out = tmp_path / "predictions.jsonl"
    assert main(["predict", str(kept), str(table), "-o", str(out)]) == 0
    records = list(map(json.loads, out.read_text(encoding="utf-8").splitlines()))
    assert [record["label"] for record in records] == [line["label"] for line in lines]
    assert [r["probabilities"]["yes"] for r in records] == [
        float(line["probability_yes"]) for line in lines
    ]


@pytest.mark.parametrize(
    ("sent", "header"),
    [
        (["a,b,colour\n", "1.5,4,red\n", "-2,4,blue\n"], ["label,probability,probability_yes"]),
        (["a;b;colour\n", "1,5;4;red\n", "-2,0;4;blue\n"], ["label,probability,probability_yes"]),
        (['{"a": 1.5, "b": 4, "colour": "red"}\n', '{"a": "-2", "colour": "blue"}\n'], []),
    ],
    ids=["commas", "semicolons", "JSON"],
)
def test_a_piped_row_is_answered_before_the_next_one_is_sent(kept, sent, header):
    command = [sys.executable, "-m", "river_trapezoid", "predict", str(kept)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        answers = []
        for row in sent:
            process.stdin.write(row)
            process.stdin.flush()
            answers.append(process.stdout.readline().strip())
        process.stdin.close()
        assert process.wait(60) == 0
    assert answers[: len(header)] == header
    labels = [answer.removeprefix('{"label": "') for answer in answers[len(header) :]]
    assert labels[0].startswith("yes")
    assert labels[1].startswith("no")


def test_columns_that_the_model_does_not_know_are_named_once(kept, tmp_path, capsys):
    rows = tmp_path / "rows.csv"
    rows.write_text("a,roaming,age\n1.0,yes,38\n2.0,no,41\n", encoding="utf-8")
    assert main(["predict", str(kept), str(rows)]) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 3
    assert shown.err.count("note:") == 1
    assert shown.err.rstrip().endswith(": roaming, age")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("a,b\n1,2\n1,2,3\n", "rows.csv, line 3: has 3 cells, but there are 2 columns"),
        ("", "rows.csv: is empty"),
    ],
)
def test_a_damaged_table_is_an_error_and_leaves_no_predictions(
    kept, tmp_path, capsys, content, problem
):
    rows, out = tmp_path / "rows.csv", tmp_path / "out.csv"
    rows.write_text(content, encoding="utf-8")
    assert main(["predict", str(kept), str(rows), "-o", str(out)]) == 1
    assert problem in capsys.readouterr().err
    assert not out.exists()


def test_a_cell_that_is_a_list_is_an_error_with_its_line(kept, tmp_path, capsys):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"a": 1}\n{"a": [1]}\n', encoding="utf-8")
    assert main(["predict", str(kept), str(rows)]) == 1
    assert "rows.jsonl, line 2: column 'a' must hold numbers" in capsys.readouterr().err


def test_a_file_that_is_no_model_of_a_table_is_an_error(table, tmp_path, capsys):
    other = tmp_path / "other.model"
    persist.save(linear_model.EvidenceClassifier(), other)
    for path, status, problem in (
        (table, 1, "table.csv"),
        (other, 2, "holds EvidenceClassifier, not a model of a table"),
        (tmp_path / "none.model", 2, "there is no such file"),
    ):
        assert main(["predict", str(path), str(table)]) == status
        assert problem in capsys.readouterr().err


@pytest.fixture
def more(rows, tmp_path):
    """A table of the same kind, with a new column."""
    path = tmp_path / "more.csv"
    lines = [",".join([*row.values(), "roaming"[: i % 7]]) for i, row in enumerate(reversed(rows))]
    path.write_text("\n".join([",".join([*rows[0], "roaming"]), *lines]) + "\n", encoding="utf-8")
    return path


def test_an_update_learns_from_the_rows_of_another_file(kept, more, capsys):
    same = persist.load(kept)
    assert main(["update", str(kept), str(more), "--target", "label"]) == 0
    assert "(Evidence, trained on 600 rows)" in capsys.readouterr().out
    for row in csv.DictReader(more.read_text(encoding="utf-8").splitlines()):
        same.learn_row(row)
    model = persist.load(kept)
    assert model.n_rows == same.n_rows == 600
    row = {"a": "1", "colour": "red", "roaming": "roam"}
    assert model.predict_proba_row(row) == same.predict_proba_row(row)
    assert not model.unseen(row)


def test_a_killed_update_resumes_with_the_same_result(kept, more, tmp_path, capsys):
    whole = tmp_path / "whole.model"
    whole.write_bytes(kept.read_bytes())
    assert main(["update", str(whole), str(more)]) == 0
    program = """
import os, sys
from river_trapezoid import cli, persist
from river_trapezoid.cli import update

update._SECONDS = 0.0
learn = persist.TableModel.learn_row

def learn_or_die(self, row):
    if self.n_rows == 350:
        os.kill(os.getpid(), 9)
    learn(self, row)

persist.TableModel.learn_row = learn_or_die
cli.main(sys.argv[1:])
"""
    update = ["update", str(kept), str(more)]
    assert subprocess.run([sys.executable, "-c", program, *update], check=False).returncode == -9
    assert persist.load(kept).n_rows == 350
    assert main(["predict", str(kept), str(more)]) == 0
    capsys.readouterr()
    assert main(update) == 0
    assert "resuming after 50 rows" in capsys.readouterr().err
    resumed, straight = persist.load(kept), persist.load(whole)
    assert resumed.n_rows == straight.n_rows == 600
    assert resumed.encoder.columns == straight.encoder.columns
    assert persist.dumps(resumed.learner) == persist.dumps(straight.learner)


def test_an_interrupted_update_leaves_the_saved_model(kept, more, monkeypatch, capsys):
    before = kept.read_bytes()
    learn = persist.TableModel.learn_row

    def learn_or_stop(self, row):
        if self.n_rows == 350:
            raise KeyboardInterrupt
        learn(self, row)

    with monkeypatch.context() as patch:
        patch.setattr(persist.TableModel, "learn_row", learn_or_stop)
        assert main(["update", str(kept), str(more)]) == 130
    assert "has learned from 0 of 300 rows" in capsys.readouterr().err
    assert kept.read_bytes() == before


def test_a_file_is_learned_twice_only_if_asked(table, kept, capsys):
    before = kept.read_bytes()
    assert main(["update", str(kept), str(table)]) == 0
    assert "has learned from all rows of table.csv already" in capsys.readouterr().err
    assert kept.read_bytes() == before
    assert main(["update", str(kept), str(table), "--again"]) == 0
    assert persist.load(kept).n_rows == 600


@pytest.mark.parametrize(
    ("name", "content", "options", "problem"),
    [
        ("m.csv", "a,label\n1,yes\n2,maybe\n", [], "m.csv, line 3: column 'label' must hold"),
        ("m.csv", "a,label\n1,yes\n2\n", [], "m.csv, line 3: has 1 cell"),
        ("m.csv", "a,label\n1,\n", [], "no row has a label in column 'label'"),
        ("m.csv", "a,label\n1,yes\n", ["--target", "y"], "no row has a label in column 'y'"),
        ("m.jsonl", '{"label": "no"}\n{"a": [1], "label": "no"}\n', [], "line 2: column 'a' must"),
    ],
)
def test_a_file_with_a_bad_row_teaches_nothing(
    kept, tmp_path, capsys, name, content, options, problem
):
    before = kept.read_bytes()
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert main(["update", str(kept), str(path), *options]) == 1
    assert problem in capsys.readouterr().err
    assert kept.read_bytes() == before


def test_an_update_takes_the_label_from_another_column(kept, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("a,left\n1,yes\n,no\n2,\n", encoding="utf-8")
    assert main(["update", str(kept), str(path), "--target", "left"]) == 0
    model = persist.load(kept)
    assert model.n_rows == 302
    assert model.unseen({"left": "yes"}) == ["left"]


def test_a_description_says_what_the_model_has_learned(kept, capsys):
    assert main(["describe", str(kept), "--top", "4"]) == 0
    out = capsys.readouterr().out
    for line in (
        "yes is positive, no negative in column 'label'",
        "rows learned from: 300",
        "numbers: a, b, constant",
        "categories: colour",
        "left out, as nearly every value is different: id",
        "the strongest features, as value: evidence for yes (log-odds):",
    ):
        assert line in out
    assert "learner: Evidence, EvidenceClassifier(" in out
    features = out.partition("(log-odds):\n")[2].splitlines()
    assert len(features) == 8
    assert {line.strip() for line in features[::2]} & {"note:good", "note:bad"}


def test_the_curve_of_a_number_is_its_evidence_at_values_of_the_table(kept, capsys):
    assert main(["describe", str(kept), "--top", "100"]) == 0
    lines = capsys.readouterr().out.splitlines()
    points = [point.split(": ") for point in lines[lines.index("  a") + 1].strip().split("   ")]
    values = [float(value) for value, _ in points]
    learner = persist.load(kept).learner
    assert values == pytest.approx([-2, -1, 0, 1, 2], abs=0.3)
    for value, evidence in points:
        found = learner.evidence_one({"a": float(value)})["a"]
        assert float(evidence) == pytest.approx(found, abs=0.005)


@pytest.mark.parametrize(
    ("target", "learner", "shown"),
    [
        ("label", "LogisticRegression", "the largest weights, of scaled features:\n"),
        ("colour", "Evidence", "evidence for red (log-odds):\n"),
        ("colour", "MulticlassOLSF", "the largest weights, of scaled features:\n"),
        ("label", "SVM", "the learner has no weights to show"),
    ],
)
def test_any_saved_learner_is_described(table, tmp_path, capsys, target, learner, shown):
    path = tmp_path / "table.model"
    options = ["--target", target, "--learners", learner, "--save", str(path)]
    assert main(["compare", str(table), *options]) == 0
    capsys.readouterr()
    assert main(["describe", str(path)]) == 0
    assert shown in capsys.readouterr().out
