from __future__ import annotations

import collections
import random

import pytest

from river_trapezoid.labelling import Desk, JournalError, wording
from tests.labelling.forgeries import forged
from tests.labelling.labellers import CLASSES, state, texts

INSTANCES, TRUTH = texts(12)


def a_journal(path):
    """The bytes of a journal in which everything that can be done has been done."""
    desk = opened(path, CLASSES)
    for deed in ("label", "skip", "label", "unknown", "label", "label", "undo", "label", "label"):
        if deed == "label":
            desk.answer(TRUTH[desk.question.index])
        else:
            {"skip": desk.skip, "unknown": desk.dont_know, "undo": desk.undo}[deed]()
    return path.read_bytes()


def opened(path, classes):
    return Desk(INSTANCES, classes, check_share=0.3, n_candidates=3, journal=path)


def outcome(path, classes):
    """Open a journal: whether it is refused, with a message and unchanged, or serves as a true one."""
    data = path.read_bytes()
    refusal = None
    try:
        desk = opened(path, classes)
    except JournalError as error:
        refusal = str(error)
    if refusal is not None:
        assert refusal.isprintable()
        assert len(refusal) < 600
        assert path.read_bytes() == data
        return "refused"
    assert desk.n_labels + desk.n_unknown + desk.n_left == len(INSTANCES)
    assert {answer.index for answer in desk.answers if answer.check} <= desk._reserved
    before = state(desk)
    if desk.question is not None:
        desk.answer("ham")
        assert state(opened(path, classes)) == state(desk)
        desk.undo()
    assert state(opened(path, classes)) == state(desk) == before
    assert wording.accuracy(desk.accuracy)
    desk.save(path.with_name("files"))
    return "opened"


def outcomes(folder, n):
    """How many of a number of forged journals have which outcome."""
    path = folder / "journal"
    true = a_journal(path)
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(n):
        rng = random.Random(seed)
        path.write_bytes(forged(true, rng))
        try:
            counts[outcome(path, rng.choice([CLASSES, ()]))] += 1
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
    return counts


def test_a_forged_journal_is_refused_or_serves_as_a_true_one(tmp_path):
    counts = outcomes(tmp_path, 150)
    assert counts["refused"] > 60
    assert counts["opened"] > 5


@pytest.mark.long
def test_three_thousand_forged_journals(tmp_path, capsys):
    counts = outcomes(tmp_path, 3_000)
    with capsys.disabled():
        print(f"\nforged journals: {counts['refused']:,} refused, {counts['opened']:,} opened")
    assert counts.total() == 3_000
