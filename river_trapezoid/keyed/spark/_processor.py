from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river_trapezoid import keyed

__all__ = ["ANSWER", "STATE", "KeyProcessor"]

STATE = "model_per_key"
ANSWER = "key", *keyed.Answer._fields


def _base() -> Any:
    try:
        from pyspark.sql.streaming import StatefulProcessor
    except ImportError:
        # `learn_by_key` raises an error that names what is missing.
        return object
    return StatefulProcessor


_Base: Any = _base()


class KeyProcessor(_Base):
    """The stateful processor that Spark calls for each key of a micro-batch.

    Parameters
    ----------
    step
        The step that predicts and learns the rows of a key. It holds bytes and plain values only, so
        that Spark can pickle it whatever the model is.
    label_type
        The type of the predictions.

    """

    def __init__(self, step: keyed.ModelPerKey, label_type: type):
        self.step = step
        self.label_type = label_type

    def init(self, handle: Any) -> None:
        from pyspark.sql import Row

        self._state = handle.getValueState(STATE, "state binary")
        self._row = Row(*ANSWER)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Any]:
        named = (keyed.Row(row.order, row.features, row.label, row.id) for row in rows)
        for found in self._nameless(named) if key[0] is None else self._learned(named):
            yield self._row(key[0], *found._replace(prediction=self._as_label(found.prediction)))

    def close(self) -> None:
        pass

    def _learned(self, rows: Iterator[keyed.Row]) -> list[keyed.Answer]:
        # Each access goes through a socket to the JVM, which can cost more than a row does.
        kept = self._state.get()
        state, answers = self.step.run(None if kept is None else bytes(kept[0]), rows)
        self._state.update((state,))
        return answers

    def _nameless(self, rows: Iterator[keyed.Row]) -> Iterator[keyed.Answer]:
        for row in rows:
            if self.step.errors == "raise":
                raise ValueError(f"row with order {row.order!r}: key is missing")
            yield keyed.Answer(row.order, row.id, None, None, None, 0, "key is missing")

    def _as_label(self, prediction: Any) -> bool | int | str | None:
        """Convert a prediction to the type of the labels, even if the model has learned none yet."""
        if isinstance(prediction, self.label_type):
            return self.label_type(prediction)
        if isinstance(prediction, int) and self.label_type is not str:
            return self.label_type(prediction)
        return None
