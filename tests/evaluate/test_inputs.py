"""What `compare` accepts as models, streams and metrics, and how it names them."""

from __future__ import annotations

import datetime as dt

import pytest
from river import datasets, dummy, ensemble, linear_model, metrics, naive_bayes, utils
from river import stream as river_stream
from river.datasets import synth

from river_trapezoid import active, evaluate, stream
from river_trapezoid import datasets as own

ROWS = list(datasets.Phishing().take(100))
BAYES = naive_bayes.GaussianNB()


def compare(models=BAYES, streams=ROWS, metric=None, **kwargs):
    metric = metrics.Accuracy() if metric is None else metric
    return evaluate.compare(models, streams, metric, progress=False, **kwargs)


def from_a_file(seed):
    return river_stream.shuffle(iter(ROWS), buffer_size=10, seed=seed)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (BAYES, ["GaussianNB"]),
        ([BAYES, dummy.NoChangeClassifier()], ["GaussianNB", "NoChangeClassifier"]),
        ({"mine": BAYES}, ["mine"]),
        (active.RandomSampler(BAYES, 0.5), ["RandomSampler(GaussianNB)"]),
        # Estimators that are sequences as well.
        (ensemble.VotingClassifier([BAYES, dummy.NoChangeClassifier()]), ["VotingClassifier"]),
    ],
)
def test_models(given, names):
    comparison = compare(models=given)
    assert comparison.names("model") == names


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (ROWS, ["stream"]),
        (tuple(ROWS), ["stream"]),
        (datasets.Phishing(), ["Phishing"]),
        (from_a_file, ["from_a_file"]),
        (lambda seed: ROWS, ["stream"]),
        ([datasets.Phishing(), stream.Shuffled(ROWS)], ["Phishing", "Shuffled"]),
        ({"mine": ROWS}, ["mine"]),
        (evaluate.split(ROWS, seed=1), ["stream"]),
    ],
)
def test_streams(given, names):
    comparison = compare(streams=given)
    assert comparison.names("stream") == names


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (metrics.LogLoss(), ["LogLoss"]),
        (metrics.Accuracy() + metrics.LogLoss(), ["Accuracy", "LogLoss"]),
        ([metrics.FBeta(1), metrics.FBeta(2)], ["FBeta(beta=1)", "FBeta(beta=2)"]),
        ([metrics.FBeta(1), metrics.Accuracy()], ["FBeta", "Accuracy"]),
        ({"mine": metrics.FBeta(1)}, ["mine"]),
        (
            [utils.Rolling(metrics.Accuracy, window_size=n) for n in (10, 20)],
            ["Rolling(Accuracy)(window_size=10)", "Rolling(Accuracy)(window_size=20)"],
        ),
    ],
)
def test_metrics(given, names):
    comparison = compare(metric=given)
    assert comparison.names("metric") == names


def test_metrics_of_one_class_keep_their_values_apart():
    comparison = compare(metric=[metrics.FBeta(0.1), metrics.FBeta(10)])
    values = {r["metric"]: r["value"] for r in comparison.final()}
    for beta in (0.1, 10):
        metric, model = metrics.FBeta(beta), BAYES.clone()
        for x, y in ROWS:
            y_pred = model.predict_one(x)
            if y_pred is not None:
                metric.update(y, y_pred)
            model.learn_one(x, y)
        assert values[f"FBeta(beta={beta})"] == metric.get()
    assert len(set(values.values())) == 2


def test_a_rolling_metric_is_reset_in_each_run():
    rolling = utils.Rolling(metrics.Accuracy, window_size=10)
    rolling.update(True, False)
    comparison = compare(models={"a": BAYES, "b": BAYES}, metric=rolling)
    model, right = BAYES.clone(), []
    for x, y in ROWS:
        right.append(model.predict_one(x) == y)
        model.learn_one(x, y)
    for r in comparison.records:
        assert r["value"] == pytest.approx(sum(right[-10:]) / 10)
    assert len(rolling.window) == 1


@pytest.mark.parametrize("given", [lambda seed: iter(ROWS), lambda seed: (row for row in ROWS)])
def test_points_on_a_stream_of_unknown_length(given):
    comparison = compare(streams={"unknown": given}, n_points=4)
    assert [r["step"] for r in comparison.records] == [25, 50, 75, 100]


def test_points_on_a_list():
    assert [r["step"] for r in compare(n_points=4).records] == [25, 50, 75, 100]


def test_seeds_inside_an_ensemble_are_set():
    def voting(*members):
        return ensemble.VotingClassifier([*members, linear_model.LogisticRegression()])

    assert compare(models=voting(BAYES), repeats=2).names("seed") == [None]
    bagging = voting(ensemble.BaggingClassifier(BAYES, n_models=2))
    first, again = (compare(models=bagging, repeats=2) for _ in range(2))
    assert first.names("seed") == [0, 1]
    assert first.values("stream", "VotingClassifier", "Accuracy") == again.values(
        "stream", "VotingClassifier", "Accuracy"
    )


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"streams": {"mine": iter(ROWS)}},
            ValueError,
            "stream 'mine' must be readable several times; got a list_iterator",
        ),
        ({"streams": (row for row in ROWS)}, ValueError, "must be readable several times"),
        ({"streams": datasets.Phishing().take(9)}, ValueError, "must be readable several times"),
        (
            {"streams": evaluate.HoldOut(iter(ROWS), ROWS)},
            ValueError,
            "must be readable several times",
        ),
        (
            {"streams": synth.Agrawal(seed=1)},
            ValueError,
            r"'Agrawal' must be finite; .*lambda seed: Agrawal\(seed=seed\).take",
        ),
        ({"streams": {"nothing": []}}, ValueError, "stream 'nothing' must have instances"),
        ({"streams": {"number": 1}}, TypeError, "stream 'number' must be an iterable"),
        ({"streams": [1, 2]}, TypeError, r"stream 'stream' must be an iterable of \(x, y\)"),
        (
            {"streams": [{"a": 1}]},
            TypeError,
            r"must be an iterable of \(x, y\); got {'a': 1} as first",
        ),
        (
            {"streams": datasets.Phishing},
            TypeError,
            "'Phishing' must be an instance; got the class",
        ),
        ({"streams": {}}, ValueError, "streams must not be empty"),
        (
            {"models": [BAYES, BAYES]},
            ValueError,
            "models must have distinct names; got 'GaussianNB' twice",
        ),
        (
            {"models": {"nb": naive_bayes.GaussianNB}},
            TypeError,
            "'nb' must be an instance .*; got the class",
        ),
        (
            {"models": {"nb": "bayes"}},
            TypeError,
            "model 'nb' must be an instance of a River estimator; got 'bayes'",
        ),
        (
            {"metric": [metrics.F1(), metrics.F1()]},
            ValueError,
            "metrics must have distinct names; got 'F1' twice",
        ),
        (
            {"metric": metrics.ConfusionMatrix()},
            TypeError,
            "'ConfusionMatrix' must be a single number",
        ),
        (
            {"metric": [metrics.Accuracy]},
            TypeError,
            "must be instances of River metrics; got the class",
        ),
        (
            {"metric": "accuracy"},
            TypeError,
            "metrics must be instances of River metrics; got 'accuracy'",
        ),
        ({"metric": 3}, TypeError, "metrics must be instances of River metrics; got 3"),
        ({"models": "bayes"}, TypeError, "must be an instance of a River estimator; got 'bayes'"),
        ({"models": 3}, TypeError, "must be an instance of a River estimator; got 3"),
        ({"metric": []}, ValueError, "metrics must not be empty"),
    ],
)
def test_mistakes_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        compare(**arguments)


def test_a_function_that_returns_the_same_generator_twice_is_named():
    rows = iter(ROWS)
    with pytest.warns(UserWarning, match="'b' failed on stream 'mine': .*empty or already read"):
        comparison = compare(models={"a": BAYES, "b": BAYES}, streams={"mine": lambda seed: rows})
    assert comparison.values("mine", "a", "Accuracy")
    assert not comparison.values("mine", "b", "Accuracy")


def test_a_moment_and_a_delay_in_time():
    start = dt.datetime(2020, 1, 1)
    rows = [({**x, "t": start + dt.timedelta(days=i)}, y) for i, (x, y) in enumerate(ROWS)]
    model = dummy.NoChangeClassifier()
    early = compare(models=model, streams=rows)
    late = compare(models=model, streams=rows, moment="t", delay=dt.timedelta(days=30))
    in_rows = compare(models=model, streams=rows, delay=30)
    assert early.final()[0]["value"] != late.final()[0]["value"] == in_rows.final()[0]["value"]


def test_a_table_is_named_after_its_file(tmp_path):
    path = tmp_path / "plants.csv"
    path.write_text("height,poisonous\n1.5,no\n2,yes\n0.2,no\n")
    comparison = compare(streams=own.TableFile(path, target="poisonous"))
    assert comparison.names("stream") == ["plants.csv"]


def test_a_class_in_place_of_an_instance_is_refused():
    with pytest.raises(TypeError, match=r"an instance .*; got the class .*GaussianNB"):
        compare(naive_bayes.GaussianNB)
    with pytest.raises(TypeError, match=r"instances .*; got the class .*Accuracy"):
        compare(metric=metrics.Accuracy)
