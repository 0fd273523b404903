from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from heapq import heapify, heappop, heappush
from typing import Any

from river_trapezoid._instance import Features, observed
from river_trapezoid._parameters import check_budget, check_number, share_of
from river_trapezoid._probability import logistic

from .order import check_keys, rank

__all__ = ["MOST_BINS", "EvidenceWeights"]

# So many bins, of which most are empty, say nothing any more.
MOST_BINS = 10_000

# Prior means and variances of the weights. Evidence is believed a little before it is tested;
# a value is not.
VALUE_VARIANCE = 0.1
EVIDENCE_MEAN = 0.2
EVIDENCE_VARIANCE = 0.1
INTERCEPT_VARIANCE = 1.0
# An instance classified with certainty still counts as this much of an observation.
LEAST_CURVATURE = 1e-4
LARGEST_SCORE = 4.0
# Values are cut off here, where their squares and the sums of these stay within a float.
LARGEST_VALUE = 1e140
# In the compiled table, a strength of zero stands for no feature.
LEAST_STRENGTH = 2.0**-1074
_ROOT_HALF = math.sqrt(0.5)


class EvidenceWeights:
    """Two weights for each feature, one of its value and one of its evidence, and what they rest on.

    `linear_model.EvidenceClassifier` says what these are. All it knows of the features is here, so
    that the compiled kind of this class can learn from an instance in one go. For an instance with
    `n` features and `k` features kept, `margin` costs O(n), and `step` too, or O(n log k), amortised,
    if features are dropped.

    Sums are exactly rounded (`math.fsum`), so that no result depends on the order of the features
    in a dict.

    Parameters
    ----------
    n_bins, smoothing, forgetting
        As those of the learner.
    budget
        How many features are kept, the learner's `B`.

    Examples
    --------

    >>> from river_trapezoid.weights import EvidenceWeights

    >>> weights = EvidenceWeights()
    >>> intercept = 0.0
    >>> for value in (1.0, 2.0, 3.0, 4.0):
    ...     intercept = weights.step({"a": value}, 1 if value > 2.0 else -1, intercept)
    >>> weights
    EvidenceWeights(budget=1.0) with 1 features

    >>> weights.margin({"a": 1.0}, intercept) < 0.0 < weights.margin({"a": 4.0}, intercept)
    True

    """

    __slots__ = (
        "_features",
        "_intercept_variance",
        "_n",
        "_n_positive",
        "_seen",
        "_weakest",
        "budget",
        "forgetting",
        "n_bins",
        "smoothing",
    )

    def __init__(
        self,
        n_bins: int = 10,
        smoothing: float = 2.0,
        forgetting: float = 0.0,
        budget: int | float = 1.0,
    ):
        self.n_bins = check_number("n_bins", n_bins, integer=True, at_least=2, at_most=MOST_BINS)
        self.smoothing = float(smoothing)
        self.forgetting = float(forgetting)
        self.budget = check_budget("budget", budget)
        self._intercept_variance = INTERCEPT_VARIANCE
        # Counts are floats, as they are in C.
        self._n = 0.0
        self._n_positive = 0.0
        self._features: dict[Hashable, _Belief] = {}
        # As long as nothing is dropped, the features kept are the features seen.
        drops_a_share = type(self.budget) is float and self.budget < 1.0
        self._seen: set[Hashable] | None = set() if drops_a_share else None
        # A heap of (strength, rank, key) over the features, built when a truncation needs it. An
        # entry whose feature has changed since is stale and passed over.
        self._weakest: list[tuple[float, tuple[Any, ...], Hashable]] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        from river_trapezoid.weights import restore

        arguments = self.n_bins, self.smoothing, self.forgetting, self.budget
        return restore, ("EvidenceWeights", *arguments), self.__getstate__()

    def __getstate__(self) -> tuple[Any, ...]:
        features = {key: belief.to_list() for key, belief in self._features.items()}
        seen = None if self._seen is None else list(self._seen)
        return self._intercept_variance, self._n, self._n_positive, features, seen

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._intercept_variance, self._n, self._n_positive, features, seen = state
        self._features = {
            key: _Belief(*numbers[:8], counts=numbers[8:]) for key, numbers in features.items()
        }
        self._seen = None if seen is None else set(seen)
        self._weakest = None

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

    def to_dict(self) -> dict[Hashable, tuple[float, float]]:
        """The weights of value and evidence of each feature, as a new dict."""
        return {key: (belief.w, belief.v) for key, belief in self._features.items()}

    def inputs(self, x: Features) -> list[tuple[Hashable, float, float, float, float]]:
        """Key, z-score, its weight, evidence and its weight, of the features of `x` that are kept."""
        return [
            (key, score, belief.w, evidence, belief.v)
            for key, _, belief, score, evidence, _, _ in self._read(observed(x), 0.0)[0]
        ]

    def margin(self, x: Features, intercept: float) -> float:
        """Log-odds of the positive class, averaged over what the weights may be."""
        _, total, variance = self._read(observed(x), intercept)
        return _moderated(total, variance)

    def step(self, x: Features, sign: int, intercept: float) -> float:
        """Learn from the features of `x` and a label of -1 or +1; return the new intercept."""
        x = observed(x)
        check_keys(x)
        inputs, total, variance = self._read(x, intercept)
        p = logistic(_moderated(total, variance))
        positive = sign == 1
        curvature = max(p * (1.0 - p), LEAST_CURVATURE)
        shrinkage = curvature / (1.0 + curvature * variance)
        step = (positive - p) / (1.0 + curvature * variance)

        spread = self._intercept_variance
        intercept += spread * step
        self._intercept_variance = spread - shrinkage * spread * spread
        for _, value, belief, score, evidence, left, right in inputs:
            spread = belief.w_variance * score
            belief.w += spread * step
            belief.w_variance -= shrinkage * spread * spread
            spread = belief.v_variance * evidence
            belief.v += spread * step
            belief.v_variance -= shrinkage * spread * spread
            belief.observe(value, left, right, positive)
        if self.forgetting:
            self._forget(belief for _, _, belief, *_ in inputs)

        self._n += 1.0
        self._n_positive += positive
        if len(inputs) < len(x):
            left, odd = divmod(self.n_bins - 1, 2)
            for key, value in x.items():
                if key not in self._features:
                    self._features[key] = belief = _Belief(counts=[0.0] * (2 * self.n_bins))
                    belief.observe(_cut(value), 2 * left, odd / 2.0, positive)
        self._truncate(x)
        return intercept

    def _read(self, x: Features, intercept: float) -> tuple[list[_Input], float, float]:
        """What the known features say, and mean and variance of the sum of it.

        A feature that is not known yet has inputs of zero.
        """
        smoothing = self.smoothing
        positives = self._n_positive + 1.0
        negatives = self._n - self._n_positive + 1.0
        log_odds = math.log(positives / negatives)
        prior_positive = smoothing * positives / (positives + negatives)
        prior_negative = smoothing * negatives / (positives + negatives)
        middle = (self.n_bins - 1) / 2.0
        last = self.n_bins - 2
        known = self._features.get
        erf, log, sqrt = math.erf, math.log, math.sqrt
        inputs: list[_Input] = []
        terms = [intercept]
        variances = [self._intercept_variance]
        for key, value in x.items():
            belief = known(key)
            if belief is None:
                continue
            if not -LARGEST_VALUE <= value <= LARGEST_VALUE:
                value = _cut(value)
            # The z-score among all values so far and this one.
            n = belief.n
            change = value - belief.mean
            deviation = change * n / (n + 1.0)
            variance = (belief.deviations + change * deviation) / (n + 1.0)
            score = deviation / sqrt(variance) if variance else 0.0
            if score > LARGEST_SCORE:
                score = LARGEST_SCORE
            elif score < -LARGEST_SCORE:
                score = -LARGEST_SCORE

            # The two bins on either side, the share of the right one, and the counts in between.
            position = middle + middle * erf(score * _ROOT_HALF)
            left = int(position)
            if left > last:
                left = last
            right = position - left
            left *= 2
            negative, positive, negative_right, positive_right = belief.counts[left : left + 4]
            n_positive = belief.n_positive
            back_off = smoothing / (n + smoothing)
            negative += right * (negative_right - negative)
            negative += back_off * (n - n_positive + prior_negative)
            positive += right * (positive_right - positive)
            positive += back_off * (n_positive + prior_positive)
            evidence = log(positive / negative) - log_odds

            inputs.append((key, value, belief, score, evidence, left, right))
            terms += belief.w * score, belief.v * evidence
            variances += (
                belief.w_variance * score * score,
                belief.v_variance * evidence * evidence,
            )
        return inputs, math.fsum(terms), math.fsum(variances)

    def _forget(self, beliefs: Iterable[_Belief]) -> None:
        growth = 1.0 + self.forgetting
        self._intercept_variance = min(growth * self._intercept_variance, INTERCEPT_VARIANCE)
        for belief in beliefs:
            belief.w_variance = min(growth * belief.w_variance, VALUE_VARIANCE)
            belief.v_variance = min(growth * belief.v_variance, EVIDENCE_VARIANCE)

    def _truncate(self, changed: Iterable[Hashable]) -> None:
        """Drop all but the strongest features, after those in `changed` have changed."""
        features, weakest = self._features, self._weakest
        if self._seen is not None:
            self._seen.update(changed)
            capacity = share_of(self.budget, len(self._seen)) or 1
        elif type(self.budget) is int:
            capacity = self.budget
        else:
            return
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
        # Mostly stale: build it anew at the next need.
        self._weakest = None if weakest and len(weakest) > 2 * len(features) + 64 else weakest


class _Belief:
    """All that is known of one feature.

    `counts` has the soft counts of the bins, negative and positive by turns; `w` is the weight of
    the value, `v` that of the evidence; `deviations` is the sum of the squared deviations from the
    mean.
    """

    __slots__ = (
        "counts",
        "deviations",
        "mean",
        "n",
        "n_positive",
        "v",
        "v_variance",
        "w",
        "w_variance",
    )

    def __init__(
        self,
        n: float = 0.0,
        n_positive: float = 0.0,
        mean: float = 0.0,
        deviations: float = 0.0,
        w: float = 0.0,
        w_variance: float = VALUE_VARIANCE,
        v: float = EVIDENCE_MEAN,
        v_variance: float = EVIDENCE_VARIANCE,
        *,
        counts: list[float],
    ):
        self.n = n
        self.n_positive = n_positive
        self.mean = mean
        self.deviations = deviations
        self.w = w
        self.w_variance = w_variance
        self.v = v
        self.v_variance = v_variance
        self.counts = counts

    def to_list(self) -> list[float]:
        moments = [self.n, self.n_positive, self.mean, self.deviations]
        return [*moments, self.w, self.w_variance, self.v, self.v_variance, *self.counts]

    @property
    def strength(self) -> float:
        return abs(self.w) + abs(self.v) or LEAST_STRENGTH

    def observe(self, value: float, left: int, right: float, positive: bool) -> None:
        """Count a value of which the share `right` is in the bin after that at `left`."""
        self.n += 1.0
        self.n_positive += positive
        change = value - self.mean
        self.mean += change / self.n
        self.deviations += change * (value - self.mean)
        counts = self.counts
        left += positive
        counts[left] += 1.0 - right
        counts[left + 2] += right


def _cut(value: float) -> float:
    return max(-LARGEST_VALUE, min(LARGEST_VALUE, float(value)))


def _moderated(mean: float, variance: float) -> float:
    """The log-odds that give the mean of the logistic of a normal variable, closely."""
    return mean / math.sqrt(1.0 + math.pi / 8.0 * variance)


# Key, value, belief, z-score, evidence, place of the left bin's counts, share of the right bin.
_Input = tuple[Hashable, float, _Belief, float, float, int, float]
