from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from river_trapezoid._parameters import check_choice, check_number

from .olsf import checked_losses

__all__ = ["ocds_bound"]

Array = npt.NDArray[np.float64]


def ocds_bound(
    observed: npt.ArrayLike,
    reconstructed: npt.ArrayLike,
    horizon: int | None = None,
    theorem: int = 1,
) -> Array:
    """Return the bound on the cumulative loss of OCDS: Theorems 1 and 2 of its paper[^1].

    OCDS mixes the margins of two experts, on the observed and on the reconstructed features, by the
    exponentials of their losses so far times a rate η. The theorems hold however the experts learn;
    they need only their losses on each instance, before it is learned. With sums over the instances
    so far, and d for the difference of the two losses on an instance, the sum of the losses of OCDS
    is at most

    - Theorem 1: min(ΣL_obs, ΣL_rec) + ln 2/η + η/8 Σd²,
    - Theorem 2: ΣL_obs + ln 2/η + max|d|/2, if the observed features were never worse.

    **The printed theorems assume tacitly that losses are between 0 and 1**, and are wrong for
    logistic losses, which have no limit. Theorem 1 is printed with T in place of Σd², for T instances
    and η = 8/√(ln T), that is as min(L_obs, L_rec) + T/√(ln T) + (ln 2)/8 √(ln T). It holds where no d
    is above 1; the second example breaks it in two instances. Where d is small, the bound here is
    the better one. Theorem 2 is printed as L < L_obs + C, "where C is a constant", if the observed
    features are better "over T iterations". Better in total is not enough for any constant: where
    the experts fail by turns, the loss exceeds L_obs by more in every turn. Better on every instance
    is enough for the constant given here.

    The bounds hold for `OCDSClassifier(sleep=False)` with any other parameters, and for the losses
    of the same with `prediction="observed"` and `"reconstructed"`, which learn alike. With `sleep=True`,
    leave out the instances with all features.

    Parameters
    ----------
    observed
        The logistic losses of the observed features on the instances, in bits and in their order.
    reconstructed
        Those of the reconstructed features.
    horizon
        That of OCDS: the number T of instances that sets η = 8/√(ln T). None for the number so far,
        with which η falls; Σηd² then takes the place of ηΣd².
    theorem
        The theorem.

    Returns
    -------
    The bound after each instance.

    Examples
    --------

    >>> import math
    >>> from river import datasets
    >>> from benchmarks.papers.bounds import ocds_bound
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import stream

    >>> def losses(data, prediction, **params):
    ...     model = linear_model.OCDSClassifier(prediction=prediction, sleep=False, **params)
    ...     for x, y in data:
    ...         yield math.log2(1 + math.exp(model.margin_one(x) * (-1 if y else 1)))
    ...         model.learn_one(x, y)

    >>> data = list(stream.Capricious(datasets.Phishing(), seed=1))
    >>> observed, reconstructed, ocds = (
    ...     list(losses(data, prediction)) for prediction in ("observed", "reconstructed", "mixture")
    ... )
    >>> bound = ocds_bound(observed, reconstructed)
    >>> print(f"{sum(ocds):.0f} bits lost, {bound[-1]:.0f} at most")
    898 bits lost, 1596 at most

    Two instances that contradict each other, in the form of the paper, without a cap on the step:

    >>> data = [({"a": -2.0}, True), ({"a": 2.0}, True)]
    >>> params = {"horizon": 2, "step_cap": False, "learn_intercept": False}
    >>> observed, reconstructed, ocds = (
    ...     list(losses(data, prediction, **params))
    ...     for prediction in ("observed", "reconstructed", "mixture")
    ... )
    >>> bound = ocds_bound(observed, reconstructed, horizon=2)
    >>> root = math.log(2) ** 0.5
    >>> printed = min(sum(observed), sum(reconstructed)) + 2 / root + math.log(2) / 8 * root
    >>> print(f"{sum(ocds):.1f} bits lost, {bound[-1]:.1f} at most; {printed:.1f} as printed")
    6.8 bits lost, 135.6 at most; 4.5 as printed

    References
    ----------
    [^1]: He, Y., Wu, B., Wu, D., Beyazit, E., Chen, S. and Wu, X., 2019. Online learning from capricious data streams: a generative approach. International Joint Conference on Artificial Intelligence, pp.2491-2497.

    """
    check_number("horizon", horizon, integer=True, at_least=2, optional=True)
    check_choice("theorem", theorem, (1, 2))
    first, second = (
        checked_losses("observed", observed),
        checked_losses("reconstructed", reconstructed),
    )
    if len(first) != len(second):
        raise ValueError(
            "observed and reconstructed must be losses on the same instances; got "
            f"{len(first)} and {len(second)}"
        )
    if theorem == 2 and (first > second).any():
        raise ValueError(
            "Theorem 2 is about observed features that are never worse than the reconstructed ones; "
            f"they are in instance {int(np.argmax(first > second))}"
        )
    if not len(first):
        return np.zeros(0)
    # The rate at which an instance is predicted was set by the one before.
    so_far = np.maximum(2, np.arange(len(first))) if horizon is None else np.array([horizon])
    eta = np.broadcast_to(8.0 / np.sqrt(np.log(so_far)), first.shape)
    difference = np.abs(first - second)
    start = math.log(2.0) / eta
    if theorem == 2:
        return np.cumsum(first) + start + np.maximum.accumulate(difference) / 2.0
    best = np.minimum(np.cumsum(first), np.cumsum(second))
    return best + start + np.cumsum(eta * difference**2) / 8.0
