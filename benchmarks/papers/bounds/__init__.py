"""The bounds that the theorems of the papers give, for any stream."""

from .flls import flls_bound
from .ocds import ocds_bound
from .olsf import Comparator, hindsight_comparator, olsf_bound

__all__ = ["Comparator", "flls_bound", "hindsight_comparator", "ocds_bound", "olsf_bound"]
