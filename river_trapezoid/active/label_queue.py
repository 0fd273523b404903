from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from itertools import chain, islice, pairwise
from typing import Any

from river import active, base, compose

from river_trapezoid._parameters import check_choice, check_number
from river_trapezoid._uninterrupted import at_once

from .base import transaction_of

__all__ = ["LabelQueue"]

# Values of these types cannot be changed, so that a shallow copy of the dict that holds them will do.
_IMMUTABLE = {float, int, bool, str, bytes, complex, type(None)}


class LabelQueue(base.Base):
    """Predicts now, and learns when the label arrives, by its key.

    River's `stream.simulate_qa` simulates late labels from a data set that has them. A `LabelQueue`
    is for labels that really arrive late: each prediction is made under a key, such as the number
    of an order. The queue stores the features, and the model learns from them when the label for
    that key arrives. Labels may arrive in any order.

    Around a sampler, of this package or of River, only queried instances are stored.

    Memory is bounded. Beyond `max_waiting` instances the one that has waited longest is dropped, and
    with `max_age` every instance whose label has not arrived in time. The model never learns from a
    dropped instance. Where a missing label means a certain label, as with payments that nobody has
    disputed, pass that label for the oldest keys in `waiting` before they are dropped.

    A second label for the same key changes nothing, even if it differs from the first: a model does
    not unlearn. The same holds for the label of an instance that was dropped or was not queried.
    The queue remembers the last `max_remembered` of such keys and counts their labels in
    `n_ignored`. A label for any other key is most likely a mistake and raises an error.

    A second prediction for a waiting key is taken as one for the same instance: the instance keeps
    its place and its age, and the model learns from the latest features. A prediction for a finished
    key adds a new instance.

    A call that raises leaves the queue as it was, and the model too if it is from this package.

    An interrupt (Ctrl-C) never comes between the step of the model and that of the queue: the
    instance stops waiting as soon as `learn_one` of the model returns. With a binary linear learner
    of this package, alone or in a sampler, and the compiled weights, an interrupt at any point
    leaves the label either learned and the instance finished, or neither, so that a retry never
    learns it twice. With any other model, an interrupt inside its `learn_one` leaves the instance waiting, even
    if the model has learned by then.

    Parameters
    ----------
    model
        A classifier, a regressor, a sampler, or a pipeline that ends with one. It is trained in
        place.
    max_waiting
        The largest number of instances that wait for their labels.
    max_age
        The number of later instances after which an instance is dropped. None for no limit.
    unknown
        What to do with a label for an unknown key: `"raise"` a `KeyError`, or `"ignore"` it.
    max_remembered
        The largest number of finished keys to remember.

    Attributes
    ----------
    n_waiting
        Number of instances that wait for their labels.
    waiting
        The keys of these instances, the oldest first.
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
    KeyError: "key must be that of a waiting instance; got 'order 71'"

    On a stream whose labels arrive 100 instances late, the result is that of River's evaluation:

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

    A sampler decides which instances are queried:

    >>> queue = active.LabelQueue(active.BudgetSampler(linear_model.EvidenceClassifier(), seed=1))
    >>> for i, x, y in stream.simulate_qa(datasets.Phishing(), moment=None, delay=100):
    ...     if y is None:
    ...         label, ask = queue.predict_one(i, x)
    ...     else:
    ...         queue.learn_one(i, y)
    >>> queue.n_learned, queue.n_ignored
    (126, 1124)

    """

    _TAG = "river_trapezoid.active.LabelQueue"

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
        # The number of instances so far. For each waiting key, the number of its instance and its
        # features, in the order of these numbers.
        self._n_instances = 0
        self._waiting: dict[Hashable, tuple[int, Any]] = {}
        # Finished keys, the oldest first. No key is both waiting and finished.
        self._done: dict[Hashable, None] = {}

    def _check_state(self) -> None:
        """Raise a `ValueError` unless the attributes, which come from a file, fit together."""
        if not isinstance(self.model, base.Estimator):
            raise ValueError(f"model must be an estimator; got {self.model!r:.100}")
        for name in ("n_learned", "n_dropped", "n_ignored", "_n_instances"):
            check_number(name, getattr(self, name), integer=True, at_least=0)
        entries = list(self._waiting.values())
        if any(type(entry) is not tuple or len(entry) != 2 for entry in entries):
            raise ValueError("waiting instances must be pairs of a number and features")
        numbers = [0, *(number for number, _ in entries), self._n_instances + 1]
        if any(type(number) is not int for number in numbers) or any(
            a >= b for a, b in pairwise(numbers)
        ):
            raise ValueError("waiting instances must be numbered in order")
        for name, keys, most in (
            ("waiting", self._waiting, self.max_waiting),
            ("remembered", self._done, self.max_remembered),
        ):
            if len(keys) > most:
                raise ValueError(f"there must be at most {most} {name} keys; got {len(keys)}")
        if self._done.keys() & self._waiting.keys():
            raise ValueError("no key must be both waiting and finished")
        if any(value is not None for value in self._done.values()):
            raise ValueError("finished keys must have no values")

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
        """Whether the model is a sampler, which returns pairs of a prediction and a decision."""
        return _asks(self.model)

    def knows(self, key: Hashable) -> bool:
        """Whether a key is that of a waiting instance, or is remembered as finished.

        Parameters
        ----------
        key
            The key of a prediction.

        """
        return key in self._waiting or key in self._done

    def predict_one(self, key: Hashable, x: Any, **kwargs: Any) -> Any:
        """Predict the label of `x`, and store `x` until its label arrives.

        Parameters
        ----------
        key
            The key under which the label will arrive.
        x
            A dictionary of features, or whatever else the model takes.

        Returns
        -------
        The prediction of the model. A sampler returns a pair: the predicted label, and whether the
        instance is queried.

        """
        stored = _copied(key, x)
        prediction = self.model.predict_one(x, **kwargs)
        self._store(key, stored, not self.asks or prediction[1])
        return prediction

    def predict_proba_one(self, key: Hashable, x: Any, **kwargs: Any) -> Any:
        """Predict the probability of each label for `x`, and store `x` until its label arrives.

        Parameters
        ----------
        key
            The key under which the label will arrive.
        x
            A dictionary of features, or whatever else the model takes.

        Returns
        -------
        The probabilities that the model predicts. A sampler returns a pair: the probabilities, and
        whether the instance is queried.

        """
        stored = _copied(key, x)
        prediction = self.model.predict_proba_one(x, **kwargs)
        self._store(key, stored, not self.asks or prediction[1])
        return prediction

    def decide_one(
        self, key: Hashable, x: Any, **kwargs: Any
    ) -> tuple[Any, dict[Any, float], bool]:
        """Predict label and probabilities of `x`, decide once whether to query it, and store it.

        Parameters
        ----------
        key
            The key under which the label will arrive.
        x
            A dictionary of features, or whatever else the model takes.

        Returns
        -------
        The predicted label, the probabilities, and whether the instance is queried. A model that is
        not a sampler queries every instance.

        """
        stored = _copied(key, x)
        if hasattr(self.model, "decide_one"):
            label, probabilities, ask = self.model.decide_one(x, **kwargs)
        elif self.asks:
            raise TypeError(
                "model must be a sampler of river_trapezoid.active, outside of a pipeline, for "
                f"decide_one; got {self.model}, which decides again with each prediction"
            )
        else:
            label, ask = self.model.predict_one(x, **kwargs), True
            probabilities = self.model.predict_proba_one(x, **kwargs)
        self._store(key, stored, ask)
        return label, probabilities, ask

    def learn_one(self, key: Hashable, y: Any, w: float | None = None, **kwargs: Any) -> None:
        """Learn the label of a waiting instance, and remove the instance from the queue.

        Parameters
        ----------
        key
            The key under which the instance was predicted.
        y
            The label.
        w
            The sample weight, for models that take one. None to pass none.

        """
        if key not in self._waiting:
            if key not in self._done and self.unknown == "raise":
                raise _not_waiting(key)
            self.n_ignored += 1
            return
        if w is not None:
            kwargs["w"] = w
        _, x = self._waiting[key]
        learn = partial(self.model.learn_one, x, y, **kwargs)
        finish = self._finishing({"n_learned": self.n_learned + 1}, [key])
        whole = transaction_of(self.model)
        if whole is None:
            at_once(learn, *finish)
            return
        with whole:
            learn()
            at_once(*finish, whole.commit)

    def drop_one(self, key: Hashable) -> None:
        """Give up waiting for the label of an instance, and remove the instance from the queue.

        Parameters
        ----------
        key
            The key under which the instance was predicted.

        """
        if key not in self._waiting:
            raise _not_waiting(key)
        at_once(*self._finishing({"n_dropped": self.n_dropped + 1}, [key]))

    def _store(self, key: Hashable, x: Any, ask: bool) -> None:
        """Store an instance if it is queried, and drop what has become too old or too much."""
        if key in self._waiting:
            if ask:
                self._waiting[key] = self._waiting[key][0], x
            return
        number = self._n_instances + 1
        finished = [] if ask else [key]
        again: list[Hashable] = []
        calls: list[Callable[[], Any]] = []
        if ask:
            calls.append(partial(self._waiting.__setitem__, key, (number, x)))
            if key in self._done:
                again.append(key)
        surplus = len(self._waiting) + ask - self.max_waiting
        if surplus > 0 or self.max_age is not None:
            for dropped, (since, _) in self._waiting.items():
                late = self.max_age is not None and number - since > self.max_age
                if not late and surplus <= 0:
                    break
                finished.append(dropped)
                surplus -= 1
        n_dropped = self.n_dropped + len(finished) - (not ask)
        counters = {"_n_instances": number, "n_dropped": n_dropped}
        calls += self._finishing(counters, finished, again)
        at_once(*calls)

    def _finishing(
        self, counters: dict[str, int], keys: list[Hashable], again: Sequence[Hashable] = ()
    ) -> list[Callable[[], Any]]:
        """The calls that finish waiting keys, let finished ones wait again, and set counters."""
        done, waiting = self._done, self._waiting
        calls: list[Callable[[], Any]] = [partial(vars(self).update, counters)]
        moved = {key for key in (*keys, *again) if key in done}
        calls += [partial(done.pop, key) for key in moved]
        for key in keys:
            if key in waiting:
                calls.append(partial(waiting.pop, key))
            calls.append(partial(done.__setitem__, key, None))
        n_forgotten = len(done) - len(moved) + len(keys) - self.max_remembered
        if n_forgotten > 0:
            kept = (key for key in done if key not in moved)
            calls += [partial(done.pop, key) for key in islice(chain(kept, keys), n_forgotten)]
        return calls


def _not_waiting(key: Hashable) -> KeyError:
    return KeyError(f"key must be that of a waiting instance; got {key!r}")


def _copied(key: Hashable, x: Any) -> Any:
    """A copy of an instance, if its key can be found again."""
    hash(key)
    if key != key:
        raise ValueError(f"key must be equal to itself; got {key!r}")
    if type(x) is dict and _IMMUTABLE.issuperset(map(type, x.values())):
        return x.copy()
    return copy.deepcopy(x)


def _asks(model: Any) -> bool:
    """Whether a model predicts pairs of a prediction and a decision."""
    while isinstance(model, compose.Pipeline):
        model = model[-1]
    return isinstance(model, active.base.ActiveLearningClassifier)
