from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from river import base

from river_trapezoid._parameters import check_number, check_seed

from .margin import MarginSampler

__all__ = ["find_rho"]

Instances = Iterable[tuple[Any, Any]]

_DECADES = 9  # ρ is sought among this many powers of ten above and below 1
_MOST_HALVINGS = 16
# The share of labels is no smooth function of ρ: it may jump over the one that is asked for, and
# still meet it nearby. Around a jump, that many steps of that many decades are taken either way.
_MOST_STEPS, _STEP = 30, 0.01


def find_rho(
    classifier: base.Estimator,
    dataset: Instances | Callable[[Any], Instances],
    share: float = 0.1,
    tolerance: float = 0.005,
    seed: int | None = None,
    repeats: int = 1,
) -> float:
    """Find the ρ with which `MarginSampler` asks for a given share of the labels of a stream.

    In hindsight: the stream, with its labels, is run through several times, by clones of the
    classifier. On another stream, the same ρ may cost far more or less; `BudgetSampler` needs no ρ.

    What ρ costs depends on the order of the instances, and on the draws. To know it for many runs,
    as those of `evaluate.compare`, let `repeats` and `seed` be the same here and there, and
    `dataset` the stream that is given there: these are then the runs whose mean share is found.
    (Unless the classifier has a seed of its own, which `compare` would set.)

    Parameters
    ----------
    classifier
        The classifier that `MarginSampler` is to wrap. It is left as it is.
    dataset
        The stream, as pairs of an instance and its label, which is kept in memory; or a function
        that takes a seed and returns the stream, anew for each run. Of instances to train on and
        to test on, as `evaluate.split` returns them, it is the former that counts.
    share
        The share of labels to ask for.
    tolerance
        How far the share may be off; a label more or less is always tolerated.
    seed
        Seed of the draws of `MarginSampler`, and of a stream that is a function.
    repeats
        Number of runs to take the mean share of. Run r has the seed `seed + r`.

    Returns
    -------
    The first ρ found whose share is within the tolerance.

    Raises
    ------
    ValueError
        If none is found. There need not be one: at a margin of zero, as there is for instances
        without a feature that is known, a label is asked for whatever ρ is.

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
    check_number("repeats", repeats, integer=True, at_least=1)
    if seed is None and (repeats > 1 or callable(dataset)):
        raise ValueError(
            "seed must be given, if there are several runs or the dataset is a function of it"
        )
    instances = None if callable(dataset) else list(_training_part(dataset))
    shares: list[float] = []
    allowed = tolerance

    def fits(rho: float) -> bool:
        nonlocal allowed
        n_asked = n_instances = 0
        for r in range(repeats):
            own = None if seed is None else seed + r
            model = MarginSampler(classifier.clone(), rho=rho, seed=own)
            # A function is called anew, so that one run at a time is held in memory.
            for x, y in _training_part(dataset(own)) if callable(dataset) else instances or ():
                n_instances += 1
                if model.predict_one(x)[1]:
                    n_asked += 1
                    model.learn_one(x, y)
        if not n_instances:
            raise ValueError("dataset must not be empty, nor have been read before")
        allowed = max(tolerance, 1.0 / n_instances)
        shares.append(n_asked / n_instances)
        return math.isclose(shares[-1], share, rel_tol=0.0, abs_tol=allowed)

    low, high = -float(_DECADES), float(_DECADES)
    for _ in range(_MOST_HALVINGS):
        middle = (low + high) / 2.0
        if fits(10.0**middle):
            return 10.0**middle
        low, high = (low, middle) if shares[-1] > share else (middle, high)
    if low > -_DECADES and high < _DECADES:
        for i in range(2 * _MOST_STEPS):
            beside = middle + (_STEP if i % 2 else -_STEP) * (i // 2 + 1)
            if fits(10.0**beside):
                return 10.0**beside
    closest = min(shares, key=lambda spent: abs(spent - share))
    raise ValueError(
        f"no rho was found that asks for {share:.1%} of the labels, give or take {allowed:.1%}; "
        f"the closest share was {closest:.1%}"
    )


def _training_part(dataset: Any) -> Instances:
    # A pair of datasets is no dataset; which one is meant, its names tell.
    return dataset.train if isinstance(dataset, tuple) and hasattr(dataset, "train") else dataset
