from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import pytest


def command(shared, store, *options):
    return [
        *(sys.executable, "-m", "benchmarks.papers", "--quick"),
        *("--data", str(shared / "data"), "--store", str(store), *options),
    ]


def content(store):
    cells = sorted((store / "cells.jsonl").read_bytes().splitlines())
    return (store / "results.csv").read_bytes(), cells


def n_lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def kill_and_go_on(shared, tmp_path, n_kills, options):
    """Kill runs as they have come so far, and let the last one be; compare with one of its own."""
    subprocess.run(command(shared, tmp_path / "whole", *options), check=True, capture_output=True)
    whole = content(tmp_path / "whole")
    rng = random.Random(1)
    for at in sorted(rng.sample(range(len(whole[1])), n_kills)):
        run = subprocess.Popen(
            command(shared, tmp_path / "killed", *options),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while n_lines(tmp_path / "killed/cells.jsonl") < at and run.poll() is None:
            time.sleep(0.001)
        time.sleep(rng.uniform(0.0, 0.05))
        run.send_signal(signal.SIGKILL)
        run.wait()
    killed = n_lines(tmp_path / "killed/cells.jsonl")
    assert killed < len(whole[1])
    subprocess.run(command(shared, tmp_path / "killed", *options), check=True, capture_output=True)
    assert content(tmp_path / "killed") == whole


def test_a_killed_run_goes_on(shared, tmp_path):
    kill_and_go_on(shared, tmp_path, 2, ["--paper", "stsd", "--table", "II"])


@pytest.mark.long
def test_a_run_killed_ten_times_comes_to_the_same(shared, tmp_path):
    kill_and_go_on(shared, tmp_path, 10, ["--paper", "olsf", "--jobs", "2"])
