"""What the terminal and the notebook both tell of a desk, in words."""

from __future__ import annotations

from river_trapezoid._printable import printable

from .answers import Answer
from .desk import Accuracy, Desk, Question
from .explanations import Reason

__all__ = [
    "accuracy",
    "asked",
    "for_and_against",
    "found",
    "guess",
    "last",
    "no_such_key",
    "over",
    "printable",
    "spent",
    "taken_back",
]

# Reasons that weigh less than this share of the weightiest on their side are not worth a word.
_LEAST_SHARE = 0.1
# Nor are those that would be told as 0.00.
_LEAST_WEIGHT = 0.005


def spent(desk: Desk) -> str:
    """How many labels have been given, and how many may be."""
    of = "" if desk.budget is None else f" of {desk.budget:,}"
    labels = "label" if desk.n_labels == 1 and not of else "labels"
    text = f"{desk.n_labels:,}{of} {labels} given"
    if desk.n_unknown:
        text += f", {desk.n_unknown:,} not known"
    return f"{text}, {desk.n_left:,} instances left"


def over(desk: Desk) -> str:
    """Why there is no question any more."""
    if desk.n_left:
        return f"No more questions: the budget of {desk.budget:,} labels is spent."
    return "No more questions: every instance has been asked about."


def asked(question: Question) -> str:
    """Why this question is asked."""
    if question.check:
        return "drawn at random, to check the model; it tells its guess afterwards"
    if question.guess is None:
        return "drawn at random, as the model knows nothing yet"
    return "the model is less sure of it than of others"


def guess(question: Question) -> str:
    """What the model takes an instance for."""
    return "" if question.guess is None else _said(question.guess, question.probability)


def for_and_against(question: Question) -> tuple[str, str]:
    """What speaks for the guess, and what against it; nothing if nothing speaks for it.

    A guess may be the best of several that all have little to say for them, or rest on how frequent
    the classes are. What speaks against it would then seem to contradict it.
    """
    in_favour, against = (
        _told([reason for reason in question.reasons if sign * reason.weight > 0.0])
        for sign in (1.0, -1.0)
    )
    return (in_favour, against) if in_favour else ("", "")


def found(desk: Desk) -> str:
    """How many answers there are before the first question is asked."""
    n = len(desk.answers)
    return f"{n:,} answer{'s' if n > 1 else ''} found from before." if n else ""


def taken_back(answer: Answer) -> str:
    """What was undone."""
    row = f"{answer.index + 1:,}"
    if answer.skipped:
        return f"Row {row} is no longer put off."
    return f"The answer to row {row} is taken back."


def no_such_key(key: str) -> str:
    """What is said of a key that means nothing."""
    return f"No such key: {key}" if key.isprintable() and key.strip() else "No such key."


def last(answer: Answer) -> str:
    """What was done last."""
    row = f"Row {answer.index + 1:,}"
    if answer.skipped:
        return f"{row} is put off."
    if answer.label is None:
        return f"{row} is not known."
    text = f"{row} is {printable(answer.label)}"
    if answer.guess is None:
        return f"{text}."
    said = _said(answer.guess, answer.probability)
    return (
        f"{text}; the model {'had it right' if answer.guess == answer.label else 'erred'}: {said}."
    )


def accuracy(estimate: Accuracy | None) -> str:
    """The estimate of the accuracy, and what it is from."""
    if estimate is None:
        return "Accuracy: not known, as nothing has been checked yet."
    checks = "question" if estimate.n_checks == 1 else "questions"
    return (
        f"Accuracy: {_percent(estimate.share)} ({_percent(estimate.low)} to "
        f"{_percent(estimate.high)} with a confidence of 95 %), from {estimate.n_checks:,} {checks} "
        "drawn at random. The other questions are the hard ones, and do not count."
    )


def _said(label: str, probability: float | None) -> str:
    return printable(label) + ("" if probability is None else f", {_percent(probability)}")


def _told(side: list[Reason]) -> str:
    weightiest = max((abs(reason.weight) for reason in side), default=0.0)
    least = max(_LEAST_SHARE * weightiest, _LEAST_WEIGHT)
    return ", ".join(_reason(reason) for reason in side if abs(reason.weight) >= least)


def _reason(reason: Reason) -> str:
    names = " with ".join(" ".join(printable(key).split()) for key in reason.features)
    return f"{names} {abs(reason.weight):.2f}"


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %"
