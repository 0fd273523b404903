"""The streams that the command line makes of a data set."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from river_trapezoid import stream

__all__ = ["KINDS", "stream_of"]

# How the rows of a data set become a stream, given a seed; None for no change.
_MAKERS: dict[str, Callable[[Any, int], Any] | None] = {
    "as-is": None,
    "trapezoidal": lambda rows, seed: stream.Trapezoidal(rows, shuffle=True, seed=seed),
    "evolvable": lambda rows, seed: stream.Evolvable(rows, shuffle=True, seed=seed),
    "capricious": lambda rows, seed: stream.Capricious(rows, seed=seed),
}
KINDS = {
    "as-is": "the features of each row as in the data",
    "trapezoidal": "ten parts, each with more features than the one before, in random order",
    "evolvable": "a random half of the features, then a short overlap, then the other half",
    "capricious": "up to half of the features are absent from each row, at random",
}


def stream_of(dataset: Iterable[Any], kind: str, shuffle: bool = False) -> Any:
    """A stream of one of the `KINDS`: the data set itself, or a function of a seed.

    Parameters
    ----------
    dataset
        The data set, which can be iterated over repeatedly.
    kind
        How the feature space changes.
    shuffle
        Whether to take the rows in random order.

    """
    if _MAKERS[kind] is None and not shuffle:
        return dataset
    return functools.partial(_made, dataset, kind, shuffle)


def _made(dataset: Iterable[Any], kind: str, shuffle: bool, seed: int) -> Iterable[Any]:
    make = _MAKERS[kind]
    rows = stream.Shuffled(dataset, seed=seed) if shuffle else dataset
    return rows if make is None else make(rows, seed)
