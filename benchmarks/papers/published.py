from __future__ import annotations

import csv
import dataclasses
import functools
import importlib.resources

__all__ = ["Published", "published"]

# The figures that are not of one of the five papers have a file of their own.
APART = {"haphazard": "haphazard.csv"}


@dataclasses.dataclass(frozen=True)
class Published:
    """A figure in a table of a paper.

    Attributes
    ----------
    paper
        Name of the paper, as in `PAPERS`.
    table
        Number of the table, as printed.
    dataset
        Name of the data set.
    algorithm
        Name of the system, as in the paper.
    params
        Its parameters, as in the paper.
    metric
        The metric.
    mean
        The figure; NaN for a baseline, which has none.
    std
        Its standard deviation; None if none is printed.

    """

    paper: str
    table: str
    dataset: str
    algorithm: str
    params: str
    metric: str
    mean: float
    std: float | None

    def param(self, name: str) -> float:
        """The value of a parameter."""
        return float(dict(p.split("=") for p in self.params.split(";"))[name])


@functools.cache
def published(paper: str | None = None) -> tuple[Published, ...]:
    """The published figures, of one paper or of all five, in the order of the tables.

    `"haphazard"` has the figures of others on haphazard inputs, which are not among those of the
    five papers. Its tables are named after their sources.

    Parameters
    ----------
    paper
        Name of the paper; None for all five.

    Examples
    --------

    >>> from benchmarks import papers

    >>> len(papers.published())
    1139

    >>> papers.published("stsd")[2]
    Published(paper='stsd', table='II', dataset='german', algorithm='STSD', params='B=0.5;C=0.1;lam=30', metric='errors', mean=415.9, std=15.6)

    >>> len(papers.published("haphazard"))
    610

    """
    file = importlib.resources.files(__package__) / APART.get(paper or "", "published.csv")
    return tuple(
        Published(
            **{
                name: row[name]
                for name in ("paper", "table", "dataset", "algorithm", "params", "metric")
            },
            mean=float(row["mean"]),
            std=float(row["std"]) if row["std"] else None,
        )
        for row in csv.DictReader(file.read_text("utf-8").splitlines())
        if paper in (None, row["paper"])
    )
