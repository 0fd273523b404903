from __future__ import annotations

import csv
import math
import statistics
import xml.etree.ElementTree

import numpy as np
import pytest
from river import (
    compose,
    datasets,
    dummy,
    ensemble,
    linear_model,
    metrics,
    naive_bayes,
    optim,
    preprocessing,
)

from river_trapezoid import active, evaluate, stream
from river_trapezoid import linear_model as ours
from river_trapezoid.evaluate.model_parameters import parameter_keys
from river_trapezoid.evaluate.sweep import labels_of
from river_trapezoid.metrics import Errors

ROWS = list(datasets.Phishing().take(150))
OLSF = ours.OLSFClassifier()
SCALED = preprocessing.StandardScaler() | ours.OLSFClassifier()


def shuffled(seed):
    return stream.Shuffled(ROWS, seed=seed)


def sensitivity(models=SCALED, parameter="C", values=(0.01, 1.0), metric=None, **kwargs):
    metric = metrics.Accuracy() if metric is None else metric
    streams = kwargs.pop("streams", {"shuffled": shuffled})
    return evaluate.sensitivity(
        models, streams, metric, parameter, values, progress=False, **kwargs
    )


@pytest.fixture(scope="module")
def outcome():
    return sensitivity(
        models={"I": SCALED, "II": preprocessing.StandardScaler() | ours.OLSFClassifier(mode=2)},
        streams={"shuffled": shuffled, "fixed": ROWS},
        values=[0.01, 0.1, 1.0],
        metric=[metrics.Accuracy(), Errors()],
        repeats=3,
    )


def test_values_are_those_of_comparing_models_with_that_parameter(outcome):
    for C in (0.01, 0.1, 1.0):
        model = preprocessing.StandardScaler() | ours.OLSFClassifier(mode=2, C=C)
        comparison = evaluate.compare(
            {"model": model},
            {"shuffled": shuffled},
            metrics.Accuracy(),
            repeats=3,
            progress=False,
        )
        expected = comparison.values("shuffled", "model", "Accuracy")
        (point,) = (p for p in outcome.curve("II", "shuffled", "Accuracy") if p["value"] == C)
        assert point == {
            "value": C,
            "mean": statistics.fmean(expected),
            "std": statistics.stdev(expected),
            "repeats": 3,
            "failed": 0,
        }


def test_sensitivity_does_not_modify_models(outcome):
    assert SCALED["OLSFClassifier"].C == 0.1
    assert SCALED["OLSFClassifier"].weights == {}


def test_any_number_of_jobs_gives_the_same_records(outcome):
    parallel = sensitivity(models={"I": SCALED}, values=[0.01, 0.1, 1.0], repeats=3, n_jobs=2)
    assert parallel.curve() == outcome.curve()


@pytest.mark.parametrize(
    ("model", "parameter", "value", "read"),
    [
        (OLSF, "C", 7.0, lambda m: m.C),
        (OLSF, "OLSFClassifier.C", 7.0, lambda m: m.C),
        (SCALED, "OLSFClassifier.C", 7.0, lambda m: m["OLSFClassifier"].C),
        (compose.Pipeline(("mine", OLSF.clone())), "mine.C", 7.0, lambda m: m["mine"].C),
        (
            active.MarginSampler(SCALED, rho=0.5),
            "C",
            7.0,
            lambda m: m.classifier["OLSFClassifier"].C,
        ),
        (active.MarginSampler(OLSF, rho=0.5), "OLSFClassifier.C", 7.0, lambda m: m.classifier.C),
        (active.MarginSampler(OLSF, rho=0.5), "classifier.C", 7.0, lambda m: m.classifier.C),
        (active.MarginSampler(OLSF, rho=0.5), "rho", 7.0, lambda m: m.rho),
        (
            ensemble.VotingClassifier([SCALED, naive_bayes.GaussianNB()]),
            "C",
            7.0,
            lambda m: m.models[0]["OLSFClassifier"].C,
        ),
        (
            ensemble.VotingClassifier([OLSF, ours.OLSFClassifier(mode=2)]),
            "models.1.C",
            7.0,
            lambda m: m.models[1].C if m.models[0].C == 0.1 else None,
        ),
        (
            linear_model.LogisticRegression(),
            "optimizer.lr",
            7.0,
            lambda m: m.optimizer.lr.learning_rate,
        ),
    ],
    ids=lambda value: "" if callable(value) else str(value),
)
def test_the_parameter_is_found_and_set(monkeypatch, model, parameter, value, read):
    given = {}

    def compare(models, *args, **kwargs):
        given.update(models)
        raise InterruptedError

    monkeypatch.setattr("river_trapezoid.evaluate.sweep.compare", compare)
    with pytest.raises(InterruptedError):
        sensitivity({"model": model}, parameter, [value])
    (clone,) = given.values()
    assert list(given) == [f"model, {parameter} = {value}"]
    assert read(clone) == value
    assert read(model) != value


def test_an_argument_that_is_an_object_can_be_set_to_others():
    optimizers = [optim.SGD(0.1), optim.Adam(0.1)]
    found = sensitivity(linear_model.LogisticRegression(), "optimizer", optimizers)
    model = linear_model.LogisticRegression(optim.Adam(0.1))
    comparison = evaluate.compare(model, {"shuffled": shuffled}, metrics.Accuracy(), progress=False)
    assert found.curve()[1]["mean"] == comparison.final()[0]["value"]
    assert found.best() in optimizers
    assert [line.split()[2] for line in found.table().splitlines()[1:]] == ["SGD", "Adam"]


def test_values_with_the_same_short_name_get_distinct_names():
    assert labels_of([0.1, 1.0 / 3.0, None, "a b"]) == ["0.1", "0.333333", "None", "'a b'"]
    assert labels_of([0.1, 0.1 + 1e-12]) == ["0.1", "0.10000000000100001"]
    slow, fast = labels_of([optim.SGD(0.001), optim.SGD(0.1)])
    assert "0.001" in slow
    assert "0.1" in fast


def test_a_step_of_a_pipeline_can_be_set_to_others():
    found = sensitivity(SCALED, "OLSFClassifier", [naive_bayes.GaussianNB(), OLSF.clone()])
    accuracies = [point["mean"] for point in found.curve()]
    assert accuracies[1] == sensitivity(values=[0.1]).curve()[0]["mean"] != accuracies[0]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"models": {"nb": naive_bayes.MultinomialNB()}},
            ValueError,
            "^parameter must be .* of model 'nb', which has MultinomialNB.alpha; got 'C'$",
        ),
        (
            {"models": {"a": OLSF, "b": compose.Select("x") | naive_bayes.MultinomialNB()}},
            ValueError,
            "^parameter must be .* of model 'b', which has MultinomialNB.alpha; got 'C'$",
        ),
        (
            {"parameter": "StandardScaler.C"},
            ValueError,
            "parameter must be .*; got 'StandardScaler.C'",
        ),
        (
            {"models": {"lr": linear_model.LogisticRegression()}, "parameter": "learning_rate"},
            ValueError,
            "^parameter must be unambiguous for model 'lr'; got 'learning_rate', which can be "
            "LogisticRegression.optimizer.lr.learning_rate or "
            "LogisticRegression.intercept_lr.learning_rate$",
        ),
        ({"parameter": "seed"}, ValueError, "parameter must not be a seed"),
        ({"parameter": 3}, TypeError, "parameter must be the name of a parameter; got 3"),
        ({"values": []}, ValueError, "values must not be empty"),
        ({"values": "abc"}, TypeError, "values must be a list of values; got 'abc'"),
        ({"values": 3}, TypeError, "values must be a list of values; got 3"),
        (
            {"values": [1.0, np.float64(1.0)]},
            ValueError,
            r"values must be distinct; got 1\.0 twice",
        ),
        ({"values": [-1.0]}, ValueError, r"C must be a finite number > 0; got -1\.0"),
        ({"repeats": 0}, ValueError, "repeats must be"),
    ],
)
def test_mistakes_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        sensitivity(**arguments)


def test_a_path_distinguishes_a_parameter_of_a_wrapper_from_that_of_the_wrapped_model():
    twice = active.RandomSampler(active.RandomSampler(OLSF, 0.5), 0.1)
    with pytest.raises(
        ValueError, match=r"can be RandomSampler\.classifier\.ratio or RandomSampler\.ratio$"
    ):
        parameter_keys("m", twice, "ratio")
    assert parameter_keys("m", twice, "RandomSampler.ratio") == ("ratio",)
    assert parameter_keys("m", twice, "classifier.ratio") == ("classifier", "ratio")


def test_best_depends_on_the_direction_of_the_metric(outcome):
    for stream_name in ("shuffled", "fixed"):
        accuracy = {p["value"]: p["mean"] for p in outcome.curve("II", stream_name, "Accuracy")}
        errors = {p["value"]: p["mean"] for p in outcome.curve("II", stream_name, "Errors")}
        assert len(set(accuracy.values())) > 1
        assert outcome.best("II", stream_name, "Accuracy") == max(accuracy, key=accuracy.get)
        assert outcome.best("II", stream_name, "Errors") == min(errors, key=errors.get)


def test_ties_go_to_the_first():
    # Mode 0 has no use for C.
    found = sensitivity(ours.OLSFClassifier(mode=0), values=[3.0, 1.0, 2.0])
    assert len({point["mean"] for point in found.curve()}) == 1
    assert found.best() == 3.0


def test_what_cannot_differ_runs_once(outcome):
    assert all(math.isnan(point["std"]) for point in outcome.curve("I", "fixed"))
    assert {point["repeats"] for point in outcome.curve("I", "fixed")} == {1}


def test_a_count_and_a_share_are_not_the_same_value():
    found = sensitivity(parameter="B", values=[1, 1.0])
    accuracies = [point["mean"] for point in found.curve()]
    assert accuracies[0] != accuracies[1]
    assert [line.split()[2] for line in found.table().splitlines()[1:]] == ["1", "1.0"]


def test_numpy_values_become_plain_numbers():
    found = sensitivity(values=np.logspace(-2, -1, 3))
    assert {type(value) for value in found.values} == {float}
    assert "C = 0.0316228 " in repr(found)


class Brittle(dummy.NoChangeClassifier):
    """Raises an error if its parameter says so."""

    def __init__(self, kind="fine"):
        super().__init__()
        self.kind = kind

    def learn_one(self, x, y):
        if self.kind == "bad":
            raise ValueError("no")
        super().learn_one(x, y)


def test_values_that_fail_are_named_and_the_others_continue():
    with pytest.warns(UserWarning, match="'bad'\" failed on stream 'shuffled': ValueError: no"):
        found = sensitivity({"it": Brittle()}, "kind", ["bad", "fine"], repeats=2)
    bad, fine = found.curve()
    assert (bad["value"], bad["repeats"], bad["failed"]) == ("bad", 0, 2)
    assert math.isnan(bad["mean"])
    assert (fine["value"], fine["repeats"], fine["failed"]) == ("fine", 2, 0)
    assert found.best() == "fine"
    assert found.table().splitlines()[1].split()[-1] == "failed"
    assert [f["setting"] for f in found.failures] == ["bad", "bad"]


def test_a_stream_on_which_everything_failed_is_shown_as_such(outcome):
    failures = [
        {key: r[key] for key in ("stream", "model", "setting", "repeat", "seed")}
        for r in outcome.records
        if (r["stream"], r["metric"]) == ("fixed", "Accuracy")
    ]
    records = [r for r in outcome.records if r["stream"] == "shuffled"]
    found = evaluate.Sensitivity("C", outcome.values, records, failures)
    assert {point["failed"] for point in found.curve(stream="fixed")} == {3}
    assert found.table("fixed").count("failed") == 6
    assert found.table("shuffled") == outcome.table("shuffled")


def test_tables(outcome):
    page = outcome._repr_html_()
    assert xml.etree.ElementTree.fromstring(f"<div>{page}</div>") is not None
    assert page.count("<table>") == 4
    table = outcome.table("shuffled", "Accuracy")
    assert table in repr(outcome)
    header, *rows = table.splitlines()
    assert header.split() == ["Accuracy,", "shuffled", "I", "II"]
    for row, value in zip(rows, outcome.values, strict=True):
        assert row.split()[:3] == ["C", "=", str(value)]
        point = next(p for p in outcome.curve("I") if p["value"] == value)
        star = " *" if outcome.best("I") == value else ""
        assert f"{point['mean']:.4f} ± {point['std']:.4f}{star}" in row


def test_files(outcome, tmp_path):
    outcome.to_csv(tmp_path / "records.csv")
    with open(tmp_path / "records.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {(row["parameter"], row["setting"]) for row in rows} == {
        ("C", "0.01"),
        ("C", "0.1"),
        ("C", "1.0"),
    }
    assert len(rows) == len(outcome.records) == len(outcome.to_pandas())


FIELDS = ("stream", "model", "setting", "repeat", "seed", "metric", "bigger_is_better", "step")


def test_it_can_be_made_of_stored_records(outcome):
    stored = [{key: r[key] for key in (*FIELDS, "value")} for r in outcome.records]
    again = evaluate.Sensitivity("C", [0.01, 0.1, 1.0], stored)
    assert repr(again) == repr(outcome)
    assert again.curve("II", "fixed", "Errors") == outcome.curve("II", "fixed", "Errors")
    part = evaluate.Sensitivity("C", [0.01, 0.1], [r for r in stored if r["setting"] == 0.1])
    assert part.curve()[0]["repeats"] == 0
    assert "no run" in part.table()
    with pytest.raises(
        ValueError, match=r"records must have a setting in values, 0\.01; got 1\.0$"
    ):
        evaluate.Sensitivity("C", [0.01], stored[-1:])
    with pytest.raises(ValueError, match="records must not be empty"):
        evaluate.Sensitivity("C", [0.01], [])
    nan = [{**stored[0], "value": math.nan}]
    with pytest.raises(ValueError, match="records must have a mean that is a number; got only NaN"):
        evaluate.Sensitivity("C", [0.01], nan).best()


def test_unknown_names_are_refused(outcome):
    with pytest.raises(ValueError, match="model must be one of 'I', 'II'; got 'III'"):
        outcome.curve("III")
    with pytest.raises(ValueError, match="stream must be one of 'shuffled', 'fixed'"):
        outcome.best(stream="other")
