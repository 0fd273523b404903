"""Instances to label, and labellers who know the answers."""

from __future__ import annotations

import random

from river import datasets

from river_trapezoid import labelling, persist

CLASSES = ["ham", "spam"]
_TOPICS = {
    "ham": ["lunch", "home", "tomorrow", "sorry", "later", "love", "meeting", "dinner", "bus"],
    "spam": ["free", "prize", "win", "cash", "claim", "urgent", "txt", "offer", "mobile"],
    "news": ["parliament", "election", "minister", "strike", "budget", "court", "vote"],
}
_COMMON = ["the", "a", "to", "you", "and", "is", "of", "in", "for"]


def texts(n=120, seed=0, classes=CLASSES):
    """Short texts of several classes, the first the most frequent, and their true classes."""
    rng = random.Random(seed)
    found, truth = [], []
    for number in range(n):
        label = classes[0] if rng.random() < 0.6 else rng.choice(classes[1:])
        words = rng.choices(_TOPICS[label], k=rng.randint(1, 4)) + rng.choices(_COMMON, k=4)
        rng.shuffle(words)
        found.append(f"{' '.join(words)} {number}")
        truth.append(label)
    return found, truth


def pages(n=None):
    """River's web pages, and whether they are honest."""
    instances, labels = zip(*datasets.Phishing().take(n or 1250), strict=True)
    return list(instances), ["phishing" if label else "honest" for label in labels]


def label_all(desk, truth, n=None):
    """Answer truly, as often as asked or up to a number of times."""
    asked = []
    while desk.question is not None and (n is None or len(asked) < n):
        asked.append(desk.question.index)
        desk.answer(truth[desk.question.index])
    return asked


def a_desk(journal=None, n=120, **settings):
    instances, truth = texts(n)
    return labelling.Desk(instances, CLASSES, journal=journal, **settings), truth


def state(desk):
    """All that can be told of a desk, to the last bit."""
    return (
        desk.question,
        desk.answers,
        desk.classes,
        desk.labels,
        desk.accuracy,
        (desk.n_labels, desk.n_checks, desk.n_unknown, desk.n_left),
        persist.dumps(desk._queue),
        list(desk.predictions()),
    )
