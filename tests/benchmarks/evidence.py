"""How EvidenceClassifier compares, on every binary data set and kind of stream.

    python -m tests.benchmarks.evidence PART [SET ...] [--data FOLDER] [--csv FILE]

Progressive accuracy over five random orders; a difference is that of a model from
EvidenceClassifier, with paired tests. Models have their default parameters, but for OLSF-I on text,
which goes without its ball. PART is one of: `tables`, samples of up to 5,000 rows, given in full,
streamed in three ways; `ours`, the same with the other learners of this package, but for
MulticlassOLSFClassifier, which is OLSF where there are two classes; `trees`, the same with up to
2,000 rows, for slow models; `text`, all rows but for 4,000 reviews, as they are, since a vocabulary
grows by itself; `labels`, trapezoidal and capricious streams of up to 2,000 rows, of which 2 to
20 % of the labels are learned from. The file is written after each data set, and data sets that
are in it already are not run again.
"""

from __future__ import annotations

import argparse
import csv
import os
import statistics

from river import forest, linear_model, metrics, naive_bayes, tree
from river import preprocessing as pre

from river_trapezoid import active, evaluate, stream
from river_trapezoid.linear_model import (
    EvidenceClassifier,
    FESLClassifier,
    OCDSClassifier,
    OFSClassifier,
    OLSFClassifier,
)
from tests.benchmarks import data

EVIDENCE = "EvidenceClassifier"
LOGISTIC = "StandardScaler | LogisticRegression"
HELD_OUT = [
    "Ionosphere", "WBC", "German", "Splice", "DNA", "Magic04", "A8a", "PhishingLIBSVM", "Vote",
]  # fmt: skip
TABLES = [*HELD_OUT, *(name for name in data.TABLES if name not in HELD_OUT)]
BUDGETS = (0.02, 0.05, 0.1, 0.2)

KINDS = {
    "trapezoidal": lambda rows, seed: stream.Trapezoidal(rows, shuffle=True, seed=seed),
    "evolvable": lambda rows, seed: stream.Evolvable(rows, shuffle=True, seed=seed),
    "capricious": lambda rows, seed: stream.Capricious(rows, seed=seed),
}


def sample(name: str, seed: int, limit: int) -> list:
    return data.shuffled(data.in_full(name), seed, limit)


def streams(name: str, kinds: list[str], limit: int) -> dict:
    return {
        f"{name} {kind}": lambda seed, kind=kind: KINDS[kind](sample(name, seed, limit), seed)
        for kind in kinds
    }


def tables(name: str) -> list[dict]:
    models = {
        EVIDENCE: EvidenceClassifier(),
        LOGISTIC: pre.StandardScaler() | linear_model.LogisticRegression(),
        "StandardScaler | PAClassifier": pre.StandardScaler() | linear_model.PAClassifier(),
        "StandardScaler | OLSF-I": pre.StandardScaler() | OLSFClassifier(),
        "GaussianNB": naive_bayes.GaussianNB(),
    }
    return compare(models, streams(name, list(KINDS), 5000))


def ours(name: str) -> list[dict]:
    learners = {
        "OLSF-I": OLSFClassifier(),
        "OLSF-II": OLSFClassifier(mode=2),
        "OFS": OFSClassifier(),
        "OFS_P": OFSClassifier(epsilon=0.2, seed=1),
        "OCDS": OCDSClassifier(),
        "FESL": FESLClassifier(),
    }
    models: dict = {EVIDENCE: EvidenceClassifier()}
    models |= {f"StandardScaler | {key}": pre.StandardScaler() | m for key, m in learners.items()}
    return compare(models, streams(name, list(KINDS), 5000))


def trees(name: str) -> list[dict]:
    models = {
        EVIDENCE: EvidenceClassifier(),
        LOGISTIC: pre.StandardScaler() | linear_model.LogisticRegression(),
        "HoeffdingTree": tree.HoeffdingTreeClassifier(),
        "ARF": forest.ARFClassifier(seed=1),
        "AMF": forest.AMFClassifier(seed=1),
    }
    return compare(models, streams(name, list(KINDS), 2000))


def text(name: str) -> list[dict]:
    models = {
        EVIDENCE: EvidenceClassifier(),
        "LogisticRegression": linear_model.LogisticRegression(),
        LOGISTIC: pre.StandardScaler() | linear_model.LogisticRegression(),
        "PAClassifier": linear_model.PAClassifier(),
        "OLSF-I": OLSFClassifier(radius=None),
        "MultinomialNB": naive_bayes.MultinomialNB(),
    }
    limit = 4000 if name == "IMDB" else 10_000
    return compare(models, {name: lambda seed: sample(name, seed, limit)})


def labels(name: str) -> list[dict]:
    learners = {
        EVIDENCE: EvidenceClassifier(),
        LOGISTIC: pre.StandardScaler() | linear_model.LogisticRegression(),
        "StandardScaler | OLSF-I": pre.StandardScaler() | OLSFClassifier(),
    }
    rows = streams(name, ["trapezoidal", "capricious"], 2000)
    outcome = []
    for budget in BUDGETS:
        for sampler in (active.BudgetSampler, active.RandomSampler):
            models = {name: sampler(model, budget, seed=1) for name, model in learners.items()}
            outcome += [
                {**row, "stream": f"{row['stream']} {sampler.__name__} {budget}"}
                for row in compare(models, rows)
            ]
    return outcome


def compare(models: dict, rows: dict) -> list[dict]:
    comparison = evaluate.compare(models, rows, [metrics.Accuracy()], repeats=5, progress=False)
    return comparison.summary(baseline=EVIDENCE)


def report(rows: list[dict], title: str) -> None:
    """Print the accuracy of each model, and how EvidenceClassifier compares with it."""
    cells: dict[str, dict[str, dict]] = {}
    for row in rows:
        cells.setdefault(row["stream"], {})[row["model"]] = row
    models = list(next(iter(cells.values())))
    print(f"{title:44}", *(f"{model[-18:]:>19}" for model in models))
    for place, own in cells.items():
        values = [
            f"{own[m]['mean']:.4f} ± {own[m]['std']:.4f} {own[m]['verdict'] or ' '}" for m in models
        ]
        print(f"{place:44}", *(f"{value:>19}" for value in values))
    for model in models[1:]:
        gains = [-own[model]["difference"] for own in cells.values()]
        verdicts = [own[model]["verdict"] for own in cells.values()]
        print(
            f"{EVIDENCE} over {model}: mean {statistics.fmean(gains):+.4f}, "
            f"median {statistics.median(gains):+.4f}, wins {verdicts.count('-')}, "
            f"ties {verdicts.count('')}, losses {verdicts.count('+')}"
        )


def read(path: str | None) -> list[dict]:
    if path is None or not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        rows: list[dict] = list(csv.DictReader(file))
    for row in rows:
        for field in ("mean", "std", "difference"):
            row[field] = float(row[field])
    return rows


def main() -> None:
    parts = {
        "tables": (tables, TABLES),
        "ours": (ours, TABLES),
        "trees": (trees, TABLES),
        "text": (text, data.TEXT),
        "labels": (labels, HELD_OUT),
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=parts)
    parser.add_argument("sets", nargs="*", help="names of data sets; all by default")
    parser.add_argument("--csv")
    data.add_home(parser)
    options = parser.parse_args()
    rows = read(options.csv)
    done = {row["stream"].split()[0] for row in rows}
    part, sets = parts[options.part]
    for name in options.sets or sets:
        if name not in done:
            rows += part(name)
            if options.csv:
                data.write(options.csv, rows)
    nine = [row for row in rows if row["stream"].split()[0] in HELD_OUT]
    if nine and len(nine) < len(rows):
        report(nine, "nine data sets")
    report(rows, "all")


if __name__ == "__main__":
    main()
