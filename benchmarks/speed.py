"""What an instance costs, as ratios measured in one run.

    python -m benchmarks.speed [--data FOLDER] [--csv FILE]

The learners take turns, block by
block, on the same instances, five times, in an order that changes from block to block; the fastest
time of a block counts, and a ratio is the median over the blocks. Times are CPU times of
learn + predict. The floor (`floor.pyx`) is what a learner in C that is called with dicts cannot do
without; it is there where Cython and a C compiler are. Vowpal Wabbit, scikit-learn and pandas take
part where they are installed.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import itertools
import math
import pathlib
import random
import statistics
import sys
import tempfile
import time

from river import active as river_active
from river import linear_model
from river import preprocessing as river_preprocessing

from benchmarks import data, rivals
from river_trapezoid import _frame, active, datasets, preprocessing, weights
from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier

BLOCK = 200
RECORDS: list[dict] = []


def blocks(makers, instances, repeats=5):
    """CPU microseconds per instance of each model, block by block: the fastest of the repeats."""
    starts = range(0, len(instances) - BLOCK + 1, BLOCK)
    times = {name: [math.inf] * len(starts) for name in makers}
    names = list(makers)
    rng = random.Random(0)
    for _ in range(repeats):
        models = {name: make() for name, make in makers.items()}
        for i, start in enumerate(starts):
            block = instances[start : start + BLOCK]
            # Whoever follows a large model finds the caches empty, so each follows every other.
            rng.shuffle(names)
            for name in names:
                predict, learn = models[name].predict_one, models[name].learn_one
                begin = time.process_time()
                for x, y in block:
                    predict(x)
                    learn(x, y)
                cost = (time.process_time() - begin) / BLOCK * 1e6
                times[name][i] = min(times[name][i], cost)
    return times


def ratio(slow, fast):
    return statistics.median(a / b for a, b in zip(slow, fast, strict=True))


def faster(times):
    """How many times faster than River's PAClassifier: cells of a report."""
    return [
        (name, ratio(times["PAClassifier"], values), statistics.median(values))
        for name, values in times.items()
    ]


def report(table, row, cells):
    """Print a row of a table, and keep it for the CSV: name, ratio, microseconds."""
    print(
        f"{row:15}", *(f"{name} {r:.2f} ({us:.2f})" for name, r, us in cells), sep="   ", flush=True
    )
    record(table, row, cells)


def record(table, row, cells):
    """Keep cells for the CSV: name, ratio, microseconds."""
    RECORDS.extend(
        {"table": table, "row": row, "name": name, "ratio": r, "microseconds": us}
        for name, r, us in cells
    )


def floor():
    """The class in `floor.pyx`, compiled; None where that is not possible."""
    try:
        from Cython.Build import cythonize
        from setuptools import Distribution
    except ImportError:
        return None
    folder = tempfile.mkdtemp()
    source = pathlib.Path(__file__).with_name("floor.pyx")
    copy = pathlib.Path(folder, source.name)
    copy.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    extensions = cythonize(str(copy), build_dir=folder, quiet=True)
    build = Distribution({"ext_modules": extensions}).get_command_obj("build_ext")
    build.build_lib = build.build_temp = folder
    build.ensure_finalized()
    build.run()
    (library,) = (path for path in pathlib.Path(folder).iterdir() if path.suffix in (".so", ".pyd"))
    spec = importlib.util.spec_from_file_location("floor", library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Floor


def ratios(streams):
    makers = {
        "PAClassifier": lambda: linear_model.PAClassifier(C=0.1, mode=1),
        "OLSFClassifier": lambda: OLSFClassifier(C=0.1),
        "without ball": lambda: OLSFClassifier(C=0.1, radius=None),
        "EvidenceClassifier": EvidenceClassifier,
        "without mixture": lambda: EvidenceClassifier(mixture=False),
        "LogisticRegression": linear_model.LogisticRegression,
        "ALMAClassifier": linear_model.ALMAClassifier,
    }
    if Floor := floor():
        makers["floor"] = Floor
    print("\ntimes faster than River's PAClassifier, learn + predict (microseconds per instance)")
    for name, instances in streams.items():
        own = {k: v for k, v in makers.items() if name != "words" or k != "ALMAClassifier"}
        fast, slow = rivals.installed() if name == "words" else ({}, {})
        times = blocks({**own, **fast}, instances)
        report("ratio", name, faster(times))
        if slow:
            slow["PAClassifier"] = makers["PAClassifier"]
            report("ratio", name, faster(blocks(slow, instances[-2 * BLOCK :], repeats=1)))
        if "floor" in times:
            ours = times["OLSFClassifier"]
            report(
                "floor", "", [("of floor", ratio(times["floor"], ours), statistics.median(ours))]
            )


def pipelines(streams):
    makers = {
        "River's scaler | PAClassifier": lambda: (
            river_preprocessing.StandardScaler() | linear_model.PAClassifier(C=0.1, mode=1)
        ),
        "scaler | OLSFClassifier": lambda: preprocessing.StandardScaler() | OLSFClassifier(C=0.1),
        "scaler | EvidenceClassifier": lambda: (
            preprocessing.StandardScaler() | EvidenceClassifier()
        ),
        "River's scaler | OLSFClassifier": lambda: (
            river_preprocessing.StandardScaler() | OLSFClassifier(C=0.1)
        ),
        "scaler | LogisticRegression": lambda: (
            preprocessing.StandardScaler() | linear_model.LogisticRegression()
        ),
        "River's scaler | LogisticRegression": lambda: (
            river_preprocessing.StandardScaler() | linear_model.LogisticRegression()
        ),
    }
    print("\ntimes faster than River's StandardScaler | PAClassifier, learn + predict")
    for name, instances in streams.items():
        times = blocks(makers, instances)
        report(
            "pipeline",
            name,
            [
                (model, ratio(times["River's scaler | PAClassifier"], t), statistics.median(t))
                for model, t in times.items()
            ],
        )
        ours, theirs = (f"{who} | LogisticRegression" for who in ("scaler", "River's scaler"))
        cell = (ours, ratio(times[theirs], times[ours]), statistics.median(times[ours]))
        report("scaler", f"{name}, as to River's", [cell])


def sampler_costs(streams):
    makers = {
        "bare": lambda: OLSFClassifier(C=0.1),
        "RandomSampler": lambda: active.RandomSampler(OLSFClassifier(C=0.1), seed=1),
        "MarginSampler": lambda: active.MarginSampler(OLSFClassifier(C=0.1), seed=1),
        "BudgetSampler": lambda: active.BudgetSampler(OLSFClassifier(C=0.1), seed=1),
        "UncertaintySampler": lambda: active.UncertaintySampler(OLSFClassifier(C=0.1), seed=1),
        "River's EntropySampler": lambda: river_active.EntropySampler(
            OLSFClassifier(C=0.1), seed=1
        ),
    }
    print("\ntimes the cost of the bare learner (microseconds per instance on top of it)")
    for name, instances in streams.items():
        times = blocks(makers, instances)
        bare = times.pop("bare")
        added = {m: statistics.median(map(float.__sub__, v, bare)) for m, v in times.items()}
        report("sampler", name, [(m, ratio(v, bare), added[m]) for m, v in times.items()])
        print("  times what MarginSampler adds")
        margin = added["MarginSampler"]
        report("sampler, to MarginSampler", name, [(m, us / margin, us) for m, us in added.items()])


def throughput(makers, n_rows, repeats=5):
    """CPU microseconds per row: what each maker makes, made and run by turns, the fastest time."""
    best = dict.fromkeys(makers, math.inf)
    for _ in range(repeats):
        for name, make in makers.items():
            run = make()
            begin = time.process_time()
            run()
            best[name] = min(best[name], (time.process_time() - begin) / n_rows * 1e6)
    return best


def mini_batches(n_dense=4000, n_sparse=10_000, sizes=(1, 100, 1000), repeats=5):
    """Frames with numbers in all 57 columns, and sparse matrices with 74 values in 47,000."""
    if not importlib.util.find_spec("pandas"):
        return
    import numpy as np
    import pandas as pd
    from scipy import sparse

    rng = np.random.default_rng(0)
    dense = pd.DataFrame(rng.normal(size=(n_dense, 57))).add_prefix("c")
    frames = {"pandas": dense, "numpy": dense.to_numpy()}
    if importlib.util.find_spec("polars"):
        import polars as pl

        frames["polars"] = pl.from_pandas(dense)
    if importlib.util.find_spec("pyarrow"):
        import pyarrow as pa

        frames["pyarrow"] = pa.Table.from_pandas(dense)
    wide = sparse.random(n_sparse, 47_000, data.N_DRAWN / 47_000, "csr", random_state=rng)
    print(
        "\nmini-batches, learn + predict, times as fast as ready-made dicts (microseconds per row)"
    )
    batches_against_dicts("57 columns", frames, list(dense), sizes, repeats, rng)
    names = [f"k{i}" for i in range(47_000)]
    batches_against_dicts("74 of 47,000 columns", {"CSR": wide}, names, sizes, repeats, rng)


def batches_against_dicts(row, frames, names, sizes, repeats, rng):
    some = next(iter(frames.values()))
    labels = rng.random(some.shape[0]) < 0.5
    instances = list(
        zip(_frame.Rows(frames.get("numpy", some), names), labels.tolist(), strict=True)
    )

    def one_by_one(make):
        def made():
            model = make()
            return lambda: [(model.predict_one(x), model.learn_one(x, y)) for x, y in instances]

        return made

    def in_batches(make, frame, size, columns, y):
        # Batches of one are slow enough that fewer of them suffice.
        n = some.shape[0] if size > 1 else min(500, some.shape[0])
        parts = [(frame[i : i + size], y[i : i + size]) for i in range(0, n, size)]
        columns = {"columns": columns} if columns else {}

        def made():
            model = make()

            def run():
                for X, y in parts:
                    model.predict_many(X, **columns)
                    model.learn_many(X, y, **columns)

            return run

        return made, n

    times = throughput({"dicts": one_by_one(OLSFClassifier)}, len(instances), repeats)
    for kind, frame in frames.items():
        columns = names if kind in ("numpy", "CSR") else None
        y = labels if columns else series_like(frame, labels)
        for size in sizes:
            made, n = in_batches(OLSFClassifier, frame, size, columns, y)
            times |= throughput({f"{kind} {size}": made}, n, repeats)
        if kind == "pandas":
            made, n = in_batches(linear_model.LogisticRegression, frame, sizes[-1], None, y)
            times |= throughput({f"River's LogisticRegression {sizes[-1]}": made}, n, repeats)
    report("mini-batch", row, [(m, times["dicts"] / us, us) for m, us in times.items()])


def series_like(frame, labels):
    """Labels as a series of the library of a frame."""
    module = importlib.import_module(type(frame).__module__.partition(".")[0])
    if module.__name__ == "pyarrow":
        return module.chunked_array([labels])
    return module.Series(labels)


def growth():
    print(f"\ncost of an instance with {data.N_DRAWN} of d features, times that at d = 1,000")
    makers = {
        "OLSFClassifier": OLSFClassifier,
        "EvidenceClassifier": EvidenceClassifier,
        "PAClassifier": linear_model.PAClassifier,
        "LogisticRegression": linear_model.LogisticRegression,
    }
    sizes = (1_000, 10_000, 100_000, 1_000_000)
    for law in ("uniform", "zipf"):
        # The sizes take turns, so that a machine that slows down for a while slows all of them.
        times = {name: {d: [] for d in sizes} for name in makers}
        for name, make in makers.items():
            models = {d: make() for d in sizes}
            streams = {d: data.drawn(d, law) for d in sizes}
            for d in sizes:
                for x, y in itertools.islice(streams[d], max(2000, 2 * d // data.N_DRAWN)):
                    models[d].learn_one(x, y)
            for _ in range(15):
                for d in sizes:
                    block = list(itertools.islice(streams[d], BLOCK))
                    times[name][d] += blocks({name: lambda m=models[d]: m}, block, 1)[name]
        for d in sizes:
            cells = [(n, ratio(t[d], t[1_000]), statistics.median(t[d])) for n, t in times.items()]
            report("growth", f"{law} {d:,}", cells)


def memory():
    print("\nbytes per kept feature beside the keys")
    for d in (1_000, 10_000, 100_000):
        cells = []
        for B in (0.5, 1.0, d // 10):
            model = OLSFClassifier(B=B)
            for x, y in itertools.islice(data.drawn(d, "uniform"), 5 * d // data.N_DRAWN):
                model.learn_one(x, y)
            keys = model._weights.__getstate__()[4] or model.weights
            held = model._raw_memory_usage - OLSFClassifier(B=B)._raw_memory_usage
            held -= sum(map(sys.getsizeof, keys))
            cells.append(f"B={B}: {held / len(model.weights):.0f}")
            record("memory", str(d), [(f"B={B}", held / len(model.weights), 0.0)])
        print(f"{d:<15,}", *cells, sep="   ", flush=True)


def crafted(n=40_000, repeats=9):
    print(f"\nan instance of {n:,} integers, times that of random ones")
    # What collides where a hash is multiplied by this constant and cut to its middle bits.
    inverse = pow(0x9E3779B97F4A7C15, -1, 2**64)
    rng = random.Random(0)
    keys = {
        "random": [rng.randrange(2**61 - 1) for _ in range(n)],
        "crafted": list(
            itertools.islice(
                (h for i in itertools.count() if (h := i * inverse % 2**64) < 2**61 - 1), n
            )
        ),
        "in high bits": [i << 44 for i in range(n)],
    }
    times = {}
    for _ in range(repeats):
        for name, some in keys.items():
            model, x = OLSFClassifier(), dict.fromkeys(some, 1.0)
            begin = time.process_time()
            model.learn_one(x, True)
            times.setdefault(name, []).append((time.process_time() - begin) * 1e6)
    cells = [(name, ratio(t, times["random"]), min(t)) for name, t in times.items()]
    report("crafted keys", f"{n:,}", cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    data.add_home(parser)
    parser.add_argument("--csv")
    options = parser.parse_args()
    print(f"{weights.KERNEL} weights")
    streams = {
        "spambase": data.shuffled(data.instances("Spambase"), 0, 4600),
        "a8a": data.shuffled(data.instances("A8a"), 0, 10_000),
        "words": list(itertools.islice(datasets.synth.GrowingVocabulary(seed=1), 4000)),
    }
    ratios(streams)
    pipelines(streams)
    sampler_costs({name: streams[name] for name in ("spambase", "a8a")})
    mini_batches()
    growth()
    memory()
    crafted()
    if options.csv:
        data.write(options.csv, RECORDS)


if __name__ == "__main__":
    main()
