from __future__ import annotations

import csv
import statistics

import pytest
from river import active, datasets, dummy, linear_model, metrics, naive_bayes, preprocessing
from river import evaluate as river_evaluate
from scipy import stats

from river_trapezoid import evaluate, stream

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


def test_a_model_without_seed_repeats_itself_on_a_fixed_stream(comparison):
    assert len(set(comparison.values("fixed", "logistic", "Accuracy"))) == 1
    assert len(set(comparison.values("fixed", "active", "Accuracy", "labels_used"))) > 1


def test_models_are_left_untrained(comparison):
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


def test_wins_heed_the_direction_of_the_metric(comparison):
    wins = {(w["metric"], w["model"]): w for w in comparison.wins(baseline="random")}
    assert wins["Accuracy", "logistic"]["losses"] == 0
    assert wins["Accuracy", "logistic"]["wins"] >= 1
    # Log loss is better when small, and the dummy's, which is always sure, is huge.
    assert wins["LogLoss", "logistic"] == {
        "metric": "LogLoss",
        "model": "logistic",
        "wins": 2,
        "ties": 0,
        "losses": 0,
    }


def test_a_model_is_level_with_itself(comparison):
    rows = [r for r in comparison.summary(baseline="bayes") if r["model"] == "bayes"]
    assert {(r["t_pvalue"], r["wilcoxon_pvalue"], r["verdict"]) for r in rows} == {(1.0, 1.0, "")}


def test_table_and_files(comparison, tmp_path):
    table = comparison.table("Accuracy", baseline="random")
    assert "shuffled" in table
    assert " +" in table
    assert "LogLoss" in repr(comparison)
    comparison.to_csv(tmp_path / "records.csv")
    with open(tmp_path / "records.csv", encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == len(comparison.records)
    assert len(comparison.to_pandas()) == len(comparison.records)


def test_learning_curves_have_the_points_asked_for():
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
    with pytest.raises(ValueError, match="models must not be empty"):
        evaluate.compare({}, STREAMS, [metrics.Accuracy()])
    with pytest.raises(ValueError, match="repeats must be"):
        evaluate.compare(MODELS, STREAMS, [metrics.Accuracy()], repeats=0)
    with pytest.raises(ValueError, match="'nothing' is empty"):
        evaluate.compare(MODELS, {"nothing": []}, [metrics.Accuracy()], progress=False)
    with pytest.raises(ValueError, match="n_points needs stream 'list'"):
        evaluate.compare(
            MODELS, {"list": STREAMS["fixed"]}, [metrics.Accuracy()], n_points=3, progress=False
        )


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
