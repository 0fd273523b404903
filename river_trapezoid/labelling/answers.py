"""What was answered: the entries of a journal, and all that follows from them."""

from __future__ import annotations

import dataclasses
import math
import reprlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from .journal import JournalError

__all__ = ["LABEL", "SKIP", "UNDO", "UNKNOWN", "Answer", "Answers", "checked_classes"]

# The field `do` of an entry, and the other fields that it has then.
LABEL, SKIP, UNKNOWN, UNDO = "label", "skip", "unknown", "undo"
_FIELDS = {
    LABEL: {"do", "index", "label", "check", "guess", "probability"},
    SKIP: {"do", "index"},
    UNKNOWN: {"do", "index"},
}


@dataclasses.dataclass(frozen=True)
class Answer:
    """The answer to a question."""

    #: The number of the instance.
    index: int
    #: The label; None if the question was skipped, or its label is not known.
    label: str | None
    #: Whether the instance was drawn at random, to check the model.
    check: bool
    #: The class that the model had predicted; None if it knew nothing yet.
    guess: str | None
    #: The probability of that class, by the model.
    probability: float | None
    #: Whether the question was skipped.
    skipped: bool = False


class Answers:
    """All answers that are not undone, and what they say of each instance.

    Parameters
    ----------
    n_instances
        Number of instances.
    reserved
        The numbers of the instances that are set aside to check the model.
    classes
        Names of the classes that are known from the start.
    fixed
        Whether there can be no other classes.

    Attributes
    ----------
    all
        The answers, in order.
    classes
        Names of the classes, in the order in which they became known.
    labels
        The answers that are labels, by the number of the instance.
    unknown
        The instances whose label is not known.
    skipped
        The instances that were skipped last, in order.

    """

    def __init__(
        self, n_instances: int, reserved: Collection[int], classes: Sequence[str], fixed: bool
    ):
        self._n_instances = n_instances
        self._reserved = reserved
        self._fixed = fixed
        self.classes = list(classes)
        self.all: list[Answer] = []
        self.labels: dict[int, Answer] = {}
        self.unknown: set[int] = set()
        self.skipped: dict[int, None] = {}

    def add(self, entry: dict[str, Any], number: int) -> Answer:
        """Add the answer that an entry of the journal holds.

        Parameters
        ----------
        entry
            The entry.
        number
            Its number in the journal, from 1.

        """
        problem = self._problem(entry)
        if problem:
            raise JournalError(
                f"entry {number:,} of the journal: {problem}; got {reprlib.repr(entry)}"
            )
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
        """What is wrong with an entry; empty if it is one that a desk writes."""
        do, index = entry.get("do"), entry.get("index")
        if type(do) is not str or do not in (*_FIELDS, UNDO):
            return f"do must be one of {', '.join(map(repr, (*_FIELDS, UNDO)))}"
        if do == UNDO:
            return "there is no answer to undo" if entry == {"do": UNDO} else "undo has no fields"
        if entry.keys() != _FIELDS[do]:
            return f"the fields must be {', '.join(sorted(_FIELDS[do]))}"
        if type(index) is not int or not 0 <= index < self._n_instances:
            return f"index must be an integer from 0 to {self._n_instances - 1}"
        if index in self.labels or index in self.unknown:
            return "index must be that of an instance that was not answered before"
        return self._problem_of_label(entry) if do == LABEL else ""

    def _problem_of_label(self, entry: dict[str, Any]) -> str:
        label, check, probability = entry["label"], entry["check"], entry["probability"]
        if type(label) is not str or not _is_name(label):
            return "label must be the name of a class"
        if self._fixed and label not in self.classes:
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
    """Names of classes without the space around them; a TypeError or ValueError if they are not."""
    iterable = isinstance(classes, Iterable) and not isinstance(classes, str | Mapping)
    given: list[Any] = list(classes) if iterable else [None]
    if not all(isinstance(name, str) for name in given):
        raise TypeError(f"classes must be a sequence of names; got {reprlib.repr(classes)}")
    names = [name.strip() for name in given]
    if not all(map(_is_name, names)) or len(set(names)) < len(names):
        raise ValueError(
            "classes must be different names, none of them empty, of characters that UTF-8 has; "
            f"got {reprlib.repr(given)}"
        )
    return names


def _is_name(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        # Half a surrogate pair cannot be written to a file.
        return False
    return bool(name) and name == name.strip()
