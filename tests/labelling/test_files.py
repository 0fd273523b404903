from __future__ import annotations

import csv
import json
import os
import pathlib

import pytest
from river import tree

from river_trapezoid import persist
from river_trapezoid.labelling import Desk
from tests.labelling.labellers import CLASSES, a_desk, label_all, pages, texts


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_labels_predictions_and_model_are_written(tmp_path):
    desk, truth = a_desk(n=200, check_share=0.2)
    label_all(desk, truth, 60)
    desk.dont_know()
    files = desk.save(tmp_path / "new" / "folder")
    assert sorted(os.path.basename(file) for file in files) == sorted(
        os.listdir(tmp_path / "new" / "folder")
    )
    labels, predictions, model, summary = files

    rows = table(labels)
    assert list(rows[0]) == ["row", "label", "question", "text"]
    assert {int(row["row"]) - 1: row["label"] for row in rows} == desk.labels
    assert all(desk.instances[int(row["row"]) - 1] == row["text"] for row in rows)
    assert [row["question"] for row in rows].count("check") == desk.n_checks == 12

    others = table(predictions)
    assert len(rows) + len(others) == 200
    loaded = persist.load(model)
    for row in others:
        assert row["prediction"] == CLASSES[loaded.predict_one(row["text"])]
        probability = max(loaded.predict_proba_one(row["text"]).values())
        assert float(row["probability"]) == pytest.approx(probability, abs=1e-4)

    told = json.loads(pathlib.Path(summary).read_text(encoding="utf-8"))
    assert told["model_labels"] == {"ham": False, "spam": True}
    assert (told["labels"], told["checks"], told["unknown"]) == (60, 12, 1)
    assert told["accuracy"]["low"] <= told["accuracy"]["share"] <= told["accuracy"]["high"]


def test_columns_are_kept_also_if_they_are_called_as_ours(tmp_path):
    rows = [{"row": "a", "label": str(i), "x,y": f'"{i}"\nä'} for i in range(20)]
    rows[3]["only here"] = 1.5
    desk = Desk(rows, CLASSES, check_share=0.0)
    desk.answer("ham")
    desk.answer("spam")
    labels, predictions, *_ = desk.save(tmp_path)
    first = table(labels)[0]
    index = int(first["row"]) - 1
    assert first["row_"] == "a"
    assert first["label_"] == str(index)
    assert first["x,y"] == f'"{index}"\nä'
    assert [row["only here"] for row in table(labels) + table(predictions)].count("1.5") == 1


def test_many_classes_are_the_labels_of_the_model(tmp_path):
    instances, truth = texts(150, classes=["ham", "spam", "news"])
    desk = Desk(instances)
    label_all(desk, truth, 60)
    *_, model, summary = desk.save(tmp_path)
    assert persist.load(model).predict_one("parliament vote budget") == "news"
    told = json.loads(pathlib.Path(summary).read_text(encoding="utf-8"))
    assert told["model_labels"] == {name: name for name in desk.classes}


def test_a_model_that_knows_nothing_predicts_nothing(tmp_path):
    desk, _ = a_desk(n=20)
    desk.answer("ham")
    _, predictions, *_ = desk.save(tmp_path)
    assert {row["prediction"] for row in table(predictions)} == {""}
    assert {row["probability"] for row in table(predictions)} == {""}


def test_a_model_that_cannot_be_saved_is_told_before_anything_is_written(tmp_path):
    instances, truth = pages(50)
    desk = Desk(instances, ["honest", "phishing"], tree.HoeffdingTreeClassifier())
    label_all(desk, truth, 10)
    with pytest.raises(TypeError, match="HoeffdingTreeClassifier is not among the classes"):
        desk.save(tmp_path / "folder")
    assert list(tmp_path.iterdir()) == []


def test_each_file_is_whole_or_as_it_was(tmp_path, monkeypatch):
    desk, truth = a_desk(n=50)
    label_all(desk, truth, 20)
    files = desk.save(tmp_path)
    before = {file: pathlib.Path(file).read_bytes() for file in files}
    label_all(desk, truth, 10)
    replace, n_calls = os.replace, 0

    def failing(source, target):
        nonlocal n_calls
        n_calls += 1
        if n_calls == 2:
            raise OSError(28, "No space left on device")
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", failing)
        with pytest.raises(OSError, match="No space"):
            desk.save(tmp_path)
    assert sorted(map(str, tmp_path.iterdir())) == sorted(files)
    assert len(table(files[0])) == 30
    for file in files[1:]:
        assert pathlib.Path(file).read_bytes() == before[file]
    # The desk itself may go on after it was saved.
    label_all(desk, truth)
    desk.save(tmp_path)
    assert len(table(files[0])) == 50
    assert table(files[1]) == []
