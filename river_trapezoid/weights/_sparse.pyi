# To a type checker, the compiled weights are the pure ones.
from .passive_aggressive import PassiveAggressive as PassiveAggressive
from .sparse import SparseWeights as SparseWeights
