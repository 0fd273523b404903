from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any, NamedTuple

from river import base, metrics

from river_trapezoid._parameters import check_number, check_seed
from river_trapezoid.metrics.exact_roc_auc import ExactROCAUC

from .progressive import Evaluator, progressive

__all__ = ["HoldOut", "hold_out_score", "split"]

Instances = Iterable[tuple[Any, Any]]


class HoldOut(NamedTuple):
    """Training instances and test instances.

    As a stream of `compare`, models learn from the training instances, and the metrics are computed
    on the test instances.

    Parameters
    ----------
    train
        The instances to learn from, in order.
    test
        The instances to compute the metrics on.

    Examples
    --------

    The protocol of the paper on FLLS[^1]: four fifths of the data are a stream with a growing
    feature space, in which a share of the labels is queried. The rest, with all features, is for
    testing. The paper computes its AUC from predicted labels, which is balanced accuracy.

    >>> from river import datasets
    >>> from river import metrics
    >>> from river_trapezoid.metrics import ExactROCAUC
    >>> from river_trapezoid import active
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import preprocessing
    >>> from river_trapezoid import stream

    >>> def phishing(seed):
    ...     train, test = evaluate.split(datasets.Phishing(), test_share=0.2, seed=seed)
    ...     return evaluate.HoldOut(stream.Trapezoidal(train), test)

    >>> learner = preprocessing.StandardScaler() | linear_model.OLSFClassifier()
    >>> rho = active.find_rho(learner, phishing, share=0.1, repeats=5, seed=0)
    >>> comparison = evaluate.compare(
    ...     {"FLLS-I": active.MarginSampler(learner, rho)},
    ...     {"phishing": phishing},
    ...     {
    ...         "AUC as printed": metrics.BalancedAccuracy(),
    ...         "AUC": ExactROCAUC(),
    ...         "ACC": metrics.Accuracy(),
    ...     },
    ...     repeats=5,
    ...     progress=False,
    ... )
    >>> for row in comparison.summary():
    ...     print("{metric}: {mean:.3f} ± {std:.3f}, {labels_used:.1%} of the labels".format(**row))
    AUC as printed: 0.885 ± 0.020, 9.8% of the labels
    AUC: 0.943 ± 0.010, 9.8% of the labels
    ACC: 0.888 ± 0.015, 9.8% of the labels

    References
    ----------
    [^1]: Gu, S., Qian, Y. and Hou, C., 2021. Incremental feature spaces learning with label scarcity. ACM Transactions on Knowledge Discovery from Data.

    """

    train: Instances
    test: Instances


def split(dataset: Instances, test_share: float = 0.2, seed: int | None = None) -> HoldOut:
    """Split a dataset at random into training instances and test instances.

    The result holds two lists, which have no list of the dataset's features in their order. If
    features are absent from some instances, pass `features=dataset.features` to the streams around
    the lists.

    Parameters
    ----------
    dataset
        The instances.
    test_share
        Share of test instances.
    seed
        Seed of the random split.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import evaluate

    >>> train, test = evaluate.split(datasets.Phishing(), seed=1)
    >>> len(train), len(test)
    (1000, 250)

    A different split in each repeat of a comparison:

    >>> from river import metrics
    >>> from river import naive_bayes

    >>> comparison = evaluate.compare(
    ...     naive_bayes.GaussianNB(),
    ...     {"phishing": lambda seed: evaluate.split(datasets.Phishing(), seed=seed)},
    ...     metrics.Accuracy(),
    ...     repeats=5,
    ...     progress=False,
    ... )
    >>> print(comparison.table())
    Accuracy   GaussianNB
    phishing   0.9032 ± 0.0115

    """
    check_number("test_share", test_share, above=0, below=1)
    check_seed("seed", seed)
    instances = list(dataset)
    random.Random(seed).shuffle(instances)
    n_test = round(test_share * len(instances))
    return HoldOut(instances[n_test:], instances[:n_test])


def hold_out_score(model: base.Classifier, train: Instances, test: Instances) -> dict[str, float]:
    """Train a binary classifier on a stream, then test it on held-out instances.

    This is the protocol of the papers on learning with few labels: the training instances are a
    stream with a growing feature space, and the test instances have all features. A sampler learns
    only from the labels that it queries.

    The papers report balanced accuracy as AUC: it is the AUC of predicted labels. The AUC of the
    predicted probabilities is reported as well.

    Parameters
    ----------
    model
        The classifier, or a sampler around one. It is trained in place.
    train
        The instances to learn from, in order.
    test
        The instances to test on.

    Returns
    -------
    A dict with `roc_auc`, `balanced_accuracy`, `accuracy` and `labels_used`, the share of the
    training labels that the model has learned from.

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
    learner = Evaluator(model)
    n_train = sum(1 for _ in progressive(train, learner))
    accuracy, balanced, auc = metrics.Accuracy(), metrics.BalancedAccuracy(), ExactROCAUC()
    Evaluator(model, [accuracy, balanced, auc]).test(test)
    return {
        "roc_auc": auc.get(),
        "balanced_accuracy": balanced.get(),
        "accuracy": accuracy.get(),
        "labels_used": learner.n_labels / max(1, n_train),
    }
