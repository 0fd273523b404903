from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from typing import Any, NamedTuple

from river import base

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_choice, check_number
from river_trapezoid._without_learning import without_learning

from .base import Sampler, opinion

__all__ = ["UncertaintySampler"]

_STRATEGIES = ("fixed", "variable", "randomised", "split")
# The threshold of the fixed strategy, as in MOA, and the first one of the others.
_FIXED_THRESHOLD, _FIRST_THRESHOLD = 0.9, 1.0


class _State(NamedTuple):
    theta: float  # θ
    spending: float  # û
    labels_spent: int


def _opinion(
    classifier: Any, x: Features, params: dict[str, Any], labelled: bool = True
) -> tuple[Any, dict[Any, float], float]:
    label, proba, _ = opinion(classifier, x, params, labelled)
    return label, proba, _certainty(proba)


def _verdict(
    classifier: Any, x: Features, params: dict[str, Any], labelled: bool = True
) -> tuple[Any, float]:
    label, _, certainty = _opinion(classifier, x, params, labelled)
    return label, certainty


class UncertaintySampler(Sampler):
    r"""Queries instances whose most likely class has a probability below a threshold, in a budget.

    The four strategies of Žliobaitė et al.[^1], with their budget manager: an instance is considered
    only while the labels spent over about the last `window` instances are below the budget. The
    spending $\hat u$ fades with each instance, and is compared with the budget as $\hat u / w$:

    $$\hat u \leftarrow \frac{w - 1}{w} \hat u + query$$

    | strategy | queries if the largest probability is below |
    |---|---|
    | `"fixed"` | θ |
    | `"variable"` | θ, which is multiplied by 1 - s after a query, and by 1 + s otherwise |
    | `"randomised"` | the same θ times a draw from a normal distribution around 1 |
    | `"split"` | the variable θ; a random part of the instances is queried at random instead, at the rate of the budget |

    The paper's split strategy also starts a new classifier when a change detector fires on the
    random part; here that is left to the classifier, such as
    `river.drift.DriftRetrainingClassifier`.

    The budget holds for the recent past, and unspent labels are not carried over. Where
    a share must be met, or never exceeded, use `BudgetSampler`, whose labels also gain more.

    Parameters
    ----------
    classifier
        The classifier to wrap. It must predict probabilities.
    budget
        The largest share of labels to spend, the paper's B.
    strategy
        One of `"fixed"`, `"variable"`, `"randomised"`, `"split"`.
    threshold
        The threshold θ, or its first value; by default 0.9 if it is fixed, and 1 otherwise.
    step
        The relative change of the threshold with each instance, s.
    deviation
        The standard deviation of the randomised threshold, relative to it, δ.
    random_share
        The share of the instances that the split strategy queries at random, ν.
    window
        The approximate number of instances over which the spending is estimated, w.
    seed
        Seed of the random draws.

    Attributes
    ----------
    labels_spent
        Number of queries so far.
    theta
        The current threshold.

    Examples
    --------

    >>> from river import compose
    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import linear_model
    >>> from river import metrics
    >>> from river_trapezoid import active
    >>> from river_trapezoid import preprocessing

    >>> model = active.UncertaintySampler(
    ...     preprocessing.StandardScaler() | linear_model.LogisticRegression(),
    ...     budget=0.1,
    ...     strategy="variable",
    ...     seed=42,
    ... )
    >>> with compose.learn_during_predict():
    ...     evaluate.progressive_val_score(
    ...         datasets.Phishing(), model, metrics.Accuracy(), print_every=625
    ...     )
    [625] Accuracy: 83.68% – 75 samples used
    [1,250] Accuracy: 87.84% – 139 samples used
    Accuracy: 87.84%

    References
    ----------
    [^1]: Žliobaitė, I., Bifet, A., Pfahringer, B. and Holmes, G., 2014. Active learning with drifting streaming data. IEEE Transactions on Neural Networks and Learning Systems, 25(1), pp. 27-39.

    """

    _TAG = "river_trapezoid.active.UncertaintySampler"
    _State = _State
    _verdict = staticmethod(_verdict)
    _opinion = staticmethod(_opinion)

    def __init__(
        self,
        classifier: base.Estimator,
        budget: float = 0.1,
        strategy: str = "split",
        threshold: float | None = None,
        step: float = 0.01,
        deviation: float = 1.0,
        random_share: float = 0.2,
        window: int = 100,
        seed: int | None = None,
    ):
        check_number("budget", budget, above=0, at_most=1)
        check_choice("strategy", strategy, _STRATEGIES)
        check_number("threshold", threshold, above=0, optional=True)
        check_number("step", step, above=0, below=1)
        check_number("deviation", deviation, at_least=0)
        check_number("random_share", random_share, at_least=0, at_most=1)
        check_number("window", window, integer=True, at_least=1)
        super().__init__(classifier, seed=seed)
        self.budget = budget
        self.strategy = strategy
        self.threshold = threshold
        self.step = step
        self.deviation = deviation
        self.random_share = random_share
        self.window = window
        first = _FIXED_THRESHOLD if strategy == "fixed" else _FIRST_THRESHOLD
        self._state = _State(first if threshold is None else threshold, 0.0, 0)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from river import naive_bayes, preprocessing

        classifier = preprocessing.StandardScaler() | naive_bayes.GaussianNB()
        for strategy in _STRATEGIES:
            yield {"classifier": classifier, "strategy": strategy}

    @property
    def theta(self) -> float:
        """The current threshold."""
        return self._state.theta

    @property
    def labels_spent(self) -> int:
        """Number of queries so far."""
        return self._state.labels_spent

    def query_probability_one(self, x: Features) -> float:
        """Return the probability with which `x` would be queried now.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        theta, spending, _ = self._state
        with without_learning():
            certainty = _certainty(opinion(self.classifier, x, {}, labelled=False)[1])
        if spending / self.window >= self.budget:
            return 0.0
        if self.strategy == "randomised" and self.deviation:
            spread = statistics.NormalDist(theta, theta * self.deviation)
            return 1.0 - spread.cdf(certainty)
        p = float(certainty < theta)
        if self.strategy == "split":
            p = self.random_share * self.budget + (1.0 - self.random_share) * p
        return p

    def _ask_for_label(self, x: Features, y_pred: Any) -> bool:
        return self._ask(_certainty(y_pred))

    def _ask(self, confidence: float) -> bool:
        theta, spending, spent = self._state
        ask = False
        if spending / self.window < self.budget:
            if self.strategy == "split" and self._rng.random() < self.random_share:
                ask = self._rng.random() < self.budget
            else:
                threshold = theta
                if self.strategy == "randomised":
                    threshold *= self._rng.gauss(1.0, self.deviation)
                ask = confidence < threshold
                if self.strategy != "fixed":
                    theta *= 1.0 - self.step if ask else 1.0 + self.step
        spending = spending * (self.window - 1) / self.window + ask
        self._state = _State(theta, spending, spent + ask)
        return ask


def _certainty(proba: dict[Any, float]) -> float:
    """The largest probability; 0 for fewer than two classes, or NaN."""
    if len(proba) < 2 or math.isnan(sum(proba.values())):
        return 0.0
    return max(proba.values())
