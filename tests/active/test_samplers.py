from __future__ import annotations

import copy
import json
import math
import pickle
import statistics
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import (
    base,
    compose,
    datasets,
    dummy,
    evaluate,
    feature_extraction,
    metrics,
    multiclass,
    naive_bayes,
    preprocessing,
    tree,
)
from river import linear_model as river_linear_model

from river_trapezoid.active import (
    BudgetSampler,
    MarginSampler,
    RandomSampler,
    UncertaintySampler,
    find_rho,
)
from river_trapezoid.evaluate import HoldOut, split
from river_trapezoid.linear_model import OLSFClassifier
from river_trapezoid.stream import Trapezoidal

SAMPLERS = [MarginSampler, RandomSampler, BudgetSampler, UncertaintySampler]


def ruler():
    """A learner whose margin is the value of the feature `q`."""
    model = OLSFClassifier(mode=0, B=1.0, radius=None)
    model.learn_one({"q": 1.0}, True)
    assert model.margin_one({"q": 7.0}) == 7.0
    return model


def rename():
    return compose.FuncTransformer(_renamed)


def _renamed(x):
    return {"q": x["value"]}


@pytest.mark.parametrize("stream", ["grow", "words", "vanish"])
def test_golden_traces(shared, stream):
    trace = json.loads((shared / "golden" / "flls" / f"flls_{stream}.json").read_text())
    assert len(trace["runs"]) == 18
    for run in trace["runs"]:
        learner = OLSFClassifier(mode=run["mode"], C=run["C"], B=run["B"], radius=run["lam"])
        model = MarginSampler(learner, rho=run["rho"])
        for instance, step in zip(trace["instances"], run["steps"], strict=True):
            x = dict(instance["x"])
            assert model.query_probability_one(x) == pytest.approx(step["p"], rel=1e-9, abs=1e-9)
            if step["queried"]:
                model.learn_one(x, instance["y"])
            expected = {key: w for key, w in step["w"].items() if w}
            assert learner.weights == pytest.approx(expected, rel=1e-9, abs=1e-9)
            assert learner.n_features_seen == step["n_seen"]


@pytest.mark.parametrize("q", [0.0, 1e-3, -0.5, 3.0, -40.0, 800.0, 1e4, 1e6])
@pytest.mark.parametrize("rho", [0.05, 2.0])
def test_labels_are_asked_for_with_the_probability_of_the_paper(q, rho):
    n = 40_000
    p = rho / (rho + abs(q))
    error = 5 * math.sqrt(p * (1 - p) / n) + 1e-12
    model = MarginSampler(ruler(), rho=rho, seed=1)
    asked = sum(model.predict_one({"q": q})[1] for _ in range(n))
    assert abs(asked / n - p) <= error
    assert model.query_probability_one({"q": q}) == pytest.approx(p)

    piped = MarginSampler(rename() | ruler(), rho=rho, seed=2)
    asked = sum(piped.predict_proba_one({"value": q})[1] for _ in range(n))
    assert abs(asked / n - p) <= error


def test_one_margin_serves_prediction_and_question(monkeypatch):
    calls = []
    monkeypatch.setattr(
        OLSFClassifier, "margin_one", lambda self, x: calls.append(x) or 0.5, raising=True
    )
    for wrapped in (OLSFClassifier(), preprocessing.StandardScaler() | OLSFClassifier()):
        for sampler in (MarginSampler(wrapped), BudgetSampler(wrapped)):
            calls.clear()
            label, _ = sampler.predict_one({"a": 1.0})
            assert label is True
            assert len(calls) == 1
            sampler.predict_proba_one({"a": 1.0})
            assert len(calls) == 2


def test_predictions_are_those_of_the_learner():
    model = preprocessing.StandardScaler() | OLSFClassifier()
    sampler = MarginSampler(model.clone(), rho=1e12, seed=1)
    for x, y in datasets.Phishing():
        assert sampler.predict_one(x) == (model.predict_one(x), True)
        assert sampler.predict_proba_one(x) == (model.predict_proba_one(x), True)
        model.learn_one(x, y)
        sampler.learn_one(x, y)


def test_other_classifiers_are_read_by_the_log_odds_of_the_two_likeliest_classes():
    class Fixed(naive_bayes.GaussianNB):
        def predict_proba_one(self, x):
            return {"a": 0.1, "b": 0.6, "c": 0.3}

    sampler = MarginSampler(Fixed(), rho=1.0)
    assert sampler.confidence_one({}) == pytest.approx(math.log(2))
    assert sampler.predict_one({})[0] == "b"


@pytest.mark.parametrize("make", SAMPLERS)
@pytest.mark.parametrize("end", [OLSFClassifier, naive_bayes.GaussianNB, lambda: Wary()])
def test_one_decision_for_label_and_probabilities(make, end):
    one, two = (make(preprocessing.StandardScaler() | end(), seed=1) for _ in range(2))
    for x, y in datasets.Phishing().take(200):
        with compose.learn_during_predict():
            label, proba, ask = one.decide_one(x)
            assert (label, ask) == two.predict_one(x)
        assert label == one.classifier.predict_one(x)
        assert proba == one.classifier.predict_proba_one(x)
        if ask:
            one.learn_one(x, y)
            two.learn_one(x, y)


@pytest.mark.parametrize("make", SAMPLERS)
def test_text_goes_through_a_pipeline(make):
    model = make(feature_extraction.BagOfWords() | naive_bayes.MultinomialNB(), seed=1)
    model.learn_one("cheap pills", True)
    model.learn_one("see you later", False)
    for text, spam in (("cheap", True), ("later", False)) * 50:
        assert model.predict_one(text)[0] is spam
        assert model.predict_proba_one(text)[0][spam] > 0.5
        assert model.decide_one(text)[0] is spam
        assert 0.0 <= model.query_probability_one(text) <= 1.0


@pytest.mark.parametrize("make", SAMPLERS)
def test_no_instance_is_kept(make):
    class Instance(dict):
        pass

    model = make(OLSFClassifier(), seed=1)
    for x, y in datasets.Phishing().take(100):
        instance = Instance(x)
        model.predict_one(instance)
        model.predict_proba_one(instance)
        model.learn_one(instance, y)
        alive = weakref.ref(instance)
        del instance
        assert alive() is None


class Cautious(OLSFClassifier):
    """A linear learner that is positive from a margin of 2 on."""

    def label_at(self, margin):
        return margin > 2.0

    def predict_one(self, x):
        return self.label_at(self.margin_one(x))


class Wary(naive_bayes.GaussianNB):
    """A classifier with a threshold of its own, which counts its predictions."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def predict_proba_one(self, x):
        self.calls.append("proba")
        return {False: 0.3, True: 0.7}

    def predict_one(self, x):
        self.calls.append("label")
        return self.predict_proba_one(x)[True] > 0.9


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_label_is_what_the_classifier_itself_predicts(sampler):
    learner = Cautious(mode=0, B=1.0, radius=None)
    learner.learn_one({"q": 1.0}, True)
    for q in (-1.0, 1.0, 3.0):
        assert sampler(learner).predict_one({"q": q})[0] is (q > 2.0)
        assert sampler(rename() | learner).predict_one({"value": q})[0] is (q > 2.0)
    assert sampler(Wary()).predict_one({})[0] is False
    assert sampler(rename() | Wary()).predict_one({"value": 1.0})[0] is False


def test_one_prediction_serves_where_it_can():
    class Plain(Wary):
        predict_one = base.Classifier.predict_one

    for make, n_calls in ((Plain, 1), (Wary, 3)):
        for wrap in (lambda m: m, lambda m: rename() | m):
            classifier = make()
            sampler = MarginSampler(wrap(classifier))
            sampler.predict_one({"value": 1.0})
            assert len(classifier.calls) == n_calls
            classifier.calls.clear()
            assert sampler.confidence_one({"value": 1.0}) == pytest.approx(math.log(7 / 3))
            assert classifier.calls == ["proba"]


@pytest.mark.parametrize("end", [OLSFClassifier, Wary, naive_bayes.GaussianNB])
def test_what_learns_during_prediction_learns_once(end):
    scaler = preprocessing.StandardScaler()
    sampler = MarginSampler(scaler | end())
    for n in range(1, 6):
        with compose.learn_during_predict():
            sampler.predict_one({"a": float(n)})
        assert scaler.counts["a"] == n


def test_arguments_reach_the_classifier_that_accepts_them():
    class Timed(Wary):
        def predict_proba_one(self, x, t=None):
            self.calls.append(t)
            return {False: 0.3, True: 0.7}

    for wrap in (lambda m: m, lambda m: rename() | m):
        classifier = Timed()
        sampler = MarginSampler(wrap(classifier))
        assert sampler.predict_proba_one({"value": 1.0}, t=5)[0] == {False: 0.3, True: 0.7}
        assert sampler.confidence_one({"value": 1.0}, t=5) == pytest.approx(math.log(7 / 3))
        assert classifier.calls == [5, 5]
    assert MarginSampler(rename() | Timed()).predict_one({"value": 1.0}, t=5)[0] is False
    linear = MarginSampler(rename() | ruler())
    assert linear.predict_one({"value": 1.0}, t=5)[0] is True


def _one_vs_one(margins):
    """One against one, with a given margin for the second class of each pair."""
    model = multiclass.OneVsOneClassifier(ruler())
    for pair, margin in margins.items():
        model.classes.update(pair)
        clf = compose.FuncTransformer(lambda x, margin=margin: {"q": margin}) | ruler()
        model.classifiers[pair] = clf
    return model


@pytest.mark.parametrize(
    ("margins", "label", "confidence"),
    [
        ({}, None, 0.0),
        ({("a", "b"): 3.0}, "b", 3.0),
        ({("a", "b"): -3.0}, "a", 3.0),
        # The closest of the pairs that were won.
        ({("a", "b"): -3.0, ("a", "c"): -2.0, ("b", "c"): 0.1}, "a", 2.0),
        ({("a", "b"): 1.0, ("a", "c"): 0.1, ("b", "c"): -5.0}, "b", 1.0),
        # Each class has won once.
        ({("a", "b"): -3.0, ("a", "c"): 2.0, ("b", "c"): -4.0}, "a", 0.0),
    ],
)
@pytest.mark.parametrize("piped", [False, True])
def test_one_vs_one_is_as_confident_as_the_closest_pair(margins, label, confidence, piped):
    model = _one_vs_one(margins)
    assert model.predict_one({"value": 1.0}) == label
    sampler = MarginSampler(rename() | model if piped else model, rho=1.0, seed=1)
    assert sampler.confidence_one({"value": 1.0}) == confidence
    assert sampler.predict_one({"value": 1.0})[0] == label
    assert sampler.query_probability_one({"value": 1.0}) == 1.0 / (1.0 + confidence)


@pytest.mark.parametrize("learner", [OLSFClassifier, river_linear_model.LogisticRegression])
def test_one_vs_one_predicts_as_without_a_sampler_and_learns_more_than_by_chance(learner):
    right = {MarginSampler: 0, RandomSampler: 0}
    n_asked = 0
    for make in right:
        model = preprocessing.StandardScaler() | multiclass.OneVsOneClassifier(learner())
        # As many labels by chance as by confidence.
        sampler = make(model, n_asked / 1500 if n_asked else 0.05, seed=1)
        for x, y in datasets.ImageSegments().take(1500):
            label, ask = sampler.predict_one(x)
            assert label == model.predict_one(x)
            right[make] += label == y
            if ask:
                n_asked += make is MarginSampler
                sampler.learn_one(x, y)
    assert right[MarginSampler] > right[RandomSampler] > 1500 / 7


def test_two_classes_one_vs_one_are_read_as_the_learner_itself():
    learner = preprocessing.StandardScaler() | OLSFClassifier()
    pair = MarginSampler(multiclass.OneVsOneClassifier(learner.clone()))
    alone = MarginSampler(learner)
    for x, y in datasets.Phishing().take(300):
        pair.learn_one(x, y)
        if len(pair.classifier.classes) == 2:
            alone.learn_one(x, y)
            assert pair.confidence_one(x) == alone.confidence_one(x)
    assert alone.confidence_one(x) > 0.0


@pytest.mark.parametrize("sampler", [MarginSampler, BudgetSampler])
def test_a_classifier_without_probabilities_is_named_with_what_to_use(sampler):
    code = multiclass.OutputCodeClassifier(OLSFClassifier(), code_size=3)
    for model in (code, rename() | code):
        for method in ("predict_one", "predict_proba_one", "confidence_one"):
            with pytest.raises(
                NotImplementedError, match=r"got OutputCode.*OneVsRest.*RandomSampler"
            ):
                getattr(sampler(model), method)({"value": 1.0})
    votes = sampler(multiclass.OneVsOneClassifier(OLSFClassifier()))
    with pytest.raises(NotImplementedError, match=r"got OneVsOneClassifier.*OneVsRest"):
        votes.predict_proba_one({"value": 1.0})


def test_random_sampler_needs_no_probabilities():
    code = multiclass.OutputCodeClassifier(OLSFClassifier(), code_size=7, seed=1)
    sampler = RandomSampler(preprocessing.StandardScaler() | code, ratio=0.5, seed=1)
    metric = evaluate.progressive_val_score(
        datasets.ImageSegments().take(600), sampler, metrics.Accuracy()
    )
    assert metric.get() > 1 / 7


@pytest.mark.parametrize("sampler", [MarginSampler, BudgetSampler])
def test_a_classifier_with_fewer_than_two_classes_is_not_confident(sampler):
    model = sampler(naive_bayes.GaussianNB())
    assert model.confidence_one({"a": 1.0}) == 0.0
    assert model.predict_one({"a": 1.0})[0] is None
    model.learn_one({"a": 1.0}, True)
    assert model.classifier.predict_proba_one({"a": 1.0}) == {True: 1.0}
    assert model.confidence_one({"a": 1.0}) == 0.0
    assert MarginSampler(naive_bayes.GaussianNB()).predict_one({"a": 1.0}) == (None, True)


def test_certainty_is_finite():
    sampler = MarginSampler(dummy.NoChangeClassifier())
    sampler.learn_one({}, "a")
    sampler.learn_one({}, "b")
    assert sampler.classifier.predict_proba_one({}) == {"a": 0.0, "b": 1.0}
    assert 700 < sampler.confidence_one({}) < math.inf


@pytest.mark.parametrize(
    "sampler", [lambda m: MarginSampler(m, rho=10, seed=1), lambda m: BudgetSampler(m, 0.3, seed=1)]
)
@pytest.mark.parametrize(
    "model",
    [
        tree.HoeffdingTreeClassifier(),
        preprocessing.StandardScaler() | multiclass.OneVsRestClassifier(OLSFClassifier()),
    ],
)
def test_multiclass(sampler, model):
    metric = evaluate.progressive_val_score(
        datasets.ImageSegments().take(600), sampler(model.clone()), metrics.Accuracy()
    )
    assert metric.get() > 0.4


@pytest.mark.parametrize("delay", [None, 10])
def test_progressive_validation_counts_the_labels_used(delay):
    for make in SAMPLERS:
        model = make(preprocessing.StandardScaler() | OLSFClassifier(), seed=3)
        *_, last = evaluate.iter_progressive_val_score(
            datasets.Phishing(), model, metrics.Accuracy(), step=1250, delay=delay
        )
        if isinstance(model, BudgetSampler):
            assert last["Samples used"] == model.labels_spent
        assert 0 < last["Samples used"] < 400


def test_random_sampler_asks_at_its_ratio():
    model = RandomSampler(ruler(), ratio=0.3, seed=1)
    asked = sum(model.predict_one({"q": 1e9 * (i % 2)})[1] for i in range(20_000))
    assert abs(asked / 20_000 - 0.3) < 5 * math.sqrt(0.3 * 0.7 / 20_000)
    assert model.query_probability_one({"q": 1.0}) == 0.3


@given(ratio=st.floats(0.0, 1.0), seed=st.integers(0, 100))
def test_an_exact_share_of_random_labels_is_never_a_label_off(ratio, seed):
    model = RandomSampler(ruler(), ratio, exact=True, seed=seed)
    spent = 0
    for t in range(1, 300):
        spent += model.predict_one({"q": 1.0})[1]
        assert abs(spent - ratio * t) < 1 + 1e-9
        assert 0.0 <= model.query_probability_one({"q": 1.0}) <= 1.0


@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.29, 0.7, 1.0])
def test_an_exact_share_of_random_labels_is_exact_and_leaves_no_instance_out(ratio):
    n_runs = 2000
    counts = [0] * 100
    for seed in range(n_runs):
        model = RandomSampler(ruler(), ratio, exact=True, seed=seed)
        asked = [model.predict_one({"q": 1.0})[1] for _ in range(100)]
        assert sum(asked) == round(100 * ratio)
        counts = [count + ask for count, ask in zip(counts, asked, strict=True)]
    error = 5 * math.sqrt(ratio * (1 - ratio) / n_runs)
    assert all(abs(count / n_runs - ratio) <= error for count in counts)


def test_rho_is_found_for_a_share_of_the_labels():
    learner = preprocessing.StandardScaler() | OLSFClassifier()
    rows = list(datasets.Phishing())
    before = pickle.dumps(learner)
    for share in (0.02, 0.1, 0.5):
        rho = find_rho(learner, iter(rows), share, seed=1)
        model = MarginSampler(learner.clone(), rho, seed=1)
        spent = 0
        for x, y in rows:
            if model.predict_one(x)[1]:
                spent += 1
                model.learn_one(x, y)
        assert spent / len(rows) == pytest.approx(share, abs=0.005)
    assert pickle.dumps(learner) == before


def _hold_out(seed):
    train, test = split(datasets.Phishing(), seed=seed)
    return HoldOut(Trapezoidal(train), test)


def _labels_used(learner, rho, seeds):
    used = []
    for seed in seeds:
        model, asked = MarginSampler(learner.clone(), rho, seed=seed), []
        for x, y in _hold_out(seed).train:
            asked.append(model.predict_one(x)[1])
            if asked[-1]:
                model.learn_one(x, y)
        used.append(sum(asked) / len(asked))
    return used


@pytest.mark.parametrize("share", [0.1, 0.2])
def test_rho_is_found_for_a_hold_out(share):
    learner = preprocessing.StandardScaler() | OLSFClassifier()
    rho = find_rho(learner, _hold_out(1), share, seed=1)
    assert rho == find_rho(learner, _hold_out, share, seed=1)
    assert _labels_used(learner, rho, [1]) == [pytest.approx(share, abs=0.005)]


def test_rho_is_found_for_the_mean_of_several_runs():
    learner = preprocessing.StandardScaler() | OLSFClassifier()
    rho = find_rho(learner, _hold_out, 0.1, seed=5, repeats=4)
    used = _labels_used(learner, rho, range(5, 9))
    assert statistics.mean(used) == pytest.approx(0.1, abs=0.005)
    assert len(set(used)) > 1
    # On one and the same stream, it is the draws that differ.
    rows = list(_hold_out(5).train)
    rho = find_rho(learner, rows, 0.1, seed=5, repeats=3)
    assert rho == find_rho(learner, lambda _: rows, 0.1, seed=5, repeats=3)


@pytest.mark.parametrize("seed", [2, 4])
def test_rho_is_found_beside_a_jump_of_the_share(monkeypatch, seed):
    learner = preprocessing.StandardScaler() | OLSFClassifier()
    rho = find_rho(learner, _hold_out, seed=seed)
    assert _labels_used(learner, rho, [seed]) == [pytest.approx(0.1, abs=0.005)]
    monkeypatch.setattr("river_trapezoid.active.rho._MOST_STEPS", 0)
    with pytest.raises(ValueError, match=r"the closest share was (9|10)\.\d%"):
        find_rho(learner, _hold_out, seed=seed)


def test_several_runs_or_a_function_need_a_seed():
    for dataset, repeats in ((_hold_out, 1), (_hold_out(1), 2)):
        with pytest.raises(ValueError, match="seed must be an integer"):
            find_rho(OLSFClassifier(), dataset, repeats=repeats)
    with pytest.raises(ValueError, match="repeats must be an integer >= 1; got 0"):
        find_rho(OLSFClassifier(), _hold_out, seed=1, repeats=0)


def test_where_no_rho_will_do_the_closest_share_is_told():
    # Where nothing is known, every label is asked for, whatever rho is.
    with pytest.raises(ValueError, match=r"got 10.0%.*closest share was 100.0%"):
        find_rho(OLSFClassifier(), [({}, True)] * 100, 0.1)
    # The one feature of the first chunk is zero in many instances.
    with pytest.raises(ValueError, match=r"closest share was 19\.\d%"):
        find_rho(OLSFClassifier(), _hold_out, 0.1, seed=1)
    with pytest.raises(ValueError, match="dataset must not be empty"):
        find_rho(OLSFClassifier(), iter([]), 0.1)


def test_ranking_puts_the_least_confident_first_and_changes_nothing():
    model = MarginSampler(ruler(), seed=1)
    before = pickle.dumps(model)
    pool = [{"q": q} for q in (3.0, -0.1, 100.0, 0.0, -2.0)]
    assert model.rank(pool) == [3, 1, 4, 0, 2]
    assert model.rank(iter(pool), k=2) == [3, 1]
    assert model.rank(pool, k=0) == []
    assert model.rank([]) == []
    assert pickle.dumps(model) == before


def test_ranking_can_put_back_what_resembles_the_chosen():
    learner = OLSFClassifier(mode=0, B=1.0, radius=None)
    learner.learn_one({"q": 1.0}, True)
    model = MarginSampler(learner)
    pool = [{"a": 1.0, "q": 0.01}, {"a": 1.0, "q": 0.02}, {"b": 1.0, "q": 0.3}]
    assert model.rank(pool) == [0, 1, 2]
    assert model.rank(pool, diversity=1.0) == [0, 2, 1]
    with pytest.raises(ValueError, match="diversity must be"):
        model.rank(pool, diversity=2)


@pytest.mark.parametrize("scale", [1.0, 1e200, 1.7e307, 1e-200, 1e-310])
def test_ranking_by_likeness_does_not_depend_on_the_scale(scale):
    model = MarginSampler(dummy.NoChangeClassifier())
    pool = [{"a": 3.0, "b": 1.0}, {"a": 6.0, "b": 2.0}, {"a": 1.0, "b": 8.0}, {"c": 1.0}]
    pool = [{key: scale * value for key, value in x.items()} for x in pool]
    assert model.rank(pool, diversity=0.5) == [0, 3, 2, 1]


def test_ranking_of_text_cannot_tell_what_is_alike():
    model = MarginSampler(dummy.NoChangeClassifier())
    assert model.rank(["good", "bad"], k=1) == [0]
    with pytest.raises(TypeError, match=r"instances must be.*'good'"):
        model.rank(["good", "bad"], diversity=0.5)


def test_ranking_by_likeness_takes_any_value_that_the_classifier_takes():
    model = MarginSampler(dummy.NoChangeClassifier())
    odd = [None, math.nan, math.inf, -math.inf, 10**400, "red", [1.0], np.timedelta64(1, "s"), 1j]
    pool = [{"a": 1.0}, {"a": np.float32(2.0)}, {"b": True}, *({"a": 1.0, "b": v} for v in odd), {}]
    ranked = model.rank(pool, diversity=1.0)
    assert sorted(ranked) == list(range(len(pool)))
    assert ranked[:3] == [0, 2, len(pool) - 1]


def test_the_binary_case_of_rivers_check_with_the_pair_unwrapped():
    for make in SAMPLERS:
        model = make(OLSFClassifier(), seed=1)
        for x, y in datasets.Phishing().take(200):
            proba, ask = model.predict_proba_one(x)
            assert set(proba) == {False, True}
            assert isinstance(ask, bool)
            model.learn_one(x, y)


@pytest.mark.parametrize(
    ("cls", "name", "values"),
    [
        (MarginSampler, "rho", [0, -1, math.inf, math.nan, None]),
        (MarginSampler, "seed", ["a", 0.5]),
        (RandomSampler, "ratio", [-0.1, 1.1, None]),
        (BudgetSampler, "budget", [0, 1.1, -0.1, None]),
        (BudgetSampler, "credit", [-1, math.inf, None]),
        (BudgetSampler, "explore", [-0.1, 1.1]),
        (BudgetSampler, "power", [0, -1]),
        (BudgetSampler, "slack", [-1, None]),
        (UncertaintySampler, "budget", [0, 1.1]),
        (UncertaintySampler, "threshold", [0, math.inf]),
        (UncertaintySampler, "step", [0, 1]),
        (UncertaintySampler, "deviation", [-1]),
        (UncertaintySampler, "random_share", [-0.1, 1.1]),
        (UncertaintySampler, "window", [0, 1.5]),
    ],
)
def test_wrong_parameters_are_named(cls, name, values):
    for value in values:
        with pytest.raises(ValueError, match=f"^{name} must be .*got"):
            cls(OLSFClassifier(), **{name: value})


@pytest.mark.parametrize("sampler", [MarginSampler, RandomSampler])
def test_a_class_in_the_place_of_a_classifier_is_named(sampler):
    with pytest.raises(TypeError, match=r"such as OLSFClassifier\(\)"):
        sampler(OLSFClassifier)


@pytest.mark.parametrize(
    "model",
    [
        RandomSampler(OLSFClassifier(), exact=True, seed=1),
        BudgetSampler(OLSFClassifier(), seed=1),
        UncertaintySampler(OLSFClassifier(), seed=1),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_pickle_with_a_plain_tuple_as_its_state_is_loaded(model):
    for i in range(100):
        model.predict_one({"a": float(i % 7)})
    old = copy.copy(model)
    vars(old)["_state"] = tuple(model._state)
    again = pickle.loads(pickle.dumps(old))
    assert type(again._state) is type(model._state)
    assert again._state == model._state
    assert again.predict_one({"a": 1.0}) == model.predict_one({"a": 1.0})
