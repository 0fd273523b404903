"""Generators of random numbers, whose next draws are those of the saved generator."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from ._codecs import Fields, Functions
from ._values import Codec

__all__ = ["GENERATORS"]

# Words in the state of a Mersenne twister.
_N_WORDS = 624


def _take_random(generator: Any) -> tuple[Fields, Fields]:
    version, words, gauss = generator.getstate()
    return {}, {"version": version, "words": np.array(words, np.uint32), "gauss": gauss}


def _put_random(parameters: Fields, state: Fields) -> random.Random:
    generator = random.Random(0)
    # The last word is a position among the others.
    words = _words(state["words"], _N_WORDS + 1)
    if words[-1] > _N_WORDS or not isinstance(state["gauss"], float | None):
        raise ValueError("the state is not that of a Mersenne twister")
    generator.setstate((state["version"], tuple(words.tolist()), state["gauss"]))
    return generator


def _words(words: Any, n: int) -> Any:
    if type(words) is not np.ndarray or words.dtype != np.uint32 or words.shape != (n,):
        raise ValueError(f"words must be a uint32 array of shape ({n},)")
    return words


def _take_random_state(generator: Any) -> tuple[Fields, Fields]:
    name, words, position, has_gauss, gauss = generator.get_state()
    if name != "MT19937":
        raise TypeError(f"a RandomState must use MT19937 to be saved; got {name}")
    state = {"words": words.astype(np.uint32), "position": int(position)}
    return {}, {**state, "has_gauss": bool(has_gauss), "gauss": float(gauss)}


def _put_random_state(parameters: Fields, state: Fields) -> np.random.RandomState:
    words, position = _words(state["words"], _N_WORDS), state["position"]
    if not 0 <= position <= _N_WORDS:
        raise ValueError(f"position must be from 0 to {_N_WORDS}; got {position!r}")
    generator = np.random.RandomState(0)
    has_gauss, gauss = bool(state["has_gauss"]), float(state["gauss"])
    generator.set_state(("MT19937", words, int(position), int(has_gauss), gauss))
    return generator


_BIT_GENERATORS: dict[str, Callable[..., Any]] = {
    "PCG64": np.random.PCG64,
    "PCG64DXSM": np.random.PCG64DXSM,
}


def _take_generator(generator: Any) -> tuple[Fields, Fields]:
    state = generator.bit_generator.state
    name = state["bit_generator"]
    if name not in _BIT_GENERATORS:
        raise TypeError(
            f"a Generator must use one of {', '.join(_BIT_GENERATORS)} to be saved; got {name}"
        )
    left = {"half": state["uinteger"] if state["has_uint32"] else None}
    return {"bit_generator": name}, {**state["state"], **left}


def _put_generator(parameters: Fields, state: Fields) -> np.random.Generator:
    name = parameters["bit_generator"]
    bits = _BIT_GENERATORS[name](0)
    half = state["half"]
    words = {key: state[key] for key in ("state", "inc")}
    if not all(type(word) is int and 0 <= word < 2**128 for word in words.values()):
        raise ValueError("state and inc must be integers from 0 to 2**128 - 1")
    bits.state = {
        "bit_generator": name,
        "state": words,
        "has_uint32": int(half is not None),
        "uinteger": 0 if half is None else half,
    }
    return np.random.Generator(bits)


GENERATORS: dict[str, Codec] = {
    "random.Random": Functions(
        random.Random, _take_random, _put_random, ["version", "words", "gauss"]
    ),
    "numpy.random.Generator": Functions(
        np.random.Generator,
        _take_generator,
        _put_generator,
        ["bit_generator", "state", "inc", "half"],
    ),
    "numpy.random.RandomState": Functions(
        np.random.RandomState,
        _take_random_state,
        _put_random_state,
        ["words", "position", "has_gauss", "gauss"],
    ),
}
