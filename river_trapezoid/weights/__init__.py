"""The one home of weights that appear, shrink and vanish.

They are compiled where there was a C compiler at installation, and pure Python where not; results
are bit-identical. `KERNEL` says which it is, and the environment variable `RIVER_TRAPEZOID_PURE=1`
asks for the latter.

The way of one instance through the files, for a step of `linear_model.OLSFClassifier`:

    learn_one(x, y)                        linear_model/base.py      the label becomes a sign
      _step(x, sign)                       linear_model/olsf.py      whose weights and rule
        PassiveAggressive.learn(x, sign)   passive_aggressive.py     margin, loss, step size
          SparseWeights.update(x, step)    sparse.py                 add, project on the ball
            truncate                       sparse.py                 drop the smallest weights

Compiled, the files are `_passive_aggressive.pyx`, `_sparse.pyx` and `_feature_table.pyx`: the table
of features reads the dict, finds the slot of each feature, and truncates. `EvidenceWeights` stands
on the same table: `evidence.py` has the features and the heads, `pairs.py` the pairs of features,
`mixture.py` what mixes the heads, and `_evidence.pyx`, `_pairs.pyx`, `_mixture.pyx` the same. So do
`FeatureMoments`, the running means and variances behind `preprocessing.StandardScaler`. Sums
are exactly rounded (`exact_sum.py`, `_exact_sum.pxd`), and ties are broken by the rank of the keys
(`key_order.py`).

A mini-batch (`_frame.Rows`) takes the same way from `learn_rows` on. Compiled, `_rows.pyx` finds the
slot of each column once and makes an instance of each row without looking at names again; the table
keeps a journal of what the batch changes, from which an error in any row is undone. Learners that
step in Python have the same by `transaction`.

Compiled, a step is whole or nothing, whatever error or interrupt there is, unless a key raises when
it is ranked. Any number of threads may predict while one learns, as long as keys are of plain types
(str, numbers, bytes, None, tuples of them), which compare without running code. Two threads that
learn at the same time get a `RuntimeError` where one finds the other at work. The pure weights may
be left half-way by an interrupt, and know nothing of threads.

A new operation on weights goes into `sparse.py` first, where it is easiest to read and becomes the
oracle, then into `_sparse.pyx`, and into the comparison of the two in the tests. What concerns
features as such, whatever is known of them, goes into the table. A new learning rule is a class of
its own beside `PassiveAggressive`.
"""

import importlib
import os
from typing import TYPE_CHECKING, Any

from .key_order import check_keys, in_order

if TYPE_CHECKING:
    from .evidence import EvidenceWeights
    from .moments import FeatureMoments
    from .passive_aggressive import PassiveAggressive
    from .sparse import SparseWeights
    from .transactions import transaction

__all__ = [
    "KERNEL",
    "EvidenceWeights",
    "FeatureMoments",
    "PassiveAggressive",
    "SparseWeights",
    "check_keys",
    "in_order",
    "restore",
    "transaction",
]

_NAMES = {
    "evidence": "EvidenceWeights",
    "moments": "FeatureMoments",
    "passive_aggressive": "PassiveAggressive",
    "sparse": "SparseWeights",
    "transactions": "transaction",
}


def _load() -> str:
    """Take all weights from one form, compiled or pure; return which."""
    kernel, package = "pure", __name__
    if os.environ.get("RIVER_TRAPEZOID_PURE", "0") in ("", "0"):
        from . import compiled

        try:
            compiled.load()
            kernel, package = "compiled", compiled.__name__
        except ImportError as error:
            from ._missing import warn

            warn(error)
    for module, name in _NAMES.items():
        globals()[name] = getattr(importlib.import_module(f"{package}.{module}"), name)
    return kernel


KERNEL = _load()


def restore(name: str, *arguments: Any) -> Any:
    """Create what a pickle fills, whichever kind it was made from."""
    kinds = (EvidenceWeights, FeatureMoments, PassiveAggressive, SparseWeights)
    kind = {kind.__name__: kind for kind in kinds}[name]
    if kind is EvidenceWeights:
        return kind(**arguments[0])
    return kind(*arguments)
