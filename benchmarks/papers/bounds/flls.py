from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from river_trapezoid._parameters import check_choice, check_number

from .olsf import checked_losses

__all__ = ["flls_bound"]

Array = npt.NDArray[np.float64]


def flls_bound(
    mode: int,
    rho: float,
    norm: float,
    losses: npt.ArrayLike,
    R: float = 1.0,
    C: float | None = None,
) -> Array:
    """What the expected number of mistakes of FLLS cannot exceed: Theorems 1 to 4 of its paper[^1].

    FLLS asks for a label with probability ρ/(ρ + |q|), where q is its margin, and takes a step of
    OLSF if it does. The bounds speak of fixed weights u, one for each feature of the stream. Any
    will do; what counts is the Euclidean length |u| and the hinge losses l* = max(0, 1 - y u·x), in
    each case of the features visible in the instance. The expectation is over the draws. With sums
    over the instances so far, whether they are asked for or not, and θ = (ρ + 1)/2, the expected
    number of mistakes is at most

    - mode 0, Theorem 1: θ²R²|u|²/ρ, if no l* is above zero;
    - mode 0, Theorem 2: θ²|u|²/ρ + (ρ + 1)Σl*, if all instances are of length one;
    - mode 1, Theorem 3: max(R², 1/C)(θ²|u|² + 2θCΣl*)/ρ;
    - mode 2, Theorem 4: (R² + 1/2C)θ²(|u|² + 2CΣl*²)/ρ.

    In modes 0 and 2 this is true of the sum of the losses of FLLS in its mistakes, too, which are at
    least one each. A mistake is a margin on the wrong side, or of zero.

    **Theorem 2 is printed with a factor of 1/ρ + 1 in place of ρ + 1, and is wrong for ρ > 1**: in
    the second example the printed bound is broken. Its proof divides a sum by the loss of one of its
    terms. What is true is that the expected loss of FLLS on an instance that it asks for, which
    multiplies l*, is at most (1 + |q|)ρ/(ρ + |q|), and so at most ρ. At ρ = 1 both are the same.

    The paper assumes ρ >= 1, from which on about half of the labels are asked for. With θ = 1
    instead, its proof holds for ρ < 1 as well, and so do the bounds above; in Theorem 2 the factor of
    Σl* is then 2/ρ.

    The bounds hold for `MarginSampler(OLSFClassifier(mode, C, B=1.0, radius=None), rho)` on any
    stream, also of features that vanish. An intercept is the weight of one more feature. As those of
    OLSF, they do not hold for the algorithm of the paper, with its ball and truncation, either of
    which may take the weights away from u.

    Parameters
    ----------
    mode
        The mode of OLSF.
    rho
        How readily labels are asked for, the paper's ρ.
    norm
        The Euclidean length of u.
    losses
        The hinge losses of u on the instances, in their order.
    R
        The length of the longest instance, or more. With losses above zero, mode 0 has a bound
        only where the length of every instance is one.
    C
        The parameter of modes 1 and 2.

    Returns
    -------
    The bound after each instance.

    Examples
    --------

    >>> from benchmarks.papers.bounds import flls_bound
    >>> from river_trapezoid import active
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import linear_model

    The expected number of mistakes, as the mean of many runs:

    >>> def mistakes(data, rho, mode, n_runs):
    ...     total = 0
    ...     for seed in range(n_runs):
    ...         learner = linear_model.OLSFClassifier(mode=mode, C=1.0, B=1.0, radius=None)
    ...         sampler = active.MarginSampler(learner, rho=rho, seed=seed)
    ...         for x, y in data:
    ...             total += y * learner.margin_one(x) <= 0
    ...             if sampler.predict_one(x)[1]:
    ...                 sampler.learn_one(x, y)
    ...     return total / n_runs

    Of ten features, each has the sign of the label:

    >>> data = [({i % 10: (-1) ** i}, (-1) ** i) for i in range(100)]
    >>> bound = flls_bound(1, rho=1.0, norm=10**0.5, losses=[0.0] * 100, C=1.0)
    >>> print(f"{mistakes(data, 1.0, 1, n_runs=10):.1f} mistakes, {bound[-1]:.1f} at most")
    10.0 mistakes, 10.0 at most

    All labels are positive but one in a while, of an instance with all features. If that is asked
    for, they have to be learned anew:

    >>> d, rho, rounds = 36, 6.0, 20
    >>> outlier = dict.fromkeys(range(d), d**-0.5)
    >>> data = ([({i: 1.0}, 1) for i in range(d)] * 2 + [(outlier, -1)]) * rounds
    >>> losses = ([0.0] * 2 * d + [1 + d**0.5]) * rounds
    >>> bound = flls_bound(0, rho, norm=d**0.5, losses=losses)
    >>> printed = (rho + 1 / rho + 2) / 4 * d + (1 / rho + 1) * sum(losses)
    >>> print(f"{mistakes(data, rho, 0, n_runs=10):.0f} mistakes")
    426 mistakes
    >>> print(f"{bound[-1]:.0f} at most; {printed:.0f} as printed")
    1054 at most; 237 as printed

    References
    ----------
    [^1]: Gu, S., Qian, Y. and Hou, C., 2021. Incremental feature spaces learning with label scarcity. ACM Transactions on Knowledge Discovery from Data.

    """
    check_choice("mode", mode, (0, 1, 2))
    check_number("rho", rho, above=0)
    check_number("norm", norm, at_least=0)
    check_number("R", R, above=0)
    price: float = check_number("C", C, above=0) if mode else math.nan
    losses = checked_losses("losses", losses)
    # The lemma of the paper holds for any θ. The terms of correct predictions can be left out of it
    # from θ = 1 on, and those of mistakes are as large as is needed from (ρ + 1)/2 on.
    theta = max(1.0, (rho + 1.0) / 2.0)
    length = theta**2 * norm**2
    if mode == 1:  # Theorem 3
        return max(R**2, 1 / price) / rho * (length + 2 * theta * price * np.cumsum(losses))
    if mode == 2:  # Theorem 4
        squares = np.cumsum(losses**2)
        return (R**2 + 1 / (2 * price)) / rho * (length + 2 * price * theta**2 * squares)
    if not losses.any():
        return np.full(len(losses), R**2 / rho * length)  # Theorem 1
    if not math.isclose(R, 1.0):
        raise ValueError(
            f"R must be 1, the length of every instance, in mode 0 with losses above 0; got {R!r}"
        )
    return (length + 2 * theta * max(1.0, rho) * np.cumsum(losses)) / rho  # Theorem 2, mended
