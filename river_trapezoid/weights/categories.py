# cython: language_level=3, infer_types=True, annotation_typing=False, binding=False, cdivision=True
"""The categories of features whose values are strings.

The features of an instance that are strings become entries of the table like all others, under a
key of their own (`category_key`), so that a feature that comes with a number now and a string then
is two features. What is known of each category is here.
"""

from __future__ import annotations

import itertools
import warnings
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

from river_trapezoid._instance import Features

try:
    import cython
except ImportError:
    from river_trapezoid.weights import _nocython as cython
if not cython.compiled:
    # Heads that there can be: the weights of a category, and as many variances.
    MOST_HEADS_OF_ALL = 5

__all__ = ["CATEGORY_WIDTH", "AtHand", "Categories", "Category", "category_key", "has_text"]

MARK = "<category>"
PRIOR_VARIANCE = 0.1
# Numbers of a category: number of uses, place, two counts, and weights and variances of all heads.
CATEGORY_WIDTH = 14
# Of so many categories used longest ago, the rarest is dropped.
N_OLDEST = 8
# After so many strings that are all numbers, there is a warning.
N_NUMERIC = 20


class Category:
    """What is known of one category: its uses, its decayed counts of the labels, and its weights.

    Parameters
    ----------
    place
        The number of categories of the feature that came before.

    """

    def __init__(self, place: int):
        if not cython.compiled:
            self.labels, self.weights = [0.0, 0.0], [0.0] * (2 * MOST_HEADS_OF_ALL)
        self.place, self.uses = place, 0.0
        self.labels[0], self.labels[1] = 0.0, 0.0
        for h in range(MOST_HEADS_OF_ALL):
            self.weights[h] = 0.0
            self.weights[MOST_HEADS_OF_ALL + h] = PRIOR_VARIANCE

    def to_list(self) -> list[float]:
        """All numbers of the category."""
        numbers = [self.uses, float(self.place), self.labels[0], self.labels[1]]
        return numbers + [self.weights[i] for i in range(2 * MOST_HEADS_OF_ALL)]

    def fill(self, numbers: list[float]) -> int:
        """Take the numbers that `to_list` returned."""
        self.uses, self.place = numbers[0], int(numbers[1])
        self.labels[0], self.labels[1] = numbers[2], numbers[3]
        for i in range(2 * MOST_HEADS_OF_ALL):
            self.weights[i] = numbers[4 + i]
        return 0

    def count(self) -> float:
        """The decayed number of labels."""
        return self.labels[0] + self.labels[1]

    def divide(self, unit: float) -> int:
        """Divide the counts by a unit."""
        self.labels[0] /= unit
        self.labels[1] /= unit
        return 0


class Categories:
    """The categories of a feature, the one used longest ago first.

    Parameters
    ----------
    key
        The key of the feature in the table.

    """

    def __init__(self, key: Hashable):
        self.key = key
        self.known: OrderedDict[str, Any] = OrderedDict()
        # Number of categories created, and of the first strings that were numbers; -1 if settled.
        self.n_created, self.n_numeric = 0, 0
        # What was known when a transaction began, None if nothing has changed since.
        self.before: tuple[Any, ...] | None = None

    def note(self) -> None:
        """Note what is known before it changes."""
        if self.before is None:
            numbers = [(category, category.to_list()) for category in self.known.values()]
            self.before = self.known.copy(), numbers, self.n_created, self.n_numeric

    def restore(self) -> None:
        """Bring back what was noted."""
        if self.before is not None:
            self.known, numbers, self.n_created, self.n_numeric = self.before
            for category, known in numbers:
                category.fill(known)
            self.before = None

    def rarest(self, most: int) -> str | None:
        """The category that a new one replaces, None if there is room for it."""
        if len(self.known) < most:
            return None
        oldest = itertools.islice(self.known.items(), N_OLDEST)
        return min(oldest, key=lambda item: item[1].count())[0]

    def rescale(self, unit: float) -> None:
        """Bring the counts back to a unit of one."""
        for category in list(self.known.values()):
            category.divide(unit)

    def to_list(self) -> tuple[int, int, list[tuple[str, list[float]]]]:
        """All that is known."""
        items = [(text, category.to_list()) for text, category in self.known.items()]
        return self.n_created, self.n_numeric, items

    def fill(self, state: tuple[int, int, list[tuple[str, list[float]]]]) -> None:
        """Take what `to_list` returned."""
        self.n_created, self.n_numeric, items = state
        for text, numbers in items:
            category = Category(0)
            category.fill(numbers)
            self.known[text] = category


class AtHand:
    """The categories of an instance.

    Parameters
    ----------
    x
        The features of the instance.
    features
        The categories of each feature.

    """

    def __init__(self, x: Features, features: dict[Hashable, Any]):
        # The features with the numbers first. Those of categories, whose values are of no
        # importance, follow in the order of the lists below.
        self.numbers: dict[Hashable, Any] = {}
        self.names: list[Hashable] = []
        self.texts: list[str] = []
        self.features: list[Any] = []
        # The categories that were known before the instance, None for the others, and those that it
        # counts for.
        self.known: list[Any] = []
        self.counted: list[Any] = []
        for name, value in x.items():
            if not isinstance(value, str):
                self.numbers[name] = value
                continue
            # Subclasses may compare in ways of their own.
            text = str.__str__(value)
            if not text.strip():
                raise ValueError(
                    f"feature {name!r} has the value {text!r}, which is not a category; leave the "
                    "feature out, or pass None, where the value is not known"
                )
            feature = features.get(name)
            self.names.append(name)
            self.texts.append(text)
            self.features.append(feature)
            self.known.append(None if feature is None else feature.known.get(text))
            self.counted.append(None)
        self.n = len(self.names)
        for i in range(self.n):
            feature = self.features[i]
            key = category_key(self.names[i]) if feature is None else feature.key
            if key in self.numbers:
                raise ValueError(f"feature {key!r} has the name of the categories of a feature")
            self.numbers[key] = 0.0

    def check_numeric(self, i: int) -> int:
        """The number of first strings of a feature that are numbers, with this one.

        A warning is issued when they are too many to be categories.
        """
        n = self.features[i].n_numeric
        if n < 0:
            return n
        try:
            float(self.texts[i])
        except ValueError:
            return -1
        if n + 1 < N_NUMERIC:
            return n + 1
        warnings.warn(
            f"the values of feature {self.names[i]!r} are strings such as {self.texts[i]!r}, which "
            "are learned as categories; convert them first, for instance with float, if they are "
            "numbers",
            UserWarning,
            stacklevel=2,
        )
        return -1


def category_key(name: Hashable) -> tuple[str, Hashable]:
    """The key in the table of a feature whose values are strings."""
    return MARK, name


def has_text(x: Any) -> bool:
    """Whether an instance has a string among its values."""
    # Loops, as there are no generators in a function that is called from C.
    if type(x) is dict:
        plain = x
        for value in plain.values():  # noqa: SIM110
            if isinstance(value, str):
                return True
        return False
    try:
        for value in x.values():
            if isinstance(value, str):
                return True
    except (AttributeError, TypeError):
        # The features are read next, which raises the error.
        pass
    return False
