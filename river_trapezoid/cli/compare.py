from __future__ import annotations

import argparse
import importlib.util
import pathlib
import sys
from collections.abc import Sequence
from typing import Any

from river import base, datasets, linear_model, metrics

import river_trapezoid
from river_trapezoid import evaluate, preprocessing, stream, weights
from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier

__all__ = ["main"]

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


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the learners and report; return the exit status.

    Parameters
    ----------
    arguments
        The arguments of the command line; those of the process by default.

    """
    parser = _parser()
    options = parser.parse_args(arguments)
    for option, module, extra in (("html", "matplotlib", "plot"), ("jobs", "joblib", "cli")):
        asked = getattr(options, option) != parser.get_default(option)
        if asked and importlib.util.find_spec(module) is None:
            parser.error(f'--{option} needs {module}: pip install "river-trapezoid[{extra}]"')
    several = options.repeats > 1
    print(
        f"Progressive validation on River's Phishing data (1,250 instances, 9 features), "
        f"{f'{options.repeats} random orders' if several else 'one random order'}; "
        "all but Evidence behind a StandardScaler.",
        f"mean ± standard deviation; + better, - worse than {BASELINE} (paired t-test, 0.05)\n"
        if several
        else "",
        sep="\n",
        file=sys.stderr,
    )
    comparison = evaluate.compare(
        models=LEARNERS,
        streams={name: STREAMS[name] for name in options.stream},
        metrics=[metrics.Accuracy(), metrics.ROCAUC()],
        repeats=options.repeats,
        seed=options.seed,
        n_points=50 if options.html else 1,
        n_jobs=options.jobs,
    )
    for metric in (*comparison.names("metric"), "seconds"):
        print(comparison.table(metric, baseline=BASELINE), end="\n\n")
    if options.csv:
        comparison.to_csv(options.csv)
        print(f"records: {options.csv}")
    if options.html:
        from .report import write_report

        write_report(options.html, comparison, BASELINE, trapezoidal(options.seed), LEARNERS[SHOWN])
        print(f"report: {options.html}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="river-trapezoid",
        description="Compare learners on a stream with a changing feature space.",
    )
    parser.add_argument(
        "--version",
        action="version",
        version=f"river-trapezoid {river_trapezoid.__version__} ({weights.KERNEL} weights)",
    )
    parser.add_argument(
        "--stream",
        nargs="+",
        choices=list(STREAMS),
        default=["trapezoidal"],
        help="how the feature space changes (default: trapezoidal)",
    )
    parser.add_argument("--repeats", type=_positive, default=10, metavar="N", help="default: 10")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="default: 0")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="processes; -1 for all cores (default: 1)"
    )
    parser.add_argument("--csv", type=_writable, metavar="FILE", help="write every record as CSV")
    parser.add_argument("--html", type=_writable, metavar="FILE", help="write a report with plots")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _writable(text: str) -> pathlib.Path:
    path = pathlib.Path(text)
    if not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {path.absolute().parent}")
    return path
