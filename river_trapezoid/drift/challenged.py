from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from river import base, compose

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_number
from river_trapezoid._without_learning import without_learning
from river_trapezoid.active._doubt import Doubt
from river_trapezoid.active.base import end, last_step, verdict

from ._fresh import fresh_clone

__all__ = ["ChallengedClassifier"]

_CALM = 0.4  # share of the threshold below which a fresh challenger is dropped


class _State(NamedTuple):
    ahead: int = 0  # correct predictions of the challenger, minus those of the current model
    n_replacements: int = 0
    classifier_challenges: bool = False  # the challenger is the classifier that was passed
    former_challenges: bool = False  # the challenger has been the current model before


class ChallengedClassifier(base.Wrapper, base.Classifier):
    """Replaces the classifier by a fresh model if its predictions become doubtful.

    With each label, a filter updates the probability that the current model no longer holds: its
    `doubt`. If the doubt exceeds a threshold, a fresh clone starts to learn as well. As soon as it
    has predicted `lead` more labels correctly than the current model, the clone replaces that
    model, and the former model becomes the challenger. A challenger that falls behind by `lead`
    labels is dropped, and a fresh one also if the doubt vanishes.

    The filter considers the confidence of each prediction. Errors with little confidence raise no
    doubt, while a few confident errors suffice. It needs no estimate of the error rate, and works
    with few labels and with those that a sampler has selected.

    The classifier that is passed learns from every label, and is never replaced. In a pipeline, the
    clones are of the last step, and share the transformers of the classifier. At most two further
    models are stored. A clone that raises an error on an instance that the classifier has learned
    is dropped.

    Use it for abrupt changes of the concept. If the labels of Phishing are inverted half-way, scaled
    logistic regression has an accuracy of 88.5 % with this wrapper, 78.5 % without it, and with
    `river.drift.DriftRetrainingClassifier` 87.5 % (DDM), 85.5 % (ADWIN) or 84.3 % (Page-Hinkley).
    Where labels depend on those before, as in Elec2 and Weather, replacements may be needless: on the
    first 10,000 instances, logistic regression loses 1.8 and 2.2 points, 1.2 and none with `lead=10`,
    and gains 2.1 with DDM on Elec2. Gaussian naive Bayes gains 6.5 and 3.9 points there.

    Parameters
    ----------
    classifier
        The classifier to wrap, or a pipeline that ends with one. It must predict probabilities or
        margins.
    threshold
        The doubt beyond which a challenger starts to learn.
    lead
        The number of labels by which a challenger must be ahead.

    Attributes
    ----------
    current
        The model that predicts: the classifier or a clone of its last step.
    doubt
        The probability that the current model no longer holds.
    n_replacements
        Number of times that a challenger has taken over.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import linear_model
    >>> from river import metrics
    >>> from river import preprocessing
    >>> from river_trapezoid import drift

    All labels are inverted half-way:

    >>> stream = [(x, y != (i >= 625)) for i, (x, y) in enumerate(datasets.Phishing())]
    >>> learner = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    >>> evaluate.progressive_val_score(stream, learner.clone(), metrics.Accuracy())
    Accuracy: 78.48%

    >>> model = drift.ChallengedClassifier(learner)
    >>> evaluate.progressive_val_score(stream, model, metrics.Accuracy())
    Accuracy: 88.48%

    >>> model.n_replacements
    1

    """

    _TAG = "river_trapezoid.drift.ChallengedClassifier"

    def __init__(self, classifier: base.Classifier, threshold: float = 0.3, lead: int = 3):
        if isinstance(classifier, type):
            raise TypeError(
                f"classifier must be an instance, such as {classifier.__name__}(); got a class"
            )
        check_number("threshold", threshold, above=0, below=1)
        check_number("lead", lead, integer=True, at_least=1)
        self.classifier: Any = classifier
        self.threshold = threshold
        self.lead = lead
        self._doubt = Doubt()
        self._state = _State()
        # Clones of the last step; without a successor, the classifier predicts.
        self._successor: Any = None
        self._challenger: Any = None

    def _check_state(self) -> None:
        """Raise a `ValueError` unless the attributes, which come from a file, fit together."""
        self._doubt.check()
        if self._state.classifier_challenges and (
            self._successor is None or self._challenger is not None
        ):
            raise ValueError(
                "classifier can be the challenger only if a clone predicts and no clone is a challenger"
            )
        kind = type(last_step(self.classifier))
        for clone in (self._successor, self._challenger):
            if clone is not None and type(clone) is not kind:
                raise ValueError(f"a clone must be a {kind.__name__}; got {type(clone).__name__}")

    @property
    def _wrapped_model(self) -> base.Classifier:
        return self.classifier

    @property
    def _multiclass(self) -> bool:
        return self.classifier._multiclass

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from river import linear_model, naive_bayes, preprocessing

        yield {"classifier": preprocessing.StandardScaler() | linear_model.LogisticRegression()}
        yield {"classifier": naive_bayes.GaussianNB(), "threshold": 0.05, "lead": 1}

    @property
    def current(self) -> base.Classifier:
        """The model that predicts: the classifier or a clone of its last step."""
        return self.classifier if self._successor is None else self._successor

    @property
    def doubt(self) -> float:
        """The probability that the current model no longer holds."""
        return self._doubt.probability

    @property
    def n_replacements(self) -> int:
        """Number of times that a challenger has taken over."""
        return self._state.n_replacements

    def learn_one(self, x: Features, y: base.typing.ClfTarget, **kwargs: Any) -> None:
        """Update the classifier, its successor and the challenger.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            A label.

        """
        state, successor, challenger = self._state, self._successor, self._challenger
        with without_learning():
            last, ready = end(self.classifier, x, {})
            label, confidence = verdict(last if successor is None else successor, ready, {})
            rival = last if state.classifier_challenges else challenger
            other = None if rival is None else verdict(rival, ready, {})[0]
        self.classifier.learn_one(x, y, **kwargs)
        doubt = self._doubt.after(label, y, confidence)
        if rival is not None:
            ahead = state.ahead + int(other == y) - int(label == y)
            state = state._replace(ahead=ahead)
        else:
            state = state._replace(ahead=0, former_challenges=False)
            if doubt.probability > self.threshold:
                challenger = fresh_clone(last)

        if successor is not None or challenger is not None:
            with without_learning():
                ready = end(self.classifier, x, {})[1]
            if challenger is not None and not _learns(challenger, ready, y, kwargs):
                challenger = None
            if successor is not None and not _learns(successor, ready, y, kwargs):
                successor = challenger = None
                state = state._replace(classifier_challenges=False)
        # In one call, which no interrupt divides.
        self.__dict__.update(self._settled(doubt, state, successor, challenger))

    def _settled(
        self, doubt: Doubt, state: _State, successor: Any, challenger: Any
    ) -> dict[str, Any]:
        """The attributes after the current model and its challenger have been compared."""
        if challenger is not None or state.classifier_challenges:
            if state.ahead >= self.lead:
                # The former model learns on, until it has lost or takes over again.
                successor, challenger = challenger, successor
                doubt = doubt._replace(probability=0.0)
                state = _State(
                    n_replacements=state.n_replacements + 1,
                    classifier_challenges=challenger is None,
                    former_challenges=True,
                )
            elif state.ahead <= -self.lead or (
                doubt.probability < _CALM * self.threshold and not state.former_challenges
            ):
                challenger = None
                state = state._replace(classifier_challenges=False)
        return {
            "_doubt": doubt,
            "_state": state,
            "_successor": successor,
            "_challenger": challenger,
        }

    def predict_one(self, x: Features, **kwargs: Any) -> base.typing.ClfTarget | None:
        """Predict the label of a set of features `x` with the current model.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        model, x = self._answering(x, kwargs)
        return model.predict_one(x, **kwargs)

    def predict_proba_one(self, x: Features, **kwargs: Any) -> dict[base.typing.ClfTarget, float]:
        """Predict the probability of each label for a set of features `x` with the current model.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        model, x = self._answering(x, kwargs)
        return model.predict_proba_one(x, **kwargs)

    def _answering(self, x: Features, kwargs: dict[str, Any]) -> tuple[Any, Features]:
        """The current model, and the features that it predicts from."""
        if self._successor is None:
            return self.classifier, x
        x = end(self.classifier, x, kwargs)[1]
        return _accepting(self._successor, kwargs), x


def _accepting(clone: Any, kwargs: dict[str, Any]) -> Any:
    # A pipeline of the clone alone passes on the arguments that it accepts.
    return compose.Pipeline(clone) if kwargs else clone


def _learns(clone: Any, x: Features, y: Any, kwargs: dict[str, Any]) -> bool:
    """Let a clone learn an instance that the classifier has learned, unless it raises an error."""
    try:
        _accepting(clone, kwargs).learn_one(x, y, **kwargs)
    except Exception:
        return False
    return True
