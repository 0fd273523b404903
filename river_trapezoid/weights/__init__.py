"""Weights that appear, shrink and vanish.

The weights are compiled if there was a C compiler at installation, and pure Python otherwise.
Results are bit-identical. `KERNEL` is the form in use; the environment variable
`RIVER_TRAPEZOID_PURE=1` selects the pure form.

The path of one instance through the files, for a step of `linear_model.OLSFClassifier`:

    learn_one(x, y)                        linear_model/base.py      turns the label into a sign
      _step(x, sign)                       linear_model/olsf.py      has the rule
        PassiveAggressive.learn(x, sign)   passive_aggressive.py     margin, loss, step size
          FeatureTable.open, enter         compiled/_feature_table   reads the dict, finds the slots
          SparseWeights.move               sparse.py                 add, project on the ball
            drop_to                        compiled/_feature_table   drops the smallest weights

| file | content |
|---|---|
| `sparse.py` | a weight vector with a norm and a budget |
| `passive_aggressive.py` | the step of `OLSFClassifier` |
| `evidence.py` | the evidence learner: inputs of features and pairs, heads, counts |
| `link.py`, `mixture.py` | the logistic link of a head, and the mixture of heads |
| `moments.py` | the means and variances of `preprocessing.StandardScaler` |
| `transactions.py` | several steps that are learned whole or not at all |
| `key_order.py`, `exact_sum.py` | an order of all keys, by which ties are broken; exactly rounded sums |
| `_feature_table`, `_rows` | features in numbered slots; the rows of a mini-batch as instances of a table |
| `_pair_table`, `_asked`, `_exact_sum` | pairs of features; room for the inputs of an instance; sums |

A rule has one source. Its `.py` file is interpreted as it is, and compiled with the types of the
`.pxd` file of the same name in `compiled/`, where the extension modules are. What needs C has two
sources with the same interface: Cython in `compiled/`, and an interpreted twin of the same name here.
All modules are compiled or none (`compiled.load`).

To change a rule, change its source. Both forms share it, so their equality proves little: compare
the rule with the brute-force oracles in `tests/weights`. A new attribute or typed method needs a line
in the `.pxd`; without one, a method is a plain Python method in both forms. What concerns features as
such goes into both tables. A new learning rule is a class beside `PassiveAggressive`.

For a mini-batch (`_frame.Rows`), `learn_rows` finds the slot of each column once. The table keeps a
journal of what the batch changes, from which an error in any row is undone. Steps that are taken in
Python are undone by a `transaction`.

Compiled, a step is whole or nothing under any error or interrupt, unless a key raises while it is
ranked. Any number of threads may predict while one learns, if keys are of plain types (str, numbers,
bytes, None, tuples of them), which are compared without running code. Two threads that learn at the
same time get a `RuntimeError` when one finds the other at work. An interrupt may leave pure weights
half-way, and they do not support threads.
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
    """Import all weights in one form, compiled or pure; return which."""
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
    """Create the object that a pickle fills, whichever form it was made from."""
    kinds = (EvidenceWeights, FeatureMoments, PassiveAggressive, SparseWeights)
    kind = {kind.__name__: kind for kind in kinds}[name]
    if kind is EvidenceWeights:
        return kind(**arguments[0])
    return kind(*arguments)
