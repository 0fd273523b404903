"""How well OCDS and FESL do behind a scaler, how fast OCDS is, and whether anything diverges.

    python -m benchmarks.ocds speed
    python -m benchmarks.ocds accuracy [--data FOLDER] [--jobs 2]
    python -m benchmarks.ocds grid [--data FOLDER] [--rows 600] [--jobs 2] [--sets A B ...]

`accuracy` prints progressive accuracy over ten permutations, of 5,000-row samples of the larger
sets, given in full. `grid` runs OCDS with alpha, beta1 and beta2 from 1e-5 to 1 on shuffled data,
raw and scaled, and counts what is not finite: on all rows of sets of up to 1,300, on the first
`--rows` of larger ones, and on a quarter of that where there are more than 500 features, as a step
is of another order then. `speed` is CPU time per instance, to predict and to learn, of OCDS and of
River's logistic regression in turns: the median of five runs. Half the features of a capricious
instance are missing.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import random
import statistics
import time

import joblib
import numpy as np
from river import linear_model, preprocessing

from benchmarks import data
from river_trapezoid import stream
from river_trapezoid.linear_model import FESLClassifier, OCDSClassifier, OLSFClassifier

TWELVE = [
    "WPBC", "Ionosphere", "WDBC", "Australian", "CreditA", "WBC", "Diabetes", "German", "SVMGuide3",
    "Splice", "KrVsKp", "Magic04",
]  # fmt: skip
ALL = [*data.TABLES, "A9a", "PowerSupply", *data.TEXT]
MODELS = {
    "OCDS": OCDSClassifier,
    "OCDS without intercept": lambda: OCDSClassifier(learn_intercept=False),
    "FESL-c": FESLClassifier,
    "FESL-c without intercept": lambda: FESLClassifier(learn_intercept=False),
    "OLSF-I": OLSFClassifier,
    "LogisticRegression": linear_model.LogisticRegression,
}


def streams(instances, seed):
    n_features = len({key for x, _ in instances for key in x})
    return {
        "capricious": stream.Capricious(instances, seed=seed),
        "evolvable, split": stream.Evolvable(instances, shuffle=True, seed=seed),
        "evolvable, given": stream.Evolvable(instances),
        "evolvable, map": stream.Evolvable(instances, kind="map", seed=seed),
        "trapezoidal": stream.Trapezoidal(instances, n_features=n_features),
    }


def accuracy(name, seed):
    instances = data.shuffled(data.in_full(name), seed, 5000)
    result = {}
    for kind, rows in streams(instances, seed).items():
        models = {k: preprocessing.StandardScaler() | make() for k, make in MODELS.items()}
        right = dict.fromkeys(models, 0)
        for x, y in rows:
            for key, model in models.items():
                right[key] += model.predict_one(x) == y
                model.learn_one(x, y)
        result |= {(key, kind): right[key] / len(instances) for key in models}
    return result


def grid(name, rows):
    instances = data.shuffled(data.instances(name), 0)
    if len({key for x, _ in instances for key in x}) > 500:
        instances = instances[: rows // 4]
    elif len(instances) > 1300:
        instances = instances[:rows]
    values = [10.0**-i for i in range(6)]
    runs = bad = 0
    for kind, incomplete in streams(instances, 1).items():
        if kind not in ("capricious", "evolvable, split", "trapezoidal"):
            continue
        raw, scaler = list(incomplete), preprocessing.StandardScaler()
        scaled = []
        for x, y in raw:
            scaler.learn_one(x)
            scaled.append((scaler.transform_one(x), y))
        for table, setting in itertools.product((raw, scaled), itertools.product(values, repeat=3)):
            model = OCDSClassifier(*setting)
            fine = True
            try:
                for x, y in table:
                    fine &= math.isfinite(model.margin_one(x))
                    model.learn_one(x, y)
            except OverflowError:
                fine = False
            fine &= all(map(math.isfinite, model.weights.values()))
            fine &= bool(np.isfinite(model._graph.edges).all())
            runs += 1
            bad += not fine
    return name, runs, bad


def speed(n_features, capricious):
    """Microseconds per instance of OCDS and of logistic regression."""
    rng = random.Random(0)
    names = [f"f{i:03}" for i in range(n_features)]
    rows = []
    for _ in range(2000):
        cause = rng.gauss(0, 1)
        shown = rng.sample(names, n_features // 2) if capricious else names
        rows.append(({key: cause + rng.gauss(0, 1) for key in shown}, cause > 0))
    models = [OCDSClassifier(), linear_model.LogisticRegression()]
    seconds = [0.0, 0.0]
    for i in range(0, len(rows), 50):
        for j, model in enumerate(models):
            start = time.process_time()
            for x, y in rows[i : i + 50]:
                model.predict_one(x)
                model.learn_one(x, y)
            seconds[j] += time.process_time() - start
    return [1e6 * s / len(rows) for s in seconds]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["accuracy", "grid", "speed"])
    data.add_home(parser)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--rows", type=int, default=600)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--sets", nargs="+")
    options = parser.parse_args()
    if options.what == "speed":
        for n_features, capricious in itertools.product((60, 150), (False, True)):
            runs = [speed(n_features, capricious) for _ in range(5)]
            ours, rivers = (statistics.median(column) for column in zip(*runs, strict=True))
            times = statistics.median(a / b for a, b in runs)
            kind = "capricious" if capricious else "observed"
            print(
                f"{n_features:4} features, {kind:11} OCDS {ours:4.0f} us, "
                f"LogisticRegression {rivers:4.0f} us, {times:.1f} times"
            )
        return
    # Small products are not worth a thread, and the processes have the cores already.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    jobs = joblib.Parallel(n_jobs=options.jobs, return_as="generator")
    if options.what == "grid":
        for name, runs, bad in jobs(
            joblib.delayed(grid)(name, options.rows) for name in options.sets or ALL
        ):
            print(f"{name:15} {runs} runs, {bad} not finite", flush=True)
        return

    sets = options.sets or TWELVE
    runs = [(name, seed) for name in sets for seed in range(options.repeats)]
    results = list(jobs(joblib.delayed(accuracy)(*run) for run in runs))
    for key in results[0]:
        means = [
            statistics.fmean(
                r[key] for (own, _), r in zip(runs, results, strict=True) if own == name
            )
            for name in sets
        ]
        print(f"{key[0]:26}{key[1]:18}{statistics.fmean(means):.4f}", *(f"{m:.3f}" for m in means))


if __name__ == "__main__":
    main()
