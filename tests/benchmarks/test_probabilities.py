from __future__ import annotations

import math
import random

import pytest

from benchmarks import data, probabilities


@pytest.fixture
def small(shared, monkeypatch):
    """The streams with few instances, and two repeats."""
    monkeypatch.setenv("RIVER_DATA", str(shared / "data"))
    for cached in (data.instances, data.in_full):
        cached.cache_clear()
    monkeypatch.setattr(probabilities, "LIMIT", 400)
    monkeypatch.setattr(probabilities, "REPEATS", 2)
    monkeypatch.setattr(
        probabilities.evidence, "generated", lambda seed, name: list(data.table(3100, seed))
    )


def test_a_run_is_measured_once_and_reported(small, tmp_path, capsys):
    path = str(tmp_path / "runs.csv")
    probabilities.main(["KrVsKp", "--csv", path])
    rows = [row for row in probabilities.read(path) if row["stream"] == "KrVsKp"]
    assert [row["learner"] for row in rows] == [n for n in probabilities.NAMES for _ in range(2)]
    for row in rows:
        assert row["rows"] == 400
        assert 0.4 < row["positive"] < 0.6
        assert row["accuracy"] > 0.5
        assert 0.0 < row["chance"] < 0.1
        assert row["calibration_error"] < 0.5
        best = row["cost_in_hindsight"]
        assert 0.0 < best <= min(row["cost_at_half"], row["cost_by_costs"])
    capsys.readouterr()
    probabilities.main(["KrVsKp", "--csv", path])
    assert len(probabilities.read(path)) == 2 * len(rows)
    printed = capsys.readouterr().out
    probabilities.main(["--report", path])
    assert capsys.readouterr().out == printed
    assert printed.count("calibration error") == 2


def test_the_instances_after_switches_are_measured_alone(small):
    whole, after = probabilities.run("Agrawal", "LR", 1)
    assert (whole["stream"], whole["rows"]) == ("Agrawal", 3100)
    assert (after["stream"], after["rows"]) == (probabilities.AFTER_SWITCHES, 500)


def test_the_first_instances_are_measured_alone(small):
    whole, first = probabilities.run("KrVsKp", "LR", 1)
    assert (whole["stream"], whole["rows"]) == ("KrVsKp", 400)
    assert (first["stream"], first["rows"]) == ("KrVsKp, first 300", 300)


def test_one_instance_in_a_hundred_is_positive(small):
    rows = probabilities.STREAMS["A8a, 1 % positive"](3)
    assert len(rows) == 400
    assert sum(y == 1 for _, y in rows) == 4
    assert rows == probabilities.rare("A8a", 3) != probabilities.rare("A8a", 4)


def test_costs_are_those_of_the_decisions():
    pairs = [(True, 0.9), (False, 0.8), (True, 0.3), (False, 0.1)]
    assert probabilities.cost(pairs, 0.5) == (0 + 1 + 5 + 0) / 4
    assert probabilities.cost(pairs, 0.2) == 1 / 4
    assert probabilities.cost(pairs, 1.0) == 10 / 4


def test_the_least_cost_is_that_of_the_best_threshold():
    rng = random.Random(1)
    for _ in range(50):
        pairs = [(rng.random() < 0.3, rng.randint(0, 8) / 8) for _ in range(20)]
        thresholds = [-1.0, *(p for _, p in pairs)]
        least = min(probabilities.cost(pairs, threshold) for threshold in thresholds)
        assert probabilities.least_cost(pairs) == pytest.approx(least)


def test_right_probabilities_have_the_calibration_error_of_chance():
    rng = random.Random(2)
    found = []
    for _ in range(200):
        pairs = [(rng.random() < p, p) for p in (rng.random() for _ in range(300))]
        found.append(probabilities.measures(pairs))
    errors = [row["calibration_error"] for row in found]
    assert sum(errors) / 200 == pytest.approx(found[0]["chance"], rel=0.1)
    assert found[0]["chance"] == pytest.approx(math.sqrt(10 * 2 / (6 * 300 * math.pi)), rel=0.1)


def test_unknown_streams_are_refused(capsys):
    with pytest.raises(SystemExit):
        probabilities.main(["Spambase"])
    assert "STREAM must be one of SMSSpam" in capsys.readouterr().err
