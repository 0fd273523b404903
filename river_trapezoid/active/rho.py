from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from river import base

from river_trapezoid._parameters import check_number, check_seed

from .margin import MarginSampler

__all__ = ["find_rho"]

_DECADES = 9  # ρ is sought among this many powers of ten above and below 1
_MOST_RUNS = 24


def find_rho(
    classifier: base.Estimator,
    dataset: Iterable[tuple[Any, Any]],
    share: float = 0.1,
    tolerance: float = 0.005,
    seed: int | None = None,
) -> float:
    """Find the ρ with which `MarginSampler` asks for a given share of the labels of a stream.

    In hindsight: the stream, with its labels, is run through several times, by clones of the
    classifier. On another stream, the same ρ may cost far more or less; `BudgetSampler` needs no ρ.

    Parameters
    ----------
    classifier
        The classifier that `MarginSampler` is to wrap. It is left as it is.
    dataset
        The stream, as pairs of an instance and its label. It is kept in memory.
    share
        The share of labels to ask for.
    tolerance
        How far the share may be off; a label more or less is always tolerated.
    seed
        Seed of the draws of `MarginSampler`.

    Returns
    -------
    The first ρ found whose share is within the tolerance.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import active
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import preprocessing

    >>> model = preprocessing.StandardScaler() | linear_model.OLSFClassifier()
    >>> rho = active.find_rho(model, datasets.Phishing(), share=0.1, seed=1)
    >>> round(rho, 3)
    0.103

    """
    check_number("share", share, above=0, below=1)
    check_number("tolerance", tolerance, at_least=0)
    check_seed("seed", seed)
    instances = list(dataset)
    if not instances:
        raise ValueError("dataset must not be empty, nor have been read before")
    tolerance = max(tolerance, 1.0 / len(instances))
    low, high = -float(_DECADES), float(_DECADES)
    tried: list[float] = []
    for _ in range(_MOST_RUNS):
        middle = (low + high) / 2.0
        rho = 10.0**middle
        model = MarginSampler(classifier.clone(), rho=rho, seed=seed)
        tried.append(_share_spent(model, instances))
        if math.isclose(tried[-1], share, rel_tol=0.0, abs_tol=tolerance):
            return rho
        low, high = (low, middle) if tried[-1] > share else (middle, high)
    closest = min(tried, key=lambda spent: abs(spent - share))
    raise ValueError(
        f"no rho was found that asks for {share:.1%} of the labels, give or take {tolerance:.1%}; "
        f"the closest share was {closest:.1%}"
    )


def _share_spent(model: MarginSampler, instances: list[tuple[Any, Any]]) -> float:
    n_asked = 0
    for x, y in instances:
        if model.predict_one(x)[1]:
            n_asked += 1
            model.learn_one(x, y)
    return n_asked / len(instances)
