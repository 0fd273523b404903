"""The one home of weights that appear, shrink and vanish."""

from .sparse import SparseWeights, in_order

__all__ = ["SparseWeights", "in_order"]
