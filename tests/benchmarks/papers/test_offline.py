from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets, linear_model

from benchmarks.papers.offline import N_FOLDS, cross_validated


@pytest.fixture(scope="module")
def breast_cancer():
    X, y = datasets.load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), np.where(y > 0, 1.0, -1.0)


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
def test_it_predicts_as_scikit_learn_does(breast_cancer, as_matrix):
    X, y = breast_cancer
    folds = np.random.default_rng(1).permutation(len(y)) % N_FOLDS
    expected = np.empty(len(y))
    for fold in range(N_FOLDS):
        train, test = X[folds != fold], X[folds == fold]
        if as_matrix is np.asarray:
            mean, deviation = train.mean(axis=0), train.std(axis=0)
            train, test = (train - mean) / deviation, (test - mean) / deviation
        model = linear_model.LogisticRegression(tol=1e-8, max_iter=1000).fit(
            train, y[folds != fold]
        )
        expected[folds == fold] = model.predict(test)
    # But for instances on the boundary, as both end at a tolerance.
    assert np.mean(cross_validated(as_matrix(X), y, seed=1) != expected) < 0.005


def test_no_row_is_predicted_by_a_model_that_has_seen_it():
    """Labels by chance cannot be learned, whatever the number of features."""
    rng = np.random.default_rng(2)
    y = rng.choice([-1.0, 1.0], 400)
    assert 0.4 < np.mean(cross_validated(rng.normal(size=(400, 300)), y, seed=0) == y) < 0.6


def test_gaps_are_at_the_mean_and_constant_columns_of_no_matter(breast_cancer):
    X, y = breast_cancer
    odd = np.column_stack([X, np.ones(len(y)), np.full(len(y), np.nan)])
    assert np.array_equal(cross_validated(odd, y, 3), cross_validated(X, y, 3))
