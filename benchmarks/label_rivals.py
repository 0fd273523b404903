"""Samplers that `label_budget` compares with, which the package does without."""

from __future__ import annotations

import importlib.util
import math

import numpy as np
from river import active as river_active

from river_trapezoid._probability import logistic
from river_trapezoid.active.base import Sampler


class ConstantRate(Sampler):
    """`BudgetSampler` as it was: no credit, and confidences relative to their running mean."""

    def __init__(self, classifier, budget=0.1, seed=None):
        super().__init__(classifier, seed=seed)
        self.budget = budget
        self.labels_spent = self.n_offered = 0
        self._mean = 0.0
        self._log_rho = math.log(budget)

    def _ask(self, confidence):
        self.n_offered += 1
        self._mean += (confidence - self._mean) * max(0.02, 1.0 / self.n_offered)
        relative = confidence / self._mean if self._mean else 0.0
        basic = 1.0 / (1.0 + (relative + 0.1) / math.exp(self._log_rho))
        owed = self.budget * self.n_offered - self.labels_spent
        p = basic * min(max(1.0 + owed / 2.0, 0.0), 4.0) if owed + 2.0 >= 1.0 else 0.0
        self._log_rho += 0.05 * max(1.0 - basic / self.budget, -3.0)
        self._log_rho = min(max(self._log_rho, -12.0), 12.0)
        ask = self._rng.random() < p
        self.labels_spent += ask
        return ask


class QuantileFilter(Sampler):
    """The balanced incremental quantile filter of scikit-activeml, over 1 - largest probability."""

    def __init__(self, classifier, budget=0.1, seed=None):
        from skactiveml.stream.budgetmanager import BalancedIncrementalQuantileFilter

        super().__init__(classifier, seed=seed)
        self.budget = budget
        self._filter = BalancedIncrementalQuantileFilter(budget=budget)

    def _ask(self, confidence):
        utilities = np.array([logistic(-confidence)])
        asked = self._filter.query_by_utility(utilities)
        self._filter.update([0], asked, utilities)
        return bool(asked)


def quantile_filter_is_there() -> bool:
    """Whether scikit-activeml is installed."""
    return importlib.util.find_spec("skactiveml") is not None


def entropy_factor(classifier, rows, share, n_runs=10) -> float:
    """The discount factor with which River's EntropySampler comes closest to a share, by trial."""
    low, high = -3.0, 5.0
    tried = []
    for _ in range(n_runs):
        middle = (low + high) / 2
        model = river_active.EntropySampler(classifier.clone(), 10**middle, seed=0)
        spent = 0
        for x, y in rows:
            if model.predict_one(x)[1]:
                spent += 1
                model.learn_one(x, y)
        tried.append((abs(spent / len(rows) - share), 10**middle))
        low, high = (middle, high) if spent > share * len(rows) else (low, middle)
    return min(tried)[1]
