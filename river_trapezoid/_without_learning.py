"""Prediction with a pipeline without learning."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from river import compose


@contextlib.contextmanager
def without_learning() -> Iterator[None]:
    """Disable learning during predictions, also inside `compose.learn_during_predict()`."""
    learning = compose.Pipeline._LEARN_UNSUPERVISED_DURING_PREDICT
    compose.Pipeline._LEARN_UNSUPERVISED_DURING_PREDICT = False
    try:
        yield
    finally:
        compose.Pipeline._LEARN_UNSUPERVISED_DURING_PREDICT = learning
