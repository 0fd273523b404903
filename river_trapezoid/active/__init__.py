r"""Which instances to query, that is to ask labels for.

`BudgetSampler` keeps to a share of the labels. `MarginSampler` is the rule of FLLS, ρ/(ρ + |q|), and
`find_rho` finds its ρ in hindsight. `UncertaintySampler` has the strategies of Žliobaitė et al.
`RandomSampler` is the baseline for all of them. `LabelQueue` stores the instances of any model until
their labels arrive.

The systems of the papers are compositions of these samplers with the learners of `linear_model`:

| paper | here |
|---|---|
| FLLS, FLLS-I, FLLS-II | `MarginSampler(OLSFClassifier(mode=0 / 1 / 2), rho)` |
| RFLLS, RFLLS-I, RFLLS-II | `RandomSampler(OLSFClassifier(mode=0 / 1 / 2), ratio)` |
| PEA | `MarginSampler(OLSFClassifier(step="perceptron", update_on="mistake", B=1.0, radius=None))` |
| PEA, as its published figures suggest | the same with `update_on="loss"` |
| RPEA | `RandomSampler` around the learner of PEA |
| RFESL, where all features stay | `RandomSampler(FESLClassifier(max_overlap=1, learn_intercept=False), ratio)` |
| FLLS-I_SN, a new model whenever features are added | `MarginSampler(drift.RestartOnNewFeatures(OLSFClassifier(mode=1, B=1.0)))` |
| FLLS-I_f, all features from the start | `MarginSampler(OLSFClassifier(mode=1))` on the data set itself, without `stream.Trapezoidal` |
| FLLS-I_SI, the initial features only | `MarginSampler(compose.Discard(*later) \| OLSFClassifier(mode=1, B=1.0))` |

FLLS-I_SN and RFESL find the features from the keys of an instance. On a sparse data set, where zeros
have no key, they need `stream.Dense`:

    trapezoid = stream.Trapezoidal(stream.Dense(datasets.DNA()))

The `later` features are those of the last chunk that the first one lacks:
`trapezoid.visible(-1)[len(trapezoid.visible(0)):]`.
"""

from .budget import BudgetSampler
from .label_queue import LabelQueue
from .margin import MarginSampler
from .random import RandomSampler
from .rho import find_rho
from .uncertainty import UncertaintySampler

__all__ = [
    "BudgetSampler",
    "LabelQueue",
    "MarginSampler",
    "RandomSampler",
    "UncertaintySampler",
    "find_rho",
]
