from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import base

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_number

from .base import Sampler

__all__ = ["MarginSampler"]


class MarginSampler(Sampler):
    """Asks for a label with probability ρ/(ρ + |q|), where |q| is the confidence of the classifier.

    Around `linear_model.OLSFClassifier` this is FLLS[^1]: learning from few labels while the
    feature space grows. It works around any other River classifier or pipeline as well.

    |q| is the exact margin of a linear learner of this package, also at the end of a pipeline, and
    the log-odds of the two most likely classes for any other classifier. For
    `multiclass.OneVsOneClassifier` it is the least |q| among the pairs that the predicted class is
    in, and zero if it lost one of them. A classifier that knows fewer than two classes is always
    given the label.

    How many labels ρ costs depends on the data: ρ = 1, from which on the theory holds, asks for
    about half of them, and a tenth of the labels takes a ρ that is smaller by one or two orders of
    magnitude; `find_rho` finds it in hindsight. Where a budget has to be met, use `BudgetSampler`.

    What it is worth, compared with as many labels drawn at random, is told there, too.

    Parameters
    ----------
    classifier
        The classifier to wrap.
    rho
        How readily to ask, the paper's ρ.
    seed
        Seed of the draws.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import active
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import preprocessing

    >>> model = active.MarginSampler(
    ...     preprocessing.StandardScaler() | linear_model.OLSFClassifier(),
    ...     rho=0.1,
    ...     seed=42,
    ... )
    >>> evaluate.progressive_val_score(
    ...     datasets.Phishing(), model, metrics.Accuracy(), print_every=625
    ... )
    [625] Accuracy: 85.12% – 73 samples used
    [1,250] Accuracy: 87.20% – 118 samples used
    Accuracy: 87.20%

    A pool of instances can be ranked, for a person who labels in batches:

    >>> pool = [x for x, y in datasets.Phishing().take(100)]
    >>> model.rank(pool, k=5, diversity=0.5)
    [4, 59, 31, 70, 18]

    References
    ----------
    [^1]: Gu, S., Qian, Y. and Hou, C., 2021. Incremental feature spaces learning with label scarcity. ACM Transactions on Knowledge Discovery from Data.

    """

    _TAG = "river_trapezoid.active.MarginSampler"

    def __init__(self, classifier: base.Estimator, rho: float = 0.1, seed: int | None = None):
        check_number("rho", rho, above=0)
        super().__init__(classifier, seed=seed)
        self.rho = rho

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from river import naive_bayes, preprocessing

        yield {"classifier": preprocessing.StandardScaler() | naive_bayes.GaussianNB()}

    def query_probability_one(self, x: Features) -> float:
        """The probability with which the label of `x` would be asked for now.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.rho / (self.rho + self.confidence_one(x))

    def _ask(self, confidence: float) -> bool:
        return self._rng.random() * (self.rho + confidence) < self.rho
