from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from river_trapezoid.inspection._introspect import reach

__all__ = ["Explanation", "Reason", "explain"]


class Reason(NamedTuple):
    """The contribution of a feature, or of a pair of features, to a prediction."""

    #: The feature, or the two features of a pair.
    features: tuple[Hashable, ...]
    #: The contribution to the log-odds; negative if it is in favour of the other label.
    weight: float


@dataclasses.dataclass(frozen=True)
class Explanation:
    """The sum behind a prediction: log-odds of one label against another.

    `margin` is the sum of `constant` and of the weights of `reasons`. It is positive for a label
    that the model predicts.
    """

    #: The label that is explained.
    label: Any
    #: The label that it is compared with: the likeliest of the others.
    other: Any
    #: The log-odds of the label against the other one.
    margin: float
    #: The part of the margin that no feature contributes: intercepts, the frequency of recent labels
    #: in a mixture, and the threshold of a model whose `decision` is `"balanced"`.
    constant: float
    #: The contributions of features and pairs that are not zero, the largest first.
    reasons: tuple[Reason, ...]


def explain(model: Any, x: Any, label: Any) -> Explanation | None:
    """Explain why a model predicts a label for an instance rather than another label.

    The log-odds of a binary model are its margin, and those of `MulticlassOLSFClassifier` the
    difference of two scores. In `multiclass.OneVsRestClassifier`, each label has a model of its own:
    the margin of the other label's model is subtracted from that of the label's.

    Parameters
    ----------
    model
        A linear learner of this package, a pipeline that ends in one, or
        `multiclass.OneVsRestClassifier` around one.
    x
        The instance, as it is given to the model.
    label
        A label that the model has learned.

    Returns
    -------
    The explanation; None for other models, and for a label without an alternative.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import labelling, linear_model

    >>> model = linear_model.EvidenceClassifier()
    >>> for x, y in datasets.Phishing():
    ...     model.learn_one(x, y)

    >>> explanation = labelling.explain(model, x, model.predict_one(x))
    >>> for reason in explanation.reasons[:4]:
    ...     print(*reason.features, f"{reason.weight:+.2f}")
    empty_server_form_handler +1.73
    https +1.15
    request_from_other_domain +0.87
    popup_window +0.61

    >>> total = explanation.constant + sum(reason.weight for reason in explanation.reasons)
    >>> print(f"{total:.4f} {explanation.margin:.4f}")
    4.5173 4.5173

    """
    sums = _sums(model, x)
    if label not in sums or len(sums) < 2:
        return None
    other = max((name for name in sums if name != label), key=lambda name: sums[name].margin)
    for_it, against = sums[label], sums[other]
    terms = dict(for_it.terms)
    for features, weight in against.terms.items():
        terms[features] = terms.get(features, 0.0) - weight
    reasons = [Reason(features, weight) for features, weight in terms.items() if weight]
    reasons.sort(key=lambda reason: (-abs(reason.weight), str(reason.features)))
    margin = for_it.margin - against.margin
    constant = margin - math.fsum(terms.values())
    return Explanation(label, other, margin, constant, tuple(reasons))


class _Sum(NamedTuple):
    """A margin or score, and the contributions of features and pairs to it."""

    margin: float
    terms: Mapping[tuple[Hashable, ...], float]


def _sums(model: Any, x: Any, member: bool = False) -> dict[Any, _Sum]:
    """The sum of each label, such that the label with the largest one is predicted.

    A member of a multi-class model gives its probabilities only, whatever its own threshold is.
    """
    try:
        learner, x = reach(model, x)
    except TypeError:
        # An ensemble.
        return {}
    members = getattr(learner, "classifiers", None)
    if isinstance(members, dict):
        sums = {label: _sums(binary, x, member=True).get(True) for label, binary in members.items()}
        return {label: found for label, found in sums.items() if found is not None}
    if not hasattr(learner, "contributions_one"):
        return {}
    contributions = learner.contributions_one(x)
    if not hasattr(learner, "margin_one"):
        return {
            label: _Sum(math.fsum(own.values()), {(key,): w for key, w in own.items()})
            for label, own in contributions.items()
        }
    terms: dict[tuple[Hashable, ...], float] = {(key,): w for key, w in contributions.items()}
    if hasattr(learner, "pair_contributions_one"):
        for pair, weight in learner.pair_contributions_one(x).items():
            terms[pair] = weight
            # The contribution of a feature includes half of that of each of its pairs.
            for key in pair:
                terms[key,] -= 0.5 * weight
    margin = learner.margin_one(x) - (0.0 if member else getattr(learner, "threshold", 0.0))
    positive, negative = learner.label_at(math.inf), learner.label_at(-math.inf)
    return {positive: _Sum(margin, terms), negative: _Sum(0.0, {})}
