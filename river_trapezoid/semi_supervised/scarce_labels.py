from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from river import base

from river_trapezoid._exact_share import quota_probability
from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_bool, check_number, check_seed

__all__ = ["ScarceLabels"]


class ScarceLabels(base.Wrapper, base.Classifier):
    """Withholds labels from a classifier, to measure it when labels are scarce.

    `evaluate.progressive_val_score` passes every label to both the metric and the model. Around the
    model, this wrapper passes on a random share of the labels and replaces the others with `None`,
    while the metric still counts every prediction.

    By default each label is drawn independently, so that the share varies from run to run. With
    `exact`, the number of labels after n instances is `ratio · n`, rounded up or down, and every
    instance is still equally likely to keep its label.

    Parameters
    ----------
    classifier
        The classifier to wrap.
    ratio
        Share of the instances that keep their label.
    pass_unlabelled
        Whether the classifier receives the other instances with `y=None`, as semi-supervised
        classifiers expect. If not, it does not receive them at all.
    exact
        Whether the share is met at all times.
    seed
        Seed of the random draws.

    Attributes
    ----------
    n_labels
        Number of labels passed on so far.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import linear_model
    >>> from river import metrics
    >>> from river_trapezoid import semi_supervised
    >>> from river_trapezoid import preprocessing

    >>> model = preprocessing.StandardScaler() | semi_supervised.ScarceLabels(
    ...     linear_model.LogisticRegression(), ratio=0.1, pass_unlabelled=False, seed=42
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 85.60%

    >>> model["ScarceLabels"].n_labels
    124

    >>> model = preprocessing.StandardScaler() | semi_supervised.ScarceLabels(
    ...     linear_model.LogisticRegression(), pass_unlabelled=False, exact=True, seed=42
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 86.56%

    >>> model["ScarceLabels"].n_labels
    125

    """

    _TAG = "river_trapezoid.stream.ScarceLabels"

    def __init__(
        self,
        classifier: base.Classifier,
        ratio: float = 0.1,
        pass_unlabelled: bool = True,
        exact: bool = False,
        seed: int | None = None,
    ):
        check_number("ratio", ratio, at_least=0, at_most=1)
        check_bool("pass_unlabelled", pass_unlabelled)
        check_bool("exact", exact)
        check_seed("seed", seed)
        self.classifier: Any = classifier
        self.ratio = ratio
        self.pass_unlabelled = pass_unlabelled
        self.exact = exact
        self.seed = seed
        self.n_labels = 0
        self._n_instances = 0
        self._rng = random.Random(seed)
        # Drawn in advance, so that a call that raises does not change the generator.
        self._draw = self._rng.random()

    @property
    def _wrapped_model(self) -> base.Classifier:
        return self.classifier

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from river import linear_model

        yield {"classifier": linear_model.LogisticRegression(), "pass_unlabelled": False}
        yield {
            "classifier": linear_model.LogisticRegression(),
            "ratio": 0.5,
            "pass_unlabelled": False,
            "exact": True,
        }

    def learn_one(self, x: Features, y: base.typing.ClfTarget, **kwargs: Any) -> None:
        """Update the classifier, with or without the label.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            A label.

        """
        probability = (
            quota_probability(self.ratio, self._n_instances, self.n_labels)
            if self.exact
            else self.ratio
        )
        labelled = self._draw < probability
        if labelled:
            self.classifier.learn_one(x, y, **kwargs)
        elif self.pass_unlabelled:
            self.classifier.learn_one(x, None, **kwargs)
        self.n_labels += labelled
        self._n_instances += 1
        self._draw = self._rng.random()

    def predict_one(self, x: Features, **kwargs: Any) -> base.typing.ClfTarget | None:
        """Predict the label of a set of features `x`.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.classifier.predict_one(x, **kwargs)

    def predict_proba_one(self, x: Features, **kwargs: Any) -> dict[base.typing.ClfTarget, float]:
        """Predict the probability of each label for a set of features `x`.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.classifier.predict_proba_one(x, **kwargs)
