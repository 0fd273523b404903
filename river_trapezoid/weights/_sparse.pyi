# To a type checker, the compiled weights are the pure ones.
from .sparse import SparseWeights as SparseWeights
