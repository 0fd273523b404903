from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from river_trapezoid.inspection._introspect import features_of, innermost

__all__ = ["Reason", "reasons"]


class Reason(NamedTuple):
    """What one feature, or two together, say for a label."""

    #: One feature, or a pair of them.
    features: tuple[Hashable, ...]
    #: By how much it moves the margin towards the label.
    weight: float


def reasons(model: Any, x: Any, label: Any, k: int = 8) -> tuple[Reason, ...]:
    """What the prediction of a label rests on, and what speaks against it, the weightiest first.

    Parameters
    ----------
    model
        A linear learner of this package, a pipeline that ends in one, or
        `multiclass.OneVsRestClassifier` around one. Of others, nothing is known.
    x
        The instance, as the model gets it.
    label
        A label that the model knows.
    k
        How many to give.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import labelling, linear_model

    >>> model = linear_model.EvidenceClassifier()
    >>> for x, y in datasets.Phishing():
    ...     model.learn_one(x, y)

    >>> for reason in labelling.reasons(model, x, model.predict_one(x), k=4):
    ...     print(*reason.features, f"{reason.weight:+.2f}")
    empty_server_form_handler +1.73
    https +1.15
    request_from_other_domain +0.87
    popup_window +0.61

    """
    said = _said(model, x, label)
    weighty = [Reason(features, weight) for features, weight in said.items() if weight]
    weighty.sort(key=lambda reason: (-abs(reason.weight), str(reason.features)))
    return tuple(weighty[:k])


def _said(model: Any, x: Any, label: Any) -> dict[tuple[Hashable, ...], float]:
    try:
        learner, x = innermost(model), features_of(model, x)
    except TypeError:
        # An ensemble, or a learner of something else than features.
        return {}
    members = getattr(learner, "classifiers", None)
    if isinstance(members, dict):
        return _said(members[label], x, True) if label in members else {}
    if not hasattr(learner, "contributions_one"):
        return {}
    adds = learner.contributions_one(x)
    if isinstance(next(iter(adds.values()), None), dict):
        return {(key,): weight for key, weight in adds.get(label, {}).items()}
    sign = 1.0 if label == 1 else -1.0
    said: dict[tuple[Hashable, ...], float] = {(key,): sign * w for key, w in adds.items()}
    if hasattr(learner, "pair_contributions_one"):
        for pair, weight in learner.pair_contributions_one(x).items():
            said[pair] = sign * weight
            # A pair is told once, not also with each of its features.
            for key in pair:
                said[key,] -= 0.5 * sign * weight
    return said
