"""What it costs to save and load a model without pickle, in multiples of pickle.

    python -m benchmarks.persist [--features 1000000] [--csv FILE]

Models of many features with names of several kinds are saved and loaded by `persist` and by pickle,
protocol 5, by turns; each figure is the least of a few rounds. In memory (`dumps`, `loads`) the two
do the same work. On disk (`save`, `load`) `persist` also waits until the file is there (fsync), as
pickle does not. `memory` is how much a process that does nothing else grows when it loads the file,
as a share of what it may take: 64 MB and four times the size that the file states.
"""

from __future__ import annotations

import argparse
import pathlib
import pickle
import random
import subprocess
import sys
import tempfile
import time

from benchmarks import data
from river_trapezoid import persist
from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier

LEARNERS = {
    "OLSFClassifier": OLSFClassifier,
    "OLSFClassifier(B=1.0, radius=None)": lambda: OLSFClassifier(B=1.0, radius=None),
    "EvidenceClassifier": EvidenceClassifier,
}
KEYS = {
    "text": "feature {}".format,
    "text beyond ASCII": "Größe {}".format,
    "integers": lambda i: 7 * i,
    "bytes": lambda i: i.to_bytes(8, "big"),
    "tuples": lambda i: ("sensor", i // 100, i % 100),
}
# The most memory so far, as Linux counts it: `getrusage` counts that of the parent process as well.
MEASURE = """
import sys
from river_trapezoid import persist

def most():
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith("VmHWM"))

before = most()
model = persist.load(sys.argv[1])
print(most() - before)
"""


def trained(make, key, n_features, width=1000):
    """A model that has learned from each feature once."""
    rng = random.Random(0)
    model = make()
    for start in range(0, n_features, width):
        keys = map(key, range(start, min(start + width, n_features)))
        model.learn_one({name: rng.gauss(0.0, 1.0) for name in keys}, rng.random() < 0.5)
    return model


def least(calls, rounds):
    """The least time of each call, one after the other in each round, and what it gives."""
    times, results = [float("inf")] * len(calls), [None] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            results[i] = None
            start = time.perf_counter()
            results[i] = call()
            times[i] = min(times[i], time.perf_counter() - start)
    return times, results


def pickled(model, path):
    with open(path, "wb") as file:
        pickle.dump(model, file, 5)


def unpickled(path):
    with open(path, "rb") as file:
        return pickle.load(file)


def measured(model, folder, rounds):
    """Ratios to pickle."""
    dumps, (ours, theirs) = least(
        [lambda: persist.dumps(model), lambda: pickle.dumps(model, 5)], rounds
    )
    loads, _ = least([lambda: persist.loads(ours), lambda: pickle.loads(theirs)], rounds)
    sizes = len(ours), len(theirs)
    ours = theirs = _ = None
    a, b = folder / "ours", folder / "theirs"
    save, _ = least(
        [lambda: persist.save(model, a, verify=False), lambda: pickled(model, b)], rounds
    )
    (verified,), _ = least([lambda: persist.save(model, a)], rounds)
    load, _ = least([lambda: persist.load(a), lambda: unpickled(b)], rounds)
    _ = None
    grown = int(subprocess.check_output([sys.executable, "-c", MEASURE, str(a)]))
    allowed = 2**26 + 4 * persist.inspect(a)["memory"]
    ratios = {"dumps": dumps, "loads": loads, "save": save, "load": load, "size": sizes}
    return {
        **{name: round(ours / theirs, 2) for name, (ours, theirs) in ratios.items()},
        "memory": round(grown / allowed, 2),
        "seconds to save": round(save[0], 2),
        "seconds to save and verify": round(verified, 2),
        "seconds to load": round(load[0], 2),
        "MB": round(sizes[0] / 1e6, 1),
    }


def main(arguments: list[str] | None = None) -> list[dict]:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--csv")
    options = parser.parse_args(arguments)
    records = []
    for learner, make in LEARNERS.items():
        for kind, key in KEYS.items():
            model = trained(make, key, options.features)
            with tempfile.TemporaryDirectory() as folder:
                figures = measured(model, pathlib.Path(folder), options.rounds)
            records.append({"learner": learner, "keys": kind, **figures})
            if len(records) == 1:
                print(*records[0], sep=", ")
            print(*records[-1].values(), sep=", ", flush=True)
    if options.csv:
        data.write(options.csv, records)
    return records


if __name__ == "__main__":
    main()
