"""The one home of weights that appear, shrink and vanish."""

from .sparse import Orderable, SparseWeights, in_order

__all__ = ["Orderable", "SparseWeights", "in_order"]
