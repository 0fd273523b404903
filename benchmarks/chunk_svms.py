"""How the chunk SVMs do on the drifting hyperplane of their paper.

    python -m benchmarks.chunk_svms [--csv FILE]

Mean accuracy on the next chunk over 40 chunks of 500 instances with 4 features, of which 10 % have
a label and whose weights move with a probability of 10 %: of each SVM, and of those with a tail for
several lengths of it.
"""

from __future__ import annotations

import argparse
import statistics

from river import metrics

from benchmarks import data
from river_trapezoid import datasets, evaluate, semi_supervised
from river_trapezoid.semi_supervised import (
    RKTS3VMClassifier,
    S3VMClassifier,
    SVMClassifier,
    TrSVMClassifier,
    TS3VMClassifier,
)

CHUNK = 500
SEEDS = range(5)
TAILS = (0.1, 0.3, 0.5, 0.9)


def accuracy(model, seed: int, n_chunks: int = 40) -> float:
    rows = datasets.synth.DriftingHyperplane(
        chunk_size=CHUNK, n_samples=n_chunks * CHUNK, seed=seed
    )
    scarce = semi_supervised.ScarceLabels(model, ratio=0.1, seed=seed)
    return statistics.fmean(evaluate.chunk_val_score(rows, scarce, metrics.Accuracy(), CHUNK))


def measured(n_chunks: int = 40) -> list[dict]:
    makers: dict = {
        ("SVM", ""): lambda seed: SVMClassifier(CHUNK),
        ("S3VM", ""): lambda seed: S3VMClassifier(CHUNK),
    }
    for tail in TAILS:
        makers |= {
            ("TrSVM", tail): lambda seed, tail=tail: TrSVMClassifier(CHUNK, tail=tail),
            ("TS3VM", tail): lambda seed, tail=tail: TS3VMClassifier(CHUNK, tail=tail),
            ("RK-TS3VM", tail): lambda seed, tail=tail: RKTS3VMClassifier(
                CHUNK, tail=tail, seed=seed
            ),
        }
    records = []
    for (name, tail), make in makers.items():
        runs = [accuracy(make(seed), seed, n_chunks) for seed in SEEDS]
        records.append(
            {"learner": name, "tail": tail, "repeats": len(runs)}
            | {"accuracy": statistics.fmean(runs), "std": statistics.stdev(runs)}
        )
        print(*records[-1].values(), flush=True)
    return records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv")
    options = parser.parse_args()
    records = measured()
    if options.csv:
        data.write(options.csv, records)


if __name__ == "__main__":
    main()
