from __future__ import annotations

import copy
import math
import random

import pytest
from river import (
    active,
    anomaly,
    base,
    datasets,
    ensemble,
    imblearn,
    linear_model,
    metrics,
    multiclass,
    naive_bayes,
    preprocessing,
)
from river import evaluate as river_evaluate
from sklearn import metrics as sk_metrics

from river_trapezoid import evaluate
from river_trapezoid.active import MarginSampler, RandomSampler, find_rho
from river_trapezoid.datasets import DNA
from river_trapezoid.linear_model import OCDSClassifier, OLSFClassifier
from river_trapezoid.metrics import Errors, ExactROCAUC
from river_trapezoid.stream import Trapezoidal


class Scorer(base.Classifier):
    """Gives each instance the score it carries; remembers the labels that it learned."""

    def __init__(self):
        self.learned = []

    def learn_one(self, x, y):
        self.learned.append((x, y))

    def predict_proba_one(self, x):
        return {False: 1 - x["score"], True: x["score"]}


def _scored(n, seed=0):
    rng = random.Random(seed)
    return [({"score": round(rng.random(), 1)}, rng.random() < 0.4) for _ in range(n)]


def test_hold_out_scores_agree_with_scikit_learn():
    test = _scored(300)
    result = evaluate.hold_out_score(Scorer(), _scored(50), test)
    y = [label for _, label in test]
    score = [x["score"] for x, _ in test]
    y_pred = [s > 0.5 for s in score]
    assert result["roc_auc"] == pytest.approx(sk_metrics.roc_auc_score(y, score))
    assert result["balanced_accuracy"] == pytest.approx(
        sk_metrics.balanced_accuracy_score(y, y_pred)
    )
    assert result["accuracy"] == pytest.approx(sk_metrics.accuracy_score(y, y_pred))
    assert result["labels_used"] == 1.0


def test_in_a_hold_out_samplers_learn_only_queried_labels():
    scorer = Scorer()
    train = _scored(200, seed=1)
    result = evaluate.hold_out_score(
        active.EntropySampler(scorer, discount_factor=20, seed=1), train, _scored(50)
    )
    assert 0 < len(scorer.learned) < 200
    assert result["labels_used"] == len(scorer.learned) / 200


def test_hold_out_with_one_class_has_no_auc():
    result = evaluate.hold_out_score(Scorer(), _scored(5), [({"score": 0.3}, True)])
    assert math.isnan(result["roc_auc"])


def test_hold_out_accepts_every_kind_of_label():
    test = [(x, 1 if y else -1) for x, y in _scored(100)]
    signed = evaluate.hold_out_score(_Signed(), _scored(5), test)
    plain = evaluate.hold_out_score(Scorer(), _scored(5), _scored(100))
    assert signed == plain


class _Signed(Scorer):
    def predict_proba_one(self, x):
        return {-1: 1 - x["score"], 1: x["score"]}


def test_split_is_a_partition():
    train, test = evaluate.split(datasets.Phishing(), test_share=0.3, seed=1)
    assert len(test) == 375
    assert (train, test) == evaluate.split(datasets.Phishing(), test_share=0.3, seed=1)
    assert sorted(train + test, key=repr) == sorted(datasets.Phishing(), key=repr)
    with pytest.raises(ValueError, match="test_share must be"):
        evaluate.split([], test_share=1.0)


def test_chunks_are_predicted_before_they_are_learned():
    order = []

    class Recorder(Scorer):
        def learn_one(self, x, y):
            order.append(("learn", x["t"]))

        def predict_one(self, x):
            order.append(("predict", x["t"]))
            return True

    stream = [({"t": t, "score": 0.5}, t % 4 == 0) for t in range(14)]
    metric = metrics.Accuracy()
    values = evaluate.chunk_val_score(stream, Recorder(), metric, chunk_size=4)
    assert order == [
        *[("learn", t) for t in range(4)],
        *[("predict", t) for t in range(4, 8)],
        *[("learn", t) for t in range(4, 8)],
        *[("predict", t) for t in range(8, 12)],
        *[("learn", t) for t in range(8, 12)],
    ]
    assert values == [0.25, 0.25]
    assert metric.get() == 0.25


def test_chunks_work_with_metrics_of_probabilities():
    metric = metrics.LogLoss()
    values = evaluate.chunk_val_score(datasets.Phishing(), naive_bayes.GaussianNB(), metric, 250)
    assert len(values) == 4
    assert metric.get() == pytest.approx(sum(values) / 4)


class Cautious(Scorer):
    """Predicts True only if it is almost certain."""

    def predict_one(self, x):
        return x["score"] > 0.8


def _accuracy_of(rule, instances):
    return sum(rule(x) == y for x, y in instances) / len(instances)


def test_labels_are_those_that_the_model_predicts_not_the_most_likely():
    rows = _scored(200)
    expected = _accuracy_of(Cautious().predict_one, rows)
    assert expected != _accuracy_of(Scorer().predict_one, rows)

    assert evaluate.hold_out_score(Cautious(), [], rows)["accuracy"] == expected
    metric = metrics.Accuracy() + metrics.LogLoss()
    evaluate.chunk_val_score(rows * 2, Cautious(), metric, chunk_size=200)
    assert metric[0].get() == expected
    both = evaluate.compare(
        {"cautious": Cautious()}, {"rows": rows}, [metrics.Accuracy(), metrics.LogLoss()]
    )
    assert both.values("rows", "cautious", "Accuracy") == [expected]


def test_ocds_has_the_same_accuracy_at_a_zero_margin_in_every_protocol():
    # Without an intercept, an instance of unknown features has a margin of zero.
    untrained = OCDSClassifier(learn_intercept=False)
    test = [({"new": 1.0}, True), ({"other": 1.0}, True)]
    expected = _accuracy_of(untrained.predict_one, test)
    assert evaluate.hold_out_score(untrained, [], test)["accuracy"] == expected
    metric = metrics.Accuracy() + metrics.LogLoss()
    evaluate.chunk_val_score([({}, True)] * 2 + test, untrained, metric, chunk_size=2)
    assert metric[0].get() == expected


def _sampler(where):
    sampler = active.EntropySampler(linear_model.LogisticRegression(), seed=1)
    if where == "outermost":
        return active.EntropySampler(
            preprocessing.StandardScaler() | linear_model.LogisticRegression(), seed=1
        )
    return preprocessing.StandardScaler() | sampler


@pytest.mark.parametrize("where", ["outermost", "last step"])
def test_a_sampler_learns_the_labels_of_a_chunk_that_it_queries(where):
    rows = list(datasets.Phishing().take(600))
    metric = metrics.Accuracy()
    values = evaluate.chunk_val_score(rows, _sampler(where), metric, chunk_size=200)

    twin, right = _sampler(where), []
    for start in range(0, 600, 200):
        chunk = rows[start : start + 200]
        predictions = [twin.predict_one(x) for x, _ in chunk]
        right.append([y_pred == y for (y_pred, _), (_, y) in zip(predictions, chunk, strict=True)])
        for (x, y), (_, ask) in zip(chunk, predictions, strict=True):
            if ask:
                twin.learn_one(x, y)
    assert values == [sum(own) / 200 for own in right[1:]]
    assert min(values) > 0.7
    assert metric.get() == pytest.approx(sum(values) / 2)


@pytest.mark.parametrize("where", ["outermost", "last step"])
@pytest.mark.parametrize("delay", [None, 30])
def test_a_sampler_predicts_each_instance_once_with_any_metrics(where, delay):
    rows = list(datasets.Phishing())
    comparison = evaluate.compare(
        _sampler(where),
        rows,
        [metrics.Accuracy(), metrics.LogLoss()],
        seed=1,
        delay=delay,
        progress=False,
    )
    for record in comparison.final():
        # River on its own, for one metric at a time.
        metric = getattr(metrics, record["metric"])()
        *_, last = river_evaluate.iter_progressive_val_score(
            rows, _sampler(where), metric, delay=delay
        )
        assert record["value"] == metric.get()
        assert record["labels_used"] == last["Samples used"] / len(rows)
        assert record["labels_used"] < 0.7


@pytest.mark.parametrize("delay", [100, lambda x, y: 100 if y else 10])
def test_late_labels_arrive_as_in_river(delay):
    model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    comparison = evaluate.compare(
        model, datasets.Phishing(), metrics.Accuracy(), delay=delay, progress=False
    )
    expected = river_evaluate.progressive_val_score(
        datasets.Phishing(), model.clone(), metrics.Accuracy(), delay=delay
    )
    at_once = evaluate.compare(model, datasets.Phishing(), metrics.Accuracy(), progress=False)
    assert comparison.final()[0]["value"] == expected.get() < at_once.final()[0]["value"]


def test_sample_weights_are_passed_to_models_that_accept_them():
    rows = [(x, y, {"w": 5.0 if y else 0.1}) for x, y in datasets.Phishing().take(300)]
    untouched = copy.deepcopy(rows)
    models = {
        "River's": linear_model.LogisticRegression(),
        "ours": OLSFClassifier(),
        "does not": OCDSClassifier(),
    }
    comparison = evaluate.compare(models, rows, metrics.LogLoss(), progress=False)
    assert rows == untouched
    for name, model in models.items():
        # River takes the weights out of the rows.
        stream = datasets.Phishing().take(300) if name == "does not" else copy.deepcopy(rows)
        expected = river_evaluate.progressive_val_score(stream, model.clone(), metrics.LogLoss())
        assert comparison.values("stream", name, "LogLoss") == [expected.get()]


def test_a_hold_out_inside_a_comparison_is_the_hold_out_of_each_seed():
    def parts(seed):
        return evaluate.split(datasets.Phishing(), seed=seed)

    comparison = evaluate.compare(
        {"bayes": naive_bayes.GaussianNB(), "sampler": _sampler("outermost")},
        {"phishing": parts},
        [metrics.Accuracy(), metrics.BalancedAccuracy()],
        repeats=3,
        n_points=4,
        progress=False,
    )
    for repeat in range(3):
        for name, model in (
            ("bayes", naive_bayes.GaussianNB()),
            ("sampler", _sampler("outermost").clone({"seed": repeat})),
        ):
            expected = evaluate.hold_out_score(model, *parts(repeat))
            for metric, key in (
                ("Accuracy", "accuracy"),
                ("BalancedAccuracy", "balanced_accuracy"),
            ):
                assert comparison.values("phishing", name, metric)[repeat] == expected[key]
            labels_used = comparison.values("phishing", name, "Accuracy", "labels_used")[repeat]
            assert labels_used == expected["labels_used"]
    assert comparison.names("step") == [250, 500, 750, 1000]


def test_one_call_runs_the_protocol_of_flls_on_sparse_data(shared, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(shared / "data"))
    dna = DNA()
    instances = list(dna)

    def parts(seed):
        train, test = evaluate.split(instances, seed=seed)
        return evaluate.HoldOut(Trapezoidal(train, features=dna.features), test)

    learner = OLSFClassifier(mode=2, C=1.0)
    rho = find_rho(learner, parts, share=0.2, seed=3, repeats=4)
    comparison = evaluate.compare(
        {
            "FLLS-II": MarginSampler(learner, rho),
            "RFLLS-II": RandomSampler(learner, 0.2, exact=True),
        },
        {"dna": parts},
        {
            "AUC as printed": metrics.BalancedAccuracy(),
            "AUC": ExactROCAUC(),
            "ACC": metrics.Accuracy(),
        },
        repeats=4,
        seed=3,
        progress=False,
    )
    assert not comparison.failures
    rows = {(row["model"], row["metric"]): row for row in comparison.summary("RFLLS-II")}
    for (model, _), row in rows.items():
        # The runs are those that rho was found for.
        assert row["labels_used"] == pytest.approx(0.2, abs=0.005)
        assert row["repeats"] == 4
        assert rows[model, "AUC"]["mean"] > rows[model, "AUC as printed"]["mean"] > 0.7
    expected = evaluate.hold_out_score(MarginSampler(learner.clone(), rho, seed=3), *parts(3))
    for metric, key in (
        ("AUC as printed", "balanced_accuracy"),
        ("AUC", "roc_auc"),
        ("ACC", "accuracy"),
    ):
        assert comparison.values("dna", "FLLS-II", metric)[0] == expected[key]
    # The training part grows in the order of the columns, and the test part has all of them.
    train, test = parts(3)
    assert {name for x, _ in train.take(75) for name in x} == set(dna.features[:18])
    assert {name for x, _ in test for name in x} == set(dna.features)


def test_testing_does_not_modify_a_sampler():
    train, test = evaluate.split(datasets.Phishing(), seed=1)
    tested, untested = _sampler("outermost"), _sampler("outermost")
    evaluate.hold_out_score(tested, train, test)
    evaluate.hold_out_score(untested, train, [])
    assert [tested.predict_one(x) for x, _ in test] == [untested.predict_one(x) for x, _ in test]


def test_errors_at_a_zero_margin():
    proba = {
        "sure": {False: 0.1, True: 0.9},
        "torn": {False: 0.5, True: 0.5},
        "cautious": {False: 0.4, True: 0.6},
    }

    class Model(base.Classifier):
        def learn_one(self, x, y):
            pass

        def predict_proba_one(self, x):
            return proba[x["is"]]

        def predict_one(self, x):
            return x["is"] == "sure"

    rows = [({"is": "sure"}, True), ({"is": "torn"}, False), ({"is": "cautious"}, False)]
    rows += [({"is": "torn"}, True), ({"is": "sure"}, False)]
    names = {
        "labels": Errors(),
        "with ties": Errors(zero_margin=True),
        "accuracy": metrics.Accuracy(),
    }
    comparison = evaluate.compare(Model(), rows, names, progress=False)
    values = {r["metric"]: r["value"] for r in comparison.final()}
    # The second torn one is wrong as a label too; the cautious one is right, as predicted.
    assert values == {"labels": 2, "with ties": 3, "accuracy": pytest.approx(3 / 5)}
    assert not comparison.records[0]["bigger_is_better"]


def test_errors_can_be_reverted_and_used_in_river():
    errors = Errors(zero_margin=True)
    river_evaluate.progressive_val_score(
        [({"a": 1.0}, True), ({"a": 1.0}, True)], OLSFClassifier(), errors
    )
    assert errors.get() == 1
    errors.revert(True, {False: 0.5, True: 0.5})
    assert errors.get() == 0
    errors.update(True, {False: 0.7, True: 0.3}, w=120)
    assert repr(errors) == "Errors: 120"


def _in_wrappers():
    sampler = active.EntropySampler(linear_model.LogisticRegression(), seed=1)
    yield imblearn.RandomUnderSampler(sampler, {False: 0.5, True: 0.5})
    yield multiclass.OneVsRestClassifier(sampler)
    yield preprocessing.StandardScaler() | imblearn.RandomUnderSampler(
        preprocessing.StandardScaler() | sampler, {False: 0.5, True: 0.5}
    )
    yield active.EntropySampler(sampler)
    yield ensemble.VotingClassifier([sampler, naive_bayes.GaussianNB()])
    yield ensemble.BaggingClassifier(sampler, n_models=2)


@pytest.mark.parametrize("model", list(_in_wrappers()), ids=str)
def test_samplers_inside_other_models_are_refused(model):
    rows = list(datasets.Phishing().take(50))
    refusal = "model must have a sampler as its outermost model .*around EntropySampler"
    with pytest.raises(TypeError, match=f"model 'mine': {refusal}"):
        evaluate.compare({"mine": model}, rows, metrics.Accuracy())
    with pytest.raises(TypeError, match=refusal):
        evaluate.chunk_val_score(rows, model, metrics.Accuracy(), 10)
    with pytest.raises(TypeError, match=refusal):
        evaluate.hold_out_score(model, rows, rows)
    with pytest.raises(TypeError, match=refusal):
        evaluate.label_cost_curve({"mine": [model]}, rows, metrics.Accuracy())


def test_models_that_are_not_classifiers_are_refused():
    rows = list(datasets.Phishing().take(50))
    with pytest.raises(TypeError, match="must be a classifier or a regressor; got HalfSpaceTrees"):
        evaluate.chunk_val_score(rows, anomaly.HalfSpaceTrees(), metrics.ROCAUC(), 10)
    ovo = multiclass.OneVsOneClassifier(linear_model.LogisticRegression())
    with pytest.raises(
        TypeError, match="model must predict probabilities for LogLoss; got OneVsOne"
    ):
        evaluate.chunk_val_score(rows, ovo, metrics.LogLoss(), 10)
    with pytest.raises(ValueError, match=r"y_true must be .*; got 'ham'"):
        evaluate.hold_out_score(naive_bayes.GaussianNB(), rows, [({"a": 1.0}, "ham")])


def test_regressors_can_be_compared():
    rows = list(datasets.TrumpApproval())
    model = preprocessing.StandardScaler() | linear_model.LinearRegression()
    comparison = evaluate.compare(model, rows, metrics.MAE(), progress=False)
    expected = river_evaluate.progressive_val_score(rows, model.clone(), metrics.MAE())
    assert comparison.final()[0]["value"] == expected.get()
