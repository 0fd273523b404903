from __future__ import annotations

import dataclasses
import functools
import math
import sys
import warnings
from collections.abc import Mapping
from typing import Any

from river import base, compose

from river_trapezoid import evaluate
from river_trapezoid.preprocessing.table_scaler import TableScaler

from .data import Data
from .failure import Failure
from .streams import KINDS, stream_of
from .systems import BASELINE, CREDIT

__all__ = ["Outcome", "Protocol"]


@dataclasses.dataclass(frozen=True)
class Protocol:
    """How learners are compared: everything that is needed to repeat the comparison.

    Parameters
    ----------
    data
        The data.
    models
        The learners by name, for each kind of stream.
    metrics
        The metrics by name.
    repeats
        The number of runs of each learner; 1 where nothing is random.
    seed
        The seed of the first run.
    delay
        The number of rows after which a label arrives; None for no delay.
    budget
        The share of the labels that each learner may query; None for all.

    """

    data: Data
    models: Mapping[str, Mapping[str, base.Estimator]]
    metrics: Mapping[str, Any]
    repeats: int
    seed: int
    delay: int | None = None
    budget: float | None = None

    def run(self, jobs: int = 1, n_points: int = 1) -> Outcome:
        """Compare the learners; an interrupt ends the comparison with what is finished.

        Parameters
        ----------
        jobs
            The number of processes.
        n_points
            The number of points of the learning curves.

        """
        comparison = evaluate.Comparison([], [])
        for kinds in _together(self.models):
            try:
                with warnings.catch_warnings():
                    # The outcome has the failures, and shows them.
                    warnings.filterwarnings("ignore", message="model .* failed on stream")
                    part = evaluate.compare(
                        models=self.models[kinds[0]],
                        streams={
                            kind: stream_of(self.data.dataset, kind, self.data.shuffled)
                            for kind in kinds
                        },
                        metrics=self.metrics,
                        repeats=self.repeats,
                        seed=self.seed,
                        n_points=n_points,
                        n_jobs=jobs,
                        progress=sys.stderr.isatty(),
                        delay=self.delay,
                        learn_during_predict=True,
                        majority=True,
                    )
            except evaluate.Interrupted as interrupt:
                comparison = _joined(comparison, interrupt.comparison)
                return Outcome(self, comparison, self._interruption(comparison, interrupt))
            except (RuntimeError, ValueError) as error:
                raise Failure(str(error).partition("\n")[0], 1) from None
            comparison = _joined(comparison, part)
        return Outcome(self, comparison)

    def _interruption(
        self, comparison: evaluate.Comparison, interrupt: evaluate.Interrupted
    ) -> tuple[str, ...]:
        if not comparison.records:
            return ("interrupted",)
        lines = ["interrupted; the results so far:"]
        for record in interrupt.unfinished[-1:]:
            rows = f"{record['step']:,} of {self.data.dataset.n_samples:,} rows"
            lines.append(f"{record['model']} ({record['stream']}) has seen {rows}")
        return tuple(lines)

    def learners(self) -> dict[str, str]:
        """Each learner with its parameters, as a line of Python."""
        return {
            name: described(model)
            for models in self.models.values()
            for name, model in models.items()
        }

    def record(self) -> dict[str, Any]:
        """The protocol as plain data."""
        return {
            "data": self.data.record,
            "streams": list(self.models),
            "learners": self.learners(),
            "metrics": list(self.metrics),
            "shuffle": self.data.shuffled,
            "repeats": self.repeats,
            "seed": self.seed,
            "delay": self.delay,
            "budget": self.budget,
        }

    def facts(self) -> dict[str, str]:
        """The facts to report about the protocol, by subject."""
        facts = {"data": self.data.name, **self.data.facts}
        facts |= {f"stream {kind}": KINDS[kind] for kind in self.models}
        if self.data.shuffled:
            facts["order of the rows"] = "random"
        if self.delay is not None:
            facts["labels arrive"] = f"{self.delay:,} rows late"
        if self.budget is not None:
            facts["labels to learn from"] = (
                f"a share of {self.budget:g}, which are queried, and up to {CREDIT} more before row "
                f"{math.ceil(4 * CREDIT / self.budget):,}"
            )
        facts["repeats"] = str(self.repeats)
        last = self.seed + self.repeats - 1
        facts["seed"] = str(self.seed) if last == self.seed else f"{self.seed} to {last}"
        return facts


def _together(models: Mapping[str, Mapping[str, Any]]) -> list[list[str]]:
    """The kinds of streams, grouped by their learners, so that a group has one progress bar."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for kind, learners in models.items():
        groups.setdefault(tuple(learners), []).append(kind)
    return list(groups.values())


def _joined(one: evaluate.Comparison, other: evaluate.Comparison) -> evaluate.Comparison:
    """Both comparisons as one, with the majority as the last line of each table."""
    records = sorted(
        one.records + other.records, key=lambda record: record["model"] == evaluate.MAJORITY
    )
    return evaluate.Comparison(records, one.failures + other.failures)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The outcome of a comparison.

    Parameters
    ----------
    protocol
        How the learners were compared.
    comparison
        The records and failures.
    interruption
        The lines about an interrupt; empty if there was none.

    """

    protocol: Protocol
    comparison: evaluate.Comparison
    interruption: tuple[str, ...] = ()

    @functools.cached_property
    def baseline(self) -> str | None:
        """The learner that the others are tested against, if it took part."""
        return BASELINE if BASELINE in self.comparison.names("model") else None

    @functools.cached_property
    def summary(self) -> list[dict[str, Any]]:
        """The summary of the comparison; empty without records."""
        return self.comparison.summary(self.baseline) if self.comparison.records else []

    def legend(self) -> list[str]:
        """The meaning of the signs that occur in the tables."""
        lines = []
        if evaluate.MAJORITY in self.comparison.names("model"):
            lines.append(f"{evaluate.MAJORITY}: the most frequent label so far, without learning")
        if "ROCAUC" in self.comparison.names("metric"):
            lines.append("ROCAUC: exact up to fine bins, where River's has ten thresholds")
        if any(row["repeats"] > 1 for row in self.summary):
            lines.append("mean ± standard deviation")
        if self.baseline is not None and not all(
            math.isnan(row["t_pvalue"]) for row in self.summary
        ):
            lines.append(f"+ better, - worse than {self.baseline} (paired t-test, 0.05)")
        return lines


def described(thing: Any) -> str:
    """An estimator with its parameters, as a line of Python."""
    if isinstance(thing, compose.Pipeline):
        return " | ".join(map(described, thing.steps.values()))
    if isinstance(thing, TableScaler):
        return f"TableScaler({len(thing.numbers):,} numbers)"
    if isinstance(thing, base.Base):
        # Estimators among the parameters are given as recipes, so look the attribute up.
        parameters = ", ".join(
            f"{name}={described(getattr(thing, name, value))}"
            for name, value in thing._get_params().items()
        )
        return f"{type(thing).__name__}({parameters})"
    return str(getattr(thing, "__name__", None) or repr(thing))
