# cython: language_level=3, infer_types=True, annotation_typing=False, binding=False, cdivision=True
# cython: boundscheck=False, wraparound=False
"""The evidence learner's weights.

Several kinds of input carry what an instance contributes: the z-score of a feature, its evidence, read
from counts of the labels in bins along the z-score (`read_inputs`), and the evidence of pairs of
features (`read_pairs`). A string has the weight of its category in place of the z-score, and counts of
its own (`read_categories`). Each head is a Bayesian regression on some of them (`ask_head`, `step_head`),
with the logistic link of `link.py`. `mixture.py` mixes the heads. What depends on the kind of target
is the link and the counts (`count_value`, `count_pair`).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_budget, check_number

from ._feature_table import FeatureTable
from ._pair_table import PairTable
from .categories import CATEGORY_WIDTH, Categories, category_key
from .mixture import Mixture

try:
    import cython
except ImportError:
    from river_trapezoid.weights import _nocython as cython
if not cython.compiled:
    from math import copysign, erf, exp, log, sqrt

    from ._asked import open_asked, whole
    from ._exact_sum import nearest, nothing, plus
    from ._pair_table import PAIR_WIDTH
    from .categories import MOST_HEADS_OF_ALL, AtHand, Category, has_text
    from .link import log_loss, logistic, moderated

    # The first numbers of a feature: a number given once, for the pairs that it is in, whether there
    # are any, number, mean and sum of squared deviations of its values, the unit of its counts, and
    # the counts of the labels. Then the weights of its value in each head, their variances, those of
    # its evidence, and the counts of each soft bin, negative and positive by turns. Counts are in
    # units of `unit`, which grows instead of the counts decaying.
    NUMBER, PAIRED, N, MEAN, DEVIATIONS, UNIT, LABELS, _, WEIGHTS = range(9)
    # The head that looks at pairs is the last.
    PAIR_HEAD = 4

__all__ = ["HEADS", "MOST_BINS", "EvidenceWeights", "Head"]

# With more bins, most are empty and inform nobody.
MOST_BINS = 1_000

PRIOR_VARIANCE = 0.1
# The prior mean of the weight of evidence, and after how many labels it is half of that.
EVIDENCE_MEAN = 0.2
HALF_MEAN = 300.0
# After how many labels evidence counts for half.
HALF_EVIDENCE = 20.0
# An instance classified with certainty still counts as this much of an observation.
LEAST_CURVATURE = 0.05
LARGEST_SCORE = 4.0
# The log-odds of two features apart are cut off here.
LARGEST_APART = 20.0
# Values are cut off here, where their squares and the sums of these stay within a float.
LARGEST_VALUE = 1e140
# In the table, a strength of zero means that there is no feature.
LEAST_STRENGTH = 2.0**-1074
# How much of the lead of one head over another is remembered with each label.
LEAD_MEMORY = 0.99
# Units that have grown beyond are brought back to one.
LARGEST_UNIT = 2.0**300
ROOT_HALF = math.sqrt(0.5)
# The share of a category among the values of its feature is cut off here.
LEAST_SHARE, LARGEST_SHARE = 1e-6, 0.99


class Head(NamedTuple):
    """The inputs of a head, its rate of forgetting, and its prior share in the mixture."""

    name: str
    values: bool
    evidence: bool
    pairs: bool
    forgetting: float
    share: float


HEADS = (
    Head("both", True, True, False, 0.0, 0.3),
    Head("recent", True, True, False, 0.01, 0.3),
    Head("values", True, False, False, 0.0003, 0.3),
    Head("evidence", False, True, False, 0.0, 0.1),
    Head("pairs", True, True, True, 0.0, 0.1),
)

# What the mixture looks at beside the heads.
OTHER_INPUTS = ["constant", "last labels", "recent labels"]
ARGUMENTS = (
    *("n_bins", "smoothing", "decay", "n_paired", "max_pairs", "mixture", "budget"),
    "max_categories",
)


class EvidenceWeights(FeatureTable):
    """The heads of an evidence learner: weights of values, evidence and pairs, and their mixture.

    `linear_model.EvidenceClassifier` documents them. For an instance with `n` features and `k`
    features kept, `margin` costs O(n), and `learn` too, or O(n log k), amortised, if features are
    dropped; pairs add a constant.

    Sums over features are exactly rounded, so that no result depends on the order of the features in
    a dict.

    Parameters
    ----------
    n_bins, smoothing, decay, n_paired, max_pairs, mixture, max_categories
        As those of the learner.
    budget
        How many features are kept, the learner's `B`.

    Examples
    --------

    >>> from river_trapezoid.weights import EvidenceWeights

    >>> weights = EvidenceWeights()
    >>> for value in (1.0, 2.0, 3.0, 4.0):
    ...     weights.learn({"a": value}, 1 if value > 2.0 else -1)
    >>> weights
    EvidenceWeights(budget=1.0) with 1 features

    >>> weights.margin({"a": 1.0}) < weights.margin({"a": 4.0})
    True

    """

    # An entry's v is the strength of the feature where features are dropped, and one elsewhere.

    def __cinit__(self, *args: Any, **kwargs: Any) -> None:
        self.n_bins = self.n_paired = 10
        self.smoothing, self.decay, self.mixture = 2.0, 0.997, True
        self.drops, self.seen_table, self.max_categories = False, None, 1000
        self.mixed_heads, self.pair_table = Mixture(), PairTable()
        self.start()

    def __init__(
        self,
        n_bins: int = 10,
        smoothing: float = 2.0,
        decay: float = 0.997,
        n_paired: int = 10,
        max_pairs: int = 1000,
        mixture: bool = True,
        budget: int | float = 1.0,
        max_categories: int = 1000,
    ):
        n_bins = check_number("n_bins", n_bins, integer=True, at_least=2, at_most=MOST_BINS)
        smoothing = check_number("smoothing", smoothing, at_least=0.001, at_most=1e100)
        decay = check_number("decay", decay, at_least=0.5, at_most=1)
        n_paired = check_number("n_paired", n_paired, integer=True, at_least=0, at_most=100)
        max_pairs = check_number(
            "max_pairs", max_pairs, integer=True, at_least=1, at_most=10_000_000
        )
        budget = check_budget("budget", budget)
        max_categories = check_number(
            "max_categories", max_categories, integer=True, at_least=1, at_most=10_000_000
        )
        self.acquire()
        try:
            self.set_budget(budget)
            self.n_bins, self.n_paired = n_bins, n_paired
            self.smoothing, self.decay = smoothing, decay
            self.mixture, self.max_categories = bool(mixture), max_categories
            self.pair_table = PairTable(max_pairs, n_bins)
            # As long as nothing is dropped, the features kept are the features seen. Otherwise these
            # are in a table of their own, as those that have been dropped have no payload.
            self.drops = bool(self.count or self.share < 1.0)
            self.seen_table = FeatureTable() if self.drops and not self.count else None
            self.start()
        finally:
            self.users -= 1

    def start(self) -> None:
        """Reset to the initial state."""
        self.clear()
        self.pair_table.clear()
        self.before: tuple[Any, ...] | None = None
        # The categories of each feature whose values are strings, and in a transaction the ones
        # that have changed.
        self.categories: dict[Hashable, Any] = {}
        self.changed_categories: list[Any] = []
        self.n_heads = (5 if self.n_paired else 4) if self.mixture else 1
        self.counts_at = WEIGHTS + 4 * self.n_heads
        self.width = self.counts_at + 2 * self.n_bins
        self.n, self.lead = 0.0, 0.0
        if not cython.compiled:
            # Decayed counts of the negative and the positive label.
            self.labels = [0.0, 0.0]
            # Mean and variance of the intercept of each head.
            self.intercept_numbers = [0.0] * (2 * self.n_heads)
            # What each head looks at, and how much the variances of its weights grow with a label.
            self.has_values, self.has_evidence = [True] * self.n_heads, [True] * self.n_heads
            self.growth = [0.0] * self.n_heads
            self.next_number = 0.0
        self.labels[0], self.labels[1] = 0.0, 0.0
        heads = HEADS[: self.n_heads]
        for h in range(self.n_heads):
            self.intercept_numbers[2 * h] = 0.0
            self.intercept_numbers[2 * h + 1] = PRIOR_VARIANCE
            self.has_values[h], self.has_evidence[h] = heads[h].values, heads[h].evidence
            self.growth[h] = PRIOR_VARIANCE * heads[h].forgetting
        self.mixed_heads.start(tuple([head.share for head in heads]))

    def __reduce__(self) -> tuple[Any, ...]:
        from river_trapezoid.weights import restore

        arguments = {name: getattr(self, name) for name in ARGUMENTS}
        return restore, ("EvidenceWeights", arguments), self.__getstate__()

    def __getstate__(self) -> tuple[Any, ...]:
        features, known, names = [], [], {}
        table = self.pair_table
        self.users += 1
        try:
            for key, slot in self.kept():
                at = self.width * slot
                names[whole(self.numbers[at + NUMBER])] = key
                features.append((key, [self.numbers[at + i] for i in range(N, self.width)]))
            for number in table.order():
                a, b = table.features_of(number)
                numbers = [table.numbers[PAIR_WIDTH * number + i] for i in range(PAIR_WIDTH)]
                numbers += [table.counts[table.cells * number + i] for i in range(table.cells)]
                known.append((names[a], names[b], numbers))
        finally:
            self.users -= 1
        seen = None if self.seen_table is None else self.seen_table.seen()
        state = self.numbers_of_all(), self.mixed_heads.to_list(), dict(features), seen, known
        if not self.categories:
            return state
        return *state, {name: known.to_list() for name, known in self.categories.items()}

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        numbers_of_all, mixed, features, seen, known, categories = checked_state(
            state, self.n_heads, self.n_bins, self.max_categories
        )
        named = {}
        for name, state_of_one in categories.items():
            named[name] = Categories(category_key(name))
            named[name].fill(state_of_one)
            if named[name].key not in features:
                raise ValueError(f"expected categories of known features; got {name!r}")
        numbers_of_all, mixed = list(numbers_of_all), list(mixed)
        items, names, known = list(features.items()), list(seen or ()), list(known)
        table = self.pair_table
        self.acquire()
        try:
            self.start()
            self.categories = named
            self.reserve(len(items))
            for key, numbers in items:
                slot = self.add(key)
                at = self.width * slot
                self.start_feature(at)
                for i in range(N, self.width):
                    self.numbers[at + i] = numbers[i - N]
                self.put(slot, self.strength(at) if self.drops else 1.0)
            if self.seen_table is not None:
                self.seen_table.clear()
                self.seen_table.reserve(len(names))
                for key in names:
                    self.seen_table.see_slot(self.seen_table.add(key))
            table.reserve(len(known))
            for first, second, numbers in known:
                a, b = self.slot(first), self.slot(second)
                if a < 0 or b < 0:
                    raise ValueError(
                        f"expected pairs of known features; got a pair of {first!r} and {second!r}"
                    )
                a, b = self.width * a, self.width * b
                self.numbers[a + PAIRED] = self.numbers[b + PAIRED] = 1.0
                number = table.touch(
                    whole(self.numbers[a + NUMBER]), whole(self.numbers[b + NUMBER])
                )
                for i in range(PAIR_WIDTH):
                    table.numbers[PAIR_WIDTH * number + i] = numbers[i]
                for i in range(table.cells):
                    table.counts[table.cells * number + i] = numbers[PAIR_WIDTH + i]
            self.set_numbers(numbers_of_all)
            self.mixed_heads.fill(mixed)
        finally:
            self.users -= 1

    def begin(self, columns: Iterable[Hashable] | None) -> bool:
        """Save the weights until `commit` or `rollback`; return whether they were not saved yet.

        Parameters
        ----------
        columns
            The features that may be learned from meanwhile; None for any.

        """
        if self.before is not None:
            return False
        self.acquire()
        try:
            # Whatever the columns are, only the features of the rows need room for their numbers.
            self.open_journal(None)
            try:
                if self.seen_table is not None:
                    self.seen_table.open_journal(None)
                self.pair_table.begin()
                self.before = (
                    *(self._budget, self.count, self.share, self.next_number),
                    *(self.numbers_of_all(), self.mixed_heads.to_list()),
                    dict(self.categories),
                )
            except BaseException:
                self.commit()
                raise
        finally:
            self.users -= 1
        return True

    def commit(self) -> None:
        """Discard the saved state of the weights."""
        self.forget_changes()
        if self.seen_table is not None:
            self.seen_table.forget_changes()
        self.pair_table.commit()
        for known in self.changed_categories:
            known.before = None
        self.changed_categories = []
        self.before = None

    def rollback(self) -> None:
        """Restore the weights to their state at `begin`."""
        before = self.before
        if before is None:
            return
        self.acquire()
        try:
            self.restore()
            if self.seen_table is not None:
                self.seen_table.restore()
            self.pair_table.rollback()
            # No memory is needed for anything here, as that may be what is missing.
            self._budget, self.count, self.share = before[0], before[1], before[2]
            self.next_number = before[3]
            self.set_numbers(before[4])
            self.mixed_heads.fill(before[5])
            self.categories = before[6]
            for known in self.changed_categories:
                known.restore()
            self.commit()
        finally:
            self.users -= 1

    def __sizeof__(self) -> int:
        seen = 0 if self.seen_table is None else self.seen_table.__sizeof__()
        return FeatureTable.__sizeof__(self) + seen + self.pair_table.__sizeof__()

    def __repr__(self) -> str:
        return f"EvidenceWeights(budget={self.budget!r}) with {len(self)} features"

    @property
    def max_pairs(self) -> int:
        """Number of pairs that are kept."""
        return self.pair_table.most

    @property
    def n_seen(self) -> int | None:
        """Number of distinct features learned from; None if the budget is a count."""
        if self.count:
            return None
        return self.n_kept if self.seen_table is None else self.seen_table.n_marked

    @property
    def n_pairs(self) -> int:
        """Number of pairs of features that are known."""
        return self.pair_table.n_known

    @property
    def intercept(self) -> float:
        """The intercept of the first head."""
        return self.intercept_numbers[0]

    @intercept.setter
    def intercept(self, value: float) -> None:
        self.intercept_numbers[0] = float(value)

    @property
    def intercepts(self) -> list[list[float]]:
        """Mean and variance of the intercept of each head."""
        return [
            [self.intercept_numbers[2 * h], self.intercept_numbers[2 * h + 1]]
            for h in range(self.n_heads)
        ]

    @property
    def log_odds(self) -> float:
        """Log-odds of the positive label among all labels, of which old ones may have decayed."""
        return log((self.labels[1] + 1.0) / (self.labels[0] + 1.0))

    def to_dict(self) -> dict[Hashable, tuple[float, float]]:
        """The weights of value and evidence of each feature in the first head, as a new dict."""
        mean, pairs = self.evidence_mean(), []
        self.users += 1
        try:
            for key, slot in self.kept():
                at = self.width * slot + WEIGHTS
                w, v = self.numbers[at], self.numbers[at + 2 * self.n_heads]
                pairs.append((self.name_of(key), (w, mean + v)))
        finally:
            self.users -= 1
        return dict(pairs)

    def head(self, head: int) -> Head:
        """The definition of a head."""
        return HEADS[: self.n_heads][head]

    def inputs(
        self, x: Features, head: int = 0
    ) -> list[tuple[Hashable, float, float, float, float]]:
        """Key, z-score, its weight, evidence and its weight, of the features of `x` that are kept."""
        mean = self.evidence_mean() if self.head(head).evidence else 0.0
        result = []
        held = self.open(x, True)
        self.users += 1
        try:
            asked = self.ask(held.x, held.categories)
            for i in range(asked.n):
                at = asked.inputs[i].at + WEIGHTS + head
                w, v = self.numbers[at], self.numbers[at + 2 * self.n_heads]
                if i >= asked.n_numbers:
                    w = self.category_weight(asked, i, head)
                key = self.name_of(self.key_at(asked.inputs[i].slot))
                score, evidence = asked.inputs[i].score, asked.inputs[i].evidence
                result.append((key, score, w, evidence, mean + v))
            asked.close()
        finally:
            self.users -= 1
            held.close()
        return result

    def pairs(self, x: Features) -> list[tuple[Hashable, Hashable, float, float]]:
        """Both keys, evidence and its weight, of the pairs of `x` that are known."""
        result = []
        held = self.open(x, True)
        self.users += 1
        try:
            asked = self.ask(held.x, held.categories)
            for i in range(asked.n_pairs):
                number = asked.pairs[i].pair
                if number >= 0:
                    a = self.name_of(self.key_at(asked.inputs[asked.pairs[i].a].slot))
                    b = self.name_of(self.key_at(asked.inputs[asked.pairs[i].b].slot))
                    w = self.pair_table.numbers[PAIR_WIDTH * number]
                    evidence = asked.pairs[i].evidence
                    result.append((a, b, evidence, w))
            asked.close()
        finally:
            self.users -= 1
            held.close()
        return result

    def heads(self, x: Features) -> list[tuple[str, float, float, float]]:
        """Name, margin before moderation, its variance, and share in the mixture, of each head."""
        asked, shares = self.ask_only(x), self.mixed_heads.shares
        heads = HEADS[: self.n_heads]
        result = [
            (heads[h].name, asked.totals[h], asked.variances[h], shares[h])
            for h in range(self.n_heads)
        ]
        asked.close()
        return result

    def mixed(self, x: Features) -> list[tuple[str, float, float]]:
        """Name, value and share of each input of the mixture."""
        asked, shares = self.ask_only(x), self.mixed_heads.shares
        self.read_heads(asked)
        self.mixed_heads.read(asked.mixed)
        names = [head.name for head in HEADS[: self.n_heads]] + OTHER_INPUTS
        result = [(names[i], asked.mixed[i], shares[i]) for i in range(self.n_heads + 3)]
        asked.close()
        return result

    def margin(self, x: Features) -> float:
        """Log-odds of the positive class, averaged over the distribution of the weights."""
        asked = self.ask_only(x)
        self.read_heads(asked)
        margin = asked.mixed[0]
        if self.mixture:
            self.mixed_heads.read(asked.mixed)
            margin = self.mixed_heads.margin(asked.mixed)
        asked.close()
        return margin

    def learn(self, x: Features, sign: int, weight: float = 1.0) -> None:
        """Learn from the features of `x` and a label of -1 or +1."""
        weight = float(weight)
        held = self.open(x, self.seen_table is not None)
        try:
            self.acquire()
            try:
                self.enter(held.x, False)
                if weight != 0.0:
                    held.x.all_found = True
                    asked = self.ask(held.x, held.categories)
                    self.learn_entered(held.x, asked, sign == 1, weight)
                    asked.close()
            finally:
                self.users -= 1
        finally:
            held.close()

    def open(self, features: Features, own: bool) -> Any:
        """Read an instance, in which strings are categories."""
        # Where all values have been numbers so far, they are not looked at beforehand.
        if not self.categories:
            try:
                return FeatureTable.open(self, features, own)
            except TypeError:
                if not has_text(features):
                    raise
        elif not has_text(features):
            return FeatureTable.open(self, features, own)
        categories = AtHand(features, self.categories)
        held = FeatureTable.open(self, categories.numbers, own)
        held.categories = categories
        return held

    def name_of(self, key: Hashable) -> Hashable:
        """The name of a feature by its key, which is another if its values are strings."""
        if isinstance(key, tuple) and len(key) == 2:
            known = self.categories.get(key[1])
            if known is not None and known.key == key:
                return key[1]
        return key

    def numbers_of_all(self) -> list[float]:
        """The numbers other than those of features, pairs and the mixture."""
        numbers = [self.n, self.labels[0], self.labels[1], self.lead]
        return numbers + [self.intercept_numbers[i] for i in range(2 * self.n_heads)]

    def set_numbers(self, numbers: list[float]) -> int:
        """Restore the numbers that `numbers_of_all` returned."""
        self.n, self.lead = numbers[0], numbers[3]
        self.labels[0], self.labels[1] = numbers[1], numbers[2]
        for i in range(2 * self.n_heads):
            self.intercept_numbers[i] = numbers[4 + i]
        return 0

    def evidence_mean(self) -> float:
        """Current prior mean of the weight of evidence."""
        return EVIDENCE_MEAN * (self.n / (self.n + HALF_MEAN))

    def strength(self, at: int) -> float:
        """The rank by which features are kept: the size of both weights in the first head."""
        strength = abs(self.numbers[at + WEIGHTS]) + abs(
            EVIDENCE_MEAN + self.numbers[at + WEIGHTS + 2 * self.n_heads]
        )
        return strength if strength > 0.0 else LEAST_STRENGTH

    def start_feature(self, at: int) -> None:
        """Set the numbers of a new feature."""
        numbers, n_heads = self.numbers, self.n_heads
        for i in range(at, at + self.width):
            numbers[i] = 0.0
        numbers[at + NUMBER] = self.next_number
        self.next_number += 1.0
        numbers[at + UNIT] = 1.0
        for h in range(n_heads):
            numbers[at + WEIGHTS + n_heads + h] = PRIOR_VARIANCE
            numbers[at + WEIGHTS + 3 * n_heads + h] = PRIOR_VARIANCE

    def ask_only(self, x: Features) -> Any:
        """The margins of the heads for an instance."""
        held = self.open(x, False)
        try:
            return self.ask(held.x, held.categories)
        finally:
            held.close()

    def ask(self, x: Any, categories: Any) -> Any:
        """The inputs of features and pairs, and mean and variance of each head."""
        has_pairs = self.n_heads > PAIR_HEAD
        if not x.all_found:
            self.find(x)
        # Sums that are hard to round run code, which must not move the numbers meanwhile.
        self.users += 1
        try:
            asked = open_asked(x.n, min(x.n, self.n_paired) if has_pairs else 0, self.n_heads)
            asked.categories = categories
            self.read_inputs(x, asked)
            if categories is not None:
                self.read_categories(x, asked, categories)
            if has_pairs:
                self.choose_strongest(asked)
                self.read_pairs(asked)
            for h in range(self.n_heads):
                self.ask_head(asked, h)
        finally:
            self.users -= 1
        return asked

    def read_inputs(self, x: Any, asked: Any) -> None:
        """The inputs of the known numbers. A feature that is not known yet has none."""
        numbers, inputs, smoothing, n = self.numbers, asked.inputs, self.smoothing, 0
        negatives, positives = self.labels[0] + 1.0, self.labels[1] + 1.0
        log_odds = log(positives / negatives)
        prior_positive = smoothing * positives / (positives + negatives)
        prior_negative = smoothing * negatives / (positives + negatives)
        belief_in_evidence = self.n / (self.n + HALF_EVIDENCE)
        middle = (self.n_bins - 1) / 2.0
        last = self.n_bins - 2
        self.prefetch_payloads(x, self.counts_at + self.n_bins)
        # One loop after the other, as divisions, roots and the functions of the mathematical library
        # have a long latency, but overlap where nothing depends on them.
        for i in range(x.n - n_categories(asked)):
            slot = x.slots[i]
            if slot < 0 or self.entries[slot].v == 0.0:
                continue
            at = self.width * slot
            value = clipped(x.values[i], LARGEST_VALUE)
            # The z-score among all values so far and this one.
            observations = numbers[at + N]
            change = value - numbers[at + MEAN]
            deviation = change * observations / (observations + 1.0)
            variance = (numbers[at + DEVIATIONS] + change * deviation) / (observations + 1.0)
            score = deviation / sqrt(variance) if variance > 0.0 else 0.0
            inputs[n].slot = slot
            inputs[n].at = at
            inputs[n].number = whole(numbers[at + NUMBER])
            inputs[n].value = value
            inputs[n].score = clipped(score, LARGEST_SCORE)
            n += 1
        for i in range(n):
            inputs[i].right = middle + middle * erf(inputs[i].score * ROOT_HALF)
        for i in range(n):
            # The two bins on either side, the share of the right one, and the counts in between,
            # backed off to the labels of the feature, and these to all labels.
            at = inputs[i].at
            left = whole(inputs[i].right)
            left = min(left, last)
            right = inputs[i].right - left
            inputs[i].right = right
            inputs[i].left = 2 * left
            cell = at + self.counts_at + 2 * left
            unit = numbers[at + UNIT]
            n_negative, n_positive = numbers[at + LABELS], numbers[at + LABELS + 1]
            worth = smoothing * unit
            back_off = worth / (n_negative + n_positive + worth)
            negative, positive = numbers[cell], numbers[cell + 1]
            negative += right * (numbers[cell + 2] - negative)
            negative += back_off * (n_negative + unit * prior_negative)
            positive += right * (numbers[cell + 3] - positive)
            positive += back_off * (n_positive + unit * prior_positive)
            inputs[i].odds = positive / negative
        for i in range(n):
            inputs[i].shift = log(inputs[i].odds) - log_odds
            inputs[i].evidence = belief_in_evidence * inputs[i].shift
        asked.n = asked.n_numbers = n

    def read_categories(self, x: Any, asked: Any, categories: Any) -> None:
        """The inputs of the known features whose values are strings, whatever the category."""
        numbers, inputs, smoothing, n = self.numbers, asked.inputs, self.smoothing, asked.n
        negatives, positives = self.labels[0] + 1.0, self.labels[1] + 1.0
        log_odds = log(positives / negatives)
        prior_positive = smoothing * positives / (positives + negatives)
        prior_negative = smoothing * negatives / (positives + negatives)
        belief_in_evidence = self.n / (self.n + HALF_EVIDENCE)
        first, last = x.n - categories.n, self.n_bins - 1
        for i in range(categories.n):
            slot = x.slots[first + i]
            if slot < 0 or self.entries[slot].v == 0.0 or categories.features[i] is None:
                continue
            at = self.width * slot
            unit = numbers[at + UNIT]
            n_negative, n_positive = numbers[at + LABELS], numbers[at + LABELS + 1]
            worth = smoothing * unit
            back_off = worth / (n_negative + n_positive + worth)
            negative = back_off * (n_negative + unit * prior_negative)
            positive = back_off * (n_positive + unit * prior_positive)
            score, category = 0.0, categories.known[i]
            if category is not None:
                place = category.place
                negative += category.labels[0]
                positive += category.labels[1]
                share = (category.uses + 0.5) / (numbers[at + N] + 1.0)
                share = min(max(share, LEAST_SHARE), LARGEST_SHARE)
                score = min(sqrt((1.0 - share) / share), LARGEST_SCORE)
            else:
                place = categories.features[i].n_created
            inputs[n].slot = slot
            inputs[n].at = at
            inputs[n].number = whole(numbers[at + NUMBER])
            inputs[n].category = i
            inputs[n].value = 0.0
            inputs[n].score = score
            inputs[n].odds = positive / negative
            inputs[n].shift = log(inputs[n].odds) - log_odds
            inputs[n].evidence = belief_in_evidence * inputs[n].shift
            # In the grids of pairs, a category is in a single bin: the last but one with all of its
            # share to the right, for all categories that come late.
            inputs[n].left = 2 * place if place < last else 2 * (last - 1)
            inputs[n].right = 0.0 if place < last else 1.0
            n += 1
        asked.n = n

    def category_weight(self, asked: Any, i: int, head: int) -> float:
        """The weight of the category of an input in a head."""
        category = asked.categories.known[asked.inputs[i].category]
        return 0.0 if category is None else category.weights[head]

    def category_strength(self, asked: Any, i: int) -> float:
        """By what a feature is chosen for pairs whose value is a string."""
        at = asked.inputs[i].at
        own = self.category_weight(asked, i, 0)
        strength = abs(own) + abs(EVIDENCE_MEAN + self.numbers[at + WEIGHTS + 2 * self.n_heads])
        return strength if strength > 0.0 else LEAST_STRENGTH

    def choose_strongest(self, asked: Any) -> int:
        """Store the strongest inputs, in the order of their keys, as pairs."""
        inputs, pairs = asked.inputs, asked.pairs
        strongest, strengths, n = asked.strongest, asked.strengths, 0
        n_numbers = asked.n_numbers
        for i in range(asked.n):
            if i < n_numbers:
                strength = self.strength(inputs[i].at)
            else:
                strength = self.category_strength(asked, i)
            j = n
            while j > 0:
                # Of two of the same strength the one whose key ranks lower comes first.
                if strength == strengths[j - 1]:
                    if not self.ranks_lower(inputs[i].slot, inputs[strongest[j - 1]].slot):
                        break
                elif strength < strengths[j - 1]:
                    break
                j -= 1
            if j < self.n_paired:
                n = min(n + 1, self.n_paired)
                for k in range(n - 1, j, -1):
                    strongest[k] = strongest[k - 1]
                    strengths[k] = strengths[k - 1]
                strongest[j] = i
                strengths[j] = strength
        for i in range(1, n):
            input = strongest[i]
            j = i
            while j > 0 and self.ranks_lower(inputs[input].slot, inputs[strongest[j - 1]].slot):
                strongest[j] = strongest[j - 1]
                j -= 1
            strongest[j] = input
        n_pairs = 0
        for i in range(n):
            for j in range(i + 1, n):
                pairs[n_pairs].a = strongest[i]
                pairs[n_pairs].b = strongest[j]
                n_pairs += 1
        asked.n_pairs = n_pairs
        return 0

    def read_pairs(self, asked: Any) -> None:
        """The inputs of pairs: by how much the two move the log-odds beyond what they do apart."""
        inputs, pairs, table = asked.inputs, asked.pairs, self.pair_table
        negatives, positives = self.labels[0] + 1.0, self.labels[1] + 1.0
        log_odds, against = log(positives / negatives), negatives / positives
        belief_in_evidence = self.n / (self.n + HALF_EVIDENCE)
        row = 2 * self.n_bins
        for i in range(asked.n_pairs):
            a, b = pairs[i].a, pairs[i].b
            number = table.find(inputs[a].number, inputs[b].number)
            pairs[i].pair = number
            pairs[i].evidence = 0.0
            if number >= 0:
                table.prefetch(number, inputs[a].left * self.n_bins + inputs[b].left)
        for i in range(asked.n_pairs):
            number = pairs[i].pair
            if number < 0:
                continue
            a, b = pairs[i].a, pairs[i].b
            # The log-odds and the odds of the positive label, by the two apart.
            apart = log_odds + inputs[a].shift + inputs[b].shift
            odds = inputs[a].odds * inputs[b].odds * against
            if not -LARGEST_APART <= apart <= LARGEST_APART:
                apart = copysign(LARGEST_APART, apart)
                odds = exp(apart)
            below, right = inputs[a].right, inputs[b].right
            place = table.cells * number + inputs[a].left * self.n_bins + inputs[b].left
            prior = self.smoothing * table.numbers[PAIR_WIDTH * number + 2] / (1.0 + odds)
            positive = between(table.counts, place + 1, row, below, right) + prior * odds
            negative = between(table.counts, place, row, below, right) + prior
            pairs[i].evidence = belief_in_evidence * (log(positive / negative) - apart)

    def ask_head(self, asked: Any, h: int) -> int:
        """Mean and variance of the margin of a head."""
        numbers, inputs, pairs, n_heads = self.numbers, asked.inputs, asked.pairs, self.n_heads
        terms, variance_terms, table = asked.terms, asked.variance_terms, self.pair_table
        has_values, has_evidence = self.has_values[h], self.has_evidence[h]
        mean = self.evidence_mean()
        total, variance, n = nothing(), nothing(), 1
        terms[0], variance_terms[0] = (
            self.intercept_numbers[2 * h],
            self.intercept_numbers[2 * h + 1],
        )
        total = plus(total, terms[0])
        variance = plus(variance, variance_terms[0])
        for i in range(asked.n_numbers):
            at = inputs[i].at + WEIGHTS + h
            if has_values:
                value = inputs[i].score
                terms[n] = numbers[at] * value
                variance_terms[n] = numbers[at + n_heads] * value * value
                total = plus(total, terms[n])
                variance = plus(variance, variance_terms[n])
                n += 1
            if has_evidence:
                value = inputs[i].evidence
                terms[n] = (mean + numbers[at + 2 * n_heads]) * value
                variance_terms[n] = numbers[at + 3 * n_heads] * value * value
                total = plus(total, terms[n])
                variance = plus(variance, variance_terms[n])
                n += 1
        for i in range(asked.n_numbers, asked.n):
            category = asked.categories.known[inputs[i].category]
            if has_values and category is not None:
                value = inputs[i].score
                terms[n] = category.weights[h] * value
                variance_terms[n] = category.weights[MOST_HEADS_OF_ALL + h] * value * value
                total = plus(total, terms[n])
                variance = plus(variance, variance_terms[n])
                n += 1
            if has_evidence:
                at, value = inputs[i].at + WEIGHTS + 2 * n_heads + h, inputs[i].evidence
                terms[n] = (mean + numbers[at]) * value
                variance_terms[n] = numbers[at + n_heads] * value * value
                total = plus(total, terms[n])
                variance = plus(variance, variance_terms[n])
                n += 1
        if h == PAIR_HEAD:
            for i in range(asked.n_pairs):
                if pairs[i].pair >= 0:
                    at = PAIR_WIDTH * pairs[i].pair
                    value = pairs[i].evidence
                    terms[n] = table.numbers[at] * value
                    variance_terms[n] = table.numbers[at + 1] * value * value
                    total = plus(total, terms[n])
                    variance = plus(variance, variance_terms[n])
                    n += 1
        asked.totals[h] = nearest(total, terms, n)
        asked.variances[h] = nearest(variance, variance_terms, n)
        return 0

    def read_heads(self, asked: Any) -> None:
        """The moderated margins of the heads."""
        for h in range(self.n_heads):
            asked.mixed[h] = moderated(asked.totals[h], asked.variances[h])

    def learn_entered(self, x: Any, asked: Any, positive: bool, weight: float) -> int:
        """Learn from an instance whose features are entered and whose inputs are read."""
        capacity = self.count
        self.pair_table.reserve(asked.n_pairs)
        # Not more are lost than there are.
        lost = self.room_for_slots(self.n_kept + x.n if self.drops else 0)
        if self.seen_table is not None:
            self.seen_table.see(x)
            capacity = self.capacity_of(self.seen_table.n_marked)
        if asked.categories is not None:
            self.enter_categories(x, asked.categories)
        self.take_step(x, asked, positive, weight)
        if self.drops:
            self.drop(lost, self.drop_slots(x, capacity, lost))
        self.pair_table.truncate()
        return 0

    def take_step(self, x: Any, asked: Any, positive: bool, weight: float) -> None:
        """Move all weights, count the values, and add new features and pairs."""
        inputs, sign, decay = asked.inputs, 1.0 if positive else -1.0, 1.0
        if self.mixture:
            # Counts decay while the head that forgets is ahead.
            lead = log_loss(sign * moderated(asked.totals[0], asked.variances[0])) - log_loss(
                sign * moderated(asked.totals[1], asked.variances[1])
            )
            self.lead = LEAD_MEMORY * self.lead + (1.0 - LEAD_MEMORY) * lead
            if self.lead > 0.0:
                decay = self.decay
            self.read_heads(asked)
            self.mixed_heads.read(asked.mixed)
            self.mixed_heads.learn(asked.mixed, positive, weight)
        for h in range(self.n_heads):
            self.step_head(asked, h, positive, weight)

        self.n += weight
        self.labels[0] *= decay
        self.labels[1] *= decay
        self.labels[positive] += weight
        for i in range(asked.n_numbers):
            at, value, left, right = inputs[i].at, inputs[i].value, inputs[i].left, inputs[i].right
            self.count_value(at, value, left, right, positive, decay, weight)
        for i in range(asked.n_numbers, asked.n):
            category = asked.categories.counted[inputs[i].category]
            self.count_category(inputs[i].at, category, positive, decay, weight)
        for i in range(asked.n_pairs):
            self.count_pair(asked, i, positive, decay, weight)
        if asked.n == x.n and not self.drops:
            return
        left = 2 * ((self.n_bins - 1) // 2)
        right = ((self.n_bins - 1) % 2) / 2.0
        first_category = x.n - n_categories(asked)
        for i in range(x.n):
            slot = x.slots[i]
            at = self.width * slot
            if self.entries[slot].v == 0.0:
                self.start_feature(at)
                if i < first_category:
                    value = clipped(x.values[i], LARGEST_VALUE)
                    self.count_value(at, value, left, right, positive, decay, weight)
                else:
                    category = asked.categories.counted[i - first_category]
                    self.count_category(at, category, positive, decay, weight)
            self.put(slot, self.strength(at) if self.drops else 1.0)

    def step_head(self, asked: Any, h: int, positive: bool, weight: float) -> None:
        """Move the weights of a head: a step of Bayesian logistic regression."""
        numbers, inputs, pairs, n_heads = self.numbers, asked.inputs, asked.pairs, self.n_heads
        p, variance = logistic(asked.totals[h]), asked.variances[h]
        curvature = weight * max(p * (1.0 - p), LEAST_CURVATURE)
        shrinkage = curvature / (1.0 + curvature * variance)
        step = weight * (positive - p) / (1.0 + curvature * variance)
        growth = self.growth[h]
        has_values, has_evidence = self.has_values[h], self.has_evidence[h]
        move(self.intercept_numbers, 2 * h, 1, 1.0, step, shrinkage, growth)
        for i in range(asked.n_numbers):
            at = inputs[i].at + WEIGHTS + h
            if has_values:
                move(numbers, at, n_heads, inputs[i].score, step, shrinkage, growth)
            if has_evidence:
                at += 2 * n_heads
                move(numbers, at, n_heads, inputs[i].evidence, step, shrinkage, growth)
        for i in range(asked.n_numbers, asked.n):
            category = asked.categories.known[inputs[i].category]
            if has_values and category is not None:
                value = inputs[i].score
                move(category.weights, h, MOST_HEADS_OF_ALL, value, step, shrinkage, growth)
            if has_evidence:
                at = inputs[i].at + WEIGHTS + 2 * n_heads + h
                move(numbers, at, n_heads, inputs[i].evidence, step, shrinkage, growth)
        if h == PAIR_HEAD:
            for i in range(asked.n_pairs):
                if pairs[i].pair >= 0:
                    at = PAIR_WIDTH * pairs[i].pair
                    value = pairs[i].evidence
                    move(self.pair_table.numbers, at, 1, value, step, shrinkage, growth)

    def count_value(
        self,
        at: int,
        value: float,
        left: int,
        right: float,
        positive: bool,
        decay: float,
        weight: float,
    ) -> None:
        """Let the counts of a feature decay, then count a value with a share in the right bin."""
        numbers = self.numbers
        if numbers[at + N] == 0.0:
            # Exactly, so that a constant has no variance, whatever the weights of instances.
            numbers[at + MEAN] = value
        numbers[at + N] += weight
        change = value - numbers[at + MEAN]
        numbers[at + MEAN] += weight * change / numbers[at + N]
        numbers[at + DEVIATIONS] += weight * change * (value - numbers[at + MEAN])
        unit = numbers[at + UNIT] / decay
        if unit > LARGEST_UNIT:
            numbers[at + LABELS] /= unit
            numbers[at + LABELS + 1] /= unit
            for i in range(at + self.counts_at, at + self.width):
                numbers[i] /= unit
            unit = 1.0
        numbers[at + UNIT] = unit
        worth = weight * unit
        numbers[at + LABELS + positive] += worth
        cell = at + self.counts_at + left + positive
        numbers[cell] += worth * (1.0 - right)
        numbers[cell + 2] += worth * right

    def count_category(
        self, at: int, category: Any, positive: bool, decay: float, weight: float
    ) -> None:
        """Let the counts of a feature decay, then count a category."""
        numbers = self.numbers
        numbers[at + N] += weight
        numbers[at + UNIT] /= decay
        worth = weight * numbers[at + UNIT]
        numbers[at + LABELS + positive] += worth
        category.labels[positive] += worth
        category.uses += weight
        # By what the feature is kept.
        numbers[at + WEIGHTS] = category.weights[0]

    def enter_categories(self, x: Any, categories: Any) -> int:
        """Add new categories, each in place of a rare one where there is no room.

        Either all are added, or an error leaves what is known as it was.
        """
        first, added, victims, n_numeric = x.n - categories.n, [], [], []
        for i in range(categories.n):
            slot, name = x.slots[first + i], categories.names[i]
            if categories.features[i] is None or self.entries[slot].v == 0.0:
                categories.features[i] = Categories(category_key(name))
                categories.known[i] = None
            known, category = categories.features[i], categories.known[i]
            n_numeric.append(categories.check_numeric(i))
            victims.append(known.rarest(self.max_categories) if category is None else None)
            categories.counted[i] = Category(known.n_created) if category is None else category
        try:
            for i in range(categories.n):
                known, name = categories.features[i], categories.names[i]
                if self.before is not None and known.before is None:
                    known.note()
                    self.changed_categories.append(known)
                if self.entries[x.slots[first + i]].v == 0.0:
                    added.append((self.categories, name))
                    self.categories[name] = known
                if categories.known[i] is None:
                    added.append((known.known, categories.texts[i]))
                    known.known[categories.texts[i]] = categories.counted[i]
        except BaseException:
            for items, key in added:
                items.pop(key, None)
            raise
        for i in range(categories.n):
            known, at = categories.features[i], self.width * x.slots[first + i]
            known.n_numeric = n_numeric[i]
            if categories.known[i] is None:
                known.n_created += 1
                if victims[i] is not None:
                    del known.known[victims[i]]
            else:
                known.known.move_to_end(categories.texts[i])
            unit = self.numbers[at + UNIT]
            if unit > LARGEST_UNIT:
                known.rescale(unit)
                self.numbers[at + LABELS] /= unit
                self.numbers[at + LABELS + 1] /= unit
                self.numbers[at + UNIT] = 1.0
        return 0

    def count_pair(self, asked: Any, i: int, positive: bool, decay: float, weight: float) -> None:
        """Let the counts of a pair decay, then count an instance."""
        numbers, table, row = self.numbers, self.pair_table, 2 * self.n_bins
        inputs, pairs = asked.inputs, asked.pairs
        a, b = inputs[pairs[i].a].at, inputs[pairs[i].b].at
        below, right = inputs[pairs[i].a].right, inputs[pairs[i].b].right
        number = table.touch(inputs[pairs[i].a].number, inputs[pairs[i].b].number)
        counts, start = table.counts, table.cells * number
        numbers[a + PAIRED] = 1.0
        numbers[b + PAIRED] = 1.0
        unit = table.numbers[PAIR_WIDTH * number + 2] / decay
        if unit > LARGEST_UNIT:
            for k in range(start, start + table.cells):
                counts[k] /= unit
            unit = 1.0
        table.numbers[PAIR_WIDTH * number + 2] = unit
        worth = weight * unit
        above, under = worth * (1.0 - below), worth * below
        cell = start + inputs[pairs[i].a].left * self.n_bins + inputs[pairs[i].b].left + positive
        counts[cell] += above * (1.0 - right)
        counts[cell + 2] += above * right
        counts[cell + row] += under * (1.0 - right)
        counts[cell + row + 2] += under * right

    def drop(self, lost: Any, n: int) -> None:
        """Drop the pairs of features that were dropped, which are given by their slots."""
        n_paired = 0
        for i in range(n):
            at = self.width * lost[i]
            if self.categories:
                name = self.name_of(self.key_at(lost[i]))
                if name is not self.key_at(lost[i]):
                    self.categories.pop(name)
            if self.numbers[at + PAIRED] != 0.0:
                # The slots are overwritten by the numbers of those that were paired.
                lost[n_paired] = whole(self.numbers[at + NUMBER])
                n_paired += 1
        self.pair_table.drop(lost, n_paired)


def n_categories(asked: Any) -> int:
    """The number of features of an instance that are strings."""
    return 0 if asked.categories is None else asked.categories.n


def clipped(value: float, bound: float) -> float:
    """A value, cut off at a bound on either side."""
    if value > bound:
        return bound
    return -bound if value < -bound else value


def between(counts: Any, place: int, row: int, below: float, right: float) -> float:
    """The count between four cells, of which the first is at a place, by shares of the others."""
    above = counts[place] + right * (counts[place + 2] - counts[place])
    place += row
    under = counts[place] + right * (counts[place + 2] - counts[place])
    return above + below * (under - above)


def move(
    numbers: Any,
    at: int,
    to_variance: int,
    value: float,
    step: float,
    shrinkage: float,
    growth: float,
) -> None:
    """Move a weight, whose variance is further on by a number of places."""
    variance = numbers[at + to_variance]
    gain = variance * value
    numbers[at] += gain * step
    numbers[at + to_variance] = min(variance - shrinkage * gain * gain + growth, PRIOR_VARIANCE)


def checked_state(state: Any, n_heads: int, n_bins: int, max_categories: int) -> tuple[Any, ...]:
    """Raise a `ValueError` unless a state has the right shape."""
    n_mixed = n_heads + 3
    try:
        numbers, mixture, features, seen, pairs = state[:5]
        # Where there are none, a state has no categories.
        (categories,) = state[5:] or ({},)
        fits = (
            len(numbers) == 4 + 2 * n_heads
            and len(mixture) == 4 + n_mixed + n_mixed * n_mixed
            and all(len(known) == 6 + 4 * n_heads + 2 * n_bins for known in features.values())
            and all(len(known) == 3 + 2 * n_bins * n_bins for _, _, known in pairs)
            and all(len(items) <= max_categories for _, _, items in categories.values())
            and all(
                type(text) is str and len(known) == CATEGORY_WIDTH
                for _, _, items in categories.values()
                for text, known in items
            )
        )
    except (AttributeError, TypeError, ValueError):
        fits = False
    if not fits:
        raise ValueError(
            "expected a state of EvidenceWeights with these settings; models from before the "
            "mixture of heads must be trained again"
        )
    return numbers, mixture, features, seen, pairs, categories
