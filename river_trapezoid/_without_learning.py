"""Asking a pipeline without teaching it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from river import compose


@contextlib.contextmanager
def without_learning() -> Iterator[None]:
    """Let nothing be learned during predictions, not even in `compose.learn_during_predict()`."""
    learning = compose.Pipeline._LEARN_UNSUPERVISED_DURING_PREDICT
    compose.Pipeline._LEARN_UNSUPERVISED_DURING_PREDICT = False
    try:
        yield
    finally:
        compose.Pipeline._LEARN_UNSUPERVISED_DURING_PREDICT = learning
