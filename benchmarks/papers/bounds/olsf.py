"""What the theory of OLSF promises: bounds on its errors, and weights to state them with."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from river_trapezoid._instance import observed
from river_trapezoid._parameters import check_choice, check_number

__all__ = ["Comparator", "checked_losses", "hindsight_comparator", "olsf_bound"]

Array = npt.NDArray[np.float64]

_SIGNS: dict[Any, float] = {True: 1.0, False: -1.0, -1: -1.0}


def olsf_bound(
    mode: int, norm: float, losses: npt.ArrayLike, R: float = 1.0, C: float | None = None
) -> Array:
    """What the errors of OLSF cannot exceed, after each instance: Theorems 1 to 4 of its paper[^1].

    The bounds speak of fixed weights u, one for each feature of the stream. Any will do, and the
    better they are, the lower is the bound. What counts is the Euclidean length |u| and the hinge
    losses l* = max(0, 1 - y u·x); the loss on an instance is that of the features visible in it,
    and of no others. With l the loss of OLSF on an instance, before it has learned it, and sums
    over the instances so far:

    - Mode 0, Theorem 1: Σl² is at most |u|²R², if no l* is above zero.
    - Mode 0, Theorem 2: Σl² is at most (|u| + 2√Σl*²)², if all instances are of length one.
    - Mode 1, Theorem 3: there are at most max(R², 1/C)(|u|² + 2CΣl*) mistakes.
    - Mode 2, Theorem 4: Σl² is at most (R² + 1/2C)(|u|² + 2CΣl*²).

    A mistake is a margin on the wrong side, or of zero: `Errors(zero_margin=True)` counts them.
    Its loss is at least one, so that there are no more mistakes than Σl². (The paper states
    Theorem 4 for |x|² <= R, and proves it for |x|² <= R².)

    The bounds hold for `OLSFClassifier(mode, C, B=1.0, radius=None)` that learns every label at
    once, on any stream: features may vanish, too. An intercept is the weight of one more feature,
    which counts in R and in u.

    They need not hold with truncation (`B` below 1.0) and the ball (`radius`), although the paper
    claims them for its algorithm, which has both. Its Lemma 1 takes for granted that neither moves
    the weights away from u ("w_{t+1} <= w̃_{t+1}"), but both can. Of two features that are needed
    by turns, a truncated model may keep the one and be wrong about the other forever, as in the
    second example. So may a model whose radius is too small for the weights that are needed.

    As they hold against an adversary, the bounds tend to be far above what happens.

    Parameters
    ----------
    mode
        The mode of OLSF.
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

    >>> from river import datasets
    >>> from benchmarks.papers.bounds import hindsight_comparator
    >>> from benchmarks.papers.bounds import olsf_bound
    >>> from river_trapezoid.metrics import Errors
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import stream

    >>> data = list(stream.Trapezoidal(datasets.Phishing()))
    >>> u = hindsight_comparator(data, mode=2, C=0.01)
    >>> bound = olsf_bound(2, u.norm, u.losses, u.R, C=0.01)

    >>> model = linear_model.OLSFClassifier(mode=2, C=0.01, B=1.0, radius=None)
    >>> errors = Errors(zero_margin=True)
    >>> for x, y in data:
    ...     errors.update(y, model.predict_proba_one(x))
    ...     model.learn_one(x, y)
    >>> print(f"{errors.get():.0f} errors in {len(data)} instances, {bound[-1]:.0f} at most")
    375 errors in 1250 instances, 966 at most

    It is broken where one weight is kept, and two are needed:

    >>> data = [({"a": 1.0}, True), ({"b": 1.0}, True)] * 10
    >>> bound = olsf_bound(1, norm=2**0.5, losses=[0.0] * 20, C=1.0)
    >>> for B in (1.0, 0.5):
    ...     model = linear_model.OLSFClassifier(mode=1, C=1.0, B=B, radius=None)
    ...     errors = 0
    ...     for x, y in data:
    ...         errors += model.margin_one(x) <= 0
    ...         model.learn_one(x, y)
    ...     print(f"B={B}: {errors} errors, {bound[-1]:.0f} at most")
    B=1.0: 2 errors, 2 at most
    B=0.5: 11 errors, 2 at most

    References
    ----------
    [^1]: Zhang, Q., Zhang, P., Long, G., Ding, W., Zhang, C. and Wu, X., 2016. Online learning from trapezoidal data streams. IEEE Transactions on Knowledge and Data Engineering, 28(10), pp.2709-2723.

    """
    check_choice("mode", mode, (0, 1, 2))
    check_number("norm", norm, at_least=0)
    check_number("R", R, above=0)
    price: float = check_number("C", C, above=0) if mode else math.nan
    losses = checked_losses("losses", losses)
    if mode == 1:
        return max(R**2, 1 / price) * (norm**2 + 2 * price * np.cumsum(losses))  # Theorem 3
    squares = np.cumsum(losses**2)
    if mode == 2:
        return (R**2 + 1 / (2 * price)) * (norm**2 + 2 * price * squares)  # Theorem 4
    if not losses.any():
        return np.full(len(losses), norm**2 * R**2)  # Theorem 1
    if not math.isclose(R, 1.0):
        raise ValueError(
            f"R must be 1, the length of every instance, in mode 0 with losses above 0; got {R!r}"
        )
    return (norm + 2 * np.sqrt(squares)) ** 2  # Theorem 2


def checked_losses(name: str, values: npt.ArrayLike) -> Array:
    """Losses on the instances of a stream, as an array; an error names them if they are not."""
    losses = np.asarray(values, float)
    if losses.ndim != 1 or not np.isfinite(losses).all() or (losses < 0).any():
        raise ValueError(f"{name} must be finite numbers >= 0, one for each instance; got {losses}")
    return losses


class Comparator(NamedTuple):
    """Fixed weights, and what `olsf_bound` needs to know of them and the stream.

    Parameters
    ----------
    weights
        The weight of each feature.
    norm
        The Euclidean length of the weights.
    losses
        The hinge losses of the weights on the instances.
    R
        The length of the longest instance.

    """

    weights: dict[Hashable, float]
    norm: float
    losses: Array
    R: float


def hindsight_comparator(
    stream: Iterable[tuple[Any, Any]], mode: int = 1, C: float | None = None
) -> Comparator:
    """Find weights that make the bound on the errors of OLSF small at the end of a stream.

    The bound itself is minimised, which in modes 1 and 2 is what a linear SVM does. The weights may
    miss the minimum by a little, and those that are best at the end are not at the beginning: the
    bound holds for any.

    Parameters
    ----------
    stream
        The instances, as the learner gets them: behind a scaler, those that come out of it.
    mode
        The mode of OLSF.
    C
        The parameter of modes 1 and 2.

    Examples
    --------

    >>> from river_trapezoid import evaluate

    >>> data = [({"a": 1.0}, True), ({"a": 1.0, "b": 1.0}, False)]
    >>> u = hindsight_comparator(data, mode=1, C=10.0)
    >>> {feature: round(weight, 2) for feature, weight in u.weights.items()}
    {'a': 1.0, 'b': -2.0}
    >>> u.losses.round(2).tolist()
    [0.0, 0.0]

    """
    from scipy import optimize

    check_choice("mode", mode, (0, 1, 2))
    if mode:
        check_number("C", C, above=0)
    S, features = _times_labels(stream)
    u = S.sum(axis=0) / S.shape[0]
    for corner in (1.0, 0.1, 0.01, 0.001) if mode == 1 else (0.0,):
        found = optimize.minimize(
            _objective, u, args=(S, mode, C, corner), jac=True, method="L-BFGS-B"
        )
        u = found.x

    lengths = np.sqrt(S.multiply(S).sum(axis=1))
    of_length_one = bool(np.allclose(lengths, 1.0, rtol=1e-9))
    R = 1.0 if of_length_one else float(lengths.max())
    margins = S @ u
    if mode == 0 and margins.min() > 0.0:
        # Theorem 1 wants no loss at all, rounding included.
        separating = u / margins.min() * (1.0 + 1e-9)
        if not of_length_one or separating @ separating <= found.fun**2:
            u = separating
    elif mode == 0 and not of_length_one:
        raise ValueError(
            "mode 0 has a bound where some weights have no loss, and none were found, or where the "
            "length of every instance is one, as behind river.preprocessing.Normalizer"
        )
    weights = dict(zip(features, u.tolist(), strict=True))
    return Comparator(weights, float(np.linalg.norm(u)), np.maximum(1.0 - S @ u, 0.0), R)


def _objective(u: Array, S: Any, mode: int, C: Any, corner: float) -> tuple[float, Array]:
    """What the bound at the end of a stream grows with, and its gradient."""
    loss = np.maximum(1.0 - S @ u, 0.0)
    if mode == 0:
        # Roots have no gradient at zero.
        norm, root = math.sqrt(u @ u + 1e-18), math.sqrt(loss @ loss + 1e-18)
        return norm + 2.0 * root, u / norm - S.T @ (2.0 * loss / root)
    if mode == 2:
        return u @ u + 2.0 * C * (loss @ loss), 2.0 * u - 4.0 * C * (S.T @ loss)
    # The corner of the hinge is rounded.
    near = np.minimum(loss, corner)
    rounded = loss - near + near**2 / (2.0 * corner)
    return u @ u + 2.0 * C * rounded.sum(), 2.0 * u - 2.0 * C * (S.T @ (near / corner))


def _times_labels(stream: Iterable[tuple[Any, Any]]) -> tuple[Any, list[Hashable]]:
    """The instances of a stream, each times its label, as rows of a matrix; and its features."""
    from scipy import sparse

    places: dict[Hashable, int] = {}
    ends, columns, values = [0], [], []
    for x, y in stream:
        if y not in _SIGNS:
            raise ValueError(f"labels must be True/False, 1/0 or +1/-1; got {y!r}")
        for key, value in observed(x).items():
            columns.append(places.setdefault(key, len(places)))
            values.append(_SIGNS[y] * value)
        ends.append(len(columns))
    if not places:
        raise ValueError("stream must have instances with features; it has none")
    shape = len(ends) - 1, len(places)
    return sparse.csr_array((values, columns, ends), shape=shape, dtype=float), list(places)
