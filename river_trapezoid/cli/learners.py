"""The learners that the command line knows by name: every system of the papers, ours, River's."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Hashable
from typing import Any

from river import base, compose, linear_model, multiclass

from river_trapezoid import active, semi_supervised
from river_trapezoid.linear_model import (
    EvidenceClassifier,
    FESLClassifier,
    MulticlassOLSFClassifier,
    OCDSClassifier,
    OFSClassifier,
    OLSFClassifier,
)

__all__ = ["BASELINE", "CREDIT", "LEARNERS", "RECOMMENDED", "Learner"]

RECOMMENDED = "Evidence"
# The strongest of River's own on such streams.
BASELINE = "LogisticRegression"

# How many labels are spent early, and repaid.
CREDIT = 20

# Why some cannot be given a share of the labels.
_OWN_RULE = "asks for labels by a rule of its own, without a budget"
_CHUNKS = "learns from whole chunks of labels, which a budget leaves empty for long"

Sampler = Callable[[base.Estimator, float | None], base.Estimator]


@dataclasses.dataclass(frozen=True)
class Learner:
    """A system, and how to make it for a task.

    Parameters
    ----------
    classifier
        The learner inside, as it is in the paper.
    made_for
        The kinds of streams that it was made for.
    scaled
        Whether it needs a scaler in front.
    sampler
        What makes it one that asks for labels, given the model and the share of them that it may
        ask for, or None for its own.
    no_budget
        Why it cannot be given a share of the labels; None if it can.
    only_several
        Whether it is for more than two classes.

    """

    classifier: base.Classifier | compose.Pipeline
    made_for: Collection[str] = ()
    scaled: bool = True
    sampler: Sampler | None = None
    no_budget: str | None = None
    only_several: bool = False

    def make(
        self, scaler: base.Transformer, several: bool = False, budget: float | None = None
    ) -> base.Estimator:
        """An estimator for a task.

        Parameters
        ----------
        scaler
            The scaler to put in front, if one is needed.
        several
            Whether there are more than two classes.
        budget
            The share of labels to ask for; None for all, or what the system itself asks for.

        """
        model: Any = self.classifier.clone()
        if several and not model._multiclass:
            model = multiclass.OneVsRestClassifier(model)
        if self.scaled:
            model = scaler.clone() | model
        if self.sampler is not None:
            return self.sampler(model, budget)
        if budget is None:
            return model
        return active.BudgetSampler(model, budget=budget, credit=CREDIT, seed=0)


def _by_margin(model: base.Estimator, budget: float | None) -> base.Estimator:
    return active.MarginSampler(model, rho=0.1, seed=0)


def _at_random(model: base.Estimator, budget: float | None) -> base.Estimator:
    if budget is None:
        return active.RandomSampler(model, ratio=0.1, seed=0)
    return active.RandomSampler(model, ratio=budget, exact=True, seed=0)


def _by_uncertainty(strategy: str) -> Sampler:
    return lambda model, budget: active.UncertaintySampler(
        model, budget=0.1 if budget is None else budget, strategy=strategy, seed=0
    )


def _anew_with_each_space(x: dict[Hashable, float]) -> dict[Hashable, float]:
    return {(len(x), name): value for name, value in x.items()}


def _svm(classifier: base.Classifier) -> Learner:
    return Learner(classifier, scaled=False, no_budget=_CHUNKS)


def _flls(classifier: base.Classifier | compose.Pipeline) -> Learner:
    return Learner(classifier, sampler=_by_margin, no_budget=_OWN_RULE)


_EVERYWHERE = ("as-is", "trapezoidal", "evolvable", "capricious")
_PEA = OLSFClassifier(step="perceptron", update_on="mistake", B=1.0, radius=None)

LEARNERS: dict[str, Learner] = {
    RECOMMENDED: Learner(EvidenceClassifier(), _EVERYWHERE, scaled=False),
    # For labels that come late in runs, and for rare ones.
    "Evidence-single": Learner(EvidenceClassifier(mixture=False), scaled=False),
    "Evidence-balanced": Learner(EvidenceClassifier(decision="balanced"), scaled=False),
    BASELINE: Learner(linear_model.LogisticRegression(), _EVERYWHERE),
    "PAClassifier": Learner(linear_model.PAClassifier()),
    "OLSF": Learner(OLSFClassifier(mode=0), ["trapezoidal"]),
    "OLSF-I": Learner(OLSFClassifier(mode=1), ["trapezoidal"]),
    "OLSF-II": Learner(OLSFClassifier(mode=2), ["trapezoidal"]),
    "OLSF-all": Learner(OLSFClassifier(B=1.0, radius=None)),
    "OLSF-rand": Learner(OLSFClassifier(selection="random", seed=0)),
    "OLSF-per": Learner(OLSFClassifier(step="perceptron")),
    "MulticlassOLSF": Learner(MulticlassOLSFClassifier(), only_several=True),
    "OFS": Learner(OFSClassifier(), ["trapezoidal"]),
    "OFS_P": Learner(OFSClassifier(epsilon=0.2, predict_from="observed", seed=0)),
    "FESL": Learner(FESLClassifier(), ["evolvable"]),
    "FESL-s": Learner(FESLClassifier(mode="select"), ["evolvable"]),
    "OCDS": Learner(OCDSClassifier(), ["capricious"]),
    "OCDS-o": Learner(OCDSClassifier(prediction="observed"), ["capricious"]),
    "OCDS-r": Learner(OCDSClassifier(prediction="reconstructed"), ["capricious"]),
    "FLLS": _flls(OLSFClassifier(mode=0)),
    "FLLS-I": _flls(OLSFClassifier(mode=1)),
    "FLLS-II": _flls(OLSFClassifier(mode=2)),
    "FLLS-I_SN": _flls(compose.FuncTransformer(_anew_with_each_space) | OLSFClassifier(B=1.0)),
    "RFLLS": Learner(OLSFClassifier(mode=0), sampler=_at_random),
    "RFLLS-I": Learner(OLSFClassifier(mode=1), sampler=_at_random),
    "RFLLS-II": Learner(OLSFClassifier(mode=2), sampler=_at_random),
    "PEA": _flls(_PEA),
    "RPEA": Learner(_PEA, sampler=_at_random),
    "RFESL": Learner(FESLClassifier(max_overlap=1), sampler=_at_random),
    "Uncertainty-fixed": Learner(
        linear_model.LogisticRegression(), sampler=_by_uncertainty("fixed")
    ),
    "Uncertainty-variable": Learner(
        linear_model.LogisticRegression(), sampler=_by_uncertainty("variable")
    ),
    "Uncertainty-randomised": Learner(
        linear_model.LogisticRegression(), sampler=_by_uncertainty("randomised")
    ),
    "Uncertainty-split": Learner(
        linear_model.LogisticRegression(), sampler=_by_uncertainty("split")
    ),
    "SVM": _svm(semi_supervised.SVMClassifier()),
    "TrSVM": _svm(semi_supervised.TrSVMClassifier()),
    "S3VM": _svm(semi_supervised.S3VMClassifier()),
    "TS3VM": _svm(semi_supervised.TS3VMClassifier()),
    "RK-TS3VM": _svm(semi_supervised.RKTS3VMClassifier()),
}
