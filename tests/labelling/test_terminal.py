"""The screen of a desk, with keys that nobody presses; `tests/cli` has a real terminal."""

from __future__ import annotations

import io
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from river_trapezoid.labelling import Desk, Explanation, Question, Reason, wording
from river_trapezoid.labelling.terminal import Terminal, _typed
from tests.labelling.labellers import CLASSES, a_desk, label_all, texts


class Keys:
    """A keyboard on which keys are pressed by themselves, each when a screen has been drawn."""

    def __init__(self, keys, lines=()):
        self.keys, self.lines = list(keys), list(lines)
        self.n_forgotten = 0

    def forget(self):
        self.n_forgotten += 1

    def key(self):
        return self.keys.pop(0) if self.keys else ""

    def line(self, prompt):
        return self.lines.pop(0)


def run(desk, keys, lines=(), width=80, height=24, last=(), title="texts.txt"):
    """The screens that are shown."""
    file = io.StringIO()
    console = Console(file=file, width=width, height=height, force_terminal=True, color_system=None)
    keyboard = Keys(keys, lines)
    Terminal(desk, title, keyboard, console, last).run()
    screens = file.getvalue().split("\x1b[2J\x1b[H")
    assert keyboard.n_forgotten == len(screens) - 1
    return screens[1:]


def test_a_key_for_each_class_and_the_next_question():
    desk, _ = a_desk()
    first = desk.question
    screens = run(desk, "12")
    assert len(screens) == 3
    assert desk.labels == {first.index: "ham", desk.answers[1].index: "spam"}
    assert first.instance in screens[0]
    assert "0 labels given, 120 instances left" in screens[0]
    assert "has not learned two classes yet" in screens[0]
    assert f"Row {first.index + 1} is ham." in screens[1]
    assert "2 labels given" in screens[2]


def test_the_screen_shows_guess_probability_and_the_sum_behind_them():
    desk, truth = a_desk(n=300)
    label_all(desk, truth, 60)
    n_screens = 0
    while n_screens < 20:
        question = desk.question
        if not question.check:
            n_screens += 1
            said = " ".join(run(desk, "")[0].split())
            assert f"Guess: {question.guess}, {100 * question.probability:.0f} % (log-odds" in said
            assert question.explanation.reasons[0].features[0] in said
            for_it, against, total = _shown_sum(said, question)
            assert total == for_it - against >= 0
            assert abs(total - 100 * question.explanation.margin) <= 1
        desk.answer(truth[question.index])


def _shown_sum(said, question):
    """Both sides and the total of the sum on a screen, in hundredths, as their terms add up."""
    equation = re.search(r"log-odds (\d+\.\d\d) − (\d+\.\d\d) = (\d+\.\d\d)", said)
    for_it, against, total = (round(100 * float(number)) for number in equation.groups())
    other = CLASSES[question.guess == "ham"]
    terms = re.search(rf"(for {question.guess}: .*?)?(for {other}: .*?)? 1 ham", said)
    for side, shown in zip((for_it, against), terms.groups(), strict=True):
        numbers = re.findall(r" (\d+\.\d\d)", shown or "")
        assert sum(round(100 * float(number)) for number in numbers) == side
    return for_it, against, total


def test_a_check_says_so_and_tells_its_guess_afterwards():
    desk, truth = a_desk(n=300)
    label_all(desk, truth, 30)
    while not desk.question.check:
        desk.answer(truth[desk.question.index])
    before, after = run(desk, "1")
    assert "random check of the model" in before
    assert "Guess" not in before
    answer = desk.answers[-1]
    assert f"Row {answer.index + 1} is ham. The model was " in after
    assert f"{answer.guess}, {100 * answer.probability:.0f} %" in " ".join(after.split())
    told = " ".join(after.split())
    assert f"from {desk.n_checks} random checks." in told
    assert "The other questions are harder than average and do not count." in told


def test_skip_dont_know_and_undo():
    desk, _ = a_desk()
    first = desk.question.index
    screens = run(desk, "sduuu")
    assert f"Row {first + 1} is skipped." in screens[1]
    assert "is unknown." in screens[2]
    assert "1 unknown" in screens[2]
    assert desk.question.index == first
    assert desk.answers == ()
    assert "The answer to row " in screens[3]
    assert f"Row {first + 1} is no longer skipped." in screens[4]
    assert "there is no answer to undo." in screens[5]


def test_a_desk_that_is_opened_again_says_how_many_answers_it_found():
    desk, truth = a_desk()
    label_all(desk, truth, 3)
    first, second = run(desk, "u")
    assert "Resumed after 3 answers." in first
    assert f"The answer to row {desk.question.index + 1} is undone." in second
    assert "Resumed" not in second
    assert "is ham" not in first + second
    assert "is spam" not in first + second


def test_keys_that_mean_nothing_do_nothing_and_that_is_said():
    desk, _ = a_desk()
    screens = run(desk, ["9", "x", "\x1b", "\n", "ä", "1"])
    assert desk.n_labels == 1
    assert "No such key" not in screens[0] + screens[-1]
    assert "No such key: x" in screens[2]
    assert all("No such key" in screen for screen in screens[1:-1])


def test_classes_are_named_as_they_are_met():
    instances, _ = texts(30)
    desk = Desk(instances)
    screens = run(desk, "n1nnn", ["  ham ", "spam", "", "ham"])
    assert desk.classes == ("ham", "spam")
    assert [answer.label for answer in desk.answers] == ["ham", "ham", "spam", "ham"]
    assert " 1  ham" in screens[1]
    assert " 2  spam" in screens[3]


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("maybe\n", "maybe"),
        ("maybe\x1bq\n", ""),
        ("\x1b", ""),
        ("\r", ""),
        ("may\x1b[D\x1bOA\x1b[3~be\x07\t\x00\r", "maybe"),
        ("\x7fmaz\x7fy語\b!\n", "may!"),
        ("never mind\x15maybe\n", "maybe"),
        ("\x04", ""),
    ],
)
def test_a_line_has_characters_only_and_escape_cancels_it(typed, line):
    echoed = []
    assert _typed(iter([typed]).__next__, echoed.append) == line
    assert "\x1b" not in "".join(echoed)


def test_no_control_character_enters_the_name_of_a_class():
    desk = Desk(texts(30)[0])
    run(desk, "nn", ["may\x1bbe\x00", "\x1b"])
    assert desk.classes == ("maybe",)


def test_a_class_for_which_there_is_no_key_is_refused():
    instances, _ = texts(200)
    desk = Desk(instances)
    names = [f"class {i}" for i in range(31)]
    *_, last = run(desk, "n" * 31, names)
    assert len(desk.classes) == 30
    assert "no keys for more than 30 classes" in last
    run(desk, "z")
    assert desk.answers[-1].label == "class 29"


def test_a_third_class_of_a_model_for_two_is_refused():
    from river import feature_extraction

    from river_trapezoid.linear_model import OLSFClassifier

    instances, _ = texts(30)
    desk = Desk(instances, CLASSES, feature_extraction.BagOfWords() | OLSFClassifier())
    *_, last = run(desk, "n", ["third"])
    assert "classes must be two names" in last
    assert desk.n_labels == 0


def test_when_nothing_is_left_one_may_still_undo():
    desk, _ = a_desk(budget=2)
    *_, last = run(desk, "12")
    assert "the budget of 2 labels is spent" in last
    assert " u  undo" in last
    assert "skip" not in last
    run(desk, "1sdnu")
    assert desk.n_labels == 1
    desk, _ = a_desk(n=2)
    *_, last = run(desk, "12")
    assert "all instances are answered" in last


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("height", [10, 24, 60])
def test_long_texts_and_many_columns_fit_the_screen(width, height):
    long = "word " * 3000 + "end"
    row = {f"column {i} " + "x" * (i * 7): f"value {i} " + "y" * (i * 40) for i in range(40)}
    for instance in (long, row, {"only": long}):
        (screen,) = run(Desk([instance], CLASSES), "", width=width, height=height)
        lines = screen.splitlines()
        assert max(map(len, lines)) <= width
        # Where there is no room for anything, the instance has a few lines all the same.
        assert len(lines) <= max(height, 24)
        assert "…" in screen
        assert " space  show all" in " ".join(lines)


def test_all_of_a_row_is_shown_where_there_is_room():
    row = {f"column{i}": f"value{i}" for i in range(11)}
    (screen,) = run(Desk([row], CLASSES), "")
    assert all(value in screen for value in row.values())
    assert "…" not in screen
    assert "show all" not in screen
    assert len(screen.splitlines()) < 24


@pytest.mark.parametrize("width", [20, 80])
@pytest.mark.parametrize("height", [10, 24])
def test_a_key_shows_all_that_is_hidden(width, height):
    words = [f"word{i}" for i in range(400)]
    row = {f"column{i}": f"value{i}" for i in range(60)}
    table = {**row, "note": " ".join(words)}
    for instance, told in ((" ".join(words), words), (table, [*words, *row.values()])):
        desk = Desk([instance], CLASSES)
        first, *screens = run(desk, " " * 600, width=width, height=height)
        assert any(word not in first for word in told)
        part = screens[: next(i for i, screen in enumerate(screens) if screen == first)]
        shown = " ".join(" ".join(part).split())
        assert all(word in shown.split() for word in told)
        assert all(len(screen.splitlines()) < max(height, 12) for screen in part)
        assert "screen 2 of" in shown
    assert desk.answers == ()


def test_any_other_key_goes_back_from_all_to_the_question():
    desk = Desk(["word " * 3000], CLASSES)
    question, everything, again = run(desk, " 1")
    assert "screen 1 of" in everything
    assert question == again
    assert desk.n_labels == 0


def test_a_long_cell_leaves_room_for_the_columns_after_it():
    row = {"note": "word " * 3000, "colour": "red", "height": 1.5}
    (screen,) = run(Desk([row], CLASSES), "")
    assert "red" in screen
    assert "1.5" in screen
    assert len(screen.splitlines()) == 23


def test_columns_that_tell_least_come_last():
    row = {"id": "x1", "colour": "red", "height": 1.5}
    (screen,) = run(Desk([row], CLASSES), "", last=["id"])
    assert screen.index("colour") < screen.index("height") < screen.index("x1")


def explained(constant, *weights, label="spam", other="ham"):
    reasons = tuple(Reason((f"f{i}",), weight) for i, weight in enumerate(weights))
    margin = constant + math.fsum(weights)
    explanation = Explanation(label, other, margin, constant, reasons)
    question = Question(0, "", False, label, 0.51, explanation)
    return wording.guess(question), *wording.terms(question)


def test_reasons_do_not_contradict_the_guess_as_the_constant_is_shown_with_them():
    assert explained(0.6, 0.11, -0.25, -0.13, label="ham", other="spam") == (
        "ham, 51 % (log-odds 0.71 − 0.38 = 0.33)",
        "for ham: the constant 0.60, f0 0.11",
        "for spam: f1 0.25, f2 0.13",
    )
    assert explained(0.0, 2.0) == (
        "spam, 51 % (log-odds 2.00 − 0.00 = 2.00)",
        "for spam: f0 2.00",
        "",
    )


def test_small_terms_are_shown_together():
    assert explained(0.001, 2.0, *[0.1] * 5)[1] == "for spam: f0 2.00, 5 others 0.50"
    assert explained(0.0, *[1.0] * 9)[1].endswith("f5 1.00, 3 others 3.00")
    assert explained(-0.004, 2.0, -0.001, -0.001)[2] == "for ham: the constant 0.01"


@settings(max_examples=300)
@given(st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=30), st.floats(-1.0, 1.0))
def test_what_is_shown_adds_up_and_has_the_sign_of_the_margin(weights, constant):
    said, *sides = explained(constant, *weights)
    numbers = re.fullmatch(r"spam, 51 % \(log-odds (\S+) − (\S+) = (−?)(\S+)\)", said).groups()
    for_it, against, total = (round(100 * float(numbers[i])) for i in (0, 1, 3))
    total = -total if numbers[2] else total
    assert total == for_it - against
    margin = constant + math.fsum(weights)
    assert total * margin >= 0.0 or abs(margin) < 1e-9
    assert abs(100 * margin - total) < 1.0 + 1e-9
    for side, shown in zip((for_it, against), sides, strict=True):
        terms = re.findall(r"(\d+\.\d\d)(?:, |$)", shown)
        assert sum(round(100 * float(term)) for term in terms) == side


def test_what_is_in_a_file_cannot_move_the_cursor_or_hide_anything():
    text = "a\x1b[2Jb\x07c\x08\rd \u202ebackwards [bold]markup[/bold] \x9b31m"
    for instance in (text, {text: text}):
        desk = Desk([instance], [text, "b"])
        (screen,) = run(desk, "", title=text)
        shown = screen.replace("\n", "")
        assert not set(shown) & set("\x1b\x07\x08\r\u202e\x9b")
        assert "[bold]markup[/bold]" in screen


def test_empty_cells_are_not_shown():
    desk = Desk([{"height": 1.5, "note": "", "gone": None, "zero": 0}], CLASSES)
    (screen,) = run(desk, "")
    assert "height" in screen
    assert "zero" in screen
    assert "note" not in screen
    assert "gone" not in screen
