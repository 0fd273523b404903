"""The benchmarks of labels measure what they report."""

from __future__ import annotations

import math
import random

import pytest
from river import active as river_active
from river import linear_model

from benchmarks import data, doubt, label_budget, label_limits, label_rivals, labelling
from river_trapezoid.linear_model import OLSFClassifier


def a_record(sampler, labels, accuracy, level="10 %", **place):
    return {
        **{"set": "s", "stream": "plain", "learner": "OLSF", "order": 0, "level": level},
        **{"rows": 1000, "sampler": sampler},
        **{"labels": labels, "accuracy": accuracy, "hold-out": accuracy},
        **place,
    }


def test_runs_are_read_as_they_were_written(tmp_path):
    path = str(tmp_path / "runs.csv")
    records = [
        a_record("RandomSampler", 10.0, 0.5, level="1 %"),
        a_record("RandomSampler", 100.0, 0.75),
        a_record("BudgetSampler, credit=0", 101.0, 0.875),
        a_record("RandomSampler", 99.0, 0.25, order=1),
    ]
    label_budget.write(path, records)
    assert label_budget.read(path) == records
    spent = [{"set": "s", "budget": 0.1, "rows": 10.0, "labels": 2.0}]
    label_budget.write(path, spent)
    assert label_budget.read(path) == spent


def test_a_gain_is_over_as_many_random_labels():
    records = [
        a_record("RandomSampler", 10, 0.5, level="1 %"),
        a_record("RandomSampler", 1000, 0.9),
        a_record("BudgetSampler", 100, 0.8),
        a_record("EntropySampler", 5000, 0.8),
        a_record("RandomSampler", 10, 0.1, order=1),
    ]
    compared = label_budget.gains(records)
    assert [r["accuracy gain"] for r in compared] == pytest.approx([0, 0, 10, -10, 0])
    assert [r["hold-out gain"] for r in compared] == pytest.approx([0, 0, 10, -10, 0])


def test_the_former_rule_holds_its_budget():
    rng = random.Random(0)
    model = label_rivals.ConstantRate(OLSFClassifier(), 0.1, seed=1)
    for t in range(1, 3001):
        model._ask(rng.expovariate(1.0))
        assert model.labels_spent <= 0.1 * t + 2
    assert model.labels_spent == pytest.approx(300, abs=5)


def test_the_factor_of_the_entropy_sampler_costs_the_share():
    rows = list(data.table(600))
    model = linear_model.LogisticRegression()
    factor = label_rivals.entropy_factor(model, rows, 0.3)
    sampler = river_active.EntropySampler(model.clone(), factor, seed=0)
    spent = 0
    for x, y in rows:
        if sampler.predict_one(x)[1]:
            spent += 1
            sampler.learn_one(x, y)
    assert spent / len(rows) == pytest.approx(0.3, abs=0.05)


def test_the_parts_run_on_a_small_set(shared, monkeypatch, capsys):
    monkeypatch.setenv("RIVER_DATA", str(shared / "data"))
    for cached in (data.instances, data.in_full):
        cached.cache_clear()
    monkeypatch.setattr(label_budget, "LIMIT", 120)
    monkeypatch.setattr(label_budget, "ORDERS", range(2))
    monkeypatch.setattr(label_budget, "N_DRAWS", 1)
    monkeypatch.setattr(label_limits, "ORDERS", range(2))
    records = label_budget.accuracy("WBC", "trapezoidal", "OLSF")
    label_budget.report_accuracy(records)
    label_budget.report_accuracy(label_budget.accuracy("WBC", "plain", "Evidence", full=True))
    label_budget.report_spending(label_budget.spending("German"))
    label_limits.report_rare(
        [r for learner in label_limits.FOR_RARE for r in label_limits.rare("WBC", learner)]
    )
    label_limits.report_drift(
        [
            r
            for name in ("WBC", "Vote")
            for learner in label_limits.LEARNERS
            for r in label_limits.drift(name, learner)
        ]
    )
    said = capsys.readouterr().out
    assert "BudgetSampler above BudgetSampler before" in said
    assert "points above random labels in each half" in said
    assert all(0.0 <= r["accuracy"] <= 1.0 and r["labels"] > 0 for r in records)
    assert not any(math.isnan(r["accuracy gain"]) for r in label_budget.gains(records))


def test_doubt_is_measured_in_both_halves(monkeypatch, capsys):
    rows = list(data.table(400))
    monkeypatch.setattr(doubt, "rows_of", lambda name, order: rows)
    records = [
        record
        for learner in doubt.LEARNERS
        for inverted in doubt.INVERTED
        for record in doubt.measure("a table", learner, 0, inverted)
    ]
    doubt.report(records)
    assert len(capsys.readouterr().out.splitlines()) == 1 + 2 * len(doubt.COMBINATIONS)
    # Before the inversion, both streams are the same.
    half = len(records) // 6
    for start in range(0, len(records), 2 * half):
        as_it_is, inverted = records[start : start + half], records[start + half : start + 2 * half]
        assert [r["first half"] for r in as_it_is] == [r["first half"] for r in inverted]
        assert [r["second half"] for r in as_it_is] != [r["second half"] for r in inverted]


def test_labels_needed_are_those_after_which_a_target_is_met_for_good():
    curve = dict.fromkeys(range(5, 200, 5), 0.9)
    assert labelling.needed(curve, 0.9) == 5
    assert labelling.needed(curve | {20: 0.8}, 0.9) == 25
    assert labelling.needed(curve | {20: 0.8, 40: 0.8}, 0.9) == 45
    assert labelling.needed(curve, 0.91) == math.inf


def test_desks_are_compared_with_labelling_in_order(monkeypatch):
    monkeypatch.setattr(labelling, "REPEATS", range(2))
    monkeypatch.setattr(labelling, "SHOWN", (10, 20))
    monkeypatch.setattr(labelling, "MOST_INSTANCES", 300)
    records = labelling.measured(["Phishing"], most=30)
    assert len(records) == 2 * 6
    assert {r["pool"] for r in records} == {300}
    assert all(0.5 < r["at 20"] <= 1.0 for r in records)
    lines = labelling.summary(records)
    assert len(lines) == 6
    assert lines[0].startswith("| Phishing | in order |")


def test_texts_are_labelled_as_well_and_nothing_is_held_out_that_was_labelled():
    rows = [(f"{word} {i}", word == "free") for i in range(40) for word in ("free", "lunch")]
    pool, held_out = labelling.parts(rows, seed=0)
    assert len(pool) == 64
    assert not {x for x, _ in pool} & {x for x, _ in held_out}
    assert pool == [row for row in rows if row in pool]
    for models in labelling.ways(pool, seed=0).values():
        *_, last = (model for model in models if model is not None)
        assert labelling.accuracy(last, held_out) > 0.9
