from __future__ import annotations

from .gradual import Gradual, step_of

__all__ = ["Incremental"]


class Incremental(Gradual):
    """A stream in which the number of features grows linearly, one feature at a time.

    Instance t = 0, ..., n - 1 of n has the first floor(a + t (b - a)/(n - 1)) features, where a is
    `min_features` and b is `max_features`. All features are present only in the last instance, since
    the number is rounded down. Each instance is a chunk of its own, so that `visible(t)` returns the
    features of an instance. `Trapezoidal` grows in few large steps instead.

    This is `OpenFeatureStream(evolution_pattern="incremental")` of OpenMOA[^1], which calls the
    parameters `d_min`, `d_max`, `total_instances` and `feature_selection`. Its random selections
    differ. It rounds down in floats, which can lose one feature where the number is an integer.

    `Trapezoidal` documents the order of the features.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be read several times.
    min_features
        The number of features of the first instance.
    max_features
        The number of features of the last instance; by default, the number of all features.
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

    >>> incremental = stream.Incremental(datasets.Phishing())
    >>> widths = [len(x) for x, y in incremental]
    >>> widths[::125]
    [2, 2, 3, 4, 4, 5, 6, 6, 7, 8]
    >>> widths[-1]
    9

    References
    ----------
    [^1]: OpenMOA 1.0.1, `openmoa/stream/stream_wrapper.py`, `OpenFeatureStream`.

    """

    def _count(self, t: int, n: int, low: int, high: int) -> int:
        return step_of(t, n, low, high)
