from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterable
from heapq import heapify, heappop, heappush, nsmallest
from typing import Any, NamedTuple

from river_trapezoid._instance import Features, observed
from river_trapezoid._parameters import check_budget, check_number, share_of
from river_trapezoid._probability import logistic

from .key_order import check_keys, rank
from .mixture import Mixture, moderated
from .pairs import LARGEST_UNIT, Pair, PairTable

__all__ = ["HEADS", "MOST_BINS", "EvidenceWeights", "Head"]

# So many bins, of which most are empty, say nothing any more.
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
# Log-odds that two features say apart are cut off here.
LARGEST_APART = 20.0
# Values are cut off here, where their squares and the sums of these stay within a float.
LARGEST_VALUE = 1e140
# In the compiled table, a strength of zero stands for no feature.
LEAST_STRENGTH = 2.0**-1074
# How much of the lead of one head over another is remembered with each label.
LEAD_MEMORY = 0.99
_ROOT_HALF = math.sqrt(0.5)


class Head(NamedTuple):
    """What a head looks at, how fast it forgets, and its prior share in the mixture."""

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
ARGUMENTS = ("n_bins", "smoothing", "decay", "n_paired", "max_pairs", "mixture", "budget")


class EvidenceWeights:
    """The heads of an evidence learner: weights of values, evidence and pairs, and their mixture.

    `linear_model.EvidenceClassifier` says what these are. All it knows is here, so that the compiled
    kind of this class can learn from an instance in one go. For an instance with `n` features and
    `k` features kept, `margin` costs O(n), and `learn` too, or O(n log k), amortised, if features
    are dropped; pairs add a constant.

    Sums over features are exactly rounded (`math.fsum`), so that no result depends on the order of
    the features in a dict.

    Parameters
    ----------
    n_bins, smoothing, decay, n_paired, max_pairs, mixture
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

    __slots__ = (
        "_before",
        "_features",
        "_heads",
        "_labels",
        "_lead",
        "_mixture",
        "_n",
        "_pairs",
        "_seen",
        "_weakest",
        "budget",
        "decay",
        "intercepts",
        "max_pairs",
        "mixture",
        "n_bins",
        "n_paired",
        "smoothing",
    )

    def __init__(
        self,
        n_bins: int = 10,
        smoothing: float = 2.0,
        decay: float = 0.997,
        n_paired: int = 10,
        max_pairs: int = 1000,
        mixture: bool = True,
        budget: int | float = 1.0,
    ):
        self.n_bins = check_number("n_bins", n_bins, integer=True, at_least=2, at_most=MOST_BINS)
        self.smoothing = check_number("smoothing", smoothing, at_least=0.001, at_most=1e100)
        self.decay = check_number("decay", decay, at_least=0.5, at_most=1)
        self.n_paired = check_number("n_paired", n_paired, integer=True, at_least=0, at_most=100)
        self.max_pairs = check_number(
            "max_pairs", max_pairs, integer=True, at_least=1, at_most=10_000_000
        )
        self.mixture = bool(mixture)
        self.budget = check_budget("budget", budget)
        n_heads = (5 if self.n_paired else 4) if self.mixture else 1
        self._heads = HEADS[:n_heads]
        self._mixture = Mixture(tuple(head.share for head in self._heads))
        # Mean and variance of the intercept of each head.
        self.intercepts = [[0.0, PRIOR_VARIANCE] for _ in self._heads]
        # Labels learned from, and decayed counts of the negative and the positive one.
        self._n = 0.0
        self._labels = [0.0, 0.0]
        # By how much the loss of the recent head has been below that of the first.
        self._lead = 0.0
        self._features: dict[Hashable, _Belief] = {}
        self._pairs = PairTable(self.max_pairs, self.n_bins)
        # As long as nothing is dropped, the features kept are the features seen.
        drops_a_share = type(self.budget) is float and self.budget < 1.0
        self._seen: set[Hashable] | None = set() if drops_a_share else None
        # A heap of (strength, rank, key) over the features, built when a truncation needs it. An
        # entry whose feature has changed since is stale and passed over.
        self._weakest: list[tuple[float, tuple[Any, ...], Hashable]] | None = None
        # What was known when a transaction began, None if there is none.
        self._before: _Known | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        from river_trapezoid.weights import restore

        arguments = {name: getattr(self, name) for name in ARGUMENTS}
        return restore, ("EvidenceWeights", arguments), self.__getstate__()

    def __getstate__(self) -> tuple[Any, ...]:
        numbers = [self._n, *self._labels, self._lead, *itertools.chain(*self.intercepts)]
        features = {key: belief.to_list() for key, belief in self._features.items()}
        seen = None if self._seen is None else list(self._seen)
        return numbers, self._mixture.to_list(), features, seen, self._pairs.to_list()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        n_heads = len(self._heads)
        numbers, mixture, features, seen, pairs = checked_state(state, n_heads, self.n_bins)
        self._n, negative, positive, self._lead, *intercepts = numbers
        self._labels = [negative, positive]
        self.intercepts = [intercepts[i : i + 2] for i in range(0, len(intercepts), 2)]
        self._mixture.fill(mixture)
        self._features = {
            key: _Belief.of(key, numbers, n_heads) for key, numbers in features.items()
        }
        self._seen = None if seen is None else set(seen)
        self._pairs.fill(pairs)
        self._weakest = self._before = None

    def begin(self, columns: Iterable[Hashable] | None) -> bool:
        """Remember what is known until `commit` or `rollback`; return whether nobody else does yet.

        Parameters
        ----------
        columns
            The features that may be learned from meanwhile; None for any.

        """
        if self._before is not None:
            return False
        check_keys(columns or ())
        before = _Known(
            (self.budget, self._n, list(self._labels), self._lead, list(self.intercepts)),
            self._mixture.to_list(),
            *(self._features, {}, self._seen, self._pairs.known(), {}),
        )
        # Copies change from here on, so that what comes back is in its old order.
        self._features = dict(self._features)
        self._seen = None if self._seen is None else set(self._seen)
        self._before = before
        return True

    def commit(self) -> None:
        """Forget what was known."""
        if self._before is not None and self._before.seen is not None:
            # A copy of a set need not be in its order.
            self._before.seen.update(self._seen or ())
            self._seen = self._before.seen
        self._before = None

    def rollback(self) -> None:
        """Bring everything back to what was known at `begin`."""
        if self._before is None:
            return
        before, self._before, self._weakest = self._before, None, None
        self.budget, self._n, self._labels, self._lead, self.intercepts = before.numbers
        self._mixture.fill(before.mixture)
        self._features, self._seen = before.features, before.seen
        for key, numbers in before.beliefs.items():
            self._features[key] = _Belief.of(key, numbers, len(self._heads))
        self._pairs.restore(before.pairs, before.counts)

    def __len__(self) -> int:
        """Number of features kept."""
        return len(self._features)

    def __repr__(self) -> str:
        return f"EvidenceWeights(budget={self.budget!r}) with {len(self)} features"

    @property
    def n_seen(self) -> int | None:
        """Number of distinct features learned from; None if the budget is a count."""
        if type(self.budget) is int:
            return None
        return len(self._features if self._seen is None else self._seen)

    @property
    def intercept(self) -> float:
        """The intercept of the first head."""
        return self.intercepts[0][0]

    @intercept.setter
    def intercept(self, value: float) -> None:
        self.intercepts[0][0] = float(value)

    @property
    def log_odds(self) -> float:
        """Log-odds of the positive label among all labels, of which old ones may have decayed."""
        return math.log((self._labels[1] + 1.0) / (self._labels[0] + 1.0))

    @property
    def n_pairs(self) -> int:
        """Number of pairs of features that are known."""
        return len(self._pairs)

    def to_dict(self) -> dict[Hashable, tuple[float, float]]:
        """The weights of value and evidence of each feature in the first head, as a new dict."""
        mean = self._mean
        return {key: (b.w[0], mean + b.v[0]) for key, b in self._features.items()}

    def inputs(
        self, x: Features, head: int = 0
    ) -> list[tuple[Hashable, float, float, float, float]]:
        """Key, z-score, its weight, evidence and its weight, of the features of `x` that are kept."""
        mean = self._mean if self._heads[head].evidence else 0.0
        return [
            (i.key, i.score, i.belief.w[head], i.evidence, mean + i.belief.v[head])
            for i in self._read(observed(x))
        ]

    def pairs(self, x: Features) -> list[tuple[Hashable, Hashable, float, float]]:
        """Both keys, evidence and its weight, of the pairs of `x` that are known."""
        _, pairs, _ = self._ask(observed(x))
        return [(a.key, b.key, says, pair.w) for a, b, pair, says in pairs if pair is not None]

    def heads(self, x: Features) -> list[tuple[str, float, float, float]]:
        """Name, margin before moderation, its variance, and share in the mixture, of each head."""
        _, _, margins = self._ask(observed(x))
        return [
            (head.name, margin, variance, share)
            for head, (margin, variance), share in zip(
                self._heads, margins, self._mixture.shares, strict=False
            )
        ]

    def head(self, head: int) -> Head:
        """What a head is."""
        return self._heads[head]

    def mixed(self, x: Features) -> list[tuple[str, float, float]]:
        """Name, value and share of each input of the mixture."""
        _, _, margins = self._ask(observed(x))
        inputs = self._mixture.inputs([moderated(*margin) for margin in margins])
        names = [head.name for head in self._heads] + OTHER_INPUTS
        return list(zip(names, inputs, self._mixture.shares, strict=True))

    def margin(self, x: Features) -> float:
        """Log-odds of the positive class, averaged over what the weights may be."""
        _, _, margins = self._ask(observed(x))
        heads = [moderated(*margin) for margin in margins]
        return self._mixture.margin(self._mixture.inputs(heads)) if self.mixture else heads[0]

    def learn(self, x: Features, sign: int, weight: float = 1.0) -> None:
        """Learn from the features of `x` and a label of -1 or +1."""
        x = observed(x)
        check_keys(x)
        if not weight:
            return
        positive = sign == 1
        inputs, pairs, margins = self._ask(x)
        heads = [moderated(*margin) for margin in margins]
        if self._before is not None:
            self._before.note(inputs, pairs)
        decay = 1.0
        if self.mixture:
            # Counts decay while the head that forgets is ahead.
            lead = _loss(sign * heads[0]) - _loss(sign * heads[1])
            self._lead = LEAD_MEMORY * self._lead + (1.0 - LEAD_MEMORY) * lead
            if self._lead > 0.0:
                decay = self.decay
            mixed = self._mixture.inputs(heads)
            self._mixture.learn(mixed, positive, weight)

        for h, (head, (total, variance)) in enumerate(zip(self._heads, margins, strict=True)):
            p = logistic(total)
            curvature = weight * max(p * (1.0 - p), LEAST_CURVATURE)
            shrinkage = curvature / (1.0 + curvature * variance)
            step = weight * (positive - p) / (1.0 + curvature * variance)
            growth = PRIOR_VARIANCE * head.forgetting
            mean, uncertainty = self.intercepts[h]
            self.intercepts[h] = [*_moved(mean, uncertainty, 1.0, step, shrinkage, growth)]
            for i in inputs:
                known = i.belief
                if head.values:
                    known.w[h], known.w_variance[h] = _moved(
                        known.w[h], known.w_variance[h], i.score, step, shrinkage, growth
                    )
                if head.evidence:
                    known.v[h], known.v_variance[h] = _moved(
                        known.v[h], known.v_variance[h], i.evidence, step, shrinkage, growth
                    )
            if head.pairs:
                for _, _, pair, evidence in pairs:
                    if pair is not None:
                        pair.w, pair.variance = _moved(
                            pair.w, pair.variance, evidence, step, shrinkage, growth
                        )

        self._n += weight
        self._labels = [decay * count for count in self._labels]
        self._labels[positive] += weight
        for i in inputs:
            i.belief.count(i.value, i.left, i.right, positive, decay, weight)
        row = 2 * self.n_bins
        for a, b, _, _ in pairs:
            place = a.left * self.n_bins + b.left + positive
            shares = a.right, b.right
            self._pairs.touch(a.key, b.key).count(place, row, shares, decay, weight)
        if len(inputs) < len(x):
            left, odd = divmod(self.n_bins - 1, 2)
            for key, value in x.items():
                if key not in self._features:
                    self._features[key] = belief = _Belief(key, len(self._heads), self.n_bins)
                    belief.count(_cut(value), 2 * left, odd / 2.0, positive, decay, weight)
        self._pairs.truncate(self._truncate(x))

    @property
    def _mean(self) -> float:
        """Prior mean of the weight of evidence, by now."""
        return EVIDENCE_MEAN * (self._n / (self._n + HALF_MEAN))

    def _ask(self, x: Features) -> tuple[list[_Input], list[_PairInput], list[tuple[float, float]]]:
        """What the features say, what pairs of them say, and mean and variance of each head."""
        inputs = self._read(x)
        mean = self._mean
        pairs: list[_PairInput] = []
        margins = []
        for h, head in enumerate(self._heads):
            intercept, variance = self.intercepts[h]
            terms, variances = [intercept], [variance]
            for i in inputs:
                b = i.belief
                if head.values:
                    terms.append(b.w[h] * i.score)
                    variances.append(b.w_variance[h] * i.score * i.score)
                if head.evidence:
                    terms.append((mean + b.v[h]) * i.evidence)
                    variances.append(b.v_variance[h] * i.evidence * i.evidence)
            if head.pairs:
                pairs = self._read_pairs(inputs)
                for _, _, pair, evidence in pairs:
                    if pair is not None:
                        terms.append(pair.w * evidence)
                        variances.append(pair.variance * evidence * evidence)
            margins.append((math.fsum(terms), math.fsum(variances)))
        return inputs, pairs, margins

    def _read(self, x: Features) -> list[_Input]:
        """What the known features say. A feature that is not known yet says nothing."""
        smoothing = self.smoothing
        negatives, positives = self._labels[0] + 1.0, self._labels[1] + 1.0
        log_odds = math.log(positives / negatives)
        prior_positive = smoothing * positives / (positives + negatives)
        prior_negative = smoothing * negatives / (positives + negatives)
        belief_in_evidence = self._n / (self._n + HALF_EVIDENCE)
        middle = (self.n_bins - 1) / 2.0
        last = self.n_bins - 2
        known = self._features.get
        erf, log, sqrt = math.erf, math.log, math.sqrt
        inputs: list[_Input] = []
        for key, value in x.items():
            belief = known(key)
            if belief is None:
                continue
            value = _cut(value)
            # The z-score among all values so far and this one.
            n = belief.n
            change = value - belief.mean
            deviation = change * n / (n + 1.0)
            variance = (belief.deviations + change * deviation) / (n + 1.0)
            score = deviation / sqrt(variance) if variance > 0.0 else 0.0
            score = max(-LARGEST_SCORE, min(LARGEST_SCORE, score))

            # The two bins on either side, the share of the right one, and the counts in between.
            position = middle + middle * erf(score * _ROOT_HALF)
            left = min(int(position), last)
            right = position - left
            left *= 2
            negative, positive, negative_right, positive_right = belief.counts[left : left + 4]
            n_negative, n_positive = belief.labels
            worth = smoothing * belief.unit
            back_off = worth / (n_negative + n_positive + worth)
            negative += right * (negative_right - negative)
            negative += back_off * (n_negative + belief.unit * prior_negative)
            positive += right * (positive_right - positive)
            positive += back_off * (n_positive + belief.unit * prior_positive)
            odds = positive / negative
            says = log(odds) - log_odds
            inputs.append(
                _Input(
                    *(belief.key, value, belief, score),
                    *(belief_in_evidence * says, says, odds, left, right),
                )
            )
        return inputs

    def _read_pairs(self, inputs: list[_Input]) -> list[_PairInput]:
        """The pairs of the strongest features, what is known of them, and their evidence."""
        strongest = nsmallest(self.n_paired, ((-i.belief.strength, rank(i.key), i) for i in inputs))
        ordered = [i for _, i in sorted((key, i) for _, key, i in strongest)]
        negatives, positives = self._labels[0] + 1.0, self._labels[1] + 1.0
        log_odds = math.log(positives / negatives)
        belief_in_evidence = self._n / (self._n + HALF_EVIDENCE)
        result: list[_PairInput] = []
        for a, b in itertools.combinations(ordered, 2):
            pair = self._pairs.get(a.key, b.key)
            evidence = 0.0
            if pair is not None:
                apart = log_odds + a.says + b.says
                odds = a.odds * b.odds * (negatives / positives)
                if not -LARGEST_APART <= apart <= LARGEST_APART:
                    apart = math.copysign(LARGEST_APART, apart)
                    odds = math.exp(apart)
                place = a.left * self.n_bins + b.left
                evidence = belief_in_evidence * pair.evidence(
                    place, 2 * self.n_bins, (a.right, b.right), apart, odds, self.smoothing
                )
            result.append((a, b, pair, evidence))
        return result

    def _truncate(self, changed: Iterable[Hashable]) -> set[Hashable]:
        """Drop all but the strongest features, after those in `changed` have changed."""
        features, weakest = self._features, self._weakest
        dropped: set[Hashable] = set()
        if self._seen is not None:
            self._seen.update(changed)
            capacity = share_of(self.budget, len(self._seen)) or 1
        elif type(self.budget) is int:
            capacity = self.budget
        else:
            return dropped
        if weakest is not None:
            for key in changed:
                heappush(weakest, (features[key].strength, rank(key), key))
        if len(features) > capacity and weakest is None:
            weakest = [(belief.strength, rank(key), key) for key, belief in features.items()]
            heapify(weakest)
        while len(features) > capacity and weakest:
            strength, _, key = heappop(weakest)
            known = features.get(key)
            if known is not None and known.strength == strength:
                del features[key]
                dropped.add(key)
        # Mostly stale: build it anew at the next need.
        self._weakest = None if weakest and len(weakest) > 2 * len(features) + 64 else weakest
        return dropped


class _Belief:
    """All that is known of one feature, and the key that it was learned by first.

    `n`, `mean` and `deviations`, the sum of the squared deviations from the mean, are those of its
    values. `labels` and `counts` are decayed counts of the labels, negative and positive by turns,
    the latter of each soft bin. They are in units of `unit`, which grows instead of the counts
    decaying. `w` and `v` are the weights of value and evidence in each head, the latter without the
    prior mean that all have in common.
    """

    __slots__ = (
        "counts",
        "deviations",
        "key",
        "labels",
        "mean",
        "n",
        "unit",
        "v",
        "v_variance",
        "w",
        "w_variance",
    )

    def __init__(self, key: Hashable, n_heads: int, n_bins: int):
        self.key = key
        self.n = self.mean = self.deviations = 0.0
        self.unit = 1.0
        self.labels = [0.0, 0.0]
        self.w, self.w_variance = [0.0] * n_heads, [PRIOR_VARIANCE] * n_heads
        self.v, self.v_variance = [0.0] * n_heads, [PRIOR_VARIANCE] * n_heads
        self.counts = [0.0] * (2 * n_bins)

    @classmethod
    def of(cls, key: Hashable, numbers: list[float], n_heads: int) -> _Belief:
        """The belief that `to_list` was called of."""
        belief = cls(key, 0, 0)
        belief.n, belief.mean, belief.deviations, belief.unit, *belief.labels = numbers[:6]
        belief.w, belief.w_variance, belief.v, belief.v_variance = (
            list(numbers[6 + i * n_heads : 6 + (i + 1) * n_heads]) for i in range(4)
        )
        belief.counts = list(numbers[6 + 4 * n_heads :])
        return belief

    def to_list(self) -> list[float]:
        moments = [self.n, self.mean, self.deviations, self.unit, *self.labels]
        weights = [*self.w, *self.w_variance, *self.v, *self.v_variance]
        return [*moments, *weights, *self.counts]

    @property
    def strength(self) -> float:
        return abs(self.w[0]) + abs(EVIDENCE_MEAN + self.v[0]) or LEAST_STRENGTH

    def count(
        self, value: float, left: int, right: float, positive: bool, decay: float, weight: float
    ) -> None:
        """Let the counts decay, then count a value with the share `right` in the second bin."""
        if not self.n:
            # Exactly, so that a constant has no variance, whatever the weights of instances.
            self.mean = value
        self.n += weight
        change = value - self.mean
        self.mean += weight * change / self.n
        self.deviations += weight * change * (value - self.mean)
        self.unit /= decay
        if self.unit > LARGEST_UNIT:
            self.labels = [count / self.unit for count in self.labels]
            self.counts = [count / self.unit for count in self.counts]
            self.unit = 1.0
        weight *= self.unit
        self.labels[positive] += weight
        left += positive
        self.counts[left] += weight * (1.0 - right)
        self.counts[left + 2] += weight * right


class _Input(NamedTuple):
    """What an instance says through one of its features."""

    key: Hashable
    value: float
    belief: _Belief
    score: float
    # The evidence, what it is before it counts in full, and the odds by this feature alone.
    evidence: float
    says: float
    odds: float
    # The place of the left bin's counts, and the share of the right one.
    left: int
    right: float


# Two inputs, what is known of their pair, and its evidence.
_PairInput = tuple[_Input, _Input, Pair | None, float]


class _Known(NamedTuple):
    """What was known when a transaction began."""

    numbers: tuple[Any, ...]
    mixture: list[float]
    features: dict[Hashable, _Belief]
    # The numbers of features and pairs that have been learned from since, noted before they changed.
    beliefs: dict[Hashable, list[float]]
    seen: set[Hashable] | None
    pairs: dict[tuple[Hashable, Hashable], Pair]
    counts: dict[tuple[Hashable, Hashable], list[float]]

    def note(self, inputs: list[_Input], pairs: list[_PairInput]) -> None:
        """Note what an instance is about to change."""
        for i in inputs:
            if i.key not in self.beliefs and i.key in self.features:
                self.beliefs[i.key] = i.belief.to_list()
        for a, b, pair, _ in pairs:
            if pair is not None and (a.key, b.key) not in self.counts:
                self.counts[a.key, b.key] = pair.to_list()


def checked_state(state: Any, n_heads: int, n_bins: int) -> tuple[Any, ...]:
    """Raise a `ValueError` unless a state has the right shape."""
    n_mixed = n_heads + 3
    try:
        numbers, mixture, features, _, pairs = state
        fits = (
            len(numbers) == 4 + 2 * n_heads
            and len(mixture) == 4 + n_mixed + n_mixed * n_mixed
            and all(len(known) == 6 + 4 * n_heads + 2 * n_bins for known in features.values())
            and all(len(known) == 3 + 2 * n_bins * n_bins for _, _, known in pairs)
        )
    except (AttributeError, TypeError, ValueError):
        fits = False
    if not fits:
        raise ValueError(
            "this is no state of an EvidenceWeights of these settings; models of versions before "
            "the mixture of heads have to be learned anew"
        )
    return tuple(state)


def _cut(value: float) -> float:
    return max(-LARGEST_VALUE, min(LARGEST_VALUE, float(value)))


def _loss(signed_margin: float) -> float:
    return max(0.0, -signed_margin) + math.log1p(math.exp(-abs(signed_margin)))


def _moved(
    mean: float, variance: float, value: float, step: float, shrinkage: float, growth: float
) -> tuple[float, float]:
    """Mean and variance of a weight after a step on an instance with that value."""
    gain = variance * value
    return mean + gain * step, min(variance - shrinkage * gain * gain + growth, PRIOR_VARIANCE)
