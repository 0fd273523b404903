"""The papers' systems as the command line has them."""

from __future__ import annotations

from typing import Any

from river import base

from river_trapezoid.cli.systems import SYSTEMS

__all__ = ["learner_of", "wrapped"]


def learner_of(name: str) -> tuple[str, dict[str, Any]]:
    """The name of the learner of a system, and where its parameters differ from the defaults.

    Its seed is that of the job.

    Examples
    --------

    >>> from benchmarks.papers.systems import learner_of

    >>> learner_of("OLSF-rand")
    ('OLSFClassifier', {'selection': 'random'})

    """
    system = SYSTEMS[name]
    return system.learner.__name__, {k: v for k, v in system.settings.items() if k != "seed"}


def wrapped(name: str, learner: base.Classifier) -> Any:
    """A learner in the wrapper of a system, if it has one."""
    wrapper = SYSTEMS[name].wrapper
    return learner if wrapper is None else wrapper(learner)
