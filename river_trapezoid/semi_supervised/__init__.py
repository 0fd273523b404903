"""Classifiers that learn from labelled and unlabelled instances: give `y=None` for the latter."""

from .pseudo_label import PseudoLabelClassifier
from .relational_kmeans import RelationalKMeans
from .rk_ts3vm import RKTS3VMClassifier
from .s3vm import S3VMClassifier
from .scarce_labels import ScarceLabels
from .svm import SVMClassifier
from .trsvm import TrSVMClassifier
from .ts3vm import TS3VMClassifier

__all__ = [
    "PseudoLabelClassifier",
    "RKTS3VMClassifier",
    "RelationalKMeans",
    "S3VMClassifier",
    "SVMClassifier",
    "ScarceLabels",
    "TS3VMClassifier",
    "TrSVMClassifier",
]
