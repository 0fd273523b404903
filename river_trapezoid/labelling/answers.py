from __future__ import annotations

import dataclasses
import math
import reprlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from .journal import JournalError

__all__ = ["LABEL", "SKIP", "UNDO", "UNKNOWN", "Answer", "Answers", "checked_classes"]

# The field `do` of an entry of the journal, and the fields that the entry has.
LABEL, SKIP, UNKNOWN, UNDO = "label", "skip", "unknown", "undo"
_FIELDS = {
    LABEL: {"do", "index", "label", "check", "guess", "probability"},
    SKIP: {"do", "index"},
    UNKNOWN: {"do", "index"},
    UNDO: {"do"},
}


@dataclasses.dataclass(frozen=True)
class Answer:
    """The answer to a question."""

    #: The number of the instance, from 0.
    index: int
    #: The label; None if the question was skipped or the label is unknown.
    label: str | None
    #: Whether the instance was drawn at random, to check the model.
    check: bool
    #: The class that the model predicted; None before it had learned two classes.
    guess: str | None
    #: The probability of that class.
    probability: float | None
    #: Whether the question was skipped.
    skipped: bool = False


class Answers:
    """The answers that were given and not undone.

    Parameters
    ----------
    n_instances
        Number of instances.
    reserved
        Numbers of the instances that are reserved for checks.
    classes
        Names of the classes that are known from the start.
    closed
        Whether there can be no other classes.

    Attributes
    ----------
    all
        The answers, in order.
    classes
        Names of the classes, in the order of their first labels.
    labels
        The answers with a label, by the number of the instance.
    unknown
        Numbers of the instances whose label is unknown.
    skipped
        Numbers of the instances that are skipped, in order.

    """

    def __init__(
        self, n_instances: int, reserved: Collection[int], classes: Sequence[str], closed: bool
    ):
        self._n_instances = n_instances
        self._reserved = reserved
        self._closed = closed
        self.classes = list(classes)
        self.all: list[Answer] = []
        self.labels: dict[int, Answer] = {}
        self.unknown: set[int] = set()
        self.skipped: dict[int, None] = {}

    def replay(self, entries: Iterable[dict[str, Any]]) -> None:
        """Add the answers of all entries of a journal that are not undone.

        Parameters
        ----------
        entries
            The entries.

        """
        kept: list[tuple[int, dict[str, Any]]] = []
        for number, entry in enumerate(entries, start=1):
            if entry == {"do": UNDO} and kept:
                kept.pop()
            else:
                kept.append((number, entry))
        for number, entry in kept:
            self.add(entry, number)

    def add(self, entry: dict[str, Any], number: int) -> Answer:
        """Add the answer in an entry of the journal.

        Parameters
        ----------
        entry
            The entry.
        number
            Its number in the journal, from 1.

        """
        problem = self._problem(entry)
        if problem:
            raise JournalError(f"entry {number:,}: {problem}; got {reprlib.repr(entry)}")
        answer = Answer(
            entry["index"],
            entry.get("label"),
            entry.get("check", False),
            entry.get("guess"),
            entry.get("probability"),
            skipped=entry["do"] == SKIP,
        )
        self.all.append(answer)
        self.skipped.pop(answer.index, None)
        if answer.label is not None:
            self.labels[answer.index] = answer
            if answer.label not in self.classes:
                self.classes.append(answer.label)
        elif answer.skipped:
            self.skipped[answer.index] = None
        else:
            self.unknown.add(answer.index)
        return answer

    def _problem(self, entry: dict[str, Any]) -> str:
        """Return what a desk would have written differently; empty for a valid entry."""
        do, index = entry.get("do"), entry.get("index")
        if type(do) is not str or do not in _FIELDS:
            return f"do must be one of {', '.join(map(repr, _FIELDS))}"
        if entry.keys() != _FIELDS[do]:
            return f"the fields must be {', '.join(sorted(_FIELDS[do]))}"
        if do == UNDO:
            return "undo must follow an answer"
        if type(index) is not int or not 0 <= index < self._n_instances:
            return f"index must be an integer from 0 to {self._n_instances - 1}"
        if index in self.labels or index in self.unknown:
            return "index must be the number of an instance without an answer"
        return self._problem_of_label(entry) if do == LABEL else ""

    def _problem_of_label(self, entry: dict[str, Any]) -> str:
        label, check, probability = entry["label"], entry["check"], entry["probability"]
        if type(label) is not str or not _is_name(label):
            return "label must be the name of a class"
        if self._closed and label not in self.classes:
            return f"label must be one of {', '.join(map(repr, self.classes))}"
        if type(check) is not bool or (check and entry["index"] not in self._reserved):
            return "check must be a boolean, true only for instances drawn at random"
        if type(entry["guess"]) not in (str, type(None)):
            return "guess must be the name of a class or null"
        if probability is not None and (
            type(probability) is not float or not math.isfinite(probability)
        ):
            return "probability must be a finite float or null"
        return ""


def checked_classes(classes: Any) -> list[str]:
    """Return names of classes without surrounding whitespace, or raise an error."""
    iterable = isinstance(classes, Iterable) and not isinstance(classes, str | Mapping)
    given: list[Any] = list(classes) if iterable else [None]
    if not all(isinstance(name, str) for name in given):
        raise TypeError(f"classes must be a sequence of names; got {reprlib.repr(classes)}")
    names = [name.strip() for name in given]
    if not all(map(_is_name, names)) or len(set(names)) < len(names):
        raise ValueError(
            "classes must be distinct names that are not empty and can be encoded as UTF-8; got "
            f"{reprlib.repr(given)}"
        )
    return names


def _is_name(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair.
        return False
    return bool(name) and name == name.strip()
