from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import base

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_number

from .base import Sampler

__all__ = ["MarginSampler"]


class MarginSampler(Sampler):
    r"""Queries an instance with probability ρ/(ρ + |q|), where |q| is the classifier's confidence.

    $$P(query) = \frac{\rho}{\rho + |q|}$$

    Around `linear_model.OLSFClassifier` this is FLLS[^1] (Algorithm 1): learning from few labels while the
    feature space grows. The sampler works around any other River classifier or pipeline as well.

    |q| is the exact margin of a linear learner of this package, also at the end of a pipeline, and
    the log-odds of the two most likely classes for any other classifier. For
    `multiclass.OneVsOneClassifier` it is the smallest |q| among the pairs that contain the
    predicted class, and zero if that class lost one of them. All instances are queried for a
    classifier that knows fewer than two classes.

    The share of labels that a ρ queries depends on the data. The theorems hold for ρ ≥ 1, and the
    factor of their bounds on the expected errors of FLLS (Theorems 1 and 2),

    $$\frac{1}{4} \left(\rho + \frac{1}{\rho} + 2\right)$$

    is smallest at ρ = 1, which queries more than half of the labels. FLLS-I with `C=0.1`, on the
    paper's data sets as trapezoidal streams (at most 10,000 rows, three seeds), queries

    | ρ | 1 | 0.1 | 0.01 |
    |---|---|---|---|
    | tables (vote, wdbc, svmguide3, splice, kr-vs-kp, spambase, phishing, a9a) | 53 to 75 % | 22 to 43 % | 9 to 19 % |
    | dna | 84 % | 55 % | 26 % |
    | words (PCMAC, basehock) | 97 % | 81 to 83 % | 42 to 47 % |

    `find_rho` finds the ρ of a share in hindsight. Where a budget has to be met, use
    `BudgetSampler`, whose documentation also compares the gain over random labels.

    Parameters
    ----------
    classifier
        The classifier to wrap.
    rho
        The paper's ρ: the larger it is, the more instances are queried.
    seed
        Seed of the random draws.

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

    A pool of instances can be ranked, for labelling by hand in batches:

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
        """Return the probability with which `x` would be queried now.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.rho / (self.rho + self.confidence_one(x))

    def _ask(self, confidence: float) -> bool:
        return self._rng.random() * (self.rho + confidence) < self.rho
