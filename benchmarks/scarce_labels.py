"""Is it worth learning from unlabelled instances, where few instances have a label?

    python -m benchmarks.scarce_labels [--data FOLDER] [--csv FILE]

Progressive accuracy with 5 and 20 % of the labels, over ten random orders of Phishing and five of up
to 2,000 rows of the others: of the chunk learners and pseudo-labels, which are given the unlabelled
instances too, and of learners that skip them. The chunk learners scale within their chunks of 100,
and so have no scaler in front; the scaler in front of the others learns from all instances.
"""

from __future__ import annotations

import argparse
import statistics

from river import compose, evaluate, linear_model, metrics

from benchmarks import data
from river_trapezoid import preprocessing, semi_supervised
from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier
from river_trapezoid.semi_supervised import (
    PseudoLabelClassifier,
    RKTS3VMClassifier,
    S3VMClassifier,
    SVMClassifier,
    TrSVMClassifier,
    TS3VMClassifier,
)
from river_trapezoid.semi_supervised.base import ChunkClassifier

CHUNK = 100
# How many orders of each data set.
SETS = {"Phishing": 10, "Spambase": 5, "Magic04": 5, "German": 5}
SHARES = (0.05, 0.2)
# Whether unlabelled instances are learned from, whether there is a scaler in front, and the model.
LEARNERS = {
    "SVM": (False, False, lambda seed: SVMClassifier(CHUNK)),
    "TrSVM": (False, False, lambda seed: TrSVMClassifier(CHUNK)),
    "S3VM": (True, False, lambda seed: S3VMClassifier(CHUNK)),
    "TS3VM": (True, False, lambda seed: TS3VMClassifier(CHUNK)),
    "RK-TS3VM": (True, False, lambda seed: RKTS3VMClassifier(CHUNK, seed=seed)),
    "OLSF, pseudo-labels": (True, True, lambda seed: PseudoLabelClassifier(OLSFClassifier())),
    "OLSF": (False, True, lambda seed: OLSFClassifier()),
    "LogisticRegression": (False, True, lambda seed: linear_model.LogisticRegression()),
    "EvidenceClassifier": (False, False, lambda seed: EvidenceClassifier()),
}


def accuracy(learner: str, share: float, rows: list[data.Instance], seed: int) -> float:
    unlabelled, scale, make = LEARNERS[learner]
    model = make(seed)
    # A chunk is made of all instances, whichever of them are learned from.
    passed = unlabelled or isinstance(model, ChunkClassifier)
    model = semi_supervised.ScarceLabels(model, share, passed, seed=seed)
    if scale:
        model = preprocessing.StandardScaler() | model
    with compose.learn_during_predict():
        return evaluate.progressive_val_score(rows, model, metrics.Accuracy()).get()


def measured(sets: dict[str, int] = SETS, limit: int = 2000) -> list[dict]:
    records = []
    for name, n_orders in sets.items():
        orders = [data.shuffled(data.in_full(name), seed, limit) for seed in range(n_orders)]
        for share in SHARES:
            for learner, (unlabelled, _, _) in LEARNERS.items():
                runs = [accuracy(learner, share, rows, seed) for seed, rows in enumerate(orders)]
                records.append(
                    {"set": name, "share": share, "learner": learner}
                    | {"unlabelled": "learned from" if unlabelled else "skipped"}
                    | {"repeats": n_orders, "accuracy": statistics.fmean(runs)}
                    | {"std": statistics.stdev(runs)}
                )
                print(*records[-1].values(), flush=True)
    return records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv")
    data.add_home(parser)
    options = parser.parse_args()
    records = measured()
    if options.csv:
        data.write(options.csv, records)


if __name__ == "__main__":
    main()
