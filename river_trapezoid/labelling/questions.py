from __future__ import annotations

import dataclasses
from typing import Any

from .explanations import Explanation

__all__ = ["Accuracy", "Question"]

# Of the interval.
_CONFIDENCE = 0.95


@dataclasses.dataclass(frozen=True)
class Question:
    """An instance whose label is asked for."""

    #: The number of the instance, from 0.
    index: int
    #: The instance, as it was given to the desk.
    instance: Any
    #: Whether the instance was drawn at random, to check the model.
    check: bool
    #: The class that the model predicts; None for checks, and before the model has learned two
    #: classes.
    guess: str | None = None
    #: The probability of that class.
    probability: float | None = None
    #: The sum behind the guess, with names of classes as labels; None if the model has no
    #: explanation.
    explanation: Explanation | None = None


@dataclasses.dataclass(frozen=True)
class Accuracy:
    """An estimate of the accuracy of a model, from instances drawn at random."""

    #: Number of these instances whose class was predicted.
    n_right: int
    #: Number of these instances.
    n_checks: int
    #: Lower end of Wilson's confidence interval of 95 %.
    low: float
    #: Upper end of that interval.
    high: float

    @property
    def share(self) -> float:
        """The share of the instances whose class was predicted."""
        return self.n_right / self.n_checks

    @classmethod
    def estimated(cls, n_right: int, n_checks: int) -> Accuracy:
        """Estimate the accuracy from the number of right predictions.

        Parameters
        ----------
        n_right
            Number of instances whose class was predicted.
        n_checks
            Number of instances.

        """
        # This import takes longer than everything else at the start of a session.
        from scipy import stats

        interval = stats.binomtest(n_right, n_checks).proportion_ci(_CONFIDENCE, method="wilson")
        return cls(n_right, n_checks, float(interval.low), float(interval.high))
