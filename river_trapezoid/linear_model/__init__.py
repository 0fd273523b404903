"""Linear learners for streams whose features come and go."""

from .evidence import EvidenceClassifier
from .fesl import FESLClassifier
from .multiclass_olsf import MulticlassOLSFClassifier
from .ocds import OCDSClassifier
from .ofs import OFSClassifier
from .olsf import OLSFClassifier

__all__ = [
    "EvidenceClassifier",
    "FESLClassifier",
    "MulticlassOLSFClassifier",
    "OCDSClassifier",
    "OFSClassifier",
    "OLSFClassifier",
]
