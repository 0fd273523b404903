"""The one home of weights that appear, shrink and vanish.

They are compiled where the extensions could be built, and pure Python where not; both give the same
results. `KERNEL` says which it is, and the environment variable `RIVER_TRAPEZOID_PURE=1` asks for the
latter.
"""

import os
from typing import Any

from .order import Orderable, in_order

__all__ = [
    "KERNEL",
    "EvidenceWeights",
    "Orderable",
    "PassiveAggressive",
    "SparseWeights",
    "in_order",
    "restore",
]

KERNEL = "pure"
if os.environ.get("RIVER_TRAPEZOID_PURE", "0") in ("", "0"):
    try:
        from ._evidence import EvidenceWeights
        from ._passive_aggressive import PassiveAggressive
        from ._sparse import SparseWeights

        KERNEL = "compiled"
    except ImportError:
        pass
if KERNEL == "pure":
    from .evidence import EvidenceWeights
    from .passive_aggressive import PassiveAggressive
    from .sparse import SparseWeights


def restore(name: str, *arguments: Any) -> EvidenceWeights | SparseWeights:
    """Create the weights that a pickle fills, whichever kind it was made from."""
    kinds = {"EvidenceWeights": EvidenceWeights, "SparseWeights": SparseWeights}
    return kinds[name](*arguments)
