from __future__ import annotations

import contextlib
import datetime
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

from river import base, compose

from river_trapezoid import persist
from river_trapezoid._instance import Features, observed
from river_trapezoid._parameters import check_bool, check_choice
from river_trapezoid.active import LabelQueue

__all__ = ["Answer", "ModelPerKey", "Row"]


class Row(NamedTuple):
    """An instance, its label, or both."""

    #: The position of the row among those of its key.
    order: Any
    #: The features; None for a row with the label of an earlier one.
    features: Mapping[Any, Any] | None
    #: The label; None if it is unknown.
    label: Any = None
    #: The key by which a later row with the label is matched.
    id: Hashable = None


class Answer(NamedTuple):
    """The answer to a row."""

    #: The `order` of the row.
    order: Any
    #: The `id` of the row.
    id: Hashable
    #: The label predicted before the row was learned; None if there was no prediction.
    prediction: Any
    #: The probability of the predicted label; None if the model has no probabilities.
    probability: float | None
    #: Whether the label is queried; None if there was no prediction.
    ask: bool | None
    #: The number of labels that the model of this key has learned, that of this row included.
    labels_spent: int
    #: The error in the row; None if there is none.
    error: str | None


class ModelPerKey:
    """Predict and learn the rows of each key with a model of its own, batch by batch.

    `run` takes the state of a key and a batch of its rows, and returns the new state and an answer for
    each row. The state is the bytes of a model and of the instances that wait for their labels, written
    by `persist.dumps`. The answers are those of a plain loop over the rows, to the last bit, however
    the rows are split into batches and wherever the batches are run. A batch that is run again from the
    same state gives the same answers.

    Rows are processed in their `order`. A row with features is predicted first; then its label is
    learned, if it has one and, with a sampler, if that is queried. A row without a label waits for it
    if the row has an `id`: a later row with the same `id` brings the label, with or without the
    features, and the model learns it with the features of the first row. Repeated rows change nothing:

    - a row with features and a known `id` is the same instance: it is neither predicted nor queried
      again, and its label is learned once, even if a second label differs;
    - a label for an unknown `id`, or one that was not queried, is ignored.

    The last `max_remembered` ids that no longer wait are remembered. An older one is treated as new.

    A row with an infinite or non-numeric value, without an `order`, or with a label that the model
    rejects, has an `error` in its answer and leaves a model of this package unchanged. A model of River
    never receives such values, but a label that it rejects may change it. An instance whose label was
    rejected still waits for another one, if it has an `id`.

    Each key starts with a copy of the given model, including what it has learned and its random state.
    Samplers need a `seed`, and draw the same numbers for each key.

    Parameters
    ----------
    model
        A classifier, a pipeline that ends in one, or a sampler of `river_trapezoid.active` around one
        of these. Its classes must be among `persist.CLASSES`.
    max_waiting
        Maximum number of instances of a key that wait for their labels. The oldest ones are dropped.
    max_age
        Number of later instances of the same key after which a waiting instance is dropped; None for
        no limit.
    max_remembered
        Number of ids of a key to remember that no longer wait.
    learn_during_predict
        Whether scalers and other unsupervised parts learn from every instance when it is predicted,
        as under `compose.learn_during_predict()`, rather than with its label.
    errors
        `"report"` to report an error in the answer to its row, `"raise"` to raise a `ValueError` for
        the whole batch.

    Examples
    --------

    >>> from river_trapezoid import active, keyed, linear_model

    >>> sampler = active.BudgetSampler(linear_model.EvidenceClassifier(), budget=0.5, seed=1)
    >>> step = keyed.ModelPerKey(sampler)
    >>> state, answers = step.run(None, [
    ...     keyed.Row(1, {"temperature": 71.0}, id="Monday"),
    ...     keyed.Row(2, {"temperature": 20.0}, label=False),
    ... ])
    >>> answers[0].prediction, answers[0].probability, answers[0].ask
    (False, 0.5, True)

    The label of the second row is not queried, and not learned:

    >>> [(answer.ask, answer.labels_spent) for answer in answers]
    [(True, 0), (False, 0)]

    The label of Monday arrives in a later batch:

    >>> state, answers = step.run(state, [keyed.Row(3, None, label=True, id="Monday")])
    >>> answers[0].labels_spent
    1

    >>> step.model(state).predict_one({"temperature": 80.0})[0]
    True

    """

    def __init__(
        self,
        model: base.Estimator,
        max_waiting: int = 1000,
        max_age: int | None = None,
        max_remembered: int = 1000,
        learn_during_predict: bool = False,
        errors: str = "report",
    ):
        check_bool("learn_during_predict", learn_during_predict)
        check_choice("errors", errors, ("report", "raise"))
        end = model
        while isinstance(end, compose.Pipeline):
            end = end[-1]
        if not isinstance(end, base.Classifier):
            raise TypeError(
                f"model must be a classifier or a pipeline that ends in one; got {model!r}"
            )
        if persist.dumps(model.clone()) != persist.dumps(model.clone()):
            raise ValueError(
                "model must have a seed, so that a batch can be run again with the same draws; got "
                f"{model!r}"
            )
        queue = LabelQueue(model, max_waiting, max_age, "ignore", max_remembered)
        # Bytes need no pickle on the way to other machines, and are a copy that nobody trains.
        self._template = persist.dumps(queue)
        self.learn_during_predict = learn_during_predict
        self.errors = errors
        try:
            persist.loads(self._template).decide_one(None, {})
            self._with_probabilities = True
        except NotImplementedError:
            self._with_probabilities = False

    def run(self, state: bytes | None, rows: Iterable[Row]) -> tuple[bytes, list[Answer]]:
        """Predict and learn a batch of rows of one key.

        Parameters
        ----------
        state
            The state that the previous batch of this key returned; None for a new key.
        rows
            The rows, sorted or not. `run` sorts them by `order`, which should be unique within a key.
            Ties are broken by features before labels, then by `id`.

        Returns
        -------
        The new state, and an answer for each row, sorted like the rows.

        """
        queue = persist.loads(self._template if state is None else state)
        context = (
            compose.learn_during_predict()
            if self.learn_during_predict
            else contextlib.nullcontext()
        )
        with context:
            answers = [self._answer(queue, row) for row in sorted(rows, key=_place)]
        return persist.dumps(queue), answers

    @staticmethod
    def model(state: bytes) -> Any:
        """Return the model in a state.

        Parameters
        ----------
        state
            A state that `run` returned.

        """
        return persist.loads(state).model

    def _answer(self, queue: LabelQueue, row: Row) -> Answer:
        opinion: tuple[Any, float | None, bool | None] = None, None, None
        error = None
        try:
            if row.order is None:
                raise ValueError("order is missing")
            if row.features is not None and (row.id is None or not queue.knows(row.id)):
                opinion = self._predict(queue, row.id, _observed(row.features))
            if row.label is not None:
                queue.learn_one(row.id, row.label)
        except (ArithmeticError, TypeError, ValueError) as wrong:
            if self.errors == "raise":
                raise ValueError(f"row with order {row.order!r}: {wrong}") from wrong
            error = str(wrong)
        if row.id is None and None in queue:
            # Without an id, the label cannot arrive later.
            queue.drop_one(None)
        return Answer(row.order, row.id, *opinion, queue.n_learned, error)

    def _predict(
        self, queue: LabelQueue, key: Hashable, x: Features
    ) -> tuple[Any, float | None, bool]:
        if self._with_probabilities:
            label, probabilities, ask = queue.decide_one(key, x)
            return label, probabilities.get(label), ask
        prediction = queue.predict_one(key, x)
        # A sampler predicts a pair.
        return (prediction[0], None, prediction[1]) if queue.asks else (prediction, None, True)


def _observed(given: Any) -> Features:
    """Return the features with a value; strings and dates are left to the model."""
    features = dict(given)
    raw = {k: v for k, v in features.items() if isinstance(v, str | datetime.date)}
    if not raw:
        return observed(features)
    return {**observed({k: v for k, v in features.items() if k not in raw}), **raw}


def _place(row: Row) -> tuple[Any, ...]:
    key = (row.features is None, row.id is not None, row.id)
    return (True,) if row.order is None else (False, row.order, *key)
