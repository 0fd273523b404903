from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import base

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_number

__all__ = ["PseudoLabelClassifier"]


class PseudoLabelClassifier(base.Wrapper, base.Classifier):
    """Lets a classifier learn from unlabelled instances, with its own label where it is sure.

    Labelled instances are learned as they are. An unlabelled one, `y=None`, is learned with the
    label that the classifier predicts for it, if its probability reaches the threshold[^1].

    A classifier that learns from itself may confirm its own errors. Three guards are in place: no
    pseudo-label before two labels have been learned from labelled instances; no pseudo-label that
    has not been; and never more pseudo-labels than `max_ratio` times the labelled instances so
    far, so that errors cannot outvote labels for good. They bound the harm, but do not rule it
    out: compare with the classifier alone.

    Parameters
    ----------
    classifier
        The classifier to wrap.
    threshold
        Probability from which on the classifier's prediction is taken for the label. Mind that
        margins read as probabilities may be far from calibrated.
    max_ratio
        Number of pseudo-labels per labelled instance, at most.

    Attributes
    ----------
    n_labels
        Number of labelled instances so far.
    n_pseudo_labels
        Number of instances learned with a pseudo-label so far.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river import preprocessing
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import semi_supervised
    >>> from river_trapezoid import stream

    >>> model = preprocessing.StandardScaler() | stream.ScarceLabels(
    ...     semi_supervised.PseudoLabelClassifier(linear_model.OLSFClassifier(), threshold=0.75),
    ...     ratio=0.1,
    ...     seed=42,
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 87.20%

    >>> wrapped = model["ScarceLabels"].classifier
    >>> wrapped.n_labels, wrapped.n_pseudo_labels
    (124, 124)

    References
    ----------
    [^1]: Zhang, Q., Zhang, P., Long, G., Ding, W., Zhang, C. and Wu, X., 2016. Online learning from trapezoidal data streams. IEEE Transactions on Knowledge and Data Engineering, 28(10), pp.2709-2723.

    """

    def __init__(self, classifier: base.Classifier, threshold: float = 0.9, max_ratio: float = 1.0):
        check_number("threshold", threshold, at_least=0, at_most=1)
        check_number("max_ratio", max_ratio, at_least=0)
        self.classifier = classifier
        self.threshold = threshold
        self.max_ratio = max_ratio
        self.n_labels = 0
        self.n_pseudo_labels = 0
        self._labels: set[base.typing.ClfTarget] = set()

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
        yield {"classifier": naive_bayes.GaussianNB(), "threshold": 0.6, "max_ratio": 3.0}

    def learn_one(self, x: Features, y: base.typing.ClfTarget | None = None, **kwargs: Any) -> None:
        """Update the classifier with a set of features `x` and a label `y`, or with its own label.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            A label, or None if there is none.

        """
        if y is not None:
            self.classifier.learn_one(x, y, **kwargs)
            self._labels.add(y)
            self.n_labels += 1
            return
        pseudo_label = self._pseudo_label(x)
        if pseudo_label is not None:
            self.classifier.learn_one(x, pseudo_label, **kwargs)
            self.n_pseudo_labels += 1

    def _pseudo_label(self, x: Features) -> base.typing.ClfTarget | None:
        if len(self._labels) < 2 or self.n_pseudo_labels + 1 > self.max_ratio * self.n_labels:
            return None
        probabilities = self.classifier.predict_proba_one(x)
        if not probabilities:
            return None
        label = max(probabilities, key=lambda label: probabilities[label])
        sure = probabilities[label] >= self.threshold and label in self._labels
        return label if sure else None

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
