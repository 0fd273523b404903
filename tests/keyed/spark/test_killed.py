"""The recipe, killed at any moment and started again, as often as it takes."""

from __future__ import annotations

import collections
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from river_trapezoid import persist
from river_trapezoid.keyed import Answer, ModelPerKey, spark
from tests.docs.recipes import RECIPES

from .streams import SAMPLER, batches, content, plain_loop, write

pytestmark = pytest.mark.spark


class Job:
    """The recipe in processes of its own, all of which are killed at once."""

    def __init__(self, folder):
        self.folder = folder
        self.log = folder / "log"
        options = ["--model", folder / "model", "--rows", folder / "rows", "--folder", folder]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, RECIPES / "spark_job.py", *options, "--files", "1"],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def n_finished(self):
        """How many micro-batches have been finished, by this job or those before it."""
        return sum(path.name.isdigit() for path in self.folder.glob("checkpoint/commits/*"))

    def ends(self):
        return self.process.poll() is not None

    def kill(self):
        """Kill Python and the JVM. What the JVM has started ends, as nobody is there to talk to."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def killed_job(session, folder, n_kills, n_batches, size, n_keys, seed=0):
    """Run the recipe with kills in between, and compare it with a plain loop."""
    rng = random.Random(seed)
    found = batches(n_batches, size, n_keys)
    write(folder / "rows", found)
    persist.save(SAMPLER, folder / "model")
    deadline = time.monotonic() + 120 * (n_kills + 2)
    at = []
    for _ in range(n_kills):
        job = Job(folder)
        # In the middle of the next micro-batch, or of one after it, or before it is known at all.
        wanted = job.n_finished + rng.randrange(3)
        while job.n_finished < wanted and not job.ends():
            assert time.monotonic() < deadline, "it takes too long"
            time.sleep(0.01)
        time.sleep(rng.random() * (2.0 if wanted else 10.0))
        assert not job.ends(), job.log.read_text()
        job.kill()
        at.append(job.n_finished)
    job = Job(folder)
    try:
        assert job.process.wait(max(deadline - time.monotonic(), 1)) == 0, job.log.read_text()
    finally:
        if not job.ends():
            job.kill()

    states, expected = plain_loop(ModelPerKey(SAMPLER), found)
    answers = session.read.parquet(str(folder / "answers")).collect()
    assert collections.Counter(row.order for row in answers) == dict.fromkeys(
        range(1, n_batches * size + 1), 1
    )
    assert sorted(tuple(row) for row in answers) == expected
    kept = {
        row.key: row.state for row in spark.read_states(session, folder / "checkpoint").collect()
    }
    assert kept.keys() == states.keys()
    for key, state in states.items():
        assert content(kept[key]) == content(state)
    spent = sum(persist.loads(state).n_learned for state in kept.values())
    latest = {key: Answer(*answer).labels_spent for key, *answer in expected}
    assert spent == sum(latest.values())
    return at


def test_every_row_is_answered_once_whenever_the_job_is_killed(session, tmp_path):
    killed_job(session, tmp_path, n_kills=1, n_batches=4, size=50, n_keys=4)


@pytest.mark.long
def test_twenty_kills(session, tmp_path):
    at = killed_job(session, tmp_path, n_kills=20, n_batches=50, size=100, n_keys=10)
    assert max(at) >= 10
    print(f"killed after {at} of 50 micro-batches")
