from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import numpy as np
from river import active, base, metrics

from river_trapezoid._parameters import check_number, check_seed

__all__ = ["hold_out_score", "split"]

Instances = Iterable[tuple[dict, Any]]


def split(
    dataset: Instances, test_share: float = 0.2, seed: int | None = None
) -> tuple[list[tuple[dict, Any]], list[tuple[dict, Any]]]:
    """Divide a dataset at random into instances to train on and instances to test on.

    Parameters
    ----------
    dataset
        The instances.
    test_share
        Share of the instances to test on.
    seed
        Seed of the division.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import evaluate

    >>> train, test = evaluate.split(datasets.Phishing(), seed=1)
    >>> len(train), len(test)
    (1000, 250)

    """
    check_number("test_share", test_share, above=0, below=1)
    check_seed("seed", seed)
    instances = list(dataset)
    random.Random(seed).shuffle(instances)
    n_test = round(test_share * len(instances))
    return instances[n_test:], instances[:n_test]


def hold_out_score(model: base.Classifier, train: Instances, test: Instances) -> dict[str, float]:
    """Train a binary classifier on a stream, then test it on instances set aside.

    This is the protocol of the papers on learning with few labels: the training part is a stream
    with a growing feature space, the test part has all features. An active learner is given the
    labels that it asks for, and no other.

    The papers call balanced accuracy AUC, which it is, of labels. The AUC of the predicted
    probabilities is reported beside it.

    Parameters
    ----------
    model
        The classifier. It is trained in place.
    train
        The instances to learn from, in order.
    test
        The instances to test on.

    Returns
    -------
    `roc_auc`, `balanced_accuracy`, `accuracy`, and `labels_used`, the share of the training labels
    that were learned from.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import stream

    >>> train, test = evaluate.split(datasets.Phishing(), seed=1)
    >>> evaluate.hold_out_score(linear_model.OLSFClassifier(), stream.Trapezoidal(train), test)
    {'roc_auc': 0.9266666666666666, 'balanced_accuracy': 0.8233974358974359, 'accuracy': 0.828, 'labels_used': 1.0}

    """
    asks = isinstance(model, active.base.ActiveLearningClassifier)
    n_train = n_labels = 0
    for x, y in train:
        n_train += 1
        ask = model.predict_one(x)[1] if asks else True  # type: ignore[index]
        if ask:
            n_labels += 1
            model.learn_one(x, y)

    accuracy, balanced = metrics.Accuracy(), metrics.BalancedAccuracy()
    labels: list[bool] = []
    scores: list[float] = []
    for x, y in test:
        proba: Any = model.predict_proba_one(x)
        proba = proba[0] if asks else proba
        y_pred = max(proba, key=proba.get) if proba else None
        if y_pred is not None:
            accuracy.update(y, y_pred)
            balanced.update(y, y_pred)
        labels.append(y == 1)
        scores.append(proba.get(True, 0.5))
    return {
        "roc_auc": _roc_auc(labels, scores),
        "balanced_accuracy": balanced.get(),
        "accuracy": accuracy.get(),
        "labels_used": n_labels / max(1, n_train),
    }


def _roc_auc(labels: list[bool], scores: list[float]) -> float:
    """The exact area: the chance that a positive scores above a negative, ties counted half."""
    from scipy import stats

    positive = np.asarray(labels)
    n_pos, n_neg = int(positive.sum()), int((~positive).sum())
    if not n_pos or not n_neg:
        return float("nan")
    ranks = stats.rankdata(scores)
    return float((ranks[positive].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg))
