from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import starmap
from math import copysign, exp, log
from typing import Any, NamedTuple

from river import base

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_number
from river_trapezoid._without_learning import without_learning
from river_trapezoid.weights import transaction

from ._doubt import Doubt
from .base import Sampler, last_step, verdict

__all__ = ["BudgetSampler"]

WINDOW = 64  # number of confidences that the next one is ranked among
_LEAST_RATE = 1e-4
_FULL_RATE = 0.999  # rate from which every instance is queried
_OFFSET = 0.1  # added to twice the rank, so that the lowest need not be queried
_STEP = 0.05  # step of the adaptation of λ
_LARGEST_ERROR = 3.0
_LARGEST_LAMBDA = 12.0
_HORIZON = 2.0  # a deficit of this number of labels doubles the probability, a surplus makes it 0
_LARGEST_BOOST = 4.0
_LARGEST_EXPONENT = 700.0
_HALF = 0.5  # doubt beyond which the rate is at least the budget
_AFTER_DRIFT = 40  # number of labels drawn at random after a drift
_DRAWS: tuple[tuple[()], ...] = ((),) * 2 * WINDOW  # two for each of the next decisions


class _State(NamedTuple):
    n_offered: int  # t
    labels_spent: int
    lam: float  # λ
    recent: list[float]  # the last confidences, in a ring
    ranked: list[float]  # the same in order
    draws: list[float]  # random numbers for the next decisions


class BudgetSampler(Sampler):
    r"""Spends the requested share of labels, and no more, where the classifier is least confident.

    `MarginSampler` queries with probability ρ/(ρ + |q|), but the ρ that meets a budget is not known
    beforehand, and none does where many confidences are zero. Here a confidence is replaced by its
    rank among the last 64, ρ adapts to the budget, and deviations from the budget are corrected at
    once.

    Labels are worth most early. With a `credit` of K, some are spent ahead of the budget b and
    repaid from a quarter of it: after t instances at most

    $$allowed(t) = \min\left(\max\left(\frac{1}{2}, b\right) t,\; \max\left(b t,\; K + \frac{3}{4} b t\right)\right)$$

    labels plus the `slack` have been queried, whatever the confidences are. That is at most
    b t + K + slack at any time, and b t + slack from t = 4 K / b on, when the credit is repaid. On a
    stream that ends earlier, part of the credit is spent on top of the budget. The credit improves
    the predictions during the stream; where the final model matters more, `credit=0` makes a better
    one.

    A label counts as spent when its instance is queried, not when the label arrives, so that the
    budget holds however late the labels are, and also if some never arrive. Each call of
    `predict_one`, `predict_proba_one` or `decide_one` is one instance: use `decide_one` for label
    and probabilities of the same instance. `query_probability_one` and `classifier.predict_one`
    count nothing.

    A confidence of NaN is taken as zero. A prediction that is interrupted is counted wholly or not
    at all.

    What to expect: in the mean, queried labels are worth more than the same number of random ones,
    by about three points of accuracy during the stream for a tenth of the labels, and by one or two
    for the final model; on some data the difference is not distinguishable from chance. The learner
    matters more than the choice of labels.

    What not to expect: after a concept is inverted, rules that use the confidence recover more
    slowly than random labels, as a confident model does not query where it is wrong, and
    `explore=0.5` does not prevent that. On a short stream the credit makes it worse, as it is spent
    by then. A `drift_detector` that monitors the errors on queried labels, and lets the next 40 be
    drawn at random, recovers part of the loss, more on long streams than on short ones, at little
    cost where nothing drifts; `RandomSampler` recovers more reliably still.

    With `doubting=True`, a filter updates the probability that the classifier no longer holds with
    each label: the `doubt`. With this probability, labels are drawn in proportion to the rank of the
    confidence, so that the confident predictions are verified. A `reserve` of labels is saved after
    the credit is repaid, and released as the doubt rises. `credit=15` and `power=3` suit it. Around
    `drift.ChallengedClassifier`, the doubt is that of the classifier, and is not estimated twice.

    A bonus for instances with new features, scores of the uncertainty of the model (BALD), the
    margin divided by the norm of the instance, the expected change of the model and bagged models
    gained nothing over plain confidence. Weighting instances by the inverse of their probability of
    being queried reduces accuracy. The gains published for FLLS on vote, wdbc and svmguide3 do not
    reproduce. Do not estimate accuracy from the queried labels: these are the difficult instances.

    A scaler in front needs no labels, and should learn from all instances rather than from the few
    that are queried: predict under `compose.learn_during_predict()`.

    Where positives are rare, they are rare among the labels as well: let the classifier decide by
    another threshold, as `linear_model.EvidenceClassifier(decision="balanced")` does. The confidence
    is then the distance from that threshold.

    Parameters
    ----------
    classifier
        The classifier to wrap.
    budget
        The share of labels to spend, b.
    credit
        The number of labels that may be spent early and repaid later, K.
    explore
        The share of the decisions that ignore the confidence.
    power
        How steeply the probability of a query falls with the rank of the confidence.
    slack
        The number of labels that may be spent ahead of what is allowed.
    seed
        Seed of the random draws.
    drift_detector
        A drift detector that receives, for each label that arrives, whether the classifier predicts
        it wrongly. It should react to a rise of the errors only, and to few labels, such as
        `drift.PageHinkley(min_instances=15, delta=0.05, threshold=4, mode="up")`. None for no
        detection.
    doubting
        Whether to estimate the doubt, and to verify confident predictions in proportion to it.
    reserve
        The number of labels that are saved for times of doubt. It is only used if `doubting`.

    Attributes
    ----------
    doubt
        The probability that the classifier no longer holds. It is 0 unless `doubting`.
    labels_spent
        Number of queries so far.
    n_offered
        Number of instances predicted so far.

    Examples
    --------

    >>> from river import compose
    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import active
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import preprocessing

    >>> model = active.BudgetSampler(
    ...     preprocessing.StandardScaler() | linear_model.OLSFClassifier(), budget=0.1, seed=42
    ... )
    >>> with compose.learn_during_predict():
    ...     evaluate.progressive_val_score(
    ...         datasets.Phishing(), model, metrics.Accuracy(), print_every=625
    ...     )
    [625] Accuracy: 82.72% – 68 samples used
    [1,250] Accuracy: 85.92% – 126 samples used
    Accuracy: 85.92%

    >>> model.labels_spent, model.n_offered
    (126, 1250)

    One decision, for label and probabilities of the same instance:

    >>> x, y = next(iter(datasets.Phishing()))
    >>> label, probabilities, ask = model.decide_one(x)
    >>> label, round(probabilities[label], 2), ask
    (True, 0.96, False)

    """

    _TAG = "river_trapezoid.active.BudgetSampler"
    # An interrupt leaves the state before a decision or the one after it.
    _State = _State
    _LATER: tuple[str, ...] = ("doubting", "reserve", "_doubt")

    def __init__(
        self,
        classifier: base.Estimator,
        budget: float = 0.1,
        credit: float = 20.0,
        explore: float = 0.1,
        power: float = 4.0,
        slack: float = 2.0,
        seed: int | None = None,
        drift_detector: base.DriftDetector | None = None,
        doubting: bool = False,
        reserve: float = 10.0,
    ):
        check_number("budget", budget, above=0, at_most=1)
        check_number("credit", credit, at_least=0)
        check_number("explore", explore, at_least=0, at_most=1)
        check_number("power", power, above=0, at_most=100)
        check_number("slack", slack, at_least=0)
        check_number("reserve", reserve, at_least=0)
        super().__init__(classifier, seed=seed)
        self.budget = budget
        self.credit = credit
        self.explore = explore
        self.power = power
        self.slack = slack
        self.drift_detector = drift_detector
        self.doubting = doubting
        self.reserve = reserve
        self._random_until = 0  # the number of labels that ends the random draws after a drift
        self._doubt = Doubt()
        self._state = _State(0, 0, 0.0, [], [], [])

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Pickles of earlier versions lack these.
        super().__setstate__({"doubting": False, "reserve": 10.0, "_doubt": Doubt(), **state})

    def _check_state(self) -> None:
        """Raise a `ValueError` unless the attributes, which come from a file, fit together."""
        t, _, _, recent, ranked, draws = self._state
        if sorted(recent) != ranked or len(recent) != min(t, WINDOW):
            raise ValueError("the ranked confidences must be the last confidences, sorted")
        if len(draws) not in (0, 2 * WINDOW):
            raise ValueError(f"there must be {2 * WINDOW} draws or none; got {len(draws)}")
        if not all(type(number) is float for number in recent + draws):
            raise ValueError("confidences and draws must be floats")
        self._doubt.check()

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from river import drift, naive_bayes, preprocessing

        classifier = preprocessing.StandardScaler() | naive_bayes.GaussianNB()
        yield {"classifier": classifier}
        yield {"classifier": classifier, "budget": 0.5, "explore": 0.5, "power": 2.0, "credit": 0}
        yield {"classifier": classifier, "drift_detector": drift.PageHinkley()}
        yield {"classifier": classifier, "credit": 15, "power": 3, "doubting": True}

    @property
    def labels_spent(self) -> int:
        """Number of queries so far."""
        return self._state.labels_spent

    @property
    def n_offered(self) -> int:
        """Number of instances predicted so far."""
        return self._state.n_offered

    @property
    def doubt(self) -> float:
        """The probability that the classifier no longer holds. It is 0 unless `doubting`."""
        if not self.doubting:
            return 0.0
        own: float = getattr(last_step(self.classifier), "doubt", self._doubt.probability)
        return own

    def allowed(self, t: int) -> float:
        """Return the number of queries that are allowed after `t` instances, without the `slack`.

        Parameters
        ----------
        t
            A number of instances.

        """
        return _allowed(t, self.budget, self.credit)

    def query_probability_one(self, x: Features) -> float:
        """Return the probability with which `x` would be queried now.

        A confidence that equals earlier ones is ranked in the middle of them, while a decision
        draws its rank among them.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        confidence = self.confidence_one(x)
        if confidence != confidence:
            confidence = 0.0
        t, spent, lam, _, ranked, _ = self._state
        places = bisect_left(ranked, confidence) + bisect_right(ranked, confidence)
        return self._weighed(t + 1, spent, lam, (places + 1) / (2 * len(ranked) + 2))[0]

    def learn_one(self, x: Features, y: base.typing.ClfTarget, **kwargs: Any) -> None:
        """Update the classifier with a set of features `x` and a label `y`.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            The label of the queried instance.

        """
        detector = self.drift_detector
        # Some classifiers estimate their doubt themselves.
        estimating = self.doubting and not hasattr(last_step(self.classifier), "doubt")
        label, confidence = None, 0.0
        if detector is not None or estimating:
            with without_learning():
                label, confidence = verdict(self.classifier, x, {})
        super().learn_one(x, y, **kwargs)
        if estimating:
            self._doubt = self._doubt.after(label, y, confidence)
        if detector is not None and label is not None:
            detector.update(label != y)
            if detector.drift_detected:
                self._random_until = self.labels_spent + _AFTER_DRIFT

    def _transaction(self) -> transaction | None:
        # A detector of drift and the doubt change as well.
        known = self.drift_detector is None and not self.doubting
        return super()._transaction() if known else None

    def _weighed(self, t: int, spent: int, lam: float, u: float) -> tuple[float, float]:
        """The probability of querying instance t, at a rank of u, and the next λ."""
        budget, credit = self.budget, self.credit
        doubt, reserve = (self.doubt, self.reserve) if self.doubting else (0.0, 0.0)
        before = budget * (t - 1)
        if before >= 4.0 * (credit + reserve):
            # The credit is repaid and the reserve saved, as for most instances.
            allowed = budget * t
            target, rate = allowed - reserve, allowed - before
        else:
            target = allowed = _allowed(t, budget, credit, reserve)
            rate = target - _allowed(t - 1, budget, credit, reserve)
            if reserve:
                allowed = _allowed(t, budget, credit)
        if doubt:
            target += doubt * (allowed - target)
            if doubt > _HALF and rate < budget:
                rate = budget
        within = spent + 1 <= allowed + self.slack
        if rate >= _FULL_RATE:
            return (1.0 if within else 0.0), lam
        if rate < _LEAST_RATE:
            rate = _LEAST_RATE

        # p0 = 1 / (1 + ((2u + .1) / ρ)^power), where ρ = e^λ r / (1 - r)
        exponent = self.power * (log((2.0 * u + _OFFSET) * (1.0 - rate) / rate) - lam)
        basic = 1.0 / (1.0 + exp(exponent)) if exponent < _LARGEST_EXPONENT else exp(-exponent)
        error = 1.0 - basic / rate
        lam += _STEP * (error if error > -_LARGEST_ERROR else -_LARGEST_ERROR)
        if not -_LARGEST_LAMBDA < lam < _LARGEST_LAMBDA:
            lam = copysign(_LARGEST_LAMBDA, lam)

        boost = 1.0 + (target - spent) / _HORIZON
        if not within or boost <= 0.0:
            return 0.0, lam
        if boost > _LARGEST_BOOST:
            boost = _LARGEST_BOOST
        rate *= boost
        basic *= boost
        explore = self.explore if spent >= self._random_until else 1.0
        p = explore * (rate if rate < 1.0 else 1.0)
        p += (1.0 - explore) * (basic if basic < 1.0 else 1.0)
        if doubt:
            # In proportion to the rank: after an inversion, the confident predictions are wrong.
            verifying = 2.0 * u * rate
            p += doubt * ((verifying if verifying < 1.0 else 1.0) - p)
        return p, lam

    def _ask(self, confidence: float) -> bool:
        if confidence != confidence:
            confidence = 0.0
        t, spent, lam, recent, ranked, draws = self._state
        if not draws:
            # In one call, so that an interrupt loses no draw.
            draws.extend(starmap(self._rng.random, _DRAWS))
        place = t % WINDOW
        m = len(ranked)
        below = bisect_left(ranked, confidence)
        up_to = bisect_right(ranked, confidence, below)
        u = (below + draws[place] * (up_to - below + 1)) / (m + 1) if m else 0.5
        p, lam = self._weighed(t + 1, spent, lam, u)
        ask = draws[WINDOW + place] < p

        recent, ranked = recent.copy(), ranked.copy()
        if m < WINDOW:
            recent.append(confidence)
        else:
            gone = bisect_left(ranked, recent[place])
            del ranked[gone]
            below -= gone < below
            recent[place] = confidence
        ranked.insert(below, confidence)
        if place == WINDOW - 1:
            draws = []
        self._state = _State(t + 1, spent + ask, lam, recent, ranked, draws)
        return ask


def _allowed(t: int, budget: float, credit: float, reserve: float = 0.0) -> float:
    """The number of queries that are allowed after t instances, or aimed at with a reserve."""
    share = budget * t
    most = 0.5 * t
    if share > most:
        most = share
    ahead = credit + 0.75 * share
    share -= reserve
    if ahead > share:
        return ahead if ahead < most else most
    return share
