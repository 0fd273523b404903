from __future__ import annotations

import csv
import math
import statistics
import sys
import types
import xml.etree.ElementTree

import pytest
from river import (
    active,
    compose,
    datasets,
    dummy,
    linear_model,
    metrics,
    naive_bayes,
    preprocessing,
)
from river import evaluate as river_evaluate
from scipy import stats

from river_trapezoid import evaluate, stream
from river_trapezoid.evaluate import progressive

MODELS = {
    "logistic": preprocessing.StandardScaler() | linear_model.LogisticRegression(),
    "bayes": naive_bayes.GaussianNB(),
    "random": dummy.NoChangeClassifier(),
    "active": active.EntropySampler(linear_model.LogisticRegression()),
}


def shuffled(seed):
    return stream.Shuffled(list(datasets.Phishing().take(300)), seed=seed)


STREAMS = {"shuffled": shuffled, "fixed": list(datasets.Phishing().take(200))}


@pytest.fixture(scope="module")
def comparison():
    return evaluate.compare(
        MODELS, STREAMS, [metrics.Accuracy(), metrics.LogLoss()], repeats=4, progress=False
    )


def _without_seconds(records):
    return [{k: v for k, v in r.items() if k != "seconds"} for r in records]


def test_any_number_of_jobs_gives_the_same_records(comparison):
    parallel = evaluate.compare(
        MODELS,
        STREAMS,
        [metrics.Accuracy(), metrics.LogLoss()],
        repeats=4,
        n_jobs=2,
        progress=False,
    )
    assert _without_seconds(parallel.records) == _without_seconds(comparison.records)


def test_values_are_those_of_progressive_validation(comparison):
    for repeat in range(4):
        expected = river_evaluate.progressive_val_score(
            shuffled(repeat), MODELS["logistic"].clone(), metrics.Accuracy()
        )
        assert comparison.values("shuffled", "logistic", "Accuracy")[repeat] == expected.get()


def test_what_cannot_differ_runs_once(comparison):
    runs = {(r["model"], r["seed"]) for r in comparison.records if r["stream"] == "fixed"}
    assert {seed for model, seed in runs if model == "logistic"} == {None}
    # A sampler draws at random, on fixed data as well.
    assert {seed for model, seed in runs if model == "active"} == {0, 1, 2, 3}
    assert len(set(comparison.values("fixed", "active", "Accuracy", "labels_used"))) > 1


def _row(comparison, stream, model, baseline=None):
    return next(
        row
        for row in comparison.summary(baseline)
        if (row["stream"], row["model"], row["metric"]) == (stream, model, "Accuracy")
    )


def test_repeats_that_are_the_same_run_are_not_tested():
    models = {"logistic": MODELS["logistic"], "random": MODELS["random"]}
    streams = {"fixed": STREAMS["fixed"], "deaf": lambda seed: STREAMS["fixed"]}
    comparison = evaluate.compare(models, streams, metrics.Accuracy(), repeats=5, progress=False)
    for name in streams:
        row = _row(comparison, name, "logistic", baseline="random")
        assert row["repeats"] == 1
        assert row["difference"] > 0.1
        assert row["verdict"] == ""
        assert all(math.isnan(row[key]) for key in ("std", "t_pvalue", "wilcoxon_pvalue"))
    assert "±" not in repr(comparison)
    assert comparison.wins(baseline="random") == [
        {
            "metric": "Accuracy",
            "model": "logistic",
            "wins": 0,
            "ties": 0,
            "losses": 0,
            "untested": 2,
        }
    ]


def test_a_run_that_does_not_vary_is_paired_with_each_repeat_of_another(comparison):
    row = _row(comparison, "fixed", "active", baseline="logistic")
    ours = comparison.values("fixed", "active", "Accuracy")
    (theirs,) = comparison.values("fixed", "logistic", "Accuracy")
    assert len(ours) == 4
    assert row["t_pvalue"] == pytest.approx(stats.ttest_1samp(ours, theirs).pvalue)


def test_differences_without_variance_are_not_tested():
    def record(model, repeat, value):
        return {
            "stream": "s",
            "model": model,
            "repeat": repeat,
            "seed": repeat,
            "metric": "Accuracy",
            "bigger_is_better": True,
            "step": 10,
            "value": value,
            "labels_used": 1.0,
            "seconds": 0.1,
        }

    records = [record("a", i, v + 0.1) for i, v in enumerate((0.3, 0.5, 0.7))]
    records += [record("b", i, v) for i, v in enumerate((0.3, 0.5, 0.7))]
    row = _row(evaluate.Comparison(records), "s", "a", baseline="b")
    assert row["repeats"] == 3
    assert math.isnan(row["t_pvalue"])
    assert row["verdict"] == ""


def test_one_repeat_has_no_standard_deviation():
    comparison = evaluate.compare(
        MODELS["logistic"], {"shuffled": shuffled}, metrics.Accuracy(), progress=False
    )
    (value,) = comparison.values("shuffled", str(MODELS["logistic"]), "Accuracy")
    assert comparison.table().split()[-2:] == ["shuffled", f"{value:.4f}"]
    assert math.isnan(comparison.summary()[0]["std"])


def test_models_are_not_modified(comparison):
    assert MODELS["logistic"]["LogisticRegression"].weights == {}


def test_labels_used(comparison):
    assert set(comparison.values("fixed", "bayes", "Accuracy", "labels_used")) == {1.0}
    assert all(0 < s < 1 for s in comparison.values("fixed", "active", "Accuracy", "labels_used"))


def test_summary_has_means_and_paired_tests(comparison):
    row = next(
        r
        for r in comparison.summary(baseline="bayes")
        if (r["stream"], r["model"], r["metric"]) == ("shuffled", "logistic", "Accuracy")
    )
    ours = comparison.values("shuffled", "logistic", "Accuracy")
    theirs = comparison.values("shuffled", "bayes", "Accuracy")
    assert row["mean"] == statistics.fmean(ours)
    assert row["std"] == statistics.stdev(ours)
    assert row["difference"] == pytest.approx(row["mean"] - statistics.fmean(theirs))
    assert row["t_pvalue"] == pytest.approx(stats.ttest_rel(ours, theirs).pvalue)
    assert row["wilcoxon_pvalue"] == pytest.approx(stats.wilcoxon(ours, theirs).pvalue)


def test_wins_depend_on_the_direction_of_the_metric(comparison):
    wins = {(w["metric"], w["model"]): w for w in comparison.wins(baseline="random")}
    assert wins["Accuracy", "logistic"]["losses"] == 0
    assert wins["Accuracy", "logistic"]["wins"] >= 1
    # A smaller log loss is better; that of the dummy, which is always certain, is huge.
    assert wins["LogLoss", "logistic"] == {
        "metric": "LogLoss",
        "model": "logistic",
        "wins": 1,
        "ties": 0,
        "losses": 0,
        "untested": 1,
    }


def test_models_that_never_differ_are_tied():
    models = {"a": MODELS["logistic"], "b": MODELS["logistic"]}
    comparison = evaluate.compare(
        models, {"shuffled": shuffled}, metrics.Accuracy(), repeats=3, progress=False
    )
    row = _row(comparison, "shuffled", "b", baseline="a")
    assert (row["t_pvalue"], row["wilcoxon_pvalue"], row["verdict"]) == (1.0, 1.0, "")
    assert comparison.wins(baseline="a")[0]["ties"] == 1


def test_seconds_are_those_spent_in_the_model(monkeypatch):
    clock = types.SimpleNamespace(now=0.0)
    clock.perf_counter = lambda: clock.now
    monkeypatch.setattr(progressive, "time", clock)

    class Slow(dummy.NoChangeClassifier):
        def learn_one(self, x, y):
            clock.now += 3.0
            super().learn_one(x, y)

        def predict_one(self, x):
            clock.now += 0.5
            return super().predict_one(x)

    def slow_stream(seed):
        for instance in STREAMS["fixed"][:10]:
            clock.now += 100.0
            yield instance

    comparison = evaluate.compare(
        {"slow": Slow(), "quick": dummy.NoChangeClassifier()},
        {"stream": slow_stream},
        metrics.Accuracy(),
        progress=False,
    )
    assert [row["seconds"] for row in comparison.summary()] == [35.0, 0.0]
    assert comparison.table("seconds").split()[-3:] == ["stream", "35", "0"]
    assert comparison.table("seconds") in repr(comparison)


class Failing(dummy.NoChangeClassifier):
    """Raises an error at the tenth instance of a stream with a missing value."""

    def __init__(self):
        super().__init__()
        self.n = 0

    def learn_one(self, x, y):
        self.n += 1
        if self.n == 10 and None in x.values():
            raise ValueError("cannot learn None")
        super().learn_one(x, y)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_model_that_fails_is_named_and_the_others_continue(n_jobs):
    def gaps(seed):
        return [({**x, "extra": None}, y) for x, y in shuffled(seed)]

    with pytest.warns(
        UserWarning, match=r"^model 'bad' failed on stream 'gaps': ValueError: cannot learn None$"
    ) as caught:
        comparison = evaluate.compare(
            {"bad": Failing(), "good": dummy.NoChangeClassifier()},
            {"gaps": gaps, "shuffled": shuffled},
            metrics.Accuracy(),
            repeats=2,
            n_jobs=n_jobs,
            progress=False,
        )
    assert [warning.filename for warning in caught] == [__file__]
    assert [(f["stream"], f["model"], f["repeat"]) for f in comparison.failures] == [
        ("gaps", "bad", 0),
        ("gaps", "bad", 1),
    ]
    assert "in learn_one" in comparison.failures[0]["traceback"]
    for stream_name in ("gaps", "shuffled"):
        assert len(comparison.values(stream_name, "good", "Accuracy")) == 2
    assert len(comparison.values("shuffled", "bad", "Accuracy")) == 2
    row = _row(comparison, "gaps", "bad", baseline="good")
    assert (row["repeats"], row["failed"], row["verdict"]) == (0, 2, "")
    lines = comparison.table(baseline="good").splitlines()
    assert "failed" in next(line for line in lines if "gaps" in line)
    assert "failed" not in next(line for line in lines if "shuffled" in line)
    assert "nan" not in repr(comparison)


def test_a_model_that_fails_sometimes_is_paired_where_it_did_not():
    class Sometimes(Failing):
        def learn_one(self, x, y):
            if "extra" in x:
                raise ValueError("no")
            super().learn_one(x, y)

    def sometimes(seed):
        extra = {"extra": 1.0} if seed == 1 else {}
        return [({**x, **extra}, y) for x, y in shuffled(seed)]

    models = {"some": Sometimes(), "nb": MODELS["bayes"]}
    with pytest.warns(UserWarning, match="'some' failed on stream 'sometimes'"):
        comparison = evaluate.compare(
            models, {"sometimes": sometimes}, metrics.Accuracy(), repeats=4, progress=False
        )
    row = _row(comparison, "sometimes", "some", baseline="nb")
    theirs = comparison.values("sometimes", "nb", "Accuracy")
    ours = comparison.values("sometimes", "some", "Accuracy")
    assert (row["repeats"], row["failed"]) == (3, 1)
    assert row["t_pvalue"] == pytest.approx(stats.ttest_rel(ours, [theirs[0], *theirs[2:]]).pvalue)
    assert "(1 failed)" in comparison.table()


def test_a_comparison_of_failures_only_is_an_error():
    data = [({"a": None}, True)] * 20
    with pytest.raises(
        RuntimeError, match="all runs failed; the first: model 'Failing' failed on stream 'stream'"
    ):
        evaluate.compare(Failing(), data, metrics.Accuracy(), progress=False)


def test_the_majority_is_the_most_frequent_label_so_far():
    labels = [True, False, False, True, True, True, False]
    rows = [({"a": 1.0}, y) for y in labels]
    models = {"bayes": naive_bayes.GaussianNB()}
    found = evaluate.compare(models, rows, metrics.Accuracy(), progress=False, majority=True)
    assert found.names("model") == ["bayes", "majority"]
    seen, right = [], 0
    for y in labels:
        # Nothing is predicted before the first label; the label that came first wins a draw.
        right += bool(seen) and max(dict.fromkeys(seen), key=seen.count) == y
        seen.append(y)
    assert found.records[-1]["value"] == right / (len(labels) - 1)
    assert list(models) == ["bayes"]


def test_a_model_of_that_name_is_an_error_if_the_majority_is_wanted():
    models = {"majority": naive_bayes.GaussianNB()}
    with pytest.raises(ValueError, match="majority must be False if a model is called 'majority'"):
        evaluate.compare(models, STREAMS, metrics.Accuracy(), progress=False, majority=True)


def test_a_comparison_in_which_the_majority_alone_succeeds_is_an_error():
    rows = [({"a": "text"}, True), ({"a": 1.0}, False)]
    model = {"logistic": linear_model.LogisticRegression()}
    with pytest.raises(RuntimeError, match="all runs failed"):
        evaluate.compare(model, rows, metrics.Accuracy(), progress=False, majority=True)


def test_a_notebook_shows_tables():
    comparison = evaluate.compare(
        {"<a> & b": MODELS["bayes"]}, {"s": shuffled}, metrics.Accuracy(), repeats=2, progress=False
    )
    page = comparison._repr_html_()
    assert xml.etree.ElementTree.fromstring(f"<div>{page}</div>") is not None
    assert page.count("<table>") == 2
    assert "<th>&lt;a&gt; &amp; b</th>" in page
    row = comparison.summary()[0]
    assert f"<td>{row['mean']:.4f} ± {row['std']:.4f}</td>" in page


def test_table_and_files(comparison, tmp_path):
    table = comparison.table("Accuracy", baseline="random")
    assert "shuffled" in table
    assert " +" in table
    assert "LogLoss" in repr(comparison)
    comparison.to_csv(tmp_path / "records.csv")
    with open(tmp_path / "records.csv", encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == len(comparison.records)
    assert len(comparison.to_pandas()) == len(comparison.records)


def test_learning_curves_have_the_given_number_of_points():
    comparison = evaluate.compare(
        {"bayes": naive_bayes.GaussianNB()},
        {"phishing": datasets.Phishing()},
        [metrics.Accuracy()],
        n_points=5,
        progress=False,
    )
    assert [r["step"] for r in comparison.records] == [250, 500, 750, 1000, 1250]
    assert len(comparison.final()) == 1


def test_mistakes_are_named():
    accuracy = metrics.Accuracy()
    with pytest.raises(ValueError, match="models must not be empty"):
        evaluate.compare({}, STREAMS, accuracy)
    with pytest.raises(ValueError, match="repeats must be"):
        evaluate.compare(MODELS, STREAMS, accuracy, repeats=0)
    with pytest.raises(ValueError, match="n_jobs must be"):
        evaluate.compare(MODELS, STREAMS, accuracy, n_jobs=0)
    with pytest.raises(
        ValueError, match="model 'logistic': metrics must be compatible with model; got MAE for"
    ):
        evaluate.compare(MODELS, STREAMS, metrics.MAE())


def test_the_error_without_joblib_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    with pytest.raises(ImportError, match=r'pip install -e "\.\[cli\]"'):
        evaluate.compare(MODELS, STREAMS, metrics.Accuracy(), n_jobs=2, progress=False)


def test_unknown_baseline_is_named(comparison):
    with pytest.raises(ValueError, match="baseline must be one of 'logistic'"):
        comparison.summary(baseline="nobody")


def test_label_cost_curve():
    points = evaluate.label_cost_curve(
        {"entropy": [active.EntropySampler(linear_model.LogisticRegression(), d) for d in (50, 1)]},
        {"fixed": STREAMS["fixed"]},
        metrics.Accuracy(),
        repeats=2,
        progress=False,
    )
    assert [p["family"] for p in points] == ["entropy", "entropy"]
    assert points[0]["labels_used"] < points[1]["labels_used"] <= 1


def test_label_cost_curve_with_labels_that_arrive_late_or_never():
    def every_third_never(x, y):
        return math.inf if x["i"] % 3 == 0 else 20

    rows = [({**x, "i": i}, y) for i, (x, y) in enumerate(datasets.Phishing().take(400))]
    model = compose.Discard("i") | linear_model.LogisticRegression()
    found = {}
    for name, delay in {"at once": None, "late": 20, "some never": every_third_never}.items():
        sampler = active.EntropySampler(model.clone(), 1.0, seed=1)
        (point,) = evaluate.label_cost_curve(
            {"entropy": [sampler]},
            {"rows": rows},
            metrics.Accuracy(),
            delay=delay,
            progress=False,
        )
        found[name] = point

        twin = active.EntropySampler(model.clone(), 1.0, seed=0)
        late = []
        right = used = 0
        for t, (x, y) in enumerate(rows):
            length = delay(x, y) if callable(delay) else delay or 0
            while late and late[0][0] <= t:
                twin.learn_one(*late.pop(0)[1:])
                used += 1
            label, ask = twin.predict_one(x)
            right += label == y
            if ask and length == 0:
                twin.learn_one(x, y)
                used += 1
            elif ask and length < math.inf:
                late.append((t + length, x, y))
        assert point["labels_used"] == (used + len(late)) / len(rows)
        assert point["mean"] == pytest.approx(right / len(rows), abs=0.005)
    assert found["some never"]["labels_used"] < 0.75 * found["late"]["labels_used"]


@pytest.mark.parametrize("delay", [math.inf, "wait"])
def test_labels_that_never_arrive_are_scored_and_not_learned(delay):
    rows = [({**x, "wait": math.inf}, y) for x, y in datasets.Phishing().take(50)]
    comparison = evaluate.compare(
        dummy.NoChangeClassifier(), rows, metrics.Accuracy(), delay=delay, progress=False
    )
    (record,) = comparison.records
    assert (record["labels_used"], record["step"]) == (0.0, 50)


def test_a_table_of_one_stream_has_a_row_for_each_model_and_a_column_for_each_metric(comparison):
    table = comparison.table(stream="shuffled", baseline="random")
    head, *lines = table.splitlines()
    assert head.split() == ["shuffled", "Accuracy", "LogLoss", "labels", "seconds"]
    assert [line.split()[0] for line in lines] == list(MODELS)
    (bayes,) = (line for line in lines if line.startswith("bayes"))
    mean = statistics.fmean(comparison.values("shuffled", "bayes", "Accuracy"))
    assert f"{mean:.4f} ± " in bayes
    assert "100.0%" in bayes
    one = comparison.table("LogLoss", stream="shuffled").splitlines()[0]
    assert one.split() == ["shuffled", "LogLoss", "labels", "seconds"]
    html = comparison.to_html(stream="shuffled")
    assert html.count("<tr>") == 1 + len(MODELS)
    with pytest.raises(ValueError, match="stream must be one of"):
        comparison.table(stream="none")


def test_a_table_of_one_stream_leaves_out_models_without_a_run_on_it():
    here = evaluate.compare(MODELS["bayes"], {"a": STREAMS["fixed"]}, metrics.Accuracy())
    there = evaluate.compare(MODELS["random"], {"b": STREAMS["fixed"]}, metrics.Accuracy())
    both = evaluate.Comparison(here.records + there.records)
    assert len(both.table(stream="a").splitlines()) == 2
    assert "failed" not in both.table(stream="a")


class Interrupting(dummy.NoChangeClassifier):
    """Is interrupted by the user after a number of labels."""

    def __init__(self, after=50):
        super().__init__()
        self.after = after
        self.n = 0

    def learn_one(self, x, y):
        self.n += 1
        if self.n > self.after:
            raise KeyboardInterrupt
        super().learn_one(x, y)


def test_an_interrupt_has_the_results_so_far():
    models = {"bayes": MODELS["bayes"], "slow": Interrupting(), "never": MODELS["random"]}
    with pytest.raises(evaluate.Interrupted) as caught:
        evaluate.compare(models, STREAMS, metrics.Accuracy(), progress=False)
    outcome = caught.value.comparison
    assert isinstance(caught.value, KeyboardInterrupt)
    assert outcome.names("model") == ["bayes", "slow"]
    assert [(r["model"], r["step"]) for r in outcome.records] == [("bayes", 300), ("slow", 50)]
    assert caught.value.unfinished == outcome.records[1:]


def test_an_unfinished_run_is_left_out_if_its_model_has_a_finished_run():
    rows = STREAMS["fixed"]
    streams = {"s": lambda seed: rows[:40] if seed == 0 else rows}
    with pytest.raises(evaluate.Interrupted) as caught:
        evaluate.compare(
            {"slow": Interrupting()}, streams, metrics.Accuracy(), repeats=2, progress=False
        )
    assert [r["step"] for r in caught.value.comparison.records] == [40]
    assert caught.value.unfinished == []


def test_progress_advances_within_a_run_and_ends_at_the_number_of_runs(monkeypatch):
    moves = []

    class Bar:
        def __init__(self, total, **options):
            moves.append(total)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def update(self, n):
            moves.append(n)

    monkeypatch.setattr("tqdm.auto.tqdm", Bar)
    evaluate.compare(MODELS["bayes"], STREAMS, metrics.Accuracy(), repeats=2)
    assert moves[0] == 3
    assert len(moves) > 100
    assert sum(moves[1:]) == pytest.approx(3)


def test_the_scaler_of_a_sampler_may_learn_from_every_instance():
    model = active.EntropySampler(
        preprocessing.StandardScaler() | linear_model.LogisticRegression(), seed=1
    )
    rows = STREAMS["fixed"]
    with compose.learn_during_predict():
        accuracy = river_evaluate.progressive_val_score(rows, model.clone(), metrics.Accuracy())
    outcome = evaluate.compare(
        model, rows, metrics.Accuracy(), seed=1, progress=False, learn_during_predict=True
    )
    assert outcome.records[-1]["value"] == accuracy.get()
    without = evaluate.compare(model, rows, metrics.Accuracy(), seed=1, progress=False)
    assert without.records[-1]["value"] != accuracy.get()
    plain = evaluate.compare(
        MODELS["logistic"], rows, metrics.Accuracy(), progress=False, learn_during_predict=True
    )
    expected = river_evaluate.progressive_val_score(
        rows, MODELS["logistic"].clone(), metrics.Accuracy()
    )
    assert plain.records[-1]["value"] == expected.get()
