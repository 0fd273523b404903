"""Small benchmarks for comparison between two commits.

    python -m benchmarks.micro --save FILE
    python -m benchmarks.micro --against FILE [--factor 1.3]

Each is timed right after a loop of River's PAClassifier and counted in multiples of that, so that
neither the speed of the machine nor what else it does matters much: the median of many rounds, in
CPU time. With `--against`, the exit code is 1 if one has become slower by more than the factor.
Build the extension anew between the commits: `python setup.py build_ext --inplace`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import pathlib
import pickle
import statistics
import sys
import time

from river import linear_model

from benchmarks import data
from river_trapezoid import active, preprocessing, weights
from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier
from river_trapezoid.weights import SparseWeights


def each(method):
    """Call a method of the model with each instance."""

    def run(model, instances):
        call = getattr(model, method)
        for x, _ in instances:
            call(x)

    return run


def learn(model, instances):
    for x, y in instances:
        model.learn_one(x, y)


def step(model, instances):
    for x, y in instances:
        _, ask = model.predict_one(x)
        if ask:
            model.learn_one(x, y)


def predict_and_learn(model, instances):
    for x, y in instances:
        model.predict_one(x)
        model.learn_one(x, y)


def update(model, instances):
    for x, y in instances:
        model.update(x, 0.1 if y else -0.1, 30.0)


def round_trip(model, instances):
    for _ in range(10):
        pickle.loads(pickle.dumps(model))


def benchmarks(size):
    """Name, model as a pickle, what to do with it, and the instances to do it with."""
    tables = list(data.table(6 * size))
    words = list(itertools.islice(data.drawn(20_000, "zipf"), 6 * size))

    def trained(model, instances, do=learn):
        do(model, instances[size:])
        return pickle.dumps(model)

    for name, instances in (("table", tables), ("words", words)):
        block = instances[:size]
        model = trained(OLSFClassifier(), instances)
        for method in ("predict_one", "predict_proba_one", "debug_one"):
            yield f"{method} {name}", model, each(method), block
        yield f"learn_one {name}", model, learn, block
        sampler = trained(active.MarginSampler(OLSFClassifier(), seed=1), instances)
        yield f"MarginSampler {name}", sampler, step, block
        evidence = trained(EvidenceClassifier(), instances)
        yield f"EvidenceClassifier predict_one {name}", evidence, each("predict_one"), block
        yield f"EvidenceClassifier learn_one {name}", evidence, learn, block
        truncated = trained(SparseWeights(budget=0.2), instances, update)
        yield f"update and truncate {name}", truncated, update, block
        yield f"10 pickles {name}", model, round_trip, block
    pipeline = trained(preprocessing.StandardScaler() | OLSFClassifier(), tables)
    yield "StandardScaler | OLSF", pipeline, predict_and_learn, tables[:size]


def measure(size, rounds):
    """How many times the cost of an instance of River's PAClassifier each benchmark has."""
    calibration = list(data.table(size))
    plain = pickle.dumps(linear_model.PAClassifier())

    def cost(model, run, instances):
        model = pickle.loads(model)
        begin = time.process_time()
        run(model, instances)
        return max(1e-9, time.process_time() - begin)

    ratios: dict[str, list[float]] = {}
    cases = list(benchmarks(size))
    for _ in range(rounds):
        for name, model, run, instances in cases:
            unit = cost(plain, predict_and_learn, calibration)
            ratios.setdefault(name, []).append(cost(model, run, instances) / unit)
    return {name: statistics.median(values) for name, values in ratios.items()}


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", type=pathlib.Path)
    parser.add_argument("--against", type=pathlib.Path)
    parser.add_argument("--factor", type=float, default=1.3)
    parser.add_argument("--size", type=int, default=300, help="instances in a round")
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args(arguments)
    before = json.loads(options.against.read_text(encoding="utf-8")) if options.against else {}
    now = measure(options.size, options.rounds)
    slower = []
    print(f"{weights.KERNEL} weights; times the cost of River's PAClassifier")
    for name, cost in now.items():
        change = cost / before[name] if name in before else None
        told = "" if change is None else f"{change:8.2f} times what it was"
        print(f"{name:40}{cost:8.3f}{told}", flush=True)
        if change is not None and change > options.factor:
            slower.append(name)
    if options.save:
        options.save.write_text(json.dumps(now, indent=1), encoding="utf-8")
    if slower:
        print(f"slower by more than {options.factor}: {', '.join(slower)}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
