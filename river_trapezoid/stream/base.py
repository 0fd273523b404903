from __future__ import annotations

import inspect
from collections.abc import Hashable, Iterable, Iterator, Sequence, Sized
from typing import Any

from river import datasets

from river_trapezoid._instance import FeatureDict
from river_trapezoid._parameters import check_number

__all__ = ["StreamTransform"]

Instance = tuple[FeatureDict, Any]


class StreamTransform(datasets.base.Dataset):
    """A stream made from another, one instance at a time.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be iterated over again.
    n_samples
        Number of instances, where the dataset does not know it.
    n_features
        Number of features, where the dataset does not know it.
    features
        All features in their order, where it is not to be that of the dataset.

    Attributes
    ----------
    features
        Names of all features, in the order asked for, or in that of the list which the dataset has.
        A stream of a dataset without such a list has none either.

    """

    def __init__(
        self,
        dataset: Iterable[Instance],
        n_samples: int | None,
        n_features: int | None = None,
        features: Sequence[Hashable] | None = None,
    ):
        if features is not None:
            n_features = len(features)
            if not n_features:
                raise ValueError(f"features must be one name or more, or None; got {features!r}")
        check_number("n_samples", n_samples, integer=True, at_least=1, optional=True)
        check_number("n_features", n_features, integer=True, at_least=1, optional=True)
        if isinstance(dataset, Iterator):
            raise ValueError(
                "dataset can be iterated over only once; give a River dataset, a list, or another "
                "iterable that starts anew each time"
            )
        if n_samples is None:
            n_samples = getattr(dataset, "n_samples", None)
        if n_samples is None and isinstance(dataset, Sized):
            n_samples = len(dataset)
        super().__init__(
            task=getattr(dataset, "task", datasets.base.BINARY_CLF),
            n_samples=n_samples,
            n_features=n_features or getattr(dataset, "n_features", None),
            n_classes=getattr(dataset, "n_classes", None),
            sparse=getattr(dataset, "sparse", False),
        )
        self.dataset = dataset
        self._features_asked_for = features
        self._n_names = self.n_features

    @property
    def features(self) -> list[Hashable]:
        """Names of all features, as asked for, or as the dataset lists them."""
        names = self._listed_features()
        if names is None:
            raise AttributeError(
                f"{type(self).__name__} does not know its features, as {type(self.dataset).__name__} "
                "has no list of them"
            )
        return names

    def _listed_features(self) -> list[Hashable] | None:
        """Names of the dataset's features in their order, or None if that takes a pass over it."""
        names = self._features_asked_for
        if names is None:
            names = getattr(self.dataset, "features", None)
        return None if names is None else list(names)

    def _known_n_samples(self) -> int:
        if self.n_samples is None:
            raise ValueError("n_samples must be given, as the dataset does not know its length")
        return int(self.n_samples)

    def _feature_names(self) -> list[Hashable]:
        """Names of the dataset's features: as listed, or in the order of their first appearance."""
        listed = self._listed_features()
        if listed is not None:
            return listed
        names: dict[Hashable, None] = {}
        for x, _ in self.dataset:
            names.update(dict.fromkeys(x))
            if len(names) == self._n_names:
                break
        return list(names)

    @property
    def _repr_content(self) -> dict[str, str]:
        content = super()._repr_content
        content["Of"] = (
            self.dataset._repr_content["Name"]
            if isinstance(self.dataset, datasets.base.Dataset)
            else type(self.dataset).__name__
        )
        for name in inspect.signature(type(self)).parameters:
            if name not in ("dataset", "n_samples", "n_features"):
                # The attribute of that name would ask the dataset, which may have to read its files.
                value = self._features_asked_for if name == "features" else getattr(self, name)
                if isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 6:
                    value = f"{len(value):,} items"
                content[name] = str(value)
        return content
