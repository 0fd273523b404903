from __future__ import annotations

import inspect
from collections.abc import Hashable, Iterable, Iterator, Sequence, Sized
from typing import Any

from river import datasets

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_number

__all__ = ["StreamTransform"]

Instance = tuple[Features, Any]


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

    """

    def __init__(
        self, dataset: Iterable[Instance], n_samples: int | None, n_features: int | None = None
    ):
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

    def _known_n_samples(self) -> int:
        if self.n_samples is None:
            raise ValueError("n_samples must be given, as the dataset does not know its length")
        return int(self.n_samples)

    def _feature_names(self) -> list[Hashable]:
        """Names of all features, in the order of their first appearance."""
        names: dict[Hashable, None] = {}
        for x, _ in self.dataset:
            names.update(dict.fromkeys(x))
            if len(names) == self.n_features:
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
                value = getattr(self, name)
                if isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 6:
                    value = f"{len(value):,} items"
                content[name] = str(value)
        return content
