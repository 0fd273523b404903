from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from math import copysign, exp, log
from typing import Any

from river import base

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_number

from .base import Sampler

__all__ = ["BudgetSampler"]

# Found on 13 data sets with 3 learners and 4 budgets.
_MEMORY = 0.02  # least weight of an instance in the running mean of the confidence
_LONG_AGO = 1 / _MEMORY
_OFFSET = 0.1  # added to the relative confidence, so that a confidence of zero need not be asked
_RATE = 0.05  # step of the adaptation of ρ
_HORIZON = 2.0  # how many labels owed or overspent double the odds, or bring them to zero
_LARGEST_BOOST = 4.0
_LARGEST_LOG_RHO = 12.0


class BudgetSampler(Sampler):
    """Spends the requested share of labels, and no more, where the classifier is least confident.

    `MarginSampler` asks with probability ρ/(ρ + |q|), but which ρ meets a budget is not known
    beforehand, and none does where many confidences are zero. Here |q| is measured against its
    running mean, ρ adapts to the budget, and what is owed or overspent is made up for at once. At
    no time have more than `budget · t + slack` labels been asked for after t instances.

    A label counts as spent when it is asked for, not when it arrives, so that the budget holds
    however late the labels are, and also if some never arrive. Each instance that is predicted
    counts once: to predict the same dict again, unchanged and before the next label is learned,
    gives the same answer as before and costs nothing.

    What to expect: on many data sets chosen labels are worth more than as many random ones, by a
    point or two of accuracy in the mean where a tenth of them is paid for; on noisy data the
    difference cannot be told from chance. River's `EntropySampler`, tuned by trial to a similar
    cost, may be somewhat better, but does not keep to a budget: it spends early, and on some data
    far too much. The learner matters more than the choice of labels.

    Recovery after abrupt drift is slower than with random labels, since a confident model does not
    ask: set `explore` to 0.5 where that may happen. The gains published for FLLS on vote, wdbc and
    svmguide3 do not reproduce. Weighting instances by the inverse of their probability to be asked
    for hurts. And accuracy must not be estimated from the labels asked for: they are the difficult
    ones.

    A scaler in front needs no labels, and should learn from all instances rather than from the few
    that are asked for: predict under `compose.learn_during_predict()`.

    Parameters
    ----------
    classifier
        The classifier to wrap.
    budget
        The share of labels to spend.
    explore
        The share of the decisions that pay no heed to the confidence.
    power
        How steeply the probability to ask falls with the confidence.
    slack
        How many labels may be asked for ahead of the budget.
    seed
        Seed of the draws.

    Attributes
    ----------
    labels_spent
        Number of labels asked for so far.
    n_offered
        Number of instances predicted so far.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river import preprocessing
    >>> from river_trapezoid import active
    >>> from river_trapezoid import linear_model

    >>> model = active.BudgetSampler(
    ...     preprocessing.StandardScaler() | linear_model.OLSFClassifier(), budget=0.1, seed=42
    ... )
    >>> evaluate.progressive_val_score(
    ...     datasets.Phishing(), model, metrics.Accuracy(), print_every=625
    ... )
    [625] Accuracy: 81.44% – 63 samples used
    [1,250] Accuracy: 85.76% – 124 samples used
    Accuracy: 85.76%

    >>> model.labels_spent, model.n_offered
    (124, 1250)

    """

    def __init__(
        self,
        classifier: base.Estimator,
        budget: float = 0.1,
        explore: float = 0.0,
        power: float = 1.0,
        slack: float = 2.0,
        seed: int | None = None,
    ):
        check_number("budget", budget, above=0, at_most=1)
        check_number("explore", explore, at_least=0, at_most=1)
        check_number("power", power, above=0, at_most=100)
        check_number("slack", slack, at_least=0)
        super().__init__(classifier, seed=seed)
        self.budget = budget
        self.explore = explore
        self.power = power
        self.slack = slack
        self.labels_spent = 0
        self.n_offered = 0
        self._mean_confidence = 0.0
        self._log_rho = log(budget)
        self._probability = 0.0
        # The last instance, its confidence, a copy of it where that is zero, and the answer.
        self._last: tuple[Features, float, Features | None, bool] | None = None

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from river import naive_bayes, preprocessing

        classifier = preprocessing.StandardScaler() | naive_bayes.GaussianNB()
        yield {"classifier": classifier}
        yield {"classifier": classifier, "budget": 0.5, "explore": 0.5, "power": 2.0}

    def query_probability_one(self, x: Features) -> float:
        """The probability with which the label of `x` would be asked for now.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        # All that a decision changes are numbers, so that a shallow copy can make it in our place.
        twin = copy.copy(self)
        twin._rng = random.Random(0)
        twin._last = None
        twin._ask(x, self.confidence_one(x))
        return min(1.0, twin._probability)

    def _ask(self, x: Features, confidence: float) -> bool:
        last = self._last
        if last is not None and x is last[0] and confidence == last[1] and last[2] in (None, x):
            return last[3]
        budget = self.budget
        self.n_offered = t = self.n_offered + 1
        mean = self._mean_confidence
        mean += (confidence - mean) * (_MEMORY if t > _LONG_AGO else 1.0 / t)
        self._mean_confidence = mean
        odds = (confidence / mean + _OFFSET if mean else _OFFSET) / exp(self._log_rho)
        if self.power != 1.0:
            odds **= self.power
        basic = 1.0 / (1.0 + odds)

        owed = budget * t - self.labels_spent
        boost = 1.0 + owed / _HORIZON
        if boost > _LARGEST_BOOST:
            boost = _LARGEST_BOOST
        elif boost < 0.0:
            boost = 0.0
        p = basic * boost
        if self.explore:
            p = self.explore * min(1.0, budget * boost) + (1.0 - self.explore) * min(1.0, p)
        if owed + self.slack < 1.0:
            p = 0.0
        self._probability = p

        error = 1.0 - basic / budget
        log_rho = self._log_rho + (_RATE * error if error > -3.0 else -3.0 * _RATE)
        if not -_LARGEST_LOG_RHO < log_rho < _LARGEST_LOG_RHO:
            log_rho = copysign(_LARGEST_LOG_RHO, log_rho)
        self._log_rho = log_rho
        ask = self._rng.random() < p
        if ask:
            self.labels_spent += 1
        # Two instances in one dict that is used again differ in confidence, unless it is zero.
        self._last = x, confidence, None if confidence else x.copy(), ask
        return ask
