# To a type checker, the compiled weights are the pure ones.
from .evidence import EvidenceWeights as EvidenceWeights
