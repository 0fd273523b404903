from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from river import base

from river_trapezoid._exact_share import quota_probability
from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_bool, check_number

from .base import Sampler, opinion

__all__ = ["RandomSampler"]


class _State(NamedTuple):
    n_offered: int
    labels_spent: int


def _verdict(
    classifier: Any, x: Features, params: dict[str, Any], labelled: bool = True
) -> tuple[Any, float]:
    return classifier.predict_one(x, **params), 0.0


def _opinion(
    classifier: Any, x: Features, params: dict[str, Any], labelled: bool = True
) -> tuple[Any, dict[Any, float], float]:
    if labelled:
        return opinion(classifier, x, params)
    return None, classifier.predict_proba_one(x, **params), 0.0


class RandomSampler(Sampler):
    """Queries a random share of the instances: the baseline for other samplers.

    Around the learners of the papers it gives their R* baselines, such as RFLLS. The classifier
    need not predict probabilities.

    By default each instance is drawn independently, so that the share varies from run to run. With
    `exact`, the number of labels after t instances is `ratio · t`, rounded up or down, and every
    instance is still equally likely to be queried.

    Parameters
    ----------
    classifier
        The classifier to wrap.
    ratio
        The share of instances to query.
    exact
        Whether the share is met at all times.
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

    >>> model = active.RandomSampler(
    ...     preprocessing.StandardScaler() | linear_model.OLSFClassifier(), ratio=0.1, seed=42
    ... )
    >>> evaluate.progressive_val_score(
    ...     datasets.Phishing(), model, metrics.Accuracy(), print_every=625
    ... )
    [625] Accuracy: 81.44% – 61 samples used
    [1,250] Accuracy: 85.52% – 124 samples used
    Accuracy: 85.52%

    >>> model = active.RandomSampler(model.classifier.clone(), ratio=0.1, exact=True, seed=42)
    >>> evaluate.progressive_val_score(
    ...     datasets.Phishing(), model, metrics.Accuracy(), print_every=625
    ... )
    [625] Accuracy: 82.40% – 63 samples used
    [1,250] Accuracy: 85.44% – 125 samples used
    Accuracy: 85.44%

    """

    _TAG = "river_trapezoid.active.RandomSampler"
    _State = _State
    # No confidence is needed, so that the classifier need not have one.
    _verdict = staticmethod(_verdict)
    _opinion = staticmethod(_opinion)

    def __init__(
        self,
        classifier: base.Estimator,
        ratio: float = 0.1,
        exact: bool = False,
        seed: int | None = None,
    ):
        check_number("ratio", ratio, at_least=0, at_most=1)
        check_bool("exact", exact)
        super().__init__(classifier, seed=seed)
        self.ratio = ratio
        self.exact = exact
        self._state = _State(0, 0)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from river import naive_bayes, preprocessing

        classifier = preprocessing.StandardScaler() | naive_bayes.GaussianNB()
        yield {"classifier": classifier}
        yield {"classifier": classifier, "exact": True}

    def query_probability_one(self, x: Features) -> float:
        """Return the probability with which `x` would be queried now.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return quota_probability(self.ratio, *self._state) if self.exact else self.ratio

    def _ask(self, confidence: float) -> bool:
        if not self.exact:
            return self._rng.random() < self.ratio
        t, spent = self._state
        ask = self._rng.random() < quota_probability(self.ratio, t, spent)
        self._state = _State(t + 1, spent + ask)
        return ask
