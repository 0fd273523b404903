from __future__ import annotations

import pathlib
import sys
from typing import Annotated, Any

import typer
from river import base, datasets, linear_model, metrics

from river_trapezoid import evaluate, preprocessing, stream
from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier

from .options import Jobs, Seed, names, require, writable

__all__ = ["compare"]

# The strongest of River's own on such streams.
BASELINE = "LogisticRegression"
SHOWN = "OLSF-I"
LEARNERS: dict[str, base.Estimator] = {
    "Evidence": EvidenceClassifier(),
    "OLSF": preprocessing.StandardScaler() | OLSFClassifier(mode=0),
    SHOWN: preprocessing.StandardScaler() | OLSFClassifier(mode=1),
    "OLSF-II": preprocessing.StandardScaler() | OLSFClassifier(mode=2),
    "PAClassifier": preprocessing.StandardScaler() | linear_model.PAClassifier(),
    BASELINE: preprocessing.StandardScaler() | linear_model.LogisticRegression(),
}


def trapezoidal(seed: int) -> stream.Trapezoidal:
    """River's Phishing data in random order, their features revealed in random order."""
    shuffled = stream.Shuffled(datasets.Phishing(), seed=seed)
    return stream.Trapezoidal(shuffled, shuffle=True, seed=seed)


def evolvable(seed: int) -> stream.Evolvable:
    """The same data, with half of the features replaced by the other half."""
    shuffled = stream.Shuffled(datasets.Phishing(), seed=seed)
    return stream.Evolvable(shuffled, shuffle=True, seed=seed)


def capricious(seed: int) -> stream.Capricious:
    """The same data, with features missing at random."""
    shuffled = stream.Shuffled(datasets.Phishing(), seed=seed)
    return stream.Capricious(shuffled, seed=seed)


STREAMS: dict[str, Any] = {s.__name__: s for s in (trapezoidal, evolvable, capricious)}


def compare(
    stream: Annotated[
        list[str],
        typer.Option(
            metavar="KIND,...",
            help=f"How the feature space changes: {', '.join(STREAMS)}.",
        ),
    ] = ["trapezoidal"],  # noqa: B006
    repeats: Annotated[
        int, typer.Option(metavar="N", min=1, help="Random orders of the data.")
    ] = 10,
    seed: Seed = 0,
    jobs: Jobs = 1,
    csv: Annotated[
        pathlib.Path | None,
        typer.Option(metavar="FILE", callback=writable, help="Write every record as CSV."),
    ] = None,
    html: Annotated[
        pathlib.Path | None,
        typer.Option(metavar="FILE", callback=writable, help="Write a report with plots."),
    ] = None,
) -> None:
    """Compare learners on a stream with a changing feature space."""
    streams = names("--stream", stream, list(STREAMS))
    if html is not None:
        require("--html", "matplotlib", "plot")
    several = repeats > 1
    print(
        f"Progressive validation on River's Phishing data (1,250 instances, 9 features), "
        f"{f'{repeats} random orders' if several else 'one random order'}; "
        "all but Evidence behind a StandardScaler.",
        f"mean ± standard deviation; + better, - worse than {BASELINE} (paired t-test, 0.05)\n"
        if several
        else "",
        sep="\n",
        file=sys.stderr,
    )
    comparison = evaluate.compare(
        models=LEARNERS,
        streams={name: STREAMS[name] for name in streams},
        metrics=[metrics.Accuracy(), metrics.ROCAUC()],
        repeats=repeats,
        seed=seed,
        n_points=50 if html else 1,
        n_jobs=jobs,
    )
    for metric in (*comparison.names("metric"), "seconds"):
        print(comparison.table(metric, baseline=BASELINE), end="\n\n")
    if csv:
        comparison.to_csv(csv)
        print(f"records: {csv}")
    if html:
        from .report import write_report

        write_report(html, comparison, BASELINE, trapezoidal(seed), LEARNERS[SHOWN])
        print(f"report: {html}")
