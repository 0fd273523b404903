"""What an instance costs, as ratios measured in one run.

    python -m tests.benchmarks.speed --data FOLDER

FOLDER is a copy of the data sets, as River's data home has them. The learners take turns, block by
block, on the same instances, five times; the fastest time of a block counts, and a ratio is the
median over the blocks. Times are CPU times of learn + predict.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import random
import statistics
import time

from river import active as river_active
from river import linear_model

from river_trapezoid import active, datasets
from river_trapezoid.linear_model import OLSFClassifier

BLOCK = 200


def blocks(makers, instances, repeats=5):
    """CPU microseconds per instance of each model, block by block: the fastest of the repeats."""
    starts = range(0, len(instances) - BLOCK + 1, BLOCK)
    times = {name: [math.inf] * len(starts) for name in makers}
    for _ in range(repeats):
        models = {name: make() for name, make in makers.items()}
        for i, start in enumerate(starts):
            block = instances[start : start + BLOCK]
            for name, model in models.items():
                predict, learn = model.predict_one, model.learn_one
                begin = time.process_time()
                for x, y in block:
                    predict(x)
                    learn(x, y)
                cost = (time.process_time() - begin) / BLOCK * 1e6
                times[name][i] = min(times[name][i], cost)
    return times


def shuffled(dataset, n):
    instances = list(dataset)
    random.Random(0).shuffle(instances)
    return instances[:n]


def ratios(data):
    makers = {
        "PAClassifier": lambda: linear_model.PAClassifier(C=0.1, mode=1),
        "OLSFClassifier": lambda: OLSFClassifier(C=0.1),
        "without ball": lambda: OLSFClassifier(C=0.1, radius=None),
        "LogisticRegression": linear_model.LogisticRegression,
        "ALMAClassifier": linear_model.ALMAClassifier,
    }
    print("times faster than River's PAClassifier, learn + predict (microseconds per instance)")
    for name, instances in data.items():
        own = {k: v for k, v in makers.items() if name != "words" or k != "ALMAClassifier"}
        times = blocks(own, instances)
        cells = []
        for model, values in times.items():
            ratio = statistics.median(
                a / b for a, b in zip(times["PAClassifier"], values, strict=True)
            )
            cells.append(f"{model} {ratio:.2f} ({statistics.median(values):.1f})")
        print(f"{name:10}", *cells, sep="   ")


def sampler_costs(data):
    makers = {
        "bare": lambda: OLSFClassifier(C=0.1),
        "RandomSampler": lambda: active.RandomSampler(OLSFClassifier(C=0.1), seed=1),
        "MarginSampler": lambda: active.MarginSampler(OLSFClassifier(C=0.1), seed=1),
        "BudgetSampler": lambda: active.BudgetSampler(OLSFClassifier(C=0.1), seed=1),
        "River's EntropySampler": lambda: river_active.EntropySampler(
            OLSFClassifier(C=0.1), seed=1
        ),
    }
    print("\nmicroseconds per instance on top of the wrapped learner, learn + predict")
    for name, instances in data.items():
        times = blocks(makers, instances)
        cells = [
            f"{model} {statistics.median(a - b for a, b in zip(v, times['bare'], strict=True)):.2f}"
            for model, v in times.items()
            if model != "bare"
        ]
        print(f"{name:10}", *cells, sep="   ")


def growth():
    print("\ncost of an instance with 74 of d features, times that at d = 1,000 (microseconds)")
    makers = {
        "OLSFClassifier": OLSFClassifier,
        "PAClassifier": linear_model.PAClassifier,
    }
    first: dict[str, float] = {}
    for d in (1_000, 10_000, 100_000):
        rng = random.Random(0)
        keys = [f"k{i}" for i in range(d)]

        def draw(n, keys=keys, rng=rng):
            for _ in range(n):
                x = {key: rng.gauss(0, 1) for key in rng.sample(keys, 74)}
                yield x, sum(v for k, v in x.items() if k.endswith(("1", "4", "7"))) > 0

        models = {name: make() for name, make in makers.items()}
        for x, y in draw(max(2000, 2 * d // 74)):
            for model in models.values():
                model.learn_one(x, y)
        times = blocks({k: lambda m=m: m for k, m in models.items()}, list(draw(2000)), repeats=1)
        cells = []
        for name, values in times.items():
            cost = statistics.median(values)
            first.setdefault(name, cost)
            cells.append(f"{name} {cost / first[name]:.2f} ({cost:.1f})")
        print(f"d = {d:<9,}", *cells, sep="   ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    os.environ["RIVER_DATA"] = parser.parse_args().data
    data = {
        "spambase": shuffled(datasets.Spambase(), 4600),
        "a8a": shuffled(datasets.A8a(), 10_000),
        "words": list(itertools.islice(datasets.synth.GrowingVocabulary(seed=1), 4000)),
    }
    ratios(data)
    sampler_costs({name: data[name] for name in ("spambase", "a8a")})
    growth()


if __name__ == "__main__":
    main()
