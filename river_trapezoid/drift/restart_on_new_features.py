from __future__ import annotations

import decimal
import numbers
import sys
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from river import base

from ._fresh import fresh_clone

__all__ = ["RestartOnNewFeatures"]


class RestartOnNewFeatures(base.Wrapper, base.Classifier):
    """Restarts a classifier when features appear that it has never seen.

    An instance with a new feature is the first one that a fresh clone of the classifier learns
    from. Everything learned before is forgotten. Until such an instance has been learned, the
    current classifier predicts, and ignores the new features as it would otherwise.

    Features are distinguished by their keys, not by their number: an instance with fewer features
    does not cause a restart. A value of `None` or NaN means that the feature is absent. On a sparse
    data set, where zeros have no key, put `stream.Dense` in front.

    Around `linear_model.OLSFClassifier(mode=1, B=1.0)`, inside `active.MarginSampler`, this is
    FLLS-I_SN[^1], which measures what is lost with the old weights. Before you use the wrapper for
    anything but such a comparison, verify that it improves the predictions: a learner that keeps
    its weights when features appear, like all learners of this package, is usually better.

    The keys of all features ever seen are kept.

    Parameters
    ----------
    classifier
        The classifier to wrap. It is cloned at each restart, so that its parameters stay, seeds
        included.

    Attributes
    ----------
    n_restarts
        Number of restarts so far. The first instance is not one.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import active
    >>> from river_trapezoid import drift
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import preprocessing
    >>> from river_trapezoid import stream

    >>> trapezoid = stream.Trapezoidal(datasets.Phishing())
    >>> learner = linear_model.OLSFClassifier(B=1.0)
    >>> model = preprocessing.StandardScaler() | drift.RestartOnNewFeatures(learner)
    >>> evaluate.progressive_val_score(trapezoid, model, metrics.Accuracy())
    Accuracy: 86.32%

    >>> model["RestartOnNewFeatures"].n_restarts
    8

    The same learner without restarts:

    >>> evaluate.progressive_val_score(
    ...     trapezoid, preprocessing.StandardScaler() | learner.clone(), metrics.Accuracy()
    ... )
    Accuracy: 88.00%

    FLLS-I_SN queries a share of the labels:

    >>> model = preprocessing.StandardScaler() | active.MarginSampler(
    ...     drift.RestartOnNewFeatures(learner.clone()), rho=0.1, seed=1
    ... )
    >>> evaluate.progressive_val_score(trapezoid, model, metrics.Accuracy())
    Accuracy: 84.56%

    References
    ----------
    [^1]: Gu, S., Qian, Y. and Hou, C., 2021. Incremental feature spaces learning with label scarcity. ACM Transactions on Knowledge Discovery from Data.

    """

    _TAG = "river_trapezoid.drift.RestartOnNewFeatures"

    def __init__(self, classifier: base.Classifier):
        if isinstance(classifier, type):
            raise TypeError(
                f"classifier must be an instance, such as {classifier.__name__}(); got a class"
            )
        self.classifier: Any = classifier
        self.n_restarts = 0
        # The keys of all features so far; a dict keeps their order, which a set would not.
        self._known: dict[Hashable, None] = {}

    @property
    def _wrapped_model(self) -> base.Classifier:
        return self.classifier

    @property
    def _multiclass(self) -> bool:
        return self.classifier._multiclass

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from river import linear_model, naive_bayes

        yield {"classifier": linear_model.LogisticRegression()}
        yield {"classifier": naive_bayes.GaussianNB()}

    def learn_one(self, x: Mapping[Any, Any], y: base.typing.ClfTarget, **kwargs: Any) -> None:
        """Update the classifier, or a fresh one if `x` has features that are new.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            A label.

        """
        new = [key for key, value in _items(x) if key not in self._known and _is_observed(value)]
        if not new:
            self.classifier.learn_one(x, y, **kwargs)
            return
        fresh = fresh_clone(self.classifier)
        fresh.learn_one(x, y, **kwargs)
        # In one call, which no interrupt divides.
        self.__dict__.update(
            classifier=fresh,
            n_restarts=self.n_restarts + bool(self._known),
            _known={**self._known, **dict.fromkeys(new)},
        )

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> base.typing.ClfTarget | None:
        """Predict the label of a set of features `x`.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.classifier.predict_one(x, **kwargs)

    def predict_proba_one(
        self, x: Mapping[Any, Any], **kwargs: Any
    ) -> dict[base.typing.ClfTarget, float]:
        """Predict the probability of each label for a set of features `x`.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.classifier.predict_proba_one(x, **kwargs)


def _items(x: Any) -> Any:
    """Keys and values; of what is not a mapping none, as the classifier refuses it by itself."""
    return x.items() if isinstance(x, Mapping) else ()


def _is_observed(value: Any) -> bool:
    if value is None or value is getattr(sys.modules.get("pandas"), "NA", None):
        return False
    if isinstance(value, decimal.Decimal):
        return not value.is_nan()
    return not isinstance(value, numbers.Real) or bool(value == value)
