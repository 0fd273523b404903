"""The learners by name: every system of the papers, this package's own learner, and River's."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any

from river import base, compose, linear_model, multiclass, optim

from river_trapezoid import active, drift, semi_supervised
from river_trapezoid.linear_model import (
    EvidenceClassifier,
    FESLClassifier,
    MulticlassOLSFClassifier,
    OCDSClassifier,
    OFSClassifier,
    OLSFClassifier,
)

__all__ = ["BASELINE", "CREDIT", "RECOMMENDED", "SYSTEMS", "System"]

RECOMMENDED = "Evidence"
# The strongest of River's own learners on such streams.
BASELINE = "LogisticRegression"
# The number of labels that a learner with a budget may spend ahead of it.
CREDIT = 20

OLSF_PAPER = "Zhang et al., TKDE 2016"
OFS_PAPER = "Wang et al., TKDE 2014"
FLLS_PAPER = "Gu et al., TKDD 2021"
FESL_PAPER = "Hou et al., NeurIPS 2017"
OCDS_PAPER = "He et al., IJCAI 2019"
RKTS3VM_PAPER = "Zhang et al., ICDM 2009"
UNCERTAINTY_PAPER = "Žliobaitė et al., TNNLS 2014"

# Why a learner cannot be given a budget.
_RULE = "queries labels by its own rule, which has no budget"
_CHUNKS = "learns from whole chunks of labels, which a budget leaves empty for long"

Classifier = base.Classifier | compose.Pipeline
Sampler = Callable[[base.Estimator, float | None], base.Estimator]


@dataclasses.dataclass(frozen=True)
class System:
    """A learner under the name that its paper gives it.

    Parameters
    ----------
    name
        The name.
    learner
        The class of the classifier inside.
    settings
        The parameters of that class, where the system differs from the defaults.
    paper
        The paper that the system is from; empty for learners that are from none.
    made_for
        The kinds of streams that the system was made for.
    scaled
        Whether the system needs a scaler in front.
    wrapper
        What the system puts around the classifier; None for nothing.
    sampler
        What makes the system query labels, given the model and the budget, or None for the
        system's own; None for a system that learns from every label.
    no_budget
        Why the system cannot be given a budget; None if it can.
    only_multiclass
        Whether the system is for more than two classes only.

    Examples
    --------
    >>> from river_trapezoid.cli.systems import SYSTEMS

    >>> SYSTEMS["OLSF-I"].learner.__name__, dict(SYSTEMS["OLSF-I"].settings)
    ('OLSFClassifier', {'mode': 1})

    >>> SYSTEMS["OLSF-I"].classifier().mode
    1

    """

    name: str
    learner: type[base.Classifier]
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    paper: str = ""
    made_for: Collection[str] = ()
    scaled: bool = True
    wrapper: Callable[[base.Classifier], Classifier] | None = None
    sampler: Sampler | None = None
    no_budget: str | None = None
    only_multiclass: bool = False

    def classifier(self) -> Classifier:
        """A new classifier, without scaler and sampler."""
        # An optimizer has a state, which no two classifiers may share.
        settings = {
            name: value.clone() if isinstance(value, optim.base.Optimizer) else value
            for name, value in self.settings.items()
        }
        classifier = self.learner(**settings)
        return classifier if self.wrapper is None else self.wrapper(classifier)

    def make(
        self, scaler: base.Transformer, is_multiclass: bool = False, budget: float | None = None
    ) -> base.Estimator:
        """A new model for a task.

        Parameters
        ----------
        scaler
            The scaler to put in front if the system needs one.
        is_multiclass
            Whether there are more than two classes.
        budget
            The share of the labels to query; None for all, or for the number that the system
            queries by itself.

        """
        model: Any = self.classifier()
        if is_multiclass and not model._multiclass:
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


def _evidence(name: str, made_for: Collection[str] = (), **settings: Any) -> System:
    return System(name, EvidenceClassifier, settings, made_for=made_for, scaled=False)


def _olsf(name: str, made_for: Collection[str] = (), **settings: Any) -> System:
    return System(name, OLSFClassifier, settings, OLSF_PAPER, made_for)


def _ofs(name: str, made_for: Collection[str] = (), **settings: Any) -> System:
    return System(name, OFSClassifier, settings, OFS_PAPER, made_for)


def _fesl(name: str, **settings: Any) -> System:
    return System(name, FESLClassifier, settings, FESL_PAPER, ("evolvable",))


def _ocds(name: str, **settings: Any) -> System:
    return System(name, OCDSClassifier, settings, OCDS_PAPER, ("capricious",))


def _flls(
    name: str,
    wrapper: Callable[[base.Classifier], Classifier] | None = None,
    **settings: Any,
) -> System:
    return System(
        name,
        OLSFClassifier,
        settings,
        FLLS_PAPER,
        wrapper=wrapper,
        sampler=_by_margin,
        no_budget=_RULE,
    )


def _drawn(name: str, learner: type[base.Classifier], **settings: Any) -> System:
    return System(name, learner, settings, FLLS_PAPER, sampler=_at_random)


def _uncertainty(strategy: str) -> System:
    return System(
        f"Uncertainty-{strategy}",
        linear_model.LogisticRegression,
        paper=UNCERTAINTY_PAPER,
        sampler=_by_uncertainty(strategy),
    )


def _svm(name: str, learner: type[base.Classifier]) -> System:
    return System(name, learner, paper=RKTS3VM_PAPER, scaled=False, no_budget=_CHUNKS)


_EVERYWHERE = ("as-is", "trapezoidal", "evolvable", "capricious")
_GROWING = ("trapezoidal",)
_PEA: dict[str, Any] = {"step": "perceptron", "update_on": "mistake", "B": 1.0, "radius": None}

SYSTEMS: Mapping[str, System] = MappingProxyType(
    {
        system.name: system
        for system in (
            _evidence(RECOMMENDED, _EVERYWHERE),
            # For runs of late labels, and for rare ones.
            _evidence("Evidence-single", mixture=False),
            _evidence("Evidence-balanced", decision="balanced"),
            System(BASELINE, linear_model.LogisticRegression, made_for=_EVERYWHERE),
            System(
                f"{BASELINE}-AdaGrad",
                linear_model.LogisticRegression,
                {"optimizer": optim.AdaGrad(0.1)},
            ),
            # For features that are present or absent: it ignores their values.
            System(
                "AdPredictor", linear_model.AdPredictor, {"beta": 1.0, "epsilon": 0.0}, scaled=False
            ),
            System("PAClassifier", linear_model.PAClassifier),
            _olsf("OLSF", _GROWING, mode=0),
            _olsf("OLSF-I", _GROWING, mode=1),
            _olsf("OLSF-II", _GROWING, mode=2),
            _olsf("OLSF-all", B=1.0),
            _olsf("OLSF-rand", selection="random", seed=0),
            _olsf("OLSF-per", step="perceptron"),
            System(
                "MulticlassOLSF", MulticlassOLSFClassifier, {}, OLSF_PAPER, only_multiclass=True
            ),
            _ofs("OFS", _GROWING),
            _ofs("OFS_P", epsilon=0.2, predict_from="observed", seed=0),
            _fesl("FESL"),
            _fesl("FESL-s", mode="select"),
            _ocds("OCDS"),
            _ocds("OCDS-o", prediction="observed"),
            _ocds("OCDS-r", prediction="reconstructed"),
            _flls("FLLS", mode=0),
            _flls("FLLS-I", mode=1),
            _flls("FLLS-II", mode=2),
            _flls("FLLS-I_SN", drift.RestartOnNewFeatures, mode=1, B=1.0),
            _drawn("RFLLS", OLSFClassifier, mode=0),
            _drawn("RFLLS-I", OLSFClassifier, mode=1),
            _drawn("RFLLS-II", OLSFClassifier, mode=2),
            _flls("PEA", **_PEA),
            _drawn("RPEA", OLSFClassifier, **_PEA),
            _drawn("RFESL", FESLClassifier, max_overlap=1, learn_intercept=False),
            _uncertainty("fixed"),
            _uncertainty("variable"),
            _uncertainty("randomised"),
            _uncertainty("split"),
            _svm("SVM", semi_supervised.SVMClassifier),
            _svm("TrSVM", semi_supervised.TrSVMClassifier),
            _svm("S3VM", semi_supervised.S3VMClassifier),
            _svm("TS3VM", semi_supervised.TS3VMClassifier),
            _svm("RK-TS3VM", semi_supervised.RKTS3VMClassifier),
        )
    }
)
