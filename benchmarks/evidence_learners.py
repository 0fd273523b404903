"""The learners that EvidenceClassifier is compared with, by the names of the results.

Their settings were fixed before they were measured, and are the same for all streams of a part. On
text, nothing is scaled, except for LR.
"""

from __future__ import annotations

from collections.abc import Callable

from river import base, drift, forest, linear_model, multiclass, naive_bayes, optim, tree
from river import preprocessing as pre

from river_trapezoid.linear_model import (
    EvidenceClassifier,
    FESLClassifier,
    OCDSClassifier,
    OFSClassifier,
    OLSFClassifier,
)

EVIDENCE = "Evidence"
WITHOUT_PAIRS = "Evidence without pairs"
WITHOUT_MIXTURE = "Evidence without mixture"
LOGISTIC = "LR"
ADAGRAD = "LR AdaGrad"
AD_PREDICTOR = "AdPredictor"
TREES = ["HAT", "ARF", "AMF"]


def logistic() -> base.Classifier:
    return pre.StandardScaler() | linear_model.LogisticRegression()


def ad_predictor() -> base.Classifier:
    return linear_model.AdPredictor(beta=1, epsilon=0)


LEARNERS: dict[str, Callable[[], base.Classifier]] = {
    EVIDENCE: EvidenceClassifier,
    WITHOUT_PAIRS: lambda: EvidenceClassifier(n_paired=0),
    WITHOUT_MIXTURE: lambda: EvidenceClassifier(mixture=False),
    LOGISTIC: logistic,
    ADAGRAD: lambda: pre.StandardScaler() | linear_model.LogisticRegression(optim.AdaGrad(0.1)),
    AD_PREDICTOR: ad_predictor,
    "ADWIN LR": lambda: drift.DriftRetrainingClassifier(
        logistic(), drift.ADWIN(), train_in_background=False
    ),
    "HAT": lambda: tree.HoeffdingAdaptiveTreeClassifier(seed=1),
    "ARF": lambda: forest.ARFClassifier(seed=1),
    "AMF": lambda: forest.AMFClassifier(seed=1),
}
OURS: dict[str, Callable[[], base.Classifier]] = {
    EVIDENCE: EvidenceClassifier,
    "OLSF-I": lambda: pre.StandardScaler() | OLSFClassifier(),
    "OLSF-II": lambda: pre.StandardScaler() | OLSFClassifier(mode=2),
    "OFS": lambda: pre.StandardScaler() | OFSClassifier(),
    "OFS_P": lambda: pre.StandardScaler() | OFSClassifier(epsilon=0.2, seed=1),
    "OCDS": lambda: pre.StandardScaler() | OCDSClassifier(),
    "FESL": lambda: pre.StandardScaler() | FESLClassifier(),
}
OF_WORDS: dict[str, Callable[[], base.Classifier]] = {
    EVIDENCE: EvidenceClassifier,
    WITHOUT_PAIRS: lambda: EvidenceClassifier(n_paired=0),
    LOGISTIC: logistic,
    "LogisticRegression": linear_model.LogisticRegression,
    ADAGRAD: lambda: linear_model.LogisticRegression(optim.AdaGrad(0.1)),
    AD_PREDICTOR: ad_predictor,
    "PAClassifier": linear_model.PAClassifier,
    "OLSF-I": lambda: OLSFClassifier(radius=None),
    "MultinomialNB": naive_bayes.MultinomialNB,
}
OF_CLASSES: dict[str, Callable[[], base.Classifier]] = {
    EVIDENCE: lambda: multiclass.OneVsRestClassifier(EvidenceClassifier()),
    WITHOUT_PAIRS: lambda: multiclass.OneVsRestClassifier(EvidenceClassifier(n_paired=0)),
    LOGISTIC: lambda: (
        pre.StandardScaler() | multiclass.OneVsRestClassifier(linear_model.LogisticRegression())
    ),
    "SoftmaxRegression": lambda: pre.StandardScaler() | linear_model.SoftmaxRegression(),
    **{name: LEARNERS[name] for name in TREES},
}
