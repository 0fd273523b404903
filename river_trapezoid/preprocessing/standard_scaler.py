from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from river import base

from river_trapezoid._frame import Rows
from river_trapezoid._instance import FeatureDict, Features
from river_trapezoid._parameters import check_bool, check_number
from river_trapezoid.weights import FeatureMoments

__all__ = ["StandardScaler"]


class StandardScaler(base.MiniBatchTransformer):
    """Scales features to zero mean and unit variance, also where some are not observed.

    A drop-in replacement for `river.preprocessing.StandardScaler`, for streams whose features come
    and go. Where all values are numbers, its results are the same up to rounding, several times
    faster. It differs where values are missing: `None` and NaN mean that a feature was not observed;
    they change nothing and are left out of the output. In River's scaler a single NaN makes the mean NaN, and
    with it all later values of the feature, and `None` raises.

    With the default settings a new feature, or one with a constant value, becomes 0, as in River's
    scaler. This includes features that are present with the value 1 or absent, as words and one-hot
    encoded categories are in a sparse representation. For these use `with_mean=False`, which keeps
    zeros and signs and divides by the root mean square of the observed values, so that a feature
    that is always 1 stays 1. With this setting a new feature becomes 1 or -1, by its sign.

    Which one to use, as measured with three linear learners: the default for dense tables, where
    centring gains three points of accuracy; `with_mean=False` for features that are present or
    absent and for counts of words, where centring loses twenty points and more, and no scaler at
    all loses some. `linear_model.EvidenceClassifier` needs no scaler.

    Parameters
    ----------
    with_std
        Whether to divide by the standard deviation, or by the root mean square.
    with_mean
        Whether to subtract the mean. If not, the scale is the root mean square instead of the
        standard deviation; note that scikit-learn's parameter of that name keeps the latter.
    max_features
        The largest number of features that are kept; None for all. The one learned from longest ago
        is dropped first, and starts from zero if it returns.

    Attributes
    ----------
    counts
        The number of values of each feature learned from, as a dict.
    means
        The mean of each feature, as a dict; 0 if it is not subtracted.
    vars
        The variance of each feature, or the mean square, as a dict; 0 if it is not divided by.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import preprocessing

    >>> model = preprocessing.StandardScaler() | linear_model.OLSFClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 86.64%

    A value that is missing changes nothing:

    >>> scaler = preprocessing.StandardScaler()
    >>> for value in (8.0, None, 12.0, float("nan")):
    ...     scaler.learn_one({"temperature": value, "pressure": 1.0})
    >>> scaler.transform_one({"temperature": 12.0, "pressure": None})
    {'temperature': 1.0}

    >>> scaler.counts
    {'temperature': 2, 'pressure': 4}

    Words that are present or not:

    >>> scaler = preprocessing.StandardScaler(with_mean=False)
    >>> scaler.learn_one({"free": 1, "money": 3})
    >>> scaler.transform_one({"free": 1, "money": 1, "new": 2})
    {'free': 1.0, 'money': 0.333..., 'new': 1.0}

    Mini-batches:

    >>> import pandas as pd
    >>> X = pd.DataFrame({"temperature": [8.0, None, 12.0], "pressure": [1.0, 2.0, 3.0]})
    >>> scaler = preprocessing.StandardScaler()
    >>> scaler.learn_many(X)
    >>> scaler.transform_many(X)
       temperature  pressure
    0         -1.0 -1.224745
    1          NaN  0.000000
    2          1.0  1.224745

    """

    _TAG = "river_trapezoid.preprocessing.StandardScaler"

    def __init__(
        self, with_std: bool = True, with_mean: bool = True, max_features: int | None = None
    ):
        check_bool("with_std", with_std)
        check_bool("with_mean", with_mean)
        check_number("max_features", max_features, integer=True, at_least=1, optional=True)
        self.with_std = with_std
        self.with_mean = with_mean
        self.max_features = max_features
        self._moments = FeatureMoments(with_mean, with_std, max_features)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}
        yield {"with_std": False}
        yield {"with_mean": False}
        yield {"max_features": 3}

    def _check_state(self) -> None:
        """Raise a `ValueError` unless the attributes, which come from a file, fit together."""
        moments = self._moments
        settings = moments.centred, moments.scaled, moments.budget
        if settings != (self.with_mean, self.with_std, self.max_features):
            raise ValueError("the moments must have the settings of the scaler")

    @property
    def counts(self) -> dict[base.typing.FeatureName, int]:
        """The number of values of each feature learned from, as a new dict."""
        return {key: n for key, (n, _, _) in self._moments.to_dict().items()}

    @property
    def means(self) -> dict[base.typing.FeatureName, float]:
        """The mean of each feature, as a new dict."""
        return {key: mean for key, (_, mean, _) in self._moments.to_dict().items()}

    @property
    def vars(self) -> dict[base.typing.FeatureName, float]:
        """The variance of each feature, or the mean square, as a new dict."""
        return {key: spread for key, (_, _, spread) in self._moments.to_dict().items()}

    def learn_one(self, x: Features) -> None:
        """Update with a set of features `x`.

        Parameters
        ----------
        x
            A dictionary of features. `None` and NaN mean that the feature was not observed.

        """
        self._moments.learn(x)

    def transform_one(self, x: Features) -> FeatureDict:
        """Scale a set of features `x`.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The features that were observed, scaled.

        """
        return self._moments.transform(x)

    def learn_many(self, X: Any, columns: Sequence[Hashable] | None = None) -> None:
        """Update with the rows of a mini-batch, in their order.

        An error names the row, and the scaler is not modified by any row.

        Parameters
        ----------
        X
            A frame with a column for each feature, an array, or a sparse matrix.
        columns
            The names of the columns of an array or a sparse matrix; by default, their numbers.

        """
        self._moments.learn_rows(Rows(X, columns))

    def transform_many(self, X: Any, columns: Sequence[Hashable] | None = None) -> Any:
        """Scale the rows of a mini-batch.

        Parameters
        ----------
        X
            A frame with a column for each feature, an array, or a sparse matrix.
        columns
            The names of the columns of an array or a sparse matrix; by default, their numbers.

        Returns
        -------
        A frame of the same kind, an array or a sparse matrix in CSR format. Missing values stay
        missing: they are NaN, or are not stored in a sparse matrix.

        """
        rows = Rows(X, columns)
        return rows.filled_in(self._moments.transform_rows(rows))
