from __future__ import annotations

import copy
from collections.abc import Hashable, Iterator
from typing import Any

from river import active, base, compose

from river_trapezoid._parameters import check_choice, check_number

__all__ = ["LabelQueue"]

# Values that nobody can change, so that a copy of the dict that holds them is enough.
_FIXED = {float, int, bool, str, bytes, complex, type(None)}


class LabelQueue(base.Base):
    """Predicts now, and learns when the label arrives, by its key.

    River's `stream.simulate_qa` simulates labels that come late, from a data set that has them. This
    is for labels that really do: each prediction is made under a key, such as the number of an
    order; its features are kept, and the model learns from them when the label for that key comes.
    Labels may come in any order.

    Around a sampler, of this package or of River, only the instances whose label is asked for are
    kept.

    Memory is bounded. Beyond `max_waiting` instances the one that has waited longest is dropped, and
    with `max_age` each of which the label has not come in time. What is dropped is forgotten: the
    model has not learned from it, and will not. Where no label means a certain label, as with
    payments that nobody has complained about, give that one to the oldest in `waiting` before they
    are dropped.

    A label that comes again changes nothing, also if it is another one by then: a model does not
    unlearn. Neither does one for an instance that has been dropped, or for one whose label was not
    asked for. The last `max_remembered` of such keys are known, and their labels are counted in
    `n_ignored`. A label for any other key is an error, as it most likely is one.

    A prediction for a key that is waiting is one for the same instance: it keeps its place and its
    age, and the features given last are learned from. One for a key that is done with begins anew.

    A call that raises leaves the queue as it was; the model, too, if it is one of this package.

    Parameters
    ----------
    model
        A classifier, a regressor, a sampler, or a pipeline of them. It is trained in place.
    max_waiting
        How many instances wait for their labels, at most.
    max_age
        After how many further instances one is dropped; None to wait for as long as there is room.
    unknown
        What to do with a label for a key that is not known: `"raise"` a `KeyError`, or `"ignore"` it.
    max_remembered
        How many keys are remembered that are done with.

    Attributes
    ----------
    n_waiting
        Number of instances that wait for their labels.
    waiting
        Their keys, the oldest first.
    n_learned
        Number of labels learned from.
    n_dropped
        Number of instances dropped.
    n_ignored
        Number of labels that changed nothing.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river import stream
    >>> from river_trapezoid import active
    >>> from river_trapezoid import linear_model

    >>> queue = active.LabelQueue(linear_model.EvidenceClassifier(), max_waiting=1000)
    >>> queue.predict_one("order 17", {"amount": 12.5, "new customer": True})
    False

    >>> queue.predict_one("order 18", {"amount": 3.0})
    False

    >>> queue.learn_one("order 17", True)
    >>> queue.waiting, queue.n_learned
    (('order 18',), 1)

    >>> queue.learn_one("order 71", True)
    Traceback (most recent call last):
    ...
    KeyError: "no instance waits for a label under the key 'order 71'"

    On a stream whose labels come 100 instances late, this is what River's evaluation does:

    >>> queue = active.LabelQueue(linear_model.EvidenceClassifier())
    >>> accuracy, predicted = metrics.Accuracy(), {}
    >>> for i, x, y in stream.simulate_qa(datasets.Phishing(), moment=None, delay=100):
    ...     if y is None:
    ...         predicted[i] = queue.predict_one(i, x)
    ...     else:
    ...         accuracy.update(y, predicted.pop(i))
    ...         queue.learn_one(i, y)
    >>> accuracy
    Accuracy: 87.68%

    >>> evaluate.progressive_val_score(
    ...     datasets.Phishing(), linear_model.EvidenceClassifier(), metrics.Accuracy(), delay=100
    ... )
    Accuracy: 87.68%

    A sampler says for which instances a label is to be got:

    >>> queue = active.LabelQueue(active.BudgetSampler(linear_model.EvidenceClassifier(), seed=1))
    >>> for i, x, y in stream.simulate_qa(datasets.Phishing(), moment=None, delay=100):
    ...     if y is None:
    ...         label, ask = queue.predict_one(i, x)
    ...     else:
    ...         queue.learn_one(i, y)
    >>> queue.n_learned, queue.n_ignored
    (126, 1124)

    """

    def __init__(
        self,
        model: base.Estimator,
        max_waiting: int = 10_000,
        max_age: int | None = None,
        unknown: str = "raise",
        max_remembered: int = 10_000,
    ):
        check_number("max_waiting", max_waiting, integer=True, at_least=1)
        check_number("max_age", max_age, integer=True, at_least=0, optional=True)
        check_choice("unknown", unknown, ("raise", "ignore"))
        check_number("max_remembered", max_remembered, integer=True, at_least=0)
        self.model: Any = model
        self.max_waiting = max_waiting
        self.max_age = max_age
        self.unknown = unknown
        self.max_remembered = max_remembered
        self.n_learned = 0
        self.n_dropped = 0
        self.n_ignored = 0
        # Number of instances so far, and by key the number and features of those that wait: in the
        # order of their numbers.
        self._n_instances = 0
        self._waiting: dict[Hashable, tuple[int, Any]] = {}
        # Keys that are done with, the one that was so first at the beginning.
        self._done: dict[Hashable, None] = {}

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from river import linear_model

        yield {"model": linear_model.LogisticRegression()}

    @property
    def n_waiting(self) -> int:
        """Number of instances that wait for their labels."""
        return len(self._waiting)

    @property
    def waiting(self) -> tuple[Hashable, ...]:
        """The keys of the instances that wait for their labels, the oldest first."""
        return tuple(self._waiting)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._waiting

    @property
    def asks(self) -> bool:
        """Whether the model is a sampler, so that its predictions come with a question."""
        return _asks(self.model)

    def knows(self, key: Hashable) -> bool:
        """Whether the instance of a key waits for its label, or is remembered as done with.

        Parameters
        ----------
        key
            What a prediction was made under.

        """
        return key in self._waiting or key in self._done

    def predict_one(self, key: Hashable, x: Any, **kwargs: Any) -> Any:
        """Predict the target of `x`, and keep `x` until its label comes.

        Parameters
        ----------
        key
            What the label will be given for.
        x
            A dictionary of features, or whatever else the model takes.

        Returns
        -------
        What the model predicts. For a sampler that is a label, and whether the true one is asked
        for.

        """
        kept = _checked(key, x)
        prediction = self.model.predict_one(x, **kwargs)
        self._keep(key, kept, not self.asks or prediction[1])
        return prediction

    def predict_proba_one(self, key: Hashable, x: Any, **kwargs: Any) -> Any:
        """Predict the probability of each label for `x`, and keep `x` until its label comes.

        Parameters
        ----------
        key
            What the label will be given for.
        x
            A dictionary of features, or whatever else the model takes.

        Returns
        -------
        What the model predicts. For a sampler those are probabilities, and whether the true label
        is asked for.

        """
        kept = _checked(key, x)
        prediction = self.model.predict_proba_one(x, **kwargs)
        self._keep(key, kept, not self.asks or prediction[1])
        return prediction

    def decide_one(
        self, key: Hashable, x: Any, **kwargs: Any
    ) -> tuple[Any, dict[Any, float], bool]:
        """Predict label and probabilities of `x`, decide once, and keep `x` until its label comes.

        Parameters
        ----------
        key
            What the label will be given for.
        x
            A dictionary of features, or whatever else the model takes.

        Returns
        -------
        The predicted label, the probabilities, and whether a label is asked for, as it always is
        by a model that is no sampler.

        """
        kept = _checked(key, x)
        if hasattr(self.model, "decide_one"):
            label, probabilities, ask = self.model.decide_one(x, **kwargs)
        elif self.asks:
            raise TypeError(
                f"{self.model} decides anew with each prediction; decide_one needs a sampler of "
                "river_trapezoid.active, outside of any pipeline"
            )
        else:
            label, ask = self.model.predict_one(x, **kwargs), True
            probabilities = self.model.predict_proba_one(x, **kwargs)
        self._keep(key, kept, ask)
        return label, probabilities, ask

    def learn_one(self, key: Hashable, y: Any, w: float | None = None, **kwargs: Any) -> None:
        """Learn the label of an instance, and forget the instance.

        Parameters
        ----------
        key
            What its prediction was made under.
        y
            The label.
        w
            The weight of the instance, for models that take one; None for none.

        """
        if key not in self._waiting:
            if key not in self._done and self.unknown == "raise":
                raise KeyError(f"no instance waits for a label under the key {key!r}")
            self.n_ignored += 1
            return
        if w is not None:
            kwargs["w"] = w
        _, x = self._waiting[key]
        self.model.learn_one(x, y, **kwargs)
        self._finish(key)
        self.n_learned += 1

    def drop_one(self, key: Hashable) -> None:
        """Give up on the label of an instance, and forget the instance.

        Parameters
        ----------
        key
            What its prediction was made under.

        """
        if key not in self._waiting:
            raise KeyError(f"no instance waits for a label under the key {key!r}")
        self._drop(key)

    def _keep(self, key: Hashable, x: Any, ask: bool) -> None:
        if key in self._waiting:
            if ask:
                self._waiting[key] = self._waiting[key][0], x
            return
        self._n_instances += 1
        if ask:
            self._done.pop(key, None)
            self._waiting[key] = self._n_instances, x
        else:
            self._remember(key)
        while self._waiting:
            oldest, (number, _) = next(iter(self._waiting.items()))
            late = self.max_age is not None and self._n_instances - number > self.max_age
            if not late and len(self._waiting) <= self.max_waiting:
                break
            self._drop(oldest)

    def _drop(self, key: Hashable) -> None:
        self._finish(key)
        self.n_dropped += 1

    def _finish(self, key: Hashable) -> None:
        del self._waiting[key]
        self._remember(key)

    def _remember(self, key: Hashable) -> None:
        self._done.pop(key, None)
        self._done[key] = None
        if len(self._done) > self.max_remembered:
            del self._done[next(iter(self._done))]


def _checked(key: Hashable, x: Any) -> Any:
    """A copy of an instance, if its key can be found again."""
    hash(key)
    if key != key:
        raise ValueError(f"key must be equal to itself; got {key!r}")
    if type(x) is dict and _FIXED.issuperset(map(type, x.values())):
        return x.copy()
    return copy.deepcopy(x)


def _asks(model: Any) -> bool:
    """Whether a model predicts pairs of a prediction and a question."""
    while isinstance(model, compose.Pipeline):
        model = model[-1]
    return isinstance(model, active.base.ActiveLearningClassifier)
