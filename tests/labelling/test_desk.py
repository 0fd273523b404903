from __future__ import annotations

import collections
import copy
import dataclasses
import json
import math
import os
import pathlib
import random
import statistics
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from river import feature_extraction, linear_model, multiclass, naive_bayes, tree
from scipy import stats

from river_trapezoid import active, labelling, persist, preprocessing
from river_trapezoid.labelling import Desk, JournalError
from river_trapezoid.linear_model import (
    EvidenceClassifier,
    MulticlassOLSFClassifier,
    OLSFClassifier,
)
from tests.interrupts import interrupted
from tests.labelling.labellers import CLASSES, a_desk, label_all, pages, state, texts


def test_every_instance_is_asked_about_once_at_most():
    desk, truth = a_desk()
    asked = label_all(desk, truth)
    assert sorted(asked) == list(range(120))
    assert desk.question is None
    assert (desk.n_labels, desk.n_left) == (120, 0)
    assert list(desk.predictions()) == []
    assert desk.labels == {index: truth[index] for index in asked}


def test_the_model_learns_what_it_is_told():
    desk, truth = a_desk(n=300, budget=80)
    label_all(desk, truth)
    assert desk.n_labels == 80
    predicted = {index: label for index, label, _ in desk.predictions()}
    assert len(predicted) == 220
    right = sum(label == truth[index] for index, label in predicted.items())
    assert right / len(predicted) > 0.95


def test_questions_are_those_that_the_model_is_least_sure_of():
    instances, truth = pages(400)
    desk = Desk(instances, ["honest", "phishing"], n_candidates=400, check_share=0.0)
    label_all(desk, truth, 20)
    for _ in range(20):
        question = desk.question
        left = [i for i in range(400) if i not in desk.labels]
        sampler = active.MarginSampler(desk.model)
        confidences = [sampler.confidence_one(instances[i]) for i in left]
        assert sampler.confidence_one(question.instance) == min(confidences)
        desk.answer(truth[question.index])


def test_the_first_questions_are_drawn_at_random_until_two_classes_were_met():
    desk, _ = a_desk()
    for _ in range(10):
        assert desk.question.guess is None
        assert not desk.question.check
        desk.answer("ham")
    desk.answer("spam")
    assert desk.question.guess is not None or desk.question.check


def test_a_guess_comes_with_its_probability_and_an_explanation():
    desk, truth = a_desk(n=300)
    label_all(desk, truth, 60)
    while desk.question.check:
        desk.answer(truth[desk.question.index])
    question = desk.question
    x = question.instance
    probabilities = desk.model.predict_proba_one(x)
    assert question.guess == CLASSES[desk.model.predict_one(x)]
    assert question.probability == max(probabilities.values())
    explanation = labelling.explain(desk.model, x, question.guess == "spam")
    named = {"label": question.guess, "other": CLASSES[question.guess == "ham"]}
    assert question.explanation == dataclasses.replace(explanation, **named)
    features = {key for reason in explanation.reasons for key in reason.features}
    assert features
    assert features <= set(x.split())


def test_a_share_of_the_questions_is_drawn_at_random_and_tells_no_guess():
    desk, truth = a_desk(n=400, check_share=0.2)
    n_checks = 0
    while desk.n_labels < 100:
        question = desk.question
        if question.check:
            n_checks += 1
            assert (question.guess, question.probability, question.explanation) == (None,) * 3
        desk.answer(truth[question.index])
        if question.check:
            assert desk.answers[-1].guess in CLASSES
    assert n_checks == desk.n_checks == 20


def test_checks_are_a_uniform_sample_of_all_instances():
    """However the others are chosen, each instance is a check equally often."""
    instances, truth = texts(40)
    counts = collections.Counter()
    for seed in range(200):
        desk = Desk(instances, CLASSES, budget=22, check_share=0.2, n_candidates=10, seed=seed)
        label_all(desk, truth)
        counts.update(answer.index for answer in desk.answers if answer.check)
    observed = [counts[index] for index in range(40)]
    assert sum(observed) > 40 * 15
    assert stats.chisquare(observed).pvalue > 0.001
    by_class = sum(count for index, count in counts.items() if truth[index] == "spam")
    share = truth.count("spam") / 40
    error = 4 * math.sqrt(share * (1 - share) * sum(counts.values()))
    assert abs(by_class - share * sum(counts.values())) < error


def test_the_model_does_not_learn_from_checks_until_it_is_finished():
    desk, truth = a_desk(n=300, check_share=0.3)
    label_all(desk, truth, 50)
    while not desk.question.check:
        desk.answer(truth[desk.question.index])
    before = persist.dumps(desk.model)
    desk.answer(truth[desk.question.index])
    assert persist.dumps(desk.model) == before
    twin = desk.model.clone()
    for check in (False, True):
        for answer in desk.answers:
            if answer.check == check:
                twin.learn_one(desk.instances[answer.index], answer.label == "spam")
    assert persist.dumps(desk.finished_model()) == persist.dumps(twin)
    assert persist.dumps(desk.model) == before


def test_the_estimate_holds_what_it_promises():
    """Over many sessions, the interval holds the accuracy on other instances as often as it says."""
    instances, truth = pages()
    within, errors = 0, []
    n_desks = 60
    for seed in range(n_desks):
        order = random.Random(seed).sample(range(1250), 1250)
        own, others = order[:500], order[500:]
        desk = Desk(
            [instances[i] for i in own],
            ["honest", "phishing"],
            budget=100,
            check_share=0.4,
            n_candidates=50,
            seed=seed,
        )
        label_all(desk, [truth[i] for i in own])
        estimate = desk.accuracy
        assert estimate.n_checks == desk.n_checks == 40
        true = sum(desk.predict(instances[i])[0] == truth[i] for i in others) / len(others)
        within += estimate.low <= true <= estimate.high
        errors.append(estimate.share - true)
    assert within >= 53
    assert abs(statistics.fmean(errors)) < 3 * statistics.stdev(errors) / math.sqrt(n_desks)


def test_there_is_no_estimate_before_anything_was_checked():
    desk, truth = a_desk(check_share=0.0)
    label_all(desk, truth, 30)
    assert desk.accuracy is None
    assert desk.n_checks == 0


@pytest.mark.parametrize(("right", "of"), [(0, 1), (9, 10), (50, 50), (123, 200)])
def test_intervals_are_those_of_wilson(right, of):
    desk, _ = a_desk(n=300)
    desk.predict = lambda instance: ("ham", 1.0)
    desk._answers.labels = {
        **{i: labelling.Answer(i, "ham", True, None, None) for i in range(right)},
        **{i: labelling.Answer(i, "spam", True, None, None) for i in range(right, of)},
        **{
            1000 + i: labelling.Answer(1000 + i, c, False, None, None)
            for i, c in enumerate(CLASSES)
        },
    }
    estimate = desk.accuracy
    z, p = stats.norm.ppf(0.975), right / of
    centre = (p + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    assert (estimate.low, estimate.high) == pytest.approx((centre - half, centre + half), abs=1e-12)
    assert estimate.share == p


def test_a_question_that_is_skipped_comes_back_in_the_end():
    desk, truth = a_desk(n=40, check_share=0.0)
    skipped = []
    for _ in range(3):
        skipped.append(desk.question.index)
        desk.skip()
    asked = label_all(desk, truth)
    assert asked[-3:] == skipped
    assert desk.n_labels == 40


def test_all_may_be_skipped_again_and_again():
    desk, _ = a_desk(n=3, check_share=0.0)
    asked = []
    for _ in range(9):
        asked.append(desk.question.index)
        desk.skip()
    assert asked[:3] * 3 == asked
    assert sorted(asked[:3]) == [0, 1, 2]


def test_what_is_not_known_is_never_asked_again_nor_learned():
    desk, truth = a_desk(n=30)
    given_up = desk.question.index
    desk.dont_know()
    assert desk.n_unknown == 1
    asked = label_all(desk, truth)
    assert given_up not in asked
    assert len(asked) == 29
    assert [index for index, *_ in desk.predictions()] == [given_up]


def test_undo_takes_back_anything_and_asks_again():
    desk, truth = a_desk()
    label_all(desk, truth, 25)
    states = [state(desk)]
    for do in (desk.skip, desk.dont_know, lambda: desk.answer("ham"), lambda: desk.answer("news")):
        do()
        states.append(state(desk))
    for before in reversed(states[:-1]):
        desk.undo()
        assert state(desk) == before
    for _ in range(25):
        desk.undo()
    fresh, _ = a_desk()
    assert state(desk) == state(fresh)
    with pytest.raises(IndexError, match="no answer to undo"):
        desk.undo()


def test_the_last_answer_can_be_undone_when_the_budget_is_spent():
    desk, truth = a_desk(budget=5)
    last = label_all(desk, truth)[-1]
    assert desk.question is None
    with pytest.raises(IndexError, match="no question to answer"):
        desk.answer("ham")
    with pytest.raises(IndexError, match="no question to answer"):
        desk.skip()
    desk.undo()
    assert desk.question.index == last


def test_classes_may_be_named_as_they_are_met():
    instances, truth = texts(300, classes=["ham", "spam", "news"])
    desk, named = Desk(instances), Desk(instances, ["ham", "spam", "news"])
    assert desk.classes == ()
    label_all(desk, truth, 100)
    assert sorted(desk.classes) == ["ham", "news", "spam"]
    label_all(named, truth, 100)
    for one in (desk, named):
        predicted = list(one.predictions())
        right = sum(label == truth[index] for index, label, _ in predicted)
        assert right / len(predicted) > 0.9


def test_a_class_that_is_met_late_is_known_as_if_from_the_start():
    instances, truth = texts(100, classes=["ham", "spam", "news"])
    desk = Desk(instances, ["ham", "spam"], check_share=0.0)
    for _ in range(30):
        desk.answer(truth[desk.question.index] if desk.n_labels < 29 else "late")
    model = desk.model["OneVsRestClassifier"]
    assert "late" in model.classifiers
    late = model.classifiers["late"]
    assert sum(a.label != "late" for a in desk.answers) == 29
    twin = EvidenceClassifier()
    words = feature_extraction.BagOfWords()
    for answer in desk.answers:
        x = words.transform_one(desk.instances[answer.index])
        twin.learn_one(x, answer.label == "late")
    assert persist.dumps(late) == persist.dumps(twin)


def test_a_model_of_two_classes_learns_booleans():
    instances, truth = pages(200)
    desk = Desk(instances, ["honest", "phishing"], OLSFClassifier(), check_share=0.0)
    label_all(desk, truth, 50)
    assert type(desk.model) is OLSFClassifier
    assert desk.target("phishing") is True
    assert desk.model.predict_one(instances[0]) in (True, False)
    with pytest.raises(ValueError, match="classes must be two names"):
        desk.answer("third")
    assert desk.n_labels == 50
    for classes in ([], ["a"], ["a", "b", "c"]):
        with pytest.raises(ValueError, match="classes must be two names"):
            Desk(instances, classes, OLSFClassifier())


@pytest.mark.parametrize(
    "model",
    [
        preprocessing.StandardScaler() | OLSFClassifier(),
        preprocessing.StandardScaler() | linear_model.LogisticRegression(),
        MulticlassOLSFClassifier(),
        multiclass.OneVsRestClassifier(linear_model.LogisticRegression()),
        multiclass.OneVsOneClassifier(linear_model.LogisticRegression()),
        naive_bayes.GaussianNB(),
        tree.HoeffdingTreeClassifier(),
    ],
    ids=lambda model: str(model),
)
def test_any_classifier_will_do(model):
    instances, truth = pages(300)
    desk = Desk(instances, ["honest", "phishing"], model, n_candidates=50)
    label_all(desk, truth, 80)
    assert desk.accuracy.n_checks == 8
    predicted = list(desk.predictions())
    right = sum(label == truth[index] for index, label, _ in predicted)
    assert right / len(predicted) > 0.7


def test_samplers_and_regressors_are_refused():
    with pytest.raises(TypeError, match="the classifier that MarginSampler wraps"):
        Desk([{}], CLASSES, active.MarginSampler(OLSFClassifier()))
    pipeline = preprocessing.StandardScaler() | active.MarginSampler(OLSFClassifier())
    with pytest.raises(TypeError, match="the classifier that MarginSampler wraps"):
        Desk([{}], CLASSES, pipeline)
    with pytest.raises(TypeError, match="must be a classifier"):
        Desk([{}], CLASSES, linear_model.LinearRegression())


def test_columns_of_any_kind():
    rows = [
        {"colour": rng.choice(["red", "blue"]), "size": rng.random(), "note": None, "text": text}
        for rng, text in ((random.Random(i), text) for i, text in enumerate(texts(80)[0]))
    ]
    desk = Desk(rows, ["blue", "red"], check_share=0.0)
    while desk.question is not None and desk.n_labels < 40:
        desk.answer(desk.question.instance["colour"])
    assert all(label == rows[i]["colour"] for i, label, _ in desk.predictions())
    assert {key.partition("=")[0] for key in desk.model.value_weights} >= {"colour", "size"}
    assert any(key.startswith("text:") for key in desk.model.value_weights)


def test_features_may_be_made_by_a_function():
    desk = Desk(
        [f"x{i}" for i in range(40)],
        ["even", "odd"],
        features=lambda text: {"last": int(text[1:]) % 2},
        check_share=0.0,
    )
    while desk.n_labels < 20:
        desk.answer(["even", "odd"][int(desk.question.instance[1:]) % 2])
    assert all(label == ["even", "odd"][index % 2] for index, label, _ in desk.predictions())


def test_instances_may_come_from_any_iterable():
    desk = Desk(({"a": i} for i in range(5)), CLASSES)
    assert len(desk.instances) == 5
    with pytest.raises(ValueError, match="instances must not be empty"):
        Desk(iter([]), CLASSES)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"classes": "ham,spam"}, TypeError, "classes"),
        ({"classes": ["a", 1]}, TypeError, "classes"),
        ({"classes": ["a", "a "]}, ValueError, "classes"),
        ({"classes": ["a", ""]}, ValueError, "classes"),
        ({"budget": 0}, ValueError, "budget"),
        ({"check_share": 0.6}, ValueError, "check_share"),
        ({"check_share": -0.1}, ValueError, "check_share"),
        ({"n_candidates": 0}, ValueError, "n_candidates"),
        ({"seed": 0.5}, ValueError, "seed"),
    ],
)
def test_settings_are_checked_before_anything_is_written(tmp_path, settings, error, message):
    with pytest.raises(error, match=message):
        Desk(["a b", "c d"], **({"classes": CLASSES} | settings), journal=tmp_path / "journal")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("last", "error", "message"),
    [
        ({"a": math.inf}, ValueError, "row 3: .*'a' is infinite"),
        ({"a": [1]}, TypeError, "row 3: .*'a'"),
        ("a text", TypeError, "row 3: .*x must be a dict"),
    ],
)
def test_an_instance_that_the_model_does_not_take_is_told_at_once(tmp_path, last, error, message):
    with pytest.raises(error, match=message):
        Desk([{"a": 1.0}, {}, last], CLASSES, journal=tmp_path / "journal")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("deed", ["answer", "undo"])
def test_what_is_interrupted_is_done_or_not(deed):
    """At each point of the code of desks and journals at which Ctrl-C may come."""
    modules = tuple(
        f"river_trapezoid.labelling.{name}" for name in ("answers", "desk", "journal", "models")
    )
    desk, truth = a_desk(n=6, check_share=0.0, n_candidates=1)
    label_all(desk, truth, 3)

    def do(one):
        one.undo() if deed == "undo" else one.answer("spam")

    def outlined(one):
        return one.question, one.answers, one.predict("free lunch")

    before = outlined(desk)
    twin = copy.deepcopy(desk)
    do(twin)
    after = outlined(twin)
    outcomes: list[int] = []
    for one in interrupted(desk, do, modules):
        found = outlined(one)
        outcomes.append([before, after].index(found))
        one._replay()
        assert outlined(one) == found
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {0, 1}


def test_a_model_that_cannot_be_asked_how_sure_it_is_is_refused_at_once(tmp_path):
    model = multiclass.OutputCodeClassifier(OLSFClassifier(), code_size=3)
    with pytest.raises(NotImplementedError, match="predict_proba_one; got OutputCodeClassifier"):
        Desk([{"a": 1.0}], CLASSES, model, journal=tmp_path / "journal")
    assert list(tmp_path.iterdir()) == []


def test_a_desk_goes_on_where_it_was(tmp_path):
    path = tmp_path / "journal"
    desk, truth = a_desk(path)
    label_all(desk, truth, 30)
    desk.skip()
    again, _ = a_desk(path)
    assert state(again) == state(desk)
    without_names = Desk(desk.instances, journal=path)
    assert state(without_names) == state(desk)
    more, _ = a_desk(path, budget=40)
    label_all(more, truth)
    assert more.n_labels == 40


def test_a_journal_of_other_instances_or_settings_is_refused(tmp_path):
    path = tmp_path / "journal"
    desk, truth = a_desk(path)
    label_all(desk, truth, 3)
    before = path.read_bytes()
    with pytest.raises(JournalError, match="other instances"):
        Desk([*desk.instances, "one more"], CLASSES, journal=path)
    with pytest.raises(JournalError, match="seed=0; got 1"):
        a_desk(path, seed=1)
    with pytest.raises(JournalError, match="check_share"):
        a_desk(path, check_share=0.2)
    with pytest.raises(JournalError, match="model='default'"):
        a_desk(path, model=feature_extraction.BagOfWords() | OLSFClassifier())
    with pytest.raises(JournalError, match=r"classes=\['ham', 'spam'\]; got \['a', 'b'\]"):
        Desk(desk.instances, ["a", "b"], journal=path)
    assert path.read_bytes() == before


A_LABEL = {"do": "label", "index": 1, "label": "ham", "check": False, "guess": None}
A_LABEL["probability"] = None


@pytest.mark.parametrize(
    "entry",
    [
        {"do": "dance", "index": 1},
        {"do": ["skip"], "index": 1},
        {"do": "undo"},
        {},
        *(A_LABEL | {"index": index} for index in (120, -1, "1", True, 1.0, [], None)),
        *(A_LABEL | {"label": label} for label in (None, 1, [], "", " ham", "\ud800")),
        *(A_LABEL | {"check": check} for check in ([], {}, 0, None, "no", True)),
        *(A_LABEL | {"guess": guess} for guess in ([], 1, True)),
        *(A_LABEL | {"probability": p} for p in ([], "1", True, 10**400)),
        {name: value for name, value in A_LABEL.items() if name != "check"},
        A_LABEL | {"more": 1},
        {"do": "skip", "index": 1, "label": "ham"},
        {"do": "skip"},
    ],
    ids=repr,
)
def test_an_entry_that_the_desk_cannot_have_written_is_refused(tmp_path, entry):
    path = tmp_path / "journal"
    desk, _ = a_desk(path)
    assert 1 not in desk._reserved
    with path.open("a") as file:
        file.write(json.dumps(entry) + "\n")
    before = path.read_bytes()
    with pytest.raises(JournalError, match=r"journal': entry 1: "):
        a_desk(path)
    assert path.read_bytes() == before


def test_no_instance_is_labelled_twice_or_after_it_was_given_up(tmp_path):
    for first in (A_LABEL, {"do": "unknown", "index": 1}):
        path = tmp_path / first["do"]
        a_desk(path)
        with path.open("a") as file:
            file.write(json.dumps(first) + "\n" + json.dumps(A_LABEL) + "\n")
        with pytest.raises(JournalError, match="entry 2: "):
            a_desk(path)


@pytest.mark.parametrize(
    "classes", [5, "ham,spam", {}, [1, 2], ["a", "a"], [""], [[]], ["\ud800", "b"]], ids=repr
)
def test_a_journal_of_classes_that_are_not_names_is_refused(tmp_path, classes):
    path = tmp_path / "journal"
    desk, _ = a_desk(path)
    first = json.loads(path.read_text())
    path.write_text(json.dumps(first | {"classes": classes}) + "\n")
    with pytest.raises(JournalError, match="classes"):
        Desk(desk.instances, journal=path)


def test_a_third_class_in_the_journal_of_a_model_for_two_is_refused(tmp_path):
    path = tmp_path / "journal"
    settings = {"model": feature_extraction.BagOfWords() | OLSFClassifier(), "journal": path}
    instances = texts(30)[0]
    Desk(instances, CLASSES, check_share=0.0, **settings)
    with path.open("a") as file:
        file.write(json.dumps(A_LABEL | {"label": "news"}) + "\n")
    with pytest.raises(JournalError, match=r"journal': entry 1: "):
        Desk(instances, CLASSES, check_share=0.0, **settings)


def test_a_desk_whose_journal_went_on_elsewhere_says_so(tmp_path):
    path = tmp_path / "journal"
    one, truth = a_desk(path)
    other, _ = a_desk(path)
    one.answer(truth[one.question.index])
    before = state(other)
    with pytest.raises(JournalError, match="another process"):
        other.answer("ham")
    assert state(other) == before


def test_an_answer_that_cannot_be_written_was_not_given(tmp_path, monkeypatch):
    desk, truth = a_desk(tmp_path / "journal")
    label_all(desk, truth, 10)
    before = state(desk)

    def full(handle):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        for do in (desk.skip, desk.dont_know, desk.undo, lambda: desk.answer("ham")):
            with pytest.raises(OSError, match="No space"):
                do()
            assert state(desk) == before
    label_all(desk, truth, 5)
    assert state(desk) == state(a_desk(tmp_path / "journal")[0])


class Picky(OLSFClassifier):
    """A learner that refuses some instances, when it is told their label."""

    def learn_one(self, x, y, w=1.0):
        if x["a"] > 5.0:
            raise OverflowError("too large")
        super().learn_one(x, y, w)


def test_a_label_that_the_model_cannot_learn_is_not_given(tmp_path):
    def opened():
        instances = [{"a": float(i)} for i in range(9)]
        return Desk(instances, CLASSES, Picky(), check_share=0.0, journal=tmp_path / "journal")

    def outlined(desk):
        return desk.question, desk.answers, desk.model.weights

    desk = opened()
    while desk.question is not None:
        before = outlined(desk)
        try:
            desk.answer(CLASSES[desk.question.index % 2])
        except OverflowError:
            assert outlined(desk) == before
            desk.dont_know()
        assert outlined(opened()) == outlined(desk)
    assert (desk.n_labels, desk.n_unknown) == (6, 3)


def test_a_process_killed_before_it_could_take_such_a_label_back_loses_nothing(tmp_path):
    path = tmp_path / "journal"

    def opened():
        instances = [{"a": float(i)} for i in range(9)]
        return Desk(instances, CLASSES, Picky(), check_share=0.0, journal=path)

    desk = opened()
    while desk.question.index <= 5:
        desk.answer(CLASSES[desk.question.index % 2])
    index = desk.question.index
    with pytest.raises(OverflowError):
        desk.answer("ham")
    lines = path.read_bytes().splitlines(keepends=True)
    assert json.loads(lines[-1]) == {"do": "undo"}
    path.write_bytes(b"".join(lines[:-1]))
    again = opened()
    assert (again.question.index, again.answers) == (index, desk.answers)
    assert path.read_bytes() == b"".join(lines)
    # Where another entry follows, it is an error, and nothing is undone.
    another = json.dumps({"do": "skip", "index": min({6, 7, 8} - {index})}).encode() + b"\n"
    path.write_bytes(b"".join(lines[:-1]) + another)
    with pytest.raises(OverflowError):
        opened()
    assert path.read_bytes() == b"".join(lines[:-1]) + another


def test_what_was_skipped_waits_until_all_checks_are_made():
    desk, truth = a_desk(n=30, check_share=0.3)
    label_all(desk, truth, 8)
    skipped = set()
    while desk.question.index not in skipped:
        if desk.question.check:
            desk.answer(truth[desk.question.index])
        else:
            skipped.add(desk.question.index)
            desk.skip()
    assert desk.n_checks == 9
    assert desk.n_labels + len(skipped) == 30


def test_where_all_is_set_aside_the_first_are_learned_all_the_same():
    desk = Desk(["free prize", "lunch at home"], CLASSES, check_share=0.5)
    for label in CLASSES:
        assert not desk.question.check
        desk.answer(label)


DEEDS = st.lists(
    st.sampled_from(
        ["answer"] * 6 + ["other class", "wrong", "skip", "don't know", "undo", "resume", "kill"]
    ),
    max_size=40,
)


@settings(max_examples=40)
@given(DEEDS, st.sampled_from([0.0, 0.1, 0.4]), st.booleans(), st.integers(0, 60))
def test_whatever_is_done_is_what_the_journal_says(deeds, check_share, named, torn):
    """Answers, changes of mind, and processes that end or are killed while they write."""
    instances, truth = texts(25, classes=["ham", "spam", "news"])
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "journal")

        def opened(at=path):
            classes = CLASSES if named else ()
            return Desk(instances, classes, check_share=check_share, journal=at, n_candidates=5)

        desk = opened()
        for deed in deeds:
            if deed in ("resume", "kill"):
                before = state(desk)
                if deed == "kill":
                    entry = json.dumps({"do": "label", "index": 0, "label": "spam" * 10})
                    with path.open("a") as file:
                        file.write(entry[:torn])
                desk = opened()
                assert state(desk) == before
            elif deed == "undo":
                if desk.answers:
                    desk.undo()
            elif desk.question is None:
                continue
            elif deed == "skip":
                desk.skip()
            elif deed == "don't know":
                desk.dont_know()
            else:
                label = truth[desk.question.index]
                wrong = {"ham": "spam", "spam": "news", "news": "ham"}[label]
                desk.answer({"wrong": wrong, "other class": "other"}.get(deed, label))
        copied = path.with_name("copy")
        copied.write_bytes(path.read_bytes())
        assert state(opened(copied)) == state(desk)
        labelled = [answer.index for answer in desk.answers if answer.label is not None]
        assert len(labelled) == len(set(labelled)) == desk.n_labels
        assert desk.n_labels + desk.n_unknown + desk.n_left == 25
        assert (desk.question is None) == (desk.n_left == 0)
