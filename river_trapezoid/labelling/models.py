from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from river import active as river_active
from river import base, compose, feature_extraction, multiclass

from river_trapezoid import active
from river_trapezoid.linear_model import EvidenceClassifier

from .explanations import Explanation, explain

__all__ = ["Models", "check_model"]


class Models:
    """Creates the models of a desk, and translates between their labels and the classes.

    Parameters
    ----------
    given
        The model that the desk was given; None for `EvidenceClassifier`.
    n_named
        Number of classes that were named at the start.
    classes
        Names of all classes. The desk appends to this list.
    text
        Whether the instances are texts.

    """

    def __init__(
        self, given: base.Classifier | None, n_named: int, classes: Sequence[str], text: bool
    ):
        self._given = given
        self._n_named = n_named
        self._classes = classes
        self._text = text

    @property
    def is_binary(self) -> bool:
        """Whether the labels of the models are booleans."""
        if self._given is None:
            return self._n_named == 2 and len(self._classes) == 2
        return not self._given._multiclass

    def new(self) -> Any:
        """Create a model of the current classes."""
        if self._given is not None:
            return self._given.clone()
        classifier: Any = EvidenceClassifier()
        if not self.is_binary:
            classifier = multiclass.OneVsRestClassifier(classifier)
            # A binary model that is created with the first label of its class would not have learned
            # the instances before that label.
            for label in self._classes:
                classifier.classifiers[label] = classifier.classifier.clone()
        if self._text:
            return compose.Pipeline(feature_extraction.BagOfWords(), classifier)
        return classifier

    def target(self, label: str) -> Any:
        """Return the label that models learn for a class."""
        return label == self._classes[1] if self.is_binary else label

    def class_of(self, target: Any) -> str:
        """Return the class that a label of the models represents."""
        return self._classes[target == 1] if self.is_binary else target

    def predict(self, model: Any, x: Any) -> tuple[str | None, float | None]:
        """Return the predicted class and its probability, each None if the model has none."""
        try:
            label, probabilities, _ = active.base.opinion(model, x, {})
        except NotImplementedError:
            label, probabilities = model.predict_one(x), {}
        if label is None:
            return None, None
        probability = float(probabilities.get(label, math.nan))
        return self.class_of(label), None if math.isnan(probability) else probability

    def explain(self, model: Any, x: Any, guess: str) -> Explanation | None:
        """Explain a predicted class, with names of classes as labels."""
        explanation = explain(model, x, self.target(guess))
        if explanation is None:
            return None
        label, other = self.class_of(explanation.label), self.class_of(explanation.other)
        return dataclasses.replace(explanation, label=label, other=other)


def check_model(model: Any, classes: Sequence[str]) -> None:
    """Raise an error unless a model is None or a classifier for these classes."""
    if model is None:
        return
    if not isinstance(model, base.Classifier):
        raise TypeError(f"model must be a classifier; got {model!r}")
    inner = model
    while isinstance(inner, compose.Pipeline):
        inner = inner[-1]
    if isinstance(inner, river_active.base.ActiveLearningClassifier):
        name = type(inner).__name__
        raise TypeError(
            "model must be a classifier without a sampler, as the desk chooses the questions; got "
            f"{model!r}: pass the classifier that {name} wraps"
        )
    if not model._multiclass and len(classes) != 2:
        raise ValueError(
            f"classes must be two names, as {model} is a binary classifier; got "
            f"{', '.join(map(repr, classes)) or 'none'} (for more classes, wrap the model in "
            "river.multiclass.OneVsRestClassifier)"
        )
