"""A linear model with all features and labels at once, as a ceiling for those that learn online."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse, special

__all__ = ["cross_validated"]

Array = npt.NDArray[np.float64]
N_FOLDS = 5


def cross_validated(X: Any, y: Array, seed: int) -> Array:
    """Predicted labels of all rows, each by a model of the other folds.

    Logistic regression with an L2 penalty of one half of the squared length of the weights, which
    spares the intercept. Dense columns are standardised by the rows trained on, and missing values
    are at their mean.

    Parameters
    ----------
    X
        The values: an array, with NaN where they are missing, or a sparse matrix.
    y
        The labels +1 and -1.
    seed
        Seed of the division into folds.

    """
    folds = np.random.default_rng(seed).permutation(len(y)) % N_FOLDS
    predicted = np.empty(len(y))
    for fold in range(N_FOLDS):
        test = folds == fold
        train_X, test_X = X[~test], X[test]
        if not sparse.issparse(X):
            train_X, test_X = _standardised(train_X, test_X)
        weights = _fitted(train_X, y[~test])
        predicted[test] = np.where(test_X @ weights[:-1] + weights[-1] > 0, 1.0, -1.0)
    return predicted


def _standardised(train: Array, test: Array) -> tuple[Array, Array]:
    n_there = np.maximum((~np.isnan(train)).sum(axis=0), 1)
    mean = np.nansum(train, axis=0) / n_there
    deviation = np.sqrt(np.nansum((train - mean) ** 2, axis=0) / n_there)
    deviation[deviation == 0] = 1.0
    return np.nan_to_num((train - mean) / deviation), np.nan_to_num((test - mean) / deviation)


def _fitted(X: Any, y: Array) -> Array:
    """The weights, and then the intercept."""

    def loss(weights: Array) -> tuple[float, Array]:
        margins = y * (X @ weights[:-1] + weights[-1])
        slopes = -y * special.expit(-margins)
        value = np.logaddexp(0.0, -margins).sum() + 0.5 * weights[:-1] @ weights[:-1]
        return value, np.append(X.T @ slopes + weights[:-1], slopes.sum())

    start = np.zeros(X.shape[1] + 1)
    return optimize.minimize(loss, start, jac=True, method="L-BFGS-B").x
