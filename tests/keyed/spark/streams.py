"""Rows of several keys, what a plain loop makes of them, and files for Spark to read them from."""

from __future__ import annotations

import collections
import json
import os
import random

from river_trapezoid import active, linear_model, persist, preprocessing
from river_trapezoid.keyed import ModelPerKey, Row

SAMPLER = active.BudgetSampler(
    preprocessing.StandardScaler() | linear_model.EvidenceClassifier(), budget=0.6, seed=1
)
SCHEMA = "key string, order long, id string, features map<string, double>, label boolean"


def batches(n, size, n_keys, seed=0):
    """Micro-batches of rows, out of order within each; labels come at once, later, or never."""
    rng = random.Random(seed)
    found, order, late = [], 0, []
    for _ in range(n):
        batch = []
        for _ in range(size):
            order += 1
            key = f"pump {rng.randrange(n_keys)}"
            if late and rng.random() < 0.3:
                key, name, label = late.pop(rng.randrange(len(late)))
                batch.append((key, Row(order, None, label, name)))
                continue
            x = {f: rng.gauss(0, 1) for f in "abcdef" if rng.random() < 0.7}
            label = sum(x.values()) + rng.gauss(0, 0.5) > 0
            if rng.random() < 0.05:
                x["broken"] = float("inf")
            name = f"row {order}" if rng.random() < 0.5 else None
            if name:
                late.append((key, name, label))
            batch.append((key, Row(order, x, None if name else label, name)))
        rng.shuffle(batch)
        found.append(batch)
    return found


def plain_loop(step, found):
    """The state of each key, and the answers, each with its key before it."""
    rows = collections.defaultdict(list)
    for batch in found:
        for key, row in batch:
            rows[key].append(row)
    states, answers = {}, []
    for key in rows:
        states[key], own = step.run(None, rows[key])
        answers += [(key, *answer) for answer in own]
    return states, sorted(answers)


def write(folder, found, first=0):
    """A file of JSON lines for each micro-batch, the one older than the next."""
    folder.mkdir(exist_ok=True)
    for i, batch in enumerate(found, start=first):
        rows = [{"key": key, **row._asdict()} for key, row in batch]
        path = folder / f"{i:04}.json"
        path.with_suffix(".tmp").write_text("".join(json.dumps(row) + "\n" for row in rows))
        os.utime(path.with_suffix(".tmp"), (i + 1, i + 1))
        path.with_suffix(".tmp").rename(path)


def content(state):
    """What a state has counted and waits for, and what it answers and learns from here on.

    Its bytes would not do: the order in which they list the features depends on when the model was
    last loaded.
    """
    queue = persist.loads(state)
    rng = random.Random(1)
    ahead = [Row(i, {f: rng.gauss(0, 1) for f in "abcdef"}, rng.random() < 0.5) for i in range(100)]
    later = [Row(-1, None, True, name) for name in queue.waiting]
    _, answers = ModelPerKey(SAMPLER).run(state, [*later, *ahead])
    return queue.waiting, queue.n_learned, queue.n_dropped, queue.n_ignored, answers
