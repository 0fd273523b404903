from __future__ import annotations

from collections.abc import Hashable, Iterable
from heapq import nsmallest
from itertools import combinations

from .order import Orderable

__all__ = ["Product", "Products"]

# A pair says less than a feature, and there are more of them.
_VARIANCE = 0.01
_LARGEST_PRODUCT = 4.0


class Product:
    """What is known of the weight of a product: its mean and its variance."""

    __slots__ = ("variance", "w")

    def __init__(self, w: float = 0.0, variance: float = _VARIANCE):
        self.w = w
        self.variance = variance


class Products:
    """The weights of the products of two features, which are freed with either of the two.

    Parameters
    ----------
    n_features
        How many of the features of an instance are multiplied with each other.

    """

    def __init__(self, n_features: int):
        self.n_features = n_features
        # Each product is kept at both of its features.
        self._of: dict[Hashable, dict[Hashable, Product]] = {}

    def to_list(self) -> list[tuple[Hashable, Hashable, float, float]]:
        """Both keys, weight and variance of each product."""
        pairs = {
            id(product): (a, b, product.w, product.variance)
            for a, others in self._of.items()
            for b, product in others.items()
        }
        return list(pairs.values())

    def fill(self, pairs: Iterable[tuple[Hashable, Hashable, float, float]]) -> None:
        """Take the place of the products that `to_list` has given."""
        self._of = {}
        for a, b, w, variance in pairs:
            self._keep(a, b, Product(w, variance))

    def get(self, a: Hashable, b: Hashable) -> Product | None:
        """What is known of a product, if anything."""
        return self._of.get(a, {}).get(b)

    def among(self, features: Iterable[tuple[float, Hashable, float]]) -> list[Term]:
        """Multiply the strongest features: from strength, key and value of each.

        A product that is not known is given as a new one, to be kept once it has been learned.
        """
        ranked = ((-strength, Orderable(key), value) for strength, key, value in features)
        terms = []
        for (_, a, x), (_, b, y) in combinations(nsmallest(self.n_features, ranked), 2):
            value = max(-_LARGEST_PRODUCT, min(_LARGEST_PRODUCT, x * y))
            # Nothing can be learned at zero, as where words are only ever present.
            if value:
                terms.append((a.key, b.key, self.get(a.key, b.key) or Product(), value))
        return terms

    def learn(self, terms: Iterable[Term], step: float, shrinkage: float, growth: float) -> None:
        """Move the weights and shrink their variances, then let these grow, up to the prior."""
        for a, b, product, value in terms:
            spread = product.variance * value
            product.w += spread * step
            product.variance -= shrinkage * spread * spread
            product.variance = min(growth * product.variance, _VARIANCE)
            self._keep(a, b, product)

    def _keep(self, a: Hashable, b: Hashable, product: Product) -> None:
        self._of.setdefault(a, {})[b] = product
        self._of.setdefault(b, {})[a] = product

    def drop(self, key: Hashable) -> None:
        """Free all products of a feature."""
        for other in self._of.pop(key, ()):
            del self._of[other][key]
            if not self._of[other]:
                del self._of[other]


# Both keys, what is known of the weight, and the value.
Term = tuple[Hashable, Hashable, Product, float]
