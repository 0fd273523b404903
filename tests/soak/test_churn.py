"""Long streams whose features come once and never again."""

from __future__ import annotations

import gc
import math
import pathlib
import random
import resource
import statistics
import time
import tracemalloc

import pytest

from river_trapezoid import active, linear_model

N_BLOCKS = 20
# So many features are there at a time, and after so many instances one is replaced.
WIDTH, PAUSE = 200, 5


def churning(n, seed=0):
    """Instances of eight features each, drawn from names that are replaced one by one."""
    rng = random.Random(seed)
    names = [f"feature {i}" for i in range(WIDTH)]
    for t in range(n):
        if t % PAUSE == 0:
            names[rng.randrange(WIDTH)] = f"feature {WIDTH + t}"
        drawn = rng.sample(range(WIDTH), 8)
        x = {names[i]: rng.random() - 0.5 for i in drawn}
        yield x, sum(x.values()) + 0.2 * rng.random() > 0.1


def norm_drift(model):
    """How far the norm that is kept is from that of the weights, relative to it."""
    weights = model._weights
    if getattr(weights, "order", 0) == 0:
        return 0.0
    values = weights.to_dict().values()
    exact = math.fsum(map(abs, values))
    if weights.order == 2:
        exact = math.sqrt(math.fsum(value * value for value in values))
    return abs(weights.norm - exact) / exact


def resident():
    """Bytes of memory that the process has, or has had at most where that is all there is to know."""
    try:
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()
    except OSError:
        return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def soak(model, n, used):
    """Learn from many instances, and report seconds, memory and drift block by block."""
    learner = getattr(model, "classifier", model)
    seconds, memory, drift = [], [], []
    block = n // N_BLOCKS
    stream = churning(n)
    for _ in range(N_BLOCKS):
        # Made beforehand, so that the clock sees the learner only.
        taken = 0.0
        for start in range(0, block, 10_000):
            rows = [next(stream) for _ in range(min(10_000, block - start))]
            began = time.process_time()
            for x, y in rows:
                model.predict_one(x)
                model.learn_one(x, y)
            taken += time.process_time() - began
        gc.collect()
        seconds.append(taken)
        memory.append(used())
        if hasattr(learner, "_weights"):
            drift.append(norm_drift(learner))
    return seconds, memory, drift


LEARNERS = {
    "olsf": lambda: linear_model.OLSFClassifier(B=300),
    "olsf, random": lambda: linear_model.OLSFClassifier(B=100, selection="random", seed=1),
    "ofs": lambda: linear_model.OFSClassifier(B=300),
    "evidence": lambda: linear_model.EvidenceClassifier(B=300, max_pairs=200),
    "sampler": lambda: active.BudgetSampler(linear_model.OLSFClassifier(B=300), seed=1),
    "ocds": lambda: linear_model.OCDSClassifier(max_features=30),
}


def check(name, n, used):
    seconds, memory, drift = soak(LEARNERS[name](), n, used)
    assert max(drift, default=0.0) < 1e-9
    # The first blocks fill the tables, and let the allocator find its size.
    growth = max(memory[N_BLOCKS // 2 :]) - max(memory[: N_BLOCKS // 2])
    return seconds, growth, max(drift, default=0.0)


@pytest.mark.parametrize("name", LEARNERS)
def test_memory_and_norm_stay_where_they_are(name):
    tracemalloc.start()
    try:
        n = 3000 if name in ("ocds", "olsf, random") else 6000
        _, growth, _ = check(name, n, lambda: tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert growth < 50_000, growth


@pytest.mark.long
@pytest.mark.parametrize("name", ["olsf", "ofs", "evidence", "sampler"])
def test_ten_million_instances(name):
    seconds, growth, drift = check(name, 10_000_000, resident)
    early = statistics.median(seconds[1 : N_BLOCKS // 2])
    late = statistics.median(seconds[N_BLOCKS // 2 :])
    print(f"{name}: {late / early:.3f} times the time, {growth:,} bytes more, drift {drift:.2g}")
    assert growth < 2_000_000, growth
    # The clock of a machine that others use as well is not exact.
    assert late < 1.3 * early
