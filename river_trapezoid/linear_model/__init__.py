"""Linear learners for streams whose features come and go."""

from .ofs import OFSClassifier
from .olsf import OLSFClassifier

__all__ = ["OFSClassifier", "OLSFClassifier"]
