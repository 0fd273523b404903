"""A run that is meant to be killed.

    python -m tests.persist.checkpointed FOLDER N_INSTANCES EVERY

Writes what it predicts and draws, instance by instance, to FOLDER/log, and the end to FOLDER/end.
"""

from __future__ import annotations

import json
import pathlib
import random
import sys

import numpy as np
from river import metrics, preprocessing

from river_trapezoid import active, linear_model, persist
from tests import contracts


def stream(n):
    """Instances some of whose labels are drawn from the generator of all."""
    for x, y in contracts.growing_stream(n):
        yield x, y if random.random() < 0.9 else not y


def new_model():
    learner = linear_model.OLSFClassifier(selection="random", learn_intercept=True, seed=3)
    return active.BudgetSampler(preprocessing.StandardScaler() | learner, budget=0.5, seed=4)


def main(folder: pathlib.Path, n_instances: int, every: int) -> None:
    random.seed(5)
    np.random.seed(6)  # noqa: NPY002
    checkpoint = persist.Checkpoint(
        folder / "checkpoint",
        new_model(),
        metrics.Accuracy() + metrics.F1(),
        every=every,
        extra={"rng": np.random.default_rng(7)},
    )
    dataset = stream(n_instances)
    with open(folder / "log", "a") as log:
        for report in checkpoint.iter_progressive_val_score(dataset, yield_predictions=True):
            draws = random.random(), np.random.random(), checkpoint.extra["rng"].random()  # noqa: NPY002
            line = report["Step"], report["Prediction"], report["Samples used"], draws
            log.write(json.dumps(line) + "\n")
            log.flush()
    rest = [repr(answer) for answer in contracts.outputs(checkpoint.model)]
    end = [metric.get() for metric in checkpoint.metric], checkpoint.position, rest
    (folder / "end").write_text(json.dumps(end))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
