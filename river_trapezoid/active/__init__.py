r"""Which labels to pay for.

The systems of the papers are compositions of these samplers and the learners of `linear_model`:

| paper | here |
|---|---|
| FLLS, FLLS-I, FLLS-II | `MarginSampler(OLSFClassifier(mode=0 / 1 / 2))` |
| RFLLS, RFLLS-I, RFLLS-II | `RandomSampler(OLSFClassifier(mode=0 / 1 / 2), ratio)` |
| PEA | `MarginSampler(OLSFClassifier(step="perceptron", update_on="mistake", B=1.0, radius=None))` |
| PEA, as its published figures suggest | the same with `update_on="loss"` |
| RPEA | `RandomSampler` around the learner of PEA |
| RFESL, where all features stay | `RandomSampler(FESLClassifier(max_overlap=1), ratio)` |
| FLLS-I_SN, a new model whenever features are added | `MarginSampler(compose.FuncTransformer(lambda x: {(len(x), k): v for k, v in x.items()}) \| OLSFClassifier(B=1.0))` |
| FLLS-I_SI, the initial features only | `MarginSampler(compose.Select(*initial) \| OLSFClassifier(B=1.0))` |
"""

from .budget import BudgetSampler
from .margin import MarginSampler
from .random import RandomSampler
from .rho import find_rho
from .uncertainty import UncertaintySampler

__all__ = ["BudgetSampler", "MarginSampler", "RandomSampler", "UncertaintySampler", "find_rho"]
