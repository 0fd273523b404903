from __future__ import annotations

import json

import pytest

from river_trapezoid import linear_model, persist
from river_trapezoid.persist._format import FORMAT
from tests.persist.make_files import FOLDER, MODELS, probabilities

FILES = sorted(FOLDER.glob("*.model"))


def test_there_is_a_file_of_every_format_and_kind_of_key():
    assert {path.stem for path in FILES} == {
        f"format_{number}_{name}" for number in range(1, FORMAT + 1) for name in MODELS
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_of_every_format_load_and_continue(path):
    model = persist.load(path)
    _, stream = MODELS[path.stem.rpartition("_")[2]]
    answers, expected = (
        probabilities(model, stream),
        json.loads(path.with_suffix(".json").read_text()),
    )
    # The C libraries of two systems may differ in the last digits of a logarithm.
    assert [float.fromhex(answer) for answer in answers] == pytest.approx(
        [float.fromhex(answer) for answer in expected], rel=1e-9
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_of_every_format_can_be_inspected(path):
    assert persist.inspect(path)["river_trapezoid"] == "0.1.0"


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder '.*nowhere'"):
        persist.save(linear_model.OLSFClassifier(), tmp_path / "nowhere" / "plant.model")
