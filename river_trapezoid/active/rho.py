from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from river import base

from river_trapezoid._parameters import check_number, check_seed

from .margin import MarginSampler

__all__ = ["find_rho"]

Instances = Iterable[tuple[Any, Any]]

_DECADES = 9  # the search covers this number of powers of ten above and below 1
_MOST_HALVINGS = 16
# The share is not a smooth function of ρ: it may jump over the share that is sought, and still meet
# it nearby. Around a jump, the search takes this number of steps, in decades, either way.
_MOST_STEPS, _STEP = 30, 0.01


def find_rho(
    classifier: base.Estimator,
    dataset: Instances | Callable[[Any], Instances],
    share: float = 0.1,
    tolerance: float = 0.005,
    seed: int | None = None,
    repeats: int = 1,
) -> float:
    """Find the ρ with which `MarginSampler` queries a given share of a stream.

    The search is in hindsight: clones of the classifier run through the labelled stream several
    times. On another stream, the same ρ may query far more or less; `BudgetSampler` needs no ρ. See
    `MarginSampler` for the shares that ρ = 1, 0.1 and 0.01 query on the data of the paper.

    The share of a ρ depends on the order of the instances and on the random draws. To find the mean
    share of many runs, such as those of `evaluate.compare`, pass the same stream, `repeats` and
    `seed` to both: the runs are then the same, unless the classifier has a seed of its own, which
    `compare` would set.

    Parameters
    ----------
    classifier
        The classifier that `MarginSampler` is to wrap. It is not modified.
    dataset
        The stream, as pairs of an instance and its label, which is kept in memory; or a function
        that takes a seed and returns the stream, called again for each run. Of a pair of training
        and test instances, as returned by `evaluate.split`, only the training instances are used.
    share
        The share of instances to query.
    tolerance
        The largest difference from that share; one label more or less is always tolerated.
    seed
        Seed of the random draws of `MarginSampler`, and of a stream that is a function.
    repeats
        Number of runs that the share is averaged over. Run r has the seed `seed + r`.

    Returns
    -------
    The first ρ found whose share is within the tolerance.

    Raises
    ------
    ValueError
        If none is found. There may be none: an instance with a margin of zero, such as one without
        a known feature, is queried whatever ρ is.

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
            "seed must be an integer if repeats > 1 or dataset is a function; got None"
        )
    instances = None if callable(dataset) else list(_training_part(dataset))
    shares: list[float] = []
    allowed = tolerance

    def fits(rho: float) -> bool:
        nonlocal allowed
        n_asked = n_instances = 0
        for r in range(repeats):
            run_seed = None if seed is None else seed + r
            model = MarginSampler(classifier.clone(), rho=rho, seed=run_seed)
            # A function is called for each run, so that one run at a time is in memory.
            for x, y in _training_part(dataset(run_seed)) if callable(dataset) else instances or ():
                n_instances += 1
                if model.predict_one(x)[1]:
                    n_asked += 1
                    model.learn_one(x, y)
        if not n_instances:
            raise ValueError("dataset must not be empty, nor an iterator that was read before")
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
        f"share must be within {allowed:.1%} of the share queried by some rho; got {share:.1%}, and "
        f"the closest share was {closest:.1%}"
    )


def _training_part(dataset: Any) -> Instances:
    # A pair of datasets has names.
    return dataset.train if isinstance(dataset, tuple) and hasattr(dataset, "train") else dataset
