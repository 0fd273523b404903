from __future__ import annotations

from .gradual import Gradual, step_of

__all__ = ["Pyramid"]


class Pyramid(Gradual):
    """A stream in which the number of features grows linearly, then shrinks linearly.

    In the first floor(n/2) of n instances, the number of features grows as in an `Incremental`
    stream; in the others, it shrinks as in a `Decremental` stream. Each instance is a chunk of its
    own, so that `visible(t)` returns the features of an instance.

    This is `OpenFeatureStream(evolution_pattern="pyramid")` of OpenMOA[^1], which calls the
    parameters `d_min`, `d_max`, `total_instances` and `feature_selection`. Its random selections
    differ. It rounds down in floats, which can lose one feature where the number is an integer.

    `Trapezoidal` documents the order of the features.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be read several times.
    min_features
        The number of features of the first and the last instance.
    max_features
        The number of features of the two instances in the middle; by default, the number of all
        features.
    selection
        Which d of the first `max_features` features an instance has: the first d (`"prefix"`), the
        last d (`"suffix"`), or d features drawn for each instance (`"random"`).
    features
        All features in order; other features are left out.
    shuffle
        Whether to order the features at random.
    seed
        Random seed of the order and of the random selection.
    n_samples
        Number of instances, if the dataset does not provide it.
    n_features
        Number of features, if the dataset does not provide it and `features` is not given.

    Attributes
    ----------
    features
        Names of all features before shuffling; only available if they are given or listed by the
        dataset.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import stream

    >>> pyramid = stream.Pyramid(datasets.Phishing())
    >>> widths = [len(x) for x, y in pyramid]
    >>> widths[::125]
    [2, 3, 4, 6, 7, 9, 7, 6, 4, 3]
    >>> widths[623:627], widths[-1]
    ([8, 9, 9, 8], 2)

    References
    ----------
    [^1]: OpenMOA 1.0.1, `openmoa/stream/stream_wrapper.py`, `OpenFeatureStream`.

    """

    def _count(self, t: int, n: int, low: int, high: int) -> int:
        half = n // 2
        if t < half:
            return step_of(t, half, low, high)
        return step_of(t - half, n - half, high, low)
