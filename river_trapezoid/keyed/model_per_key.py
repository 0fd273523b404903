from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

from river import base, compose

from river_trapezoid import persist
from river_trapezoid._instance import Features, observed
from river_trapezoid._parameters import check_bool, check_choice
from river_trapezoid.active import LabelQueue

__all__ = ["Answer", "ModelPerKey", "Row"]


class Row(NamedTuple):
    """What comes in: an instance, its label, or both."""

    #: The place of the row among those of its key.
    order: Any
    #: The instance; None for a row that brings a label only.
    features: Mapping[Any, Any] | None
    #: The label; None if it is not known.
    label: Any = None
    #: What a label that comes in a later row is joined by.
    id: Hashable = None


class Answer(NamedTuple):
    """What comes out, one for each row."""

    order: Any
    id: Hashable
    #: The label predicted before the row was learned from; None where nothing is predicted.
    prediction: Any
    #: The probability of the predicted label; None where the model gives none.
    probability: float | None
    #: Whether the label is asked for; None where nothing is predicted.
    ask: bool | None
    #: How many labels the model of this key has learned from, that of this row included.
    labels_spent: int
    #: What is wrong with the row; None if nothing is.
    error: str | None


class ModelPerKey:
    """One step of one model per key: from its state and a batch of rows to state and answers.

    The state is the bytes of a model and of the instances that wait for their labels, by
    `persist.dumps`. However the rows of a key are split into batches, and on whatever machine each
    batch is run, the answers are those of a plain loop over the rows, to the last bit. A batch that is
    run again from the same state has the same answers.

    Rows are taken in their `order`. Each is predicted first and learned from next, if it brings its
    label and, with a sampler, if that is asked for. A row without a label waits for it if it has an
    `id`: a later row with the same `id` brings the label, alone or with the features once more, and
    the model learns from the features that came first. What is no instance and no label that is
    waited for changes nothing:

    - a repeated `id` is the same instance: it is not predicted again, not decided on again, and its
      label is learned once, also if a second one is another;
    - a label for an `id` that is not known, or no longer, is ignored, and so is one that was not
      asked for.

    The last `max_remembered` ids that are done with are known. One that comes after that counts as
    new.

    A bad row (an infinite value, a value that is no number, a label that the model does not take, no
    order) is reported in the `error` of its answer, and the model is as if it had not come, if it is
    of this package; a model of River is spared bad values, and left as it leaves itself by a bad
    label. An instance whose label was bad still waits for a good one, if it has an `id`.

    Every key begins with the model as it is given, what it has learned and its random state
    included: samplers need a `seed`, and draw the same for every key.

    Parameters
    ----------
    model
        A classifier, a pipeline that ends in one, or a sampler of `river_trapezoid.active` around
        them, of what is listed in `persist.CLASSES`.
    max_waiting
        How many instances of a key wait for their labels, at most. The oldest are dropped.
    max_age
        After how many further instances one is dropped; None to wait for as long as there is room.
    max_remembered
        How many ids of a key are remembered that are done with.
    learn_during_predict
        Whether scalers and other parts that need no labels learn from every instance as it comes,
        as under `compose.learn_during_predict()`, rather than from those with labels.
    errors
        What to do with a bad row: `"report"` it, or `"raise"` a `ValueError`, for the whole batch.

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

    The label of the second row was not asked for, and is not learned:

    >>> [(answer.ask, answer.labels_spent) for answer in answers]
    [(True, 0), (False, 0)]

    The label of Monday comes in a later batch:

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
            raise TypeError(f"model must be a classifier, or end in one; got {model!r}")
        if persist.dumps(model.clone()) != persist.dumps(model.clone()):
            raise ValueError(
                f"model must have a seed, so that a batch that is run again draws the same; got {model!r}"
            )
        queue = LabelQueue(model, max_waiting, max_age, "ignore", max_remembered)
        # Bytes go to other machines without pickle, and are a copy that nobody trains.
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
            What the last batch of this key has given; None for a new key.
        rows
            The rows, in any order: they are sorted by their `order`, which should be unique within
            a key. Of equal ones, instances come before labels, and then those with the lesser `id`.

        Returns
        -------
        The state to keep, and an answer for each row, in the order of the rows.

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
        """The model in a state.

        Parameters
        ----------
        state
            What `run` has given.

        """
        return persist.loads(state).model

    def _answer(self, queue: LabelQueue, row: Row) -> Answer:
        opinion: tuple[Any, float | None, bool | None] = None, None, None
        error = None
        try:
            if row.order is None:
                raise ValueError("order is missing")
            if row.features is not None and (row.id is None or not queue.knows(row.id)):
                opinion = self._predict(queue, row.id, observed(dict(row.features)))
            if row.label is not None:
                queue.learn_one(row.id, row.label)
        except (ArithmeticError, TypeError, ValueError) as wrong:
            if self.errors == "raise":
                raise ValueError(f"row with order {row.order!r}: {wrong}") from wrong
            error = str(wrong)
        if row.id is None and None in queue:
            # Its label, if any, came with it.
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


def _place(row: Row) -> tuple[Any, ...]:
    key = (row.features is None, row.id is not None, row.id)
    return (True,) if row.order is None else (False, row.order, *key)
