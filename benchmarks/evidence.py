"""How EvidenceClassifier compares with River's learners and with the others of this package.

    python -m benchmarks.evidence PART [SET ...] [--data FOLDER] [--csv FILE] [--jobs 2]
                                        [--learners NAME ...]

PART is one of

- `all`: every label is learned from. 18 tables, given in full, in random order, as trapezoidal,
  evolvable and capricious streams of up to 5,000 rows; and of up to 2,000 rows with trees and
  forests, which are slow: AMF and ARF come last, and `--learners` leaves them out.
- `ours`: the same streams of up to 5,000 rows, with the other learners of this package, but for
  MulticlassOLSFClassifier, which is OLSF where there are two classes.
- `text`: all rows but for 4,000 reviews, as they are, since a vocabulary grows by itself.
- `few`: 20 to 500 labels, on trapezoidal streams of nine tables with up to 2,000 rows. "random":
  the labels are drawn at random, and all instances are predicted, each before its label is seen.
  "first": the labels are those of the first instances, and the model then predicts the others
  without learning, though the stream gets features that it has never seen; tables with too few
  rows are left out.
- `drift`: 10,000 rows of River's generators, with concepts that drift or switch every 2,500 rows or
  with interactions of features, and real streams in their order.
- `delay`: the first 20,000 rows of real streams, with labels that come up to 1,000 instances late.
- `multiclass`: more than two classes.

Unless stated otherwise, predictions are made before the label is seen, and runs are repeated over
five random orders or seeds, ten with few labels; real streams are run once. Learners have their default parameters, but
for OLSF-I on text, which goes without its ball. LR is StandardScaler | LogisticRegression, ADWIN LR
the same, started anew where ADWIN finds that its errors have changed; LR AdaGrad is
StandardScaler | LogisticRegression(AdaGrad(0.1)), without the scaler on text; AdPredictor is
AdPredictor(beta=1, epsilon=0); HAT is HoeffdingAdaptiveTreeClassifier. "The best baseline" is the
most accurate rival on a stream, chosen in hindsight. Seconds are those of learning and predicting, labels and
probabilities both; of learning alone where the first labels are learned from.

The file has a line for each run, and is written as they come. Runs that are in it are not made
again, but for those of the learners that are named.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import functools
import itertools
import os
import statistics
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from river import active, base, metrics
from river import datasets as river_datasets
from river.datasets import synth
from scipy import stats

from benchmarks import data
from benchmarks.evidence_learners import (
    AD_PREDICTOR,
    ADAGRAD,
    EVIDENCE,
    LEARNERS,
    LOGISTIC,
    OF_CLASSES,
    OF_WORDS,
    OURS,
    TREES,
    WITHOUT_MIXTURE,
    WITHOUT_PAIRS,
)
from river_trapezoid import datasets, evaluate, stream
from river_trapezoid.metrics import BrierScore, ExpectedCalibrationError

HELD_OUT = [
    "Ionosphere", "WBC", "German", "Splice", "DNA", "Magic04", "A8a", "PhishingLIBSVM", "Vote",
]  # fmt: skip
TABLES = [*HELD_OUT, *(name for name in data.TABLES if name not in HELD_OUT)]
LABELS = (20, 50, 100, 200, 500)
DELAYS = (0, 10, 100, 1000)


METRICS = {
    "accuracy": metrics.Accuracy(),
    "balanced_accuracy": metrics.BalancedAccuracy(),
    # Exact, as its window is longer than any stream; River's ROCAUC has a few thresholds.
    "auc": metrics.RollingROCAUC(window_size=1_000_000),
    "log_loss": metrics.LogLoss(),
    "brier_score": BrierScore(),
    "calibration_error": ExpectedCalibrationError(),
}
OF_CLASSES_METRICS = {
    "accuracy": metrics.Accuracy(),
    "balanced_accuracy": metrics.BalancedAccuracy(),
    "log_loss": metrics.CrossEntropy(),
}
KEY = ("group", "stream", "learner", "seed")
Row = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Block:
    """Some learners on some streams, which are compared with others of the same group."""

    group: str
    streams: dict[str, Any]
    learners: dict[str, Callable[[], base.Classifier]]
    repeats: int = 5
    delay: int | None = None
    metrics: dict[str, Any] = dataclasses.field(default_factory=lambda: METRICS)


def named(*names: str) -> dict[str, Callable[[], base.Classifier]]:
    return {name: LEARNERS[name] for name in names}


def sample(name: str, seed: int, limit: int) -> list[data.Instance]:
    return data.shuffled(data.in_full(name), seed, limit)


KINDS: dict[str, Callable] = {
    "trapezoidal": lambda rows, seed: stream.Trapezoidal(rows, shuffle=True, seed=seed),
    "evolvable": lambda rows, seed: stream.Evolvable(rows, shuffle=True, seed=seed),
    "capricious": lambda rows, seed: stream.Capricious(rows, seed=seed),
}


def streams(name: str, limit: int) -> dict[str, Any]:
    return {
        f"{name} {kind}": lambda seed, kind=kind: KINDS[kind](sample(name, seed, limit), seed)
        for kind in KINDS
    }


def all_labels(name: str) -> Iterator[Block]:
    rivals = named(
        EVIDENCE, WITHOUT_PAIRS, LOGISTIC, ADAGRAD, AD_PREDICTOR, "ADWIN LR", "AMF", "ARF"
    )
    yield Block("up to 5,000 rows", streams(name, 5000), rivals)
    rivals = named(EVIDENCE, LOGISTIC, ADAGRAD, AD_PREDICTOR, *TREES)
    yield Block("up to 2,000 rows", streams(name, 2000), rivals)


def ours(name: str) -> Iterator[Block]:
    yield Block("up to 5,000 rows", streams(name, 5000), OURS)


def text(name: str) -> Iterator[Block]:
    limit = 4000 if name == "IMDB" else 10_000
    yield Block("words", {name: functools.partial(sample, name, limit=limit)}, OF_WORDS)


def few_labels(name: str) -> Iterator[Block]:
    n_rows = min(2000, len(data.in_full(name)))

    def trapezoidal(seed: int) -> list[data.Instance]:
        return list(KINDS["trapezoidal"](sample(name, seed, n_rows), seed))

    def divided(seed: int, n: int) -> evaluate.HoldOut:
        rows = trapezoidal(seed)
        return evaluate.HoldOut(rows[:n], rows[n:])

    few = EVIDENCE, WITHOUT_MIXTURE, LOGISTIC, ADAGRAD, AD_PREDICTOR
    for n in LABELS:
        asking = {
            rival: lambda make=make, n=n: SomeLabels(make(), min(n, n_rows), n_rows, seed=1)
            for rival, make in named(*few, *TREES).items()
        }
        yield Block(f"{n} random labels", {f"{name} trapezoidal": trapezoidal}, asking, repeats=10)
        if n < n_rows:
            place = {f"{name} trapezoidal": functools.partial(divided, n=n)}
            yield Block(f"first {n} labels", place, named(*few), repeats=10)


class SomeLabels(active.base.ActiveLearningClassifier):
    """Asks for a number of labels, at random places of a stream whose length is known."""

    def __init__(
        self, classifier: base.Classifier, n_labels: int, n_rows: int, seed: int | None = None
    ):
        super().__init__(classifier, seed)
        self.n_labels = n_labels
        self.n_rows = n_rows
        self._places = set(self._rng.sample(range(n_rows), n_labels))
        self._n_seen = 0

    def _ask_for_label(self, x, y_pred) -> bool:
        self._n_seen += 1
        return self._n_seen - 1 in self._places


def switching(make: Callable, concepts: Iterable[int], seed: int) -> Iterator[data.Instance]:
    """2,500 rows of each concept."""
    for i, concept in enumerate(concepts):
        yield from make(classification_function=concept, seed=10 * seed + i).take(2500)


GENERATORS: dict[str, Callable[[int], Iterable]] = {
    "Agrawal": lambda seed: switching(synth.Agrawal, (0, 1, 2, 3), seed),
    "Mixed": lambda seed: switching(synth.Mixed, (0, 1, 0, 1), seed),
    "Sine": lambda seed: switching(synth.Sine, (0, 1, 2, 3), seed),
    "STAGGER": lambda seed: switching(synth.STAGGER, (0, 1, 2, 0), seed),
    "SEA": lambda seed: synth.SEA(seed=seed).take(10_000),
    "Hyperplane": lambda seed: synth.Hyperplane(
        seed=seed, n_drift_features=10, mag_change=0.001
    ).take(10_000),
    "RandomRBFDrift": lambda seed: synth.RandomRBFDrift(
        seed_model=seed, seed_sample=seed, change_speed=0.0001, n_drift_centroids=50
    ).take(10_000),
    "RandomTree": lambda seed: synth.RandomTree(seed_tree=seed, seed_sample=seed).take(10_000),
}


def generated(seed: int, name: str) -> list[data.Instance]:
    return [(x, bool(y)) for x, y in GENERATORS[name](seed)]


def drifting(name: str) -> Iterator[Block]:
    linear = LOGISTIC, ADAGRAD, AD_PREDICTOR, "ADWIN LR"
    rivals = named(EVIDENCE, WITHOUT_PAIRS, WITHOUT_MIXTURE, *linear, *TREES)
    if name in GENERATORS:
        yield Block("generators", {name: functools.partial(generated, name=name)}, rivals)
    else:
        yield Block("real streams", {name: data.real_stream(name)}, rivals, repeats=1)


def delayed(name: str) -> Iterator[Block]:
    rows = data.real_stream(name)[:20_000]
    rivals = named(EVIDENCE, WITHOUT_MIXTURE, LOGISTIC)
    for delay in DELAYS:
        group = f"labels {delay:,} instances late"
        yield Block(group, {name: rows}, rivals, repeats=1, delay=delay or None)


def of_classes(name: str) -> Iterator[Block]:
    rows = CLASSES[name]()
    in_time = name == "PowerSupply"
    place = {name: rows if in_time else functools.partial(data.shuffled, rows)}
    yield Block("classes", place, OF_CLASSES, 1 if in_time else 5, metrics=OF_CLASSES_METRICS)


CLASSES: dict[str, Callable[[], list[data.Instance]]] = {
    "ImageSegments": lambda: list(river_datasets.ImageSegments()),
    "DNA": lambda: list(data.with_zeros(list(datasets.DNA(part="all", classes=None)), sparse=True)),
    "PowerSupply": lambda: list(datasets.PowerSupply(binary=False)),
}


PARTS: dict[str, tuple[Callable[[str], Iterator[Block]], list[str]]] = {
    "all": (all_labels, TABLES),
    "ours": (ours, TABLES),
    "text": (text, data.TEXT),
    "few": (few_labels, HELD_OUT),
    "drift": (drifting, [*GENERATORS, *data.REAL_STREAMS]),
    "delay": (delayed, ["Elec2", "Weather"]),
    "multiclass": (of_classes, list(CLASSES)),
}


def run(block: Block, learners: Iterable[str], jobs: int = 1) -> list[Row]:
    """A row for each run of the learners on the streams of a block."""
    comparison = evaluate.compare(
        {name: block.learners[name]() for name in learners},
        block.streams,
        block.metrics,
        repeats=block.repeats,
        delay=block.delay,
        n_jobs=jobs,
        progress=False,
    )
    rows: dict[tuple, Row] = {}
    for record in comparison.final():
        key = block.group, record["stream"], record["model"], record["repeat"]
        row = dict(zip(KEY, key, strict=True))
        row |= {"rows": record["step"], **dict.fromkeys(METRICS, ""), "seconds": record["seconds"]}
        rows.setdefault(key, row)[record["metric"]] = record["value"]
    return list(rows.values())


def report(rows: list[Row], held_out: Iterable[str] = HELD_OUT) -> None:
    """Print the means of each group, and how EvidenceClassifier compares with each learner."""
    for group in dict.fromkeys(row["group"] for row in rows):
        own = [row for row in rows if row["group"] == group]
        places = list(dict.fromkeys(row["stream"] for row in own))
        summary(own, f"{group}, {len(places)} streams")
        nine = [row for row in own if row["stream"].split()[0] in held_out]
        n_places = len({row["stream"] for row in nine})
        if 1 < n_places < len(places):
            summary(nine, f"{group}, {n_places} streams of the nine tables")
        if len(places) < 10:
            accuracies(own)


def summary(rows: list[Row], title: str) -> None:
    print(f"\n{title:44}", *(f"{name.replace('_', ' '):>18}" for name in (*METRICS, "seconds")))
    by_learner = values(rows, "accuracy")
    for learner in by_learner:
        means = []
        for name in (*METRICS, "seconds"):
            found = values(rows, name).get(learner)
            means.append(mean(mean(runs.values()) for runs in found.values()) if found else "")
        print(f"{learner:44}", *(f"{m:18.4f}" if m != "" else f"{m:18}" for m in means))
    if EVIDENCE not in by_learner:
        return
    for learner in by_learner:
        if learner != EVIDENCE:
            versus(rows, learner, [learner])
    baselines = [learner for learner in by_learner if not learner.startswith(EVIDENCE)]
    if len(baselines) > 1:
        versus(rows, f"the best baseline ({', '.join(baselines)})", baselines)


def versus(rows: list[Row], title: str, rivals: list[str]) -> None:
    gains, verdicts = against(rows, *rivals)
    lost = [place for place, verdict in verdicts.items() if verdict == "lost"]
    counts = ", ".join(
        f"{list(verdicts.values()).count(verdict)} {verdict}"
        for verdict in ("won", "level", "lost", "untested")
    )
    print(
        f"{EVIDENCE} over {title}: mean {100 * mean(gains.values()):+.2f}, "
        f"median {100 * statistics.median(gains.values()):+.2f} points; {counts}"
        + (f" ({', '.join(lost)})" if lost else "")
    )


def against(rows: list[Row], *rivals: str) -> tuple[dict[str, float], dict[str, str]]:
    """By how much EvidenceClassifier is more accurate on each stream, and the verdict.

    With several rivals, the comparison is with the one that is most accurate on the stream. Paired
    over the runs that both have made; a stream is won or lost by the t-test at 0.05.
    """
    by_learner = values(rows, "accuracy")
    gains, verdicts = {}, {}
    for place, own in by_learner[EVIDENCE].items():
        found = [by_learner[rival].get(place, {}) for rival in rivals]
        paired = [runs for runs in found if runs.keys() & own.keys()]
        if not paired:
            continue
        best = max(paired, key=lambda runs: mean(runs.values()))
        differences = [own[seed] - best[seed] for seed in best if seed in own]
        gains[place] = mean(differences)
        verdicts[place] = "untested"
        if len(differences) > 1:
            constant = max(differences) - min(differences) < 1e-9
            p = 1.0 if constant else stats.ttest_1samp(differences, 0.0).pvalue
            verdicts[place] = "level" if p >= 0.05 else "won" if gains[place] > 0 else "lost"
    return gains, verdicts


def accuracies(rows: list[Row]) -> None:
    """Print a line for each stream."""
    by_learner = values(rows, "accuracy")
    print(f"{'accuracy':32}", *(f"{learner[-16:]:>17}" for learner in by_learner))
    for place in dict.fromkeys(row["stream"] for row in rows):
        found = [own.get(place) for own in by_learner.values()]
        cells = (f"{100 * mean(runs.values()):17.1f}" if runs else f"{'':17}" for runs in found)
        print(f"{place:32}", *cells)


def values(rows: list[Row], name: str) -> dict[str, dict[str, dict[int, float]]]:
    """A column by learner, stream and seed."""
    found: dict[str, dict[str, dict[int, float]]] = {}
    for row in rows:
        if row[name] != "":
            runs = found.setdefault(row["learner"], {}).setdefault(row["stream"], {})
            runs[row["seed"]] = row[name]
    return found


def mean(numbers: Iterable[float]) -> float:
    return statistics.fmean(numbers)


def read(path: str | None) -> list[Row]:
    if path is None or not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        rows: list[Row] = list(csv.DictReader(file))
    for row in rows:
        row |= {field: int(row[field]) for field in ("seed", "rows")}
        # Runs of earlier versions lack the metrics that were added since.
        row |= {f: float(row[f]) if row.get(f) else "" for f in (*METRICS, "seconds")}
    return rows


def merged(rows: list[Row], others: list[Row]) -> list[Row]:
    """The rows, with others in place of those of the same run."""
    found = {tuple(row[field] for field in KEY): row for row in (*rows, *others)}
    return list(found.values())


def missing(block: Block, rows: list[Row]) -> list[str]:
    """The learners of a block of which not every run is among the rows."""
    done = {tuple(row[field] for field in KEY) for row in rows}
    return [
        learner
        for learner in block.learners
        if any(
            (block.group, place, learner, seed) not in done
            for place, seed in itertools.product(block.streams, range(block.repeats))
        )
    ]


def add_options(parser: argparse.ArgumentParser, learners: Iterable[str]) -> None:
    parser.add_argument("sets", nargs="*", help="names of data sets; all by default")
    parser.add_argument("--csv", help="the file of the runs")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--learners",
        nargs="+",
        metavar="NAME",
        choices=learners,
        help=f"run these only, and anew: {', '.join(learners)}",
    )
    data.add_home(parser)


def measured(
    part: Callable[[str], Iterator[Block]],
    sets: Iterable[str],
    path: str | None = None,
    jobs: int = 1,
    learners: list[str] | None = None,
) -> list[Row]:
    """The rows of a file and of the runs that it lacks, which are added to it."""
    rows = read(path)
    for name in sets:
        for block in part(name):
            wanted = missing(block, rows) if learners is None else learners
            # One by one, so that what a slow learner takes is not lost with it.
            for learner in wanted:
                if learner in block.learners:
                    rows = merged(rows, run(block, [learner], jobs))
                    if path:
                        data.write(path, rows)
    return rows


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=PARTS)
    add_options(parser, [*(LEARNERS | OURS | OF_WORDS | OF_CLASSES)])
    options = parser.parse_intermixed_args(arguments)
    part, sets = PARTS[options.part]
    for name in options.sets:
        if name not in sets:
            parser.error(f"{options.part} has no data set {name}; it has {', '.join(sets)}")
    report(measured(part, options.sets or sets, options.csv, options.jobs, options.learners))


if __name__ == "__main__":
    main()
