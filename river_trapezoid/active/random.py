from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import base

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_number

from .base import Sampler

__all__ = ["RandomSampler"]


class RandomSampler(Sampler):
    """Asks for a random share of the labels: what other samplers have to beat.

    Around the learners of the papers it gives their R* baselines, such as RFLLS. The classifier need
    not give probabilities.

    Parameters
    ----------
    classifier
        The classifier to wrap.
    ratio
        The share of labels to ask for.
    seed
        Seed of the draws.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river import preprocessing
    >>> from river_trapezoid import active
    >>> from river_trapezoid import linear_model

    >>> model = active.RandomSampler(
    ...     preprocessing.StandardScaler() | linear_model.OLSFClassifier(), ratio=0.1, seed=42
    ... )
    >>> evaluate.progressive_val_score(
    ...     datasets.Phishing(), model, metrics.Accuracy(), print_every=625
    ... )
    [625] Accuracy: 81.44% – 61 samples used
    [1,250] Accuracy: 85.52% – 124 samples used
    Accuracy: 85.52%

    """

    def __init__(self, classifier: base.Estimator, ratio: float = 0.1, seed: int | None = None):
        check_number("ratio", ratio, at_least=0, at_most=1)
        super().__init__(classifier, seed=seed)
        self.ratio = ratio

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from river import naive_bayes, preprocessing

        yield {"classifier": preprocessing.StandardScaler() | naive_bayes.GaussianNB()}

    def query_probability_one(self, x: Features) -> float:
        """The probability with which the label of `x` would be asked for: `ratio`.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.ratio

    def predict_one(self, x: Features, **kwargs: Any) -> Any:
        """Predict the label of `x`, and say whether its true label is asked for.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The predicted label, and whether a label is asked for.

        """
        return self.classifier.predict_one(x, **kwargs), self._ask(0.0)

    def predict_proba_one(self, x: Features, **kwargs: Any) -> Any:
        """Predict the probability of each label for `x`, and say whether its label is asked for.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The probabilities, and whether a label is asked for.

        """
        return self.classifier.predict_proba_one(x, **kwargs), self._ask(0.0)

    def _ask(self, confidence: float) -> bool:
        return self._rng.random() < self.ratio
