from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from river import base, compose
from river import linear_model as river_linear_model

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_number
from river_trapezoid.linear_model import MulticlassOLSFClassifier, OFSClassifier, OLSFClassifier

__all__ = ["PseudoLabelClassifier"]

Label = base.typing.ClfTarget


# Thresholds, chosen over 21 data sets with 5 and 10 % of the labels.
_SURE_MARGIN = 0.8
_SURE_PROBABILITY = 0.99
# Learners with the hinge loss, whose log-odds are their margins. They learn nothing from an instance
# with a margin of 1 or more.
_MARGIN_LEARNERS = (
    MulticlassOLSFClassifier,
    OFSClassifier,
    OLSFClassifier,
    river_linear_model.PAClassifier,
)


class PseudoLabelClassifier(base.Wrapper, base.Classifier):
    """Trains a classifier on unlabelled instances as well, with its own confident predictions.

    The classifier learns labelled instances as usual. It learns an unlabelled one, `y=None`, with
    the label that it predicts itself, if it is sure of that label[^1].

    The criterion depends on the classifier. A margin learner (`OLSFClassifier`,
    `OFSClassifier`, `MulticlassOLSFClassifier`, River's `PAClassifier`, also at the end of a
    pipeline) is sure if its margin, the log-odds of its two most likely labels, reaches the
    threshold. It learns only from margins below 1, so that instances with a larger margin are
    skipped. Any other classifier is sure if the probability of its label reaches the threshold.

    A classifier that learns from its own predictions may confirm its own errors. Three rules bound
    the harm, but do not rule it out: there is no pseudo-label before the classifier has learned two
    labels from labelled instances; no label is a pseudo-label before it was learned from a labelled
    instance; and there are at most `max_ratio` pseudo-labels for each labelled instance with the
    same label, so that errors cannot outvote labels for good and no label can crowd out the others.

    When it helps: margin learners gain a small fraction of a point of accuracy on average over
    data sets, mostly on noisy ones. On a single data set the gain is hardly distinguishable from
    chance, and nothing changes where the classes are well separated already. When it hurts: with
    lower thresholds, in particular on trapezoidal streams, and around classifiers whose loss does
    not end at a margin. Logistic regression gains nothing at a high threshold and loses at a lower
    one, `EvidenceClassifier` loses at any but the highest, and naive Bayes, which is sure of nearly
    everything, loses at any. With those, leave unlabelled instances out. In any case, compare with
    the classifier alone.

    Parameters
    ----------
    classifier
        The classifier to wrap.
    threshold
        The margin (of a margin learner; below 1) or probability (of any other classifier) from
        which the prediction becomes a pseudo-label. None for a margin of 0.8 or a probability of
        0.99. Note that the probabilities of many classifiers are not calibrated.
    max_ratio
        The largest number of pseudo-labels per labelled instance with the same label.

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
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import preprocessing
    >>> from river_trapezoid import semi_supervised

    >>> model = preprocessing.StandardScaler() | semi_supervised.ScarceLabels(
    ...     semi_supervised.PseudoLabelClassifier(linear_model.OLSFClassifier()),
    ...     ratio=0.1,
    ...     seed=1,
    ... )
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 79.68%

    >>> wrapped = model["ScarceLabels"].classifier
    >>> wrapped.n_labels, wrapped.n_pseudo_labels
    (120, 104)

    References
    ----------
    [^1]: Zhang, Q., Zhang, P., Long, G., Ding, W., Zhang, C. and Wu, X., 2016. Online learning from trapezoidal data streams. IEEE Transactions on Knowledge and Data Engineering, 28(10), pp.2709-2723.

    """

    _TAG = "river_trapezoid.semi_supervised.PseudoLabelClassifier"

    def __init__(
        self,
        classifier: base.Classifier,
        threshold: float | None = None,
        max_ratio: float = 1.0,
    ):
        check_number("threshold", threshold, at_least=0, at_most=1, optional=True)
        check_number("max_ratio", max_ratio, at_least=0)
        self._by_margin = isinstance(_last_step(classifier), _MARGIN_LEARNERS)
        if self._by_margin:
            check_number("threshold", threshold, below=1, optional=True)
        self.classifier: Any = classifier
        self.threshold = threshold
        self.max_ratio = max_ratio
        self._labels: Counter[Label] = Counter()
        self._pseudo_labels: Counter[Label] = Counter()

    @property
    def _wrapped_model(self) -> base.Classifier:
        return self.classifier

    @property
    def n_labels(self) -> int:
        """Number of labelled instances so far."""
        return self._labels.total()

    @property
    def n_pseudo_labels(self) -> int:
        """Number of instances learned with a pseudo-label so far."""
        return self._pseudo_labels.total()

    @property
    def _multiclass(self) -> bool:
        return self.classifier._multiclass

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from river import linear_model, naive_bayes

        yield {"classifier": linear_model.LogisticRegression()}
        yield {"classifier": naive_bayes.GaussianNB(), "threshold": 0.6, "max_ratio": 3.0}

    def learn_one(self, x: Features, y: Label | None = None, **kwargs: Any) -> None:
        """Update the classifier with a set of features `x` and a label `y`, or a pseudo-label.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            A label, or None for an unlabelled instance.

        """
        if y is not None:
            self.classifier.learn_one(x, y, **kwargs)
            self._labels[y] += 1
            return
        pseudo_label = self._pseudo_label(x)
        if pseudo_label is not None:
            self.classifier.learn_one(x, pseudo_label, **kwargs)
            self._pseudo_labels[pseudo_label] += 1

    def _pseudo_label(self, x: Features) -> Label | None:
        label = self.classifier.predict_one(x) if len(self._labels) > 1 else None
        if label is None or self._pseudo_labels[label] + 1 > self.max_ratio * self._labels[label]:
            return None
        return label if self._is_sure(label, self.classifier.predict_proba_one(x)) else None

    def _is_sure(self, label: Label, probabilities: dict[Label, float]) -> bool:
        p = probabilities.get(label, 0.0)
        if not self._by_margin:
            return p >= (_SURE_PROBABILITY if self.threshold is None else self.threshold)
        rival = max((q for other, q in probabilities.items() if other != label), default=0.0)
        margin = math.log(p / rival) if rival > 0.0 else math.inf
        return (_SURE_MARGIN if self.threshold is None else self.threshold) <= margin < 1.0

    def predict_one(self, x: Features, **kwargs: Any) -> Label | None:
        """Predict the label of a set of features `x`.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.classifier.predict_one(x, **kwargs)

    def predict_proba_one(self, x: Features, **kwargs: Any) -> dict[Label, float]:
        """Predict the probability of each label for a set of features `x`.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.classifier.predict_proba_one(x, **kwargs)


def _last_step(classifier: base.Estimator) -> base.Estimator:
    """The last step of a pipeline, also of a nested one; otherwise the classifier itself."""
    while isinstance(classifier, compose.Pipeline):
        classifier = classifier[-1]
    return classifier
