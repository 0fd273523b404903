"""The one home of weights that appear, shrink and vanish.

`SparseWeights` is compiled where the extension could be built, and pure Python where not; both give
the same results. `KERNEL` says which it is, and the environment variable `RIVER_TRAPEZOID_PURE=1`
asks for the latter.
"""

import os

from .order import Orderable, in_order

__all__ = ["KERNEL", "Orderable", "SparseWeights", "in_order", "restore"]

KERNEL = "pure"
if os.environ.get("RIVER_TRAPEZOID_PURE", "0") in ("", "0"):
    try:
        from ._kernel import SparseWeights

        KERNEL = "compiled"
    except ImportError:
        pass
if KERNEL == "pure":
    from .sparse import SparseWeights


def restore(budget: int | float, norm: int) -> SparseWeights:
    """Create the weights that a pickle fills, whichever kind it was made from."""
    return SparseWeights(budget, norm)
