from __future__ import annotations

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
