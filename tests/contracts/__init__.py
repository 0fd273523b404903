"""Checks that the estimators of the package must pass, as functions of an estimator.

Each check receives a new clone. Some are for every estimator, others for estimators of a kind; one
that does not apply to all of them declares its conditions, and is not collected for the others.
River's own checks are run as well.
"""

from __future__ import annotations

from river import base

from . import classifiers, every_kind, transformers
from .conditions import is_binary, is_not_a_wrapper
from .steps import answer, growing_stream, learn, outputs, state, trained

__all__ = [
    "KINDS",
    "answer",
    "checks_for",
    "declared",
    "growing_stream",
    "hash_seed_report",
    "is_binary",
    "is_not_a_wrapper",
    "kinds_of",
    "learn",
    "outputs",
    "state",
    "trained",
]

# The checks of each kind, beside those of every estimator.
KINDS = {base.Classifier: classifiers, base.Transformer: transformers}


def kinds_of(model):
    """The modules of checks of an estimator's kinds."""
    return [module for kind, module in KINDS.items() if isinstance(model, kind)]


def declared(module):
    """The checks of a module, by name."""
    return {name: v for name, v in sorted(vars(module).items()) if name.startswith("check_")}


def checks_for(model):
    """Yield the checks that apply to an estimator."""
    for module in (every_kind, *kinds_of(model)):
        for check in declared(module).values():
            if all(condition(model) for condition in getattr(check, "conditions", ())):
                yield check


def hash_seed_report():
    """Print the answers of every estimator, to compare processes with each other."""
    from tests.estimators import ours, seeded

    for name, model in ours():
        print(name, [repr(output) for output in outputs(seeded(model), 120)])
