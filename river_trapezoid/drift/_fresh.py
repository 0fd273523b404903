from __future__ import annotations

from typing import Any

__all__ = ["fresh_clone"]


def fresh_clone(classifier: Any) -> Any:
    """Return a clone that has learned nothing but the kind of its labels.

    The label 1 alone goes with 0 as well as with -1, which a binary learner of this package has
    settled.
    """
    fresh = classifier.clone()
    labels = getattr(classifier, "_labels", None)
    if isinstance(labels, tuple):
        fresh._labels = labels
    return fresh
