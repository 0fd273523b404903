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
    """Base class of streams made from another stream, one instance at a time.

    Parameters
    ----------
    dataset
        A River dataset, or any iterable of `(x, y)` that can be read several times.
    n_samples
        Number of instances, if the dataset does not provide it.
    n_features
        Number of features, if the dataset does not provide it.
    features
        All features in order; by default, the `features` of the dataset.

    Attributes
    ----------
    features
        Names of all features, in the order of the argument `features` or of the dataset's
        `features`. Not available if there is neither.

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
                raise ValueError(
                    f"features must have at least one name, or be None; got {features!r}"
                )
        check_number("n_samples", n_samples, integer=True, at_least=1, optional=True)
        check_number("n_features", n_features, integer=True, at_least=1, optional=True)
        if isinstance(dataset, Iterator):
            raise ValueError(
                f"dataset must be readable several times; got a {type(dataset).__name__}. Pass a "
                "River dataset, a list, or another iterable that is not an iterator"
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
        self._given_features = features
        self._n_names = self.n_features

    @property
    def features(self) -> list[Hashable]:
        """Names of all features, as given or as listed by the dataset."""
        names = self._listed_features()
        if names is None:
            raise AttributeError(
                f"{type(self).__name__} has no features, since {type(self.dataset).__name__} has no "
                "list of features; pass the argument features"
            )
        return names

    def _listed_features(self) -> list[Hashable] | None:
        """Return the names of the features in order, or None if this requires a pass over the dataset."""
        names = self._given_features
        if names is None:
            names = getattr(self.dataset, "features", None)
        return None if names is None else list(names)

    def _known_n_samples(self) -> int:
        if self.n_samples is None:
            raise ValueError("n_samples must be given, since the dataset does not provide it")
        return int(self.n_samples)

    def _chunk_of(self, t: int, n_chunks: int) -> int:
        """Return the index of the chunk of instance `t`, if all chunks are of equal length."""
        return min(t * n_chunks // self._known_n_samples(), n_chunks - 1)

    def _feature_names(self) -> list[Hashable]:
        """Return the names of the features: as listed, or in the order of their first appearance."""
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
                # The property `features` might read the files of the dataset.
                value = self._given_features if name == "features" else getattr(self, name)
                if isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 6:
                    value = f"{len(value):,} items"
                content[name] = str(value)
        return content
