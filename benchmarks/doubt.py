"""Doubt after an inversion, and its price where no labels are inverted.

    python -m benchmarks.doubt [--data FOLDER] [--csv FILE]

Phishing in five random orders, and five blocks of 3,000 instances of Elec2 and of Weather in the
order of time, each as it is and with all labels inverted half-way. With all labels, and with a tenth
of them. Instances are scaled as in `label_budget`, but for `EvidenceClassifier`.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
from typing import Any

from river import drift as river_drift

from benchmarks import data
from benchmarks.label_budget import scaled
from benchmarks.label_limits import BUDGET, LEARNERS, a_seed
from river_trapezoid import active, drift

ORDERS = range(5)
BLOCK = 3000
SETS = ["Phishing", "Elec2", "Weather"]
INVERTED = {False: "as it is", True: "inverted"}


def retraining(detector, background=False):
    return lambda c: river_drift.DriftRetrainingClassifier(c, detector(), background)


WRAPPERS: dict[str, Any] = {
    "alone": lambda c: c,
    "Challenged": drift.ChallengedClassifier,
    "Challenged, lead=10": lambda c: drift.ChallengedClassifier(c, lead=10),
    "ADWIN": retraining(river_drift.ADWIN),
    "PageHinkley": retraining(lambda: river_drift.PageHinkley(mode="up")),
    "DDM": retraining(river_drift.binary.DDM, background=True),
}
SAMPLERS: dict[str, Any] = {
    "all labels": lambda c, seed: active.RandomSampler(c, 1.0, exact=True, seed=seed),
    "random": lambda c, seed: active.RandomSampler(c, BUDGET, exact=True, seed=seed),
    "BudgetSampler": lambda c, seed: active.BudgetSampler(c, BUDGET, seed=seed),
    "doubting": lambda c, seed: active.BudgetSampler(
        c, BUDGET, credit=15, power=3, seed=seed, doubting=True
    ),
}
COMBINATIONS = [
    *itertools.product(["all labels", "random"], WRAPPERS),
    *itertools.product(["BudgetSampler", "doubting"], ["alone", "Challenged"]),
]


def rows_of(name: str, order: int) -> list[data.Instance]:
    if name == "Phishing":
        return data.shuffled(data.instances(name), order)
    return list(data.real_stream(name)[order * BLOCK : (order + 1) * BLOCK])


def measure(name: str, learner: str, order: int, inverted: bool) -> list[dict[str, Any]]:
    """The accuracy in each half of a stream, for each sampler and wrapper."""
    rows = rows_of(name, order)
    if learner != "Evidence":
        rows, _ = scaled(rows, [])
    half = len(rows) // 2
    seed = a_seed(name, learner, order)
    records = []
    for sampler, wrapper in COMBINATIONS:
        model = SAMPLERS[sampler](WRAPPERS[wrapper](LEARNERS[learner](seed)), seed)
        correct = [0, 0]
        for i, (x, y) in enumerate(rows):
            truth = y if i < half or not inverted else not y
            label, ask = model.predict_one(x)
            correct[i >= half] += label == truth
            if ask:
                model.learn_one(x, truth)
        records.append(
            {"set": name, "stream": INVERTED[inverted], "learner": learner, "order": order}
            | {"sampler": sampler, "wrapper": wrapper}
            | {"first half": correct[0] / half, "second half": correct[1] / (len(rows) - half)}
        )
    return records


def report(records: list[dict[str, Any]]) -> None:
    print("accuracy in the second half, per cent, mean over sets and orders:", *LEARNERS)
    for stream, (sampler, wrapper) in itertools.product(INVERTED.values(), COMBINATIONS):
        cells = [
            statistics.fmean(
                r["second half"]
                for r in records
                if (r["stream"], r["learner"]) == (stream, learner)
                and (r["sampler"], r["wrapper"]) == (sampler, wrapper)
            )
            for learner in LEARNERS
        ]
        print(f"{stream:10}{sampler:16}{wrapper:22}", *(f"{100 * c:6.1f}" for c in cells))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    data.add_home(parser)
    parser.add_argument("--csv")
    options = parser.parse_args()
    records = [
        record
        for task in itertools.product(SETS, LEARNERS, ORDERS, INVERTED)
        for record in measure(*task)
    ]
    if options.csv:
        data.write(options.csv, records)
    report(records)


if __name__ == "__main__":
    main()
