from __future__ import annotations

import html
import os

import pytest

from river_trapezoid.labelling import Desk, wording
from tests.labelling.labellers import CLASSES, a_desk, texts


def test_a_button_for_each_class():
    desk, _ = a_desk()
    panel = desk.widget()
    first = desk.question
    assert list(panel.class_buttons) == CLASSES
    assert html.escape(first.instance) in panel.question.value
    panel.class_buttons["spam"].click()
    assert desk.labels == {first.index: "spam"}
    assert desk.question.instance in panel.question.value
    assert "1 label given" in panel.status.value
    assert f"Row {first.index + 1} is spam." in panel.status.value


def test_guess_reasons_and_estimate_are_shown():
    desk, truth = a_desk(n=300)
    panel = desk.widget()
    while desk.n_labels < 60 or desk.question.check:
        panel.class_buttons[truth[desk.question.index]].click()
    question = desk.question
    assert f"Guess: <b>{html.escape(wording.guess(question))}</b>" in panel.question.value
    for terms in filter(None, wording.terms(question)):
        assert f"<br>{html.escape(terms)}" in panel.question.value
    assert str(question.explanation.reasons[0].features[0]) in panel.question.value
    assert "random check" in panel.status.value
    while not desk.question.check:
        panel.class_buttons[truth[desk.question.index]].click()
    assert "Guess" not in panel.question.value
    assert "random check of the model" in panel.question.value


def test_skip_dont_know_and_undo():
    desk, _ = a_desk()
    panel = desk.widget()
    first = desk.question.index
    assert panel.buttons["undo"].disabled
    panel.buttons["skip"].click()
    panel.buttons["don't know"].click()
    assert [(a.skipped, a.label) for a in desk.answers] == [(True, None), (False, None)]
    panel.buttons["undo"].click()
    panel.buttons["undo"].click()
    assert desk.question.index == first
    assert panel.buttons["undo"].disabled


def test_classes_are_named_as_they_are_met():
    instances, _ = texts(30)
    desk = Desk(instances)
    panel = desk.widget()
    panel.new_class.value = "ham"
    assert panel.new_class.value == ""
    panel.new_class.value = " skip "
    assert desk.classes == ("ham", "skip")
    panel.class_buttons["skip"].click()
    assert [answer.label for answer in desk.answers] == ["ham", "skip", "skip"]
    for _ in range(2):
        panel.buttons["undo"].click()
    assert desk.classes == ("ham",)
    shown = [child.description for child in panel.children[1].children]
    assert shown == ["ham", ""]


def test_nothing_can_be_answered_when_nothing_is_left():
    desk, _ = a_desk(budget=2)
    panel = desk.widget()
    for label in CLASSES:
        panel.class_buttons[label].click()
    assert "No more questions: the budget of 2 labels is spent." in panel.question.value
    assert panel.class_buttons["ham"].disabled
    assert panel.new_class.disabled
    panel.class_buttons["ham"].click()
    assert desk.n_labels == 2
    panel.buttons["undo"].click()
    assert not panel.class_buttons["ham"].disabled


def test_what_goes_wrong_is_shown(tmp_path, monkeypatch):
    desk, _ = a_desk(tmp_path / "journal")
    panel = desk.widget()

    def full(handle):
        raise OSError(28, "No space <left>")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        panel.class_buttons["ham"].click()
    assert "No space &lt;left&gt;" in panel.status.value
    assert desk.n_labels == 0
    panel.class_buttons["ham"].click()
    assert "No space" not in panel.status.value
    other, _ = a_desk(tmp_path / "journal")
    other.answer("ham")
    panel.class_buttons["ham"].click()
    assert "another process" in panel.status.value


@pytest.mark.parametrize("instance", ["<script>alert('&')</script>", {"<b>": "<script>"}])
def test_what_is_in_an_instance_is_text_and_nothing_else(instance):
    panel = Desk([instance], ["<i>", "b"]).widget()
    assert "<script" not in panel.question.value
    assert "&lt;script" in panel.question.value
    panel.class_buttons["<i>"].click()
    assert "<i>" not in panel.status.value
