"""Which scaler suits which kind of data.

    python -m benchmarks.scalers [--data FOLDER] [--csv FILE]

Progressive accuracy behind no scaler, River's scaler, and ours with and without centring, of three
linear learners: on dense tables, on features that are present or absent (one-hot encoded categories
and binary attributes, as their sparse formats have them), and on counts of words. Up to 2,000 rows
of each, in three orders.
"""

from __future__ import annotations

import argparse
import statistics

from river import evaluate, linear_model, metrics
from river import preprocessing as river_preprocessing

from benchmarks import data
from river_trapezoid import preprocessing
from river_trapezoid.linear_model import OLSFClassifier

KINDS = {
    "dense": [
        "Australian", "Diabetes", "German", "Ionosphere", "Magic04", "SVMGuide3", "Spambase",
        "WBC", "WDBC", "WPBC",
    ],
    "present or absent": ["A8a", "CreditA", "DNA", "KrVsKp", "PhishingLIBSVM", "Splice", "Vote"],
    "counts of words": ["SMSSpam", "PCMAC", "BaseHock", "IMDB"],
}  # fmt: skip
SCALERS = {
    "none": lambda: None,
    "River's": river_preprocessing.StandardScaler,
    "StandardScaler()": preprocessing.StandardScaler,
    "StandardScaler(with_mean=False)": lambda: preprocessing.StandardScaler(with_mean=False),
}
LEARNERS = {
    "OLSF-I": OLSFClassifier,
    "OLSF-I without ball": lambda: OLSFClassifier(radius=None, learn_intercept=True),
    "LogisticRegression": linear_model.LogisticRegression,
}
ORDERS = range(3)


def accuracy(scaler, learner, rows) -> float:
    model = learner if scaler is None else scaler | learner
    return evaluate.progressive_val_score(rows, model, metrics.Accuracy()).get()


def measured(kinds=KINDS, limit: int = 2000) -> list[dict]:
    records = []
    for kind, names in kinds.items():
        for name in names:
            source = data.in_full(name) if kind == "dense" else data.instances(name)
            for order in ORDERS:
                rows = data.shuffled(source, order, limit)
                for learner, make_learner in LEARNERS.items():
                    for scaler, make_scaler in SCALERS.items():
                        records.append(
                            {"kind": kind, "dataset": name, "order": order, "learner": learner}
                            | {"scaler": scaler}
                            | {"accuracy": accuracy(make_scaler(), make_learner(), rows)}
                        )
    return records


def summary(records) -> list[str]:
    """Mean accuracy of each scaler by kind of data and learner, in per cent, and the worst set."""
    lines = []
    for kind in dict.fromkeys(r["kind"] for r in records):
        for learner in LEARNERS:
            cells = []
            for scaler in SCALERS:
                found: dict[str, list[float]] = {}
                for r in records:
                    if (r["kind"], r["learner"], r["scaler"]) == (kind, learner, scaler):
                        found.setdefault(r["dataset"], []).append(float(r["accuracy"]))
                means = [statistics.fmean(runs) for runs in found.values()]
                cells.append(f"{100 * statistics.fmean(means):.1f} ({100 * min(means):.1f})")
            lines.append(f"| {kind} | {learner} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    data.add_home(parser)
    parser.add_argument("--csv")
    options = parser.parse_args()
    records = measured()
    print(f"| data | learner | {' | '.join(SCALERS)} |")
    print("|---" * (2 + len(SCALERS)) + "|")
    print("\n".join(summary(records)))
    if options.csv:
        data.write(options.csv, records)


if __name__ == "__main__":
    main()
