"""How good the probabilities of EvidenceClassifier and of its baselines are.

    python -m benchmarks.probabilities [STREAM ...] [--data FOLDER] [--csv FILE] [--report FILE]

Every instance is predicted before its label is learned, in five random orders of up to 10,000
rows, or five seeds of a generator. The streams:

- SMSSpam, PhishingLIBSVM, A8a and KrVsKp, as their files have them, and the first 300 instances of
  each alone;
- "A8a, 1 % positive": the same with most of its positive instances left out, also with Evidence
  in RandomOverSampler, which repeats positive instances until they are half of those learned;
- Agrawal: 10,000 instances with another concept after every 2,500, and "Agrawal, after switches":
  the first 500 instances after each of these switches alone.

For each run the file has the accuracy, the log-loss, the Brier score, the expected calibration
error in ten bins, and the calibration error to expect from chance alone, if every probability was
right ("chance"). The costs are the means per instance where a missed positive costs 5 and a false
alarm 1: with the threshold 1/2, with the threshold 1/6 that follows from the costs, and with the
best threshold for the run, chosen in hindsight.

Runs that are in the file are not repeated. `--report FILE` prints the means of a file.
"""

from __future__ import annotations

import argparse
import csv
import functools
import math
import os
import random
import statistics
from collections.abc import Callable, Iterator
from typing import Any

from river import base, imblearn, metrics

from benchmarks import data, evidence
from benchmarks.evidence_learners import (
    AD_PREDICTOR,
    ADAGRAD,
    EVIDENCE,
    LEARNERS,
    LOGISTIC,
    OF_WORDS,
    WITHOUT_MIXTURE,
)
from river_trapezoid.metrics import BrierScore, ExpectedCalibrationError

NAMES = [EVIDENCE, WITHOUT_MIXTURE, LOGISTIC, ADAGRAD, AD_PREDICTOR]
OVERSAMPLED = "Evidence, oversampled"
RARE_STREAM = "A8a, 1 % positive"
REPEATS = 5
LIMIT = 10_000
MISSED, FALSE_ALARM = 5.0, 1.0
SWITCH, AFTER = 2500, 500
FIRST = 300
RARE = 0.01


def of_file(name: str, seed: int) -> list[data.Instance]:
    return data.shuffled(data.instances(name), seed, LIMIT)


def rare(name: str, seed: int) -> list[data.Instance]:
    """A random order with as many positive instances as make up one in a hundred."""
    rows = data.shuffled(data.instances(name), seed)
    negative = [row for row in rows if row[1] != 1]
    n_negative = min(len(negative), round(LIMIT * (1 - RARE)))
    n_positive = round(n_negative * RARE / (1 - RARE))
    kept = [row for row in rows if row[1] == 1][:n_positive] + negative[:n_negative]
    random.Random(seed).shuffle(kept)
    return kept


STREAMS: dict[str, Callable[[int], list[data.Instance]]] = {
    **{
        name: functools.partial(of_file, name)
        for name in ("SMSSpam", "PhishingLIBSVM", "A8a", "KrVsKp")
    },
    RARE_STREAM: lambda seed: rare("A8a", seed),
    "Agrawal": lambda seed: evidence.generated(seed, "Agrawal"),
}
AFTER_SWITCHES = "Agrawal, after switches"


def learner(name: str, stream: str) -> base.Classifier:
    """A new learner; on sparse data, logistic regression has no scaler in front of it."""
    if name == OVERSAMPLED:
        model = LEARNERS[EVIDENCE]()
        return imblearn.RandomOverSampler(model, {False: 0.5, True: 0.5}, seed=1)
    if stream != "Agrawal" and name == ADAGRAD:
        return OF_WORDS[ADAGRAD]()
    if stream != "Agrawal" and name == LOGISTIC:
        return OF_WORDS["LogisticRegression"]()
    return LEARNERS[name]()


def predictions(model: base.Classifier, rows: list[data.Instance]) -> Iterator[tuple[bool, float]]:
    """The label of each instance and the probability that was predicted for True."""
    for x, y in rows:
        yield y == 1, float(model.predict_proba_one(x).get(True, 0.0))
        model.learn_one(x, y)


def measures(pairs: list[tuple[bool, float]]) -> dict[str, float]:
    log_loss, brier, calibration = metrics.LogLoss(), BrierScore(), ExpectedCalibrationError()
    variances = [0.0] * calibration.n_bins
    for y, p in pairs:
        for metric in (log_loss, brier, calibration):
            metric.update(y, {True: p, False: 1.0 - p})
        variances[min(int(p * len(variances)), len(variances) - 1)] += p * (1.0 - p)
    # The mean absolute value of a normal variable with these variances.
    chance = sum(math.sqrt(2.0 * variance / math.pi) for variance in variances) / len(pairs)
    by_cost = FALSE_ALARM / (FALSE_ALARM + MISSED)
    return {
        "accuracy": statistics.fmean((p > 0.5) == y for y, p in pairs),
        "log_loss": log_loss.get(),
        "brier_score": brier.get(),
        "calibration_error": calibration.get(),
        "chance": chance,
        "cost_at_half": cost(pairs, 0.5),
        "cost_by_costs": cost(pairs, by_cost),
        "cost_in_hindsight": least_cost(pairs),
    }


def cost(pairs: list[tuple[bool, float]], threshold: float) -> float:
    """The mean cost if an instance with a probability above a threshold is taken for positive."""
    return statistics.fmean(
        (FALSE_ALARM if not y else 0.0) if p > threshold else (MISSED if y else 0.0)
        for y, p in pairs
    )


def least_cost(pairs: list[tuple[bool, float]]) -> float:
    """The mean cost with the best of all thresholds."""
    ranked = sorted(pairs, key=lambda pair: pair[1])
    # All are taken for positive at first, and then those with the smallest probabilities are not.
    total = least = FALSE_ALARM * sum(not y for y, _ in ranked)
    for i, (y, p) in enumerate(ranked):
        total += MISSED if y else -FALSE_ALARM
        if i + 1 == len(ranked) or ranked[i + 1][1] > p:
            least = min(least, total)
    return least / len(ranked)


def run(stream: str, name: str, seed: int) -> Iterator[dict[str, Any]]:
    pairs = list(predictions(learner(name, stream), STREAMS[stream](seed)))
    parts = {stream: pairs}
    if stream == "Agrawal":
        after = [pair for i, pair in enumerate(pairs) if i >= SWITCH and i % SWITCH < AFTER]
        parts[AFTER_SWITCHES] = after
    elif stream != RARE_STREAM:
        parts[f"{stream}, first {FIRST}"] = pairs[:FIRST]
    for part, own in parts.items():
        start = {"stream": part, "learner": name, "seed": seed, "rows": len(own)}
        yield start | {"positive": statistics.fmean(y for y, _ in own)} | measures(own)


def read(path: str | None) -> list[dict[str, Any]]:
    if path is None or not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [
            {
                key: value if key in ("stream", "learner") else float(value)
                for key, value in row.items()
            }
            | {"seed": int(row["seed"]), "rows": int(row["rows"])}
            for row in csv.DictReader(file)
        ]


def report(rows: list[dict[str, Any]]) -> None:
    """Print the mean of each measure."""
    names = [name for name in rows[0] if name not in ("stream", "learner", "seed", "rows")]
    for stream in dict.fromkeys(row["stream"] for row in rows):
        of_stream = [row for row in rows if row["stream"] == stream]
        print(f"\n{stream:28}", *(f"{name.replace('_', ' '):>18}" for name in names))
        for name in dict.fromkeys(row["learner"] for row in of_stream):
            own = [row for row in of_stream if row["learner"] == name]
            means = {key: statistics.fmean(row[key] for row in own) for key in names}
            print(f"{name:28}", *(f"{means[key]:18.4f}" for key in names))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("streams", nargs="*", help="names of streams; all by default")
    parser.add_argument("--csv", help="the file of the runs")
    parser.add_argument("--report", metavar="FILE", help="print the means of a file, run nothing")
    data.add_home(parser)
    options = parser.parse_intermixed_args(arguments)
    for stream in options.streams:
        if stream not in STREAMS:
            parser.error(f"STREAM must be one of {', '.join(STREAMS)}; got {stream!r}")
    rows = read(options.report or options.csv)
    if not options.report:
        done = {(row["stream"], row["learner"], row["seed"]) for row in rows}
        for stream in options.streams or STREAMS:
            for name in [*NAMES, OVERSAMPLED] if stream == RARE_STREAM else NAMES:
                for seed in range(REPEATS):
                    if (stream, name, seed) not in done:
                        rows.extend(run(stream, name, seed))
                if options.csv:
                    data.write(options.csv, rows)
    report(rows)


if __name__ == "__main__":
    main()
