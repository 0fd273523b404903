"""How many labels a person has to give at a desk, and by labelling in order.

    python -m benchmarks.labelling [SET ...] [--data FOLDER] [--csv FILE]

A labeller who is never wrong labels four fifths of a data set, up to 5,000 instances; of the rest,
up to 1,000 are held out. After every fifth label the model that there would be if the labeller
stopped is tried on them. Which four fifths is drawn anew in each repeat.

| way | |
|---|---|
| in order | the file from its beginning |
| at random | the file in a random order |
| stream | the file from its beginning, what `BudgetSampler(budget=0.2)` asks for |
| desk | what `labelling.Desk` asks for, one question in ten to check the model |
| desk, no checks | the same with `check_share=0` |
| desk, fifth | the same with `check_share=0.2` |

All teach the default model of the desk, `EvidenceClassifier`. Labels needed are those after which
the accuracy is at least 95 % of that of a model that has learned all labels in a random order, five
times in a row. Some files are sorted by their labels: there, labelling in order leads nowhere.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from collections.abc import Iterator
from typing import Any

from river import datasets as river_datasets
from river import feature_extraction

from benchmarks import data
from river_trapezoid import active, labelling
from river_trapezoid.linear_model import EvidenceClassifier

SETS = ["SMSSpam", "Phishing", "Spambase", "German", "Diabetes", "Magic04", "PCMAC"]
CLASSES = ["no", "yes"]
SHARE = 0.95
EVERY = 5
IN_A_ROW = 5
MOST_LABELS = 1000
MOST_INSTANCES, MOST_HELD_OUT = 5000, 1000
SHOWN = (50, 100, 200)
REPEATS = range(10)


def rows_of(name: str) -> list[tuple[Any, bool]]:
    """Instances, texts where there are, in the order of their file."""
    if name == "SMSSpam":
        return [(x["body"].strip(), y) for x, y in river_datasets.SMSSpam()]
    return list(data.in_full(name))


def parts(rows: list[tuple[Any, bool]], seed: int) -> tuple[list, list]:
    """What is labelled, in the order of the file, and what is held out."""
    order = random.Random(seed).sample(range(len(rows)), len(rows))
    n_held_out = len(rows) // 5
    pool = sorted(order[n_held_out:][:MOST_INSTANCES])
    return [rows[i] for i in pool], [rows[i] for i in order[: min(n_held_out, MOST_HELD_OUT)]]


def new_model(rows) -> Any:
    if isinstance(rows[0][0], str):
        return feature_extraction.BagOfWords() | EvidenceClassifier()
    return EvidenceClassifier()


def one_by_one(rows) -> Iterator[Any]:
    """The model after each label."""
    model = new_model(rows)
    for x, y in rows:
        model.learn_one(x, y)
        yield model


def streamed(rows, seed: int) -> Iterator[Any]:
    sampler = active.BudgetSampler(new_model(rows), budget=0.2, seed=seed)
    for x, y in rows:
        if sampler.predict_one(x)[1]:
            sampler.learn_one(x, y)
            yield sampler.classifier


def at_a_desk(rows, seed: int, check_share: float) -> Iterator[Any]:
    desk = labelling.Desk([x for x, _ in rows], CLASSES, check_share=check_share, seed=seed)
    while desk.question is not None:
        desk.answer(CLASSES[rows[desk.question.index][1]])
        yield desk.finished_model() if desk.n_labels % EVERY == 0 else None


def ways(rows, seed: int) -> dict[str, Iterator[Any]]:
    return {
        "in order": one_by_one(rows),
        "at random": one_by_one(data.shuffled(rows, seed)),
        "stream": streamed(rows, seed),
        "desk": at_a_desk(rows, seed, 0.1),
        "desk, no checks": at_a_desk(rows, seed, 0.0),
        "desk, fifth": at_a_desk(rows, seed, 0.2),
    }


def accuracy(model, rows) -> float:
    return sum(model.predict_one(x) == y for x, y in rows) / len(rows)


def needed(curve: dict[int, float], target: float) -> float:
    """After how many labels the target is met several times in a row; infinitely many if never."""
    met = 0
    for n, value in curve.items():
        met = met + 1 if value >= target else 0
        if met == IN_A_ROW:
            return n - EVERY * (IN_A_ROW - 1)
    return math.inf


def measured(names=SETS, most: int = MOST_LABELS) -> list[dict[str, Any]]:
    records = []
    for name in names:
        rows = rows_of(name)
        for repeat in REPEATS:
            pool, held_out = parts(rows, repeat)
            *_, last = one_by_one(data.shuffled(pool, repeat))
            final = accuracy(last, held_out)
            for way, models in ways(pool, repeat).items():
                curve = {}
                for n, model in enumerate(models, start=1):
                    if n % EVERY == 0:
                        curve[n] = accuracy(model, held_out)
                    # Labels enough for the target, and for the figures that are shown.
                    done = needed(curve, SHARE * final) < math.inf and n >= max(SHOWN)
                    if done or n == most:
                        break
                records.append(
                    {"set": name, "repeat": repeat, "way": way, "pool": len(pool), "final": final}
                    | {"needed": needed(curve, SHARE * final)}
                    | {f"at {n}": curve.get(n, math.nan) for n in SHOWN}
                )
    return records


def summary(records: list[dict[str, Any]]) -> list[str]:
    """Labels needed, in the median, and in how many repeats fewer than in order; accuracies."""
    lines = []
    for name in dict.fromkeys(r["set"] for r in records):
        own = [r for r in records if r["set"] == name]
        in_order = {r["repeat"]: r["needed"] for r in own if r["way"] == "in order"}
        for way in dict.fromkeys(r["way"] for r in own):
            runs = [r for r in own if r["way"] == way]
            fewer = sum(r["needed"] < in_order[r["repeat"]] for r in runs)
            more = sum(r["needed"] > in_order[r["repeat"]] for r in runs)
            at = [100 * statistics.fmean(r[f"at {n}"] for r in runs) for n in SHOWN]
            cells = [
                f"{statistics.median(r['needed'] for r in runs):.0f}",
                f"{fewer} / {more}",
                *("" if math.isnan(value) else f"{value:.1f}" for value in at),
                f"{100 * statistics.fmean(r['final'] for r in runs):.1f}",
            ]
            lines.append(f"| {name} | {way} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sets", nargs="*", default=SETS, metavar="SET")
    data.add_home(parser)
    parser.add_argument("--csv")
    options = parser.parse_args()
    records = measured(options.sets)
    shown = " | ".join(f"after {n}" for n in SHOWN)
    print(f"| data | way | labels needed | fewer / more | {shown} | all labels |")
    print("|---" * (5 + len(SHOWN)) + "|")
    print("\n".join(summary(records)))
    if options.csv:
        data.write(options.csv, records)


if __name__ == "__main__":
    main()
