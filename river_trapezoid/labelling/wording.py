"""The texts about a desk that the terminal and the notebook share."""

from __future__ import annotations

import math

from river_trapezoid._printable import printable

from .answers import Answer
from .desk import Desk
from .explanations import Explanation, Reason
from .questions import Accuracy, Question

__all__ = [
    "accuracy",
    "asked",
    "found",
    "guess",
    "last",
    "no_such_key",
    "over",
    "printable",
    "spent",
    "terms",
    "undone",
]

# The terms to show of each side of an explanation: the largest ones, none below this share of the
# largest.
_MOST_TERMS = 6
_LEAST_SHARE = 0.1
_CONSTANT = "the constant"


def spent(desk: Desk) -> str:
    """The number of labels, of the budget and of remaining instances."""
    of = "" if desk.budget is None else f" of {desk.budget:,}"
    labels = "label" if desk.n_labels == 1 and not of else "labels"
    text = f"{desk.n_labels:,}{of} {labels} given"
    if desk.n_unknown:
        text += f", {desk.n_unknown:,} unknown"
    return f"{text}, {desk.n_left:,} instances left"


def over(desk: Desk) -> str:
    """The reason why there are no more questions."""
    if desk.n_left:
        return f"No more questions: the budget of {desk.budget:,} labels is spent."
    return "No more questions: all instances are answered."


def asked(question: Question) -> str:
    """The reason why a question is asked."""
    if question.check:
        return "random check of the model; its guess is shown after your answer"
    if question.guess is None:
        return "random, as the model has not learned two classes yet"
    return "the model is unsure about this one"


def guess(question: Question) -> str:
    """The class that the model predicts, its probability, and the sum behind them."""
    if question.guess is None:
        return ""
    text = _said(question.guess, question.probability)
    if question.explanation is None:
        return text
    for_it, against = (sum(side.values()) for side in _sides(question.explanation))
    total = for_it - against
    equation = f"{_number(for_it)} − {_number(against)} = {_number(total)}"
    return f"{text} (log-odds {equation})"


def terms(question: Question) -> tuple[str, str]:
    """The terms of that sum: those for the guess, and those for the likeliest other class."""
    explanation = question.explanation
    if explanation is None:
        return "", ""
    for_it, against = (
        ", ".join(f"{name} {_number(number)}" for name, number in side.items() if number)
        for side in _sides(explanation)
    )
    return (
        for_it and f"for {printable(explanation.label)}: {for_it}",
        against and f"for {printable(explanation.other)}: {against}",
    )


def found(desk: Desk) -> str:
    """The number of answers in the journal when the desk was opened."""
    n = len(desk.answers)
    return f"Resumed after {n:,} answer{'s' if n > 1 else ''}." if n else ""


def undone(answer: Answer) -> str:
    """The answer that was undone."""
    row = f"{answer.index + 1:,}"
    if answer.skipped:
        return f"Row {row} is no longer skipped."
    return f"The answer to row {row} is undone."


def no_such_key(key: str) -> str:
    """The reply to a key without a meaning."""
    return f"No such key: {key}" if key.isprintable() and key.strip() else "No such key."


def last(answer: Answer) -> str:
    """The last answer, and whether the model had predicted it."""
    row = f"{answer.index + 1:,}"
    if answer.skipped:
        return f"Row {row} is skipped."
    if answer.label is None:
        return f"The label of row {row} is unknown."
    text = f"Row {row} is {printable(answer.label)}"
    if answer.guess is None:
        return f"{text}."
    verdict = "right" if answer.guess == answer.label else "wrong"
    return f"{text}. The model was {verdict}: {_said(answer.guess, answer.probability)}."


def accuracy(estimate: Accuracy | None) -> str:
    """The estimated accuracy, and the questions that the estimate is based on."""
    if estimate is None:
        return "Accuracy: no estimate yet, as there was no random check."
    checks = "check" if estimate.n_checks == 1 else "checks"
    return (
        f"Accuracy: {_percent(estimate.share)} (95 % confidence interval: {_percent(estimate.low)} to "
        f"{_percent(estimate.high)}), from {estimate.n_checks:,} random {checks}. The other questions "
        "are harder than average and do not count."
    )


def _said(label: str, probability: float | None) -> str:
    return printable(label) + ("" if probability is None else f", {_percent(probability)}")


def _sides(explanation: Explanation) -> tuple[dict[str, int], dict[str, int]]:
    """The terms for a label and against it, by what they are called, in hundredths."""
    terms = [(_names(reason), reason.weight) for reason in explanation.reasons]
    terms.append((_CONSTANT, explanation.constant))
    terms.sort(key=lambda term: -abs(term[1]))
    for_it = _side([(name, weight) for name, weight in terms if weight > 0.0])
    against = _side([(name, -weight) for name, weight in terms if weight < 0.0])
    return for_it, against


def _side(terms: list[tuple[str, float]]) -> dict[str, int]:
    """The largest of positive terms, and the sum of the others, in hundredths that add up."""
    least = _LEAST_SHARE * terms[0][1] if terms else 0.0
    shown: dict[str, float] = {}
    others: list[float] = []
    for name, weight in terms:
        if name == _CONSTANT or (weight >= least and len(shown) < _MOST_TERMS):
            # Two features may look the same.
            shown[name] = shown.get(name, 0.0) + weight
        else:
            others.append(weight)
    if others:
        shown[f"{len(others):,} other{'s' if len(others) > 1 else ''}"] = math.fsum(others)
    hundredths = {name: math.floor(100.0 * weight) for name, weight in shown.items()}
    missing = round(100.0 * math.fsum(weight for _, weight in terms)) - sum(hundredths.values())
    by_remainder = sorted(shown, key=lambda name: hundredths[name] - 100.0 * shown[name])
    for name in by_remainder[: max(missing, 0)]:
        hundredths[name] += 1
    return hundredths


def _names(reason: Reason) -> str:
    return " with ".join(" ".join(printable(key).split()) for key in reason.features)


def _number(hundredths: int) -> str:
    return f"{'−' if hundredths < 0 else ''}{abs(hundredths) / 100:.2f}"


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %"
