"""Files of every class, whose tags every later version must read and write.

Some tags name other modules than those that hold the classes today.
"""

from __future__ import annotations

import json
import re

import pytest
from river import base

from river_trapezoid import persist
from tests import contracts
from tests.persist.make_files import FOLDER

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
FILES = sorted((FOLDER / "registry").glob("*.model"))
ANSWERS = json.loads((FOLDER / "registry" / "answers.json").read_text())


def node(data: bytes) -> dict:
    """The model in the header of a file."""
    size = int.from_bytes(data[20:24], "little")
    return json.loads(data[96 : 96 + size])["model"]


def answers(model: base.Estimator) -> list[str]:
    found = contracts.outputs(model, n=8, seed=3)
    return [repr(answer[0] if len(answer) == 1 else tuple(answer)) for answer in found]


def kept(old: object, new: object) -> bool:
    """Whether the new node has all of the old one; a later version may add fields."""
    if isinstance(old, dict) and isinstance(new, dict):
        # A set has another order in each process.
        return all(
            set(map(repr, value)) == set(map(repr, new[name]))
            if name == "set"
            else set(map(repr, value["list"])) == set(map(repr, new[name]["list"]))
            if name == "others_seen" and isinstance(value, dict)
            else name in new and kept(value, new[name])
            for name, value in old.items()
        )
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(kept, old, new))
    return old == new


def test_there_is_a_file_of_every_class_of_the_first_version():
    assert len(FILES) == 109
    assert {path.stem for path in FILES} <= set(persist.CLASSES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_loads_and_keeps_its_tag_and_its_state(path):
    data = path.read_bytes()
    again = persist.dumps(persist.loads(data))
    assert node(data)["class"] == path.stem
    assert kept(node(data), node(again))


@pytest.mark.parametrize("tag", ANSWERS)
def test_its_model_answers_as_it_did(tag):
    model = persist.load(FOLDER / "registry" / f"{tag}.model")
    found, expected = " ".join(answers(model)), " ".join(ANSWERS[tag])
    assert NUMBER.sub("", found) == NUMBER.sub("", expected)
    # The C libraries of two systems may differ in the last digits.
    assert list(map(float, NUMBER.findall(found))) == pytest.approx(
        list(map(float, NUMBER.findall(expected))), rel=1e-6, abs=1e-9
    )
