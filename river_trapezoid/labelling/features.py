from __future__ import annotations

import hashlib
from typing import Any

from river import feature_extraction

__all__ = ["default_features", "fingerprint"]

_WORDS = feature_extraction.BagOfWords()


def default_features(instance: Any) -> Any:
    """Turn the strings of a dict into features; return any other instance as it is.

    A string of one word becomes a feature for this value, a longer one a count for each word.

    >>> default_features({"size": 1.5, "colour": "red", "note": "a red dot"})
    {'size': 1.5, 'colour=red': 1.0, 'note:red': 1.0, 'note:dot': 1.0}

    """
    if not isinstance(instance, dict):
        return instance
    x = {}
    for name, value in instance.items():
        if not isinstance(value, str):
            x[name] = value
        elif len(value.split()) == 1:
            x[f"{name}={value.strip()}"] = 1.0
        else:
            for word, count in _WORDS.transform_one(value).items():
                x[f"{name}:{word}"] = float(count)
    return x


def fingerprint(instances: list[Any]) -> str:
    """Return a checksum of the instances."""
    checksum = hashlib.blake2b(digest_size=16)
    for instance in instances:
        checksum.update(repr(instance).encode("utf-8", "backslashreplace") + b"\n")
    return checksum.hexdigest()
