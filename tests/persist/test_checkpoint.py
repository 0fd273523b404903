from __future__ import annotations

import itertools
import json
import pathlib
import random
import subprocess
import sys
import time

import numpy as np
import pandas
import pytest
from river import datasets, evaluate, metrics, preprocessing

from river_trapezoid import active, linear_model, persist
from tests import contracts
from tests.persist import checkpointed


def start(folder, n_instances, every):
    command = [sys.executable, "-m", "tests.persist.checkpointed"]
    return subprocess.Popen(
        [*command, str(folder), str(n_instances), str(every)],
        cwd=pathlib.Path(__file__).parents[2],
    )


def read(folder):
    """What was logged for each step, whole lines only, and whether it was the same each time."""
    steps: dict[int, set[str]] = {}
    for line in (folder / "log").read_text().splitlines():
        try:
            step, *rest = json.loads(line)
        except ValueError:
            continue
        steps.setdefault(step, set()).add(json.dumps(rest))
    return steps


def killed_run(tmp_path, n_kills, n_instances):
    whole, folder = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    folder.mkdir()
    assert start(whole, n_instances, every=20).wait() == 0
    rng = random.Random()
    log = folder / "log"
    # However fast the run is, it is not over before the last kill.
    farthest = (whole / "log").stat().st_size / (n_kills + 2)
    for _ in range(n_kills):
        size = log.stat().st_size if log.exists() else 0
        size += rng.uniform(0.0, farthest)
        process = start(folder, n_instances, every=20)
        while process.poll() is None and not (log.exists() and log.stat().st_size > size):
            time.sleep(0.001)
        # SIGKILL, which cannot be caught.
        process.kill()
        assert process.wait() != 0, "the run is too short to be killed"
    assert start(folder, n_instances, every=20).wait() == 0
    expected, found = read(whole), read(folder)
    assert (folder / "end").read_text() == (whole / "end").read_text()
    assert found.keys() == expected.keys() == set(range(1, n_instances + 1))
    assert found == expected
    assert {path.name for path in folder.iterdir()} <= {"checkpoint", "log", "end"}


def test_a_run_that_is_killed_has_the_same_result(tmp_path):
    killed_run(tmp_path, n_kills=3, n_instances=3000)


@pytest.mark.long
def test_a_run_that_is_killed_twenty_times_has_the_same_result(tmp_path):
    killed_run(tmp_path, n_kills=20, n_instances=20_000)


def new(path, **settings):
    model = preprocessing.StandardScaler() | linear_model.OLSFClassifier(C=1.0)
    return persist.Checkpoint(path, model, metrics.Accuracy(), **settings)


def test_reports_are_those_of_river(tmp_path):
    checkpoint = new(tmp_path / "run", every=100)
    reports = checkpoint.iter_progressive_val_score(
        datasets.Phishing(), step=300, yield_predictions=True
    )
    twin = new(tmp_path / "other")
    expected = evaluate.iter_progressive_val_score(
        datasets.Phishing(), twin.model, twin.metric, step=300, yield_predictions=True
    )
    assert [repr(report) for report in reports] == [repr(report) for report in expected]


@pytest.mark.parametrize("stop", [1, 99, 100, 101, 550, 1249])
def test_an_interrupted_run_reports_what_was_still_to_come(tmp_path, stop):
    def reports(checkpoint):
        dataset = datasets.Phishing()
        return map(repr, checkpoint.iter_progressive_val_score(dataset, step=50))

    expected = list(reports(new(tmp_path / "whole")))
    checkpoint = new(tmp_path / "run", every=100)
    list(itertools.islice(checkpoint.iter_progressive_val_score(datasets.Phishing()), stop))
    again = new(tmp_path / "run", every=100)
    # The instance during which the run was interrupted is not finished.
    n_done = again.position
    assert n_done == (stop - 1) // 100 * 100
    assert list(reports(again)) == expected[n_done // 50 :]
    assert list(reports(new(tmp_path / "run"))) == []


def test_the_stream_alone_is_enough(tmp_path):
    def score(dataset):
        checkpoint = new(tmp_path / "run", every=7)
        stream = checkpoint.stream(dataset)
        evaluate.progressive_val_score(stream, checkpoint.model, checkpoint.metric)
        return checkpoint

    score(datasets.Phishing().take(500))
    assert score(datasets.Phishing()).metric.get() == pytest.approx(
        evaluate.progressive_val_score(
            datasets.Phishing(), new(tmp_path / "other").model, metrics.Accuracy()
        ).get(),
        abs=0.0,
    )


def test_a_stream_that_begins_at_the_position_is_not_gone_through(tmp_path):
    list(new(tmp_path / "run").stream(range(10)))
    assert list(new(tmp_path / "run").stream(range(10, 15), from_start=False)) == [*range(10, 15)]
    assert new(tmp_path / "run").position == 15


def test_a_stream_that_is_too_short_is_refused(tmp_path):
    list(new(tmp_path / "run").stream(range(10)))
    with pytest.raises(ValueError, match=r"dataset must have the 10 instances.*got 9"):
        list(new(tmp_path / "run").stream(range(9)))


def test_saves_by_the_clock(tmp_path):
    path = tmp_path / "run"
    checkpoint = new(path, every=None, seconds=0.05)
    stream = checkpoint.stream(itertools.count())
    next(stream)
    next(stream)
    assert not path.exists()
    time.sleep(0.06)
    next(stream)
    assert persist.load(path).position == 2


def test_random_states_are_restored_after_the_stream_was_gone_through(tmp_path):
    def draws(n, checkpoint):
        return [
            (x, random.random(), np.random.random(), checkpoint.extra["rng"].random())  # noqa: NPY002
            for x, _ in itertools.islice(checkpoint.stream(checkpointed.stream(100)), n)
        ]

    def seeded(path):
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002
        return new(path, every=10, extra={"rng": random.Random(2)})

    expected = draws(100, seeded(tmp_path / "whole"))
    assert draws(41, seeded(tmp_path / "run")) == expected[:41]
    assert draws(60, seeded(tmp_path / "run")) == expected[40:]


def test_labels_of_active_learners_are_counted_on(tmp_path):
    def reports(n):
        model = active.RandomSampler(linear_model.OLSFClassifier(), ratio=0.3, seed=1)
        checkpoint = persist.Checkpoint(tmp_path / "run", model, metrics.Accuracy())
        rows = contracts.growing_stream(n)
        return list(checkpoint.iter_progressive_val_score(itertools.islice(rows, n)))

    first, second = reports(100), reports(200)
    assert [report["Step"] for report in first + second] == list(range(1, 201))
    used = [report["Samples used"] for report in first + second]
    assert used == sorted(used)
    assert 40 < used[-1] < 80


def test_a_checkpoint_that_could_not_be_loaded_is_an_error_at_save(tmp_path):
    checkpoint = new(tmp_path / "run")
    checkpoint.save()
    before = (tmp_path / "run").read_bytes()
    checkpoint.model["OLSFClassifier"]._labels = ("no", "yes")
    with pytest.raises(persist.ModelFileError, match=r"not saved.*could not be loaded"):
        checkpoint.save()
    assert (tmp_path / "run").read_bytes() == before
    checkpoint.verify = False
    checkpoint.save()
    assert (tmp_path / "run").read_bytes() != before


def test_a_checkpoint_larger_than_it_may_be_is_an_error_at_save(tmp_path):
    new(tmp_path / "run", max_size=10**6).save()
    with pytest.raises(persist.ModelFileError, match=r"not saved.*max_size=1,000"):
        new(tmp_path / "other", max_size=1000).save()


def test_a_run_with_names_of_labels_resumes(tmp_path):
    def learned(checkpoint):
        X = pandas.DataFrame({"a": [1.0, -2.0], "b": [0.5, 1.0]})
        checkpoint.model.learn_many(X, pandas.Series([True, False], name="target"))
        checkpoint.save()

    learned(new(tmp_path / "run"))
    learned(new(tmp_path / "run"))
    model = new(tmp_path / "run").model
    assert model.predict_many(pandas.DataFrame({"a": [1.0]})).name == "target"


def test_another_model_is_refused(tmp_path):
    list(new(tmp_path / "run").stream(range(10)))
    with pytest.raises(
        ValueError, match=r"(?s)must be those that .*OLSFClassifier.*got OFSClassifier"
    ):
        persist.Checkpoint(tmp_path / "run", linear_model.OFSClassifier(), metrics.Accuracy())
    persist.save(linear_model.OFSClassifier(), tmp_path / "model")
    with pytest.raises(persist.ModelFileError, match="not a checkpoint"):
        new(tmp_path / "model")


def test_a_damaged_checkpoint_is_an_error(tmp_path):
    list(new(tmp_path / "run").stream(range(10)))
    data = (tmp_path / "run").read_bytes()
    (tmp_path / "run").write_bytes(data[:-1])
    with pytest.raises(persist.ModelFileError, match="run' cannot be loaded"):
        new(tmp_path / "run")


@pytest.mark.parametrize(
    "settings", [{"every": 0}, {"every": 1.5}, {"every": None}, {"seconds": -1.0}]
)
def test_settings_are_checked(tmp_path, settings):
    with pytest.raises(ValueError, match=r"every|seconds"):
        new(tmp_path / "run", **settings)
