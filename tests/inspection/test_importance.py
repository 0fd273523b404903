from __future__ import annotations

import csv
import dataclasses
import itertools
import math
import pickle
import random
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import (
    base,
    compose,
    datasets,
    ensemble,
    facto,
    feature_extraction,
    linear_model,
    metrics,
    multiclass,
    naive_bayes,
    preprocessing,
    tree,
)

from river_trapezoid import inspection, semi_supervised
from river_trapezoid import preprocessing as own_preprocessing
from river_trapezoid.active import RandomSampler
from river_trapezoid.inspection.importance_history import ranked
from river_trapezoid.linear_model import (
    EvidenceClassifier,
    FESLClassifier,
    MulticlassOLSFClassifier,
    OCDSClassifier,
    OFSClassifier,
    OLSFClassifier,
)
from river_trapezoid.semi_supervised import PseudoLabelClassifier, SVMClassifier

SEGMENTS = list(datasets.ImageSegments().take(200))
TEXTS = [("good fine day", True), ("bad sad day", False), ("fine fun", True)] * 20


def coming_and_going(n=400, seed=0):
    """Two features determine the label, one of them absent in the second half; ten are noise."""
    rng = random.Random(seed)
    for t in range(n):
        x = {f"noise {i}": rng.gauss(0.0, 1.0) for i in range(10)}
        x |= {"stays": rng.gauss(0.0, 1.0), "goes": rng.gauss(0.0, 1.0)}
        y = x["stays"] + x["goes"] > 0
        if t >= n // 2:
            del x["goes"]
        if n // 4 <= t < n // 2 + n // 4:
            del x["noise 0"]
        if t < n // 4:
            del x["noise 1"]
        yield x, y


ROWS = list(coming_and_going())


def by_hand(model, rows, n_windows, tell):
    """Mean absolute values in each window of what a model reports before it learns an instance."""
    model = model.clone()
    size = len(rows) // n_windows
    for start in range(0, len(rows), size):
        sums = {}
        for x, y in rows[start : start + size]:
            for feature, number in tell(model, x):
                sums[feature] = sums.get(feature, 0.0) + abs(number) / size
            model.learn_one(x, y)
        yield sums


def _logistic(model, x):
    weights = model["LogisticRegression"].weights
    scaled = model["StandardScaler"].transform_one(x)
    return [(key, weights.get(key, 0.0) * value) for key, value in scaled.items()]


def _softmax(model, x):
    return [(key, w.get(key, 0.0) * x[key]) for w in model.weights.values() for key in x]


def _scores(model, x):
    return [item for own in model.contributions_one(x).values() for item in own.items()]


def _one_vs_rest(model, x):
    return [item for m in model.classifiers.values() for item in m.contributions_one(x).items()]


# What is recorded, the model, the rows, and a function that computes it directly.
CASES = {
    "logistic regression behind a scaler": (
        "contributions",
        preprocessing.StandardScaler() | linear_model.LogisticRegression(),
        ROWS,
        _logistic,
    ),
    "passive-aggressive": (
        "contributions",
        linear_model.PAClassifier(),
        ROWS,
        lambda m, x: [(key, m.weights.get(key, 0.0) * value) for key, value in x.items()],
    ),
    "OLSF": (
        "contributions",
        OLSFClassifier(B=5),
        ROWS,
        lambda m, x: [(key, m.weights.get(key, 0.0) * value) for key, value in x.items()],
    ),
    "OFS": ("contributions", OFSClassifier(), ROWS, lambda m, x: m.contributions_one(x).items()),
    "OCDS": ("contributions", OCDSClassifier(), ROWS, lambda m, x: m.contributions_one(x).items()),
    "FESL": ("contributions", FESLClassifier(), ROWS, lambda m, x: m.contributions_one(x).items()),
    "evidence": (
        "contributions",
        EvidenceClassifier(),
        ROWS,
        lambda m, x: m.contributions_one(x).items(),
    ),
    "softmax": ("contributions", linear_model.SoftmaxRegression(), SEGMENTS, _softmax),
    "labels": ("contributions", MulticlassOLSFClassifier(), SEGMENTS, _scores),
    "one-vs-rest": (
        "contributions",
        multiclass.OneVsRestClassifier(EvidenceClassifier()),
        SEGMENTS,
        _one_vs_rest,
    ),
    "what features say": (
        "evidence",
        EvidenceClassifier(),
        ROWS,
        lambda m, x: m.evidence_one(x).items(),
    ),
    "what pairs say": (
        "pairs",
        EvidenceClassifier(n_paired=4),
        ROWS,
        lambda m, x: m.pair_evidence_one(x).items(),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_importance_is_the_mean_size_before_learning(case):
    by, model, rows, tell = CASES[case]
    history = inspection.importance(model, rows, n_windows=8, by=by)
    expected = list(by_hand(model, rows, 8, tell))
    assert [(w.start, w.end) for w in history.windows] == [
        (i * len(rows) // 8, (i + 1) * len(rows) // 8) for i in range(8)
    ]
    for window, sums in zip(history.windows, expected, strict=True):
        # Those of zero are not listed.
        sums = {feature: size for feature, size in sums.items() if size}
        assert window.importances == pytest.approx(sums, rel=1e-9)
        sizes = list(window.importances.values())
        assert sizes == sorted(sizes, reverse=True)
    assert any(window.importances for window in history.windows)


@pytest.mark.parametrize(
    ("model", "rows", "weights"),
    [
        (OLSFClassifier(B=5), ROWS, lambda m: {k: abs(w) for k, w in m.weights.items()}),
        (
            EvidenceClassifier(),
            ROWS,
            lambda m: {
                key: abs(w) + abs(m.evidence_weights[key]) for key, w in m.value_weights.items()
            },
        ),
        (
            linear_model.SoftmaxRegression(),
            SEGMENTS,
            lambda m: {key: sum(abs(w[key]) for w in m.weights.values()) for key in SEGMENTS[0][0]},
        ),
    ],
    ids=["OLSF", "evidence", "softmax"],
)
def test_weights_are_those_at_the_end_of_a_window(model, rows, weights):
    history = inspection.importance(model, rows, window=50, by="weights")
    assert len(history.windows) == len(rows) // 50
    model = model.clone()
    for t, (x, y) in enumerate(rows, start=1):
        model.learn_one(x, y)
        if t % 50 == 0:
            expected = {key: w for key, w in weights(model).items() if w}
            assert history.windows[t // 50 - 1].importances == pytest.approx(expected)


def test_a_feature_that_is_withheld_is_reported_as_vanished_once():
    history = inspection.importance(EvidenceClassifier(), ROWS, n_windows=8)
    events = {
        name: [getattr(history, name)(i) for i in range(8)]
        for name in ("new", "vanished", "returned")
    }
    others = {"stays", "goes", *(f"noise {i}" for i in (0, *range(2, 10)))}
    assert set(events["new"][0]) == others
    assert events["new"][1:] == [[], ["noise 1"], [], [], [], [], []]
    assert events["vanished"] == [[], [], ["noise 0"], [], ["goes"], [], [], []]
    assert events["returned"] == [[], [], [], [], [], [], ["noise 0"], []]
    assert history.vanished(-4) == ["goes"]
    assert [w.n_features for w in history.windows] == [11, 11, 11, 11, 10, 10, 11, 11]
    assert history.observed("goes") == [True] * 4 + [False] * 4
    assert history.observed("noise 0") == [True] * 2 + [False] * 4 + [True] * 2
    assert history.observed("noise 1") == [False] * 2 + [True] * 6
    assert all(value > 0.0 for value in history.values("goes")[1:4])
    assert history.values("goes")[4:] == [0.0] * 4
    # A weight outlasts its feature.
    weights = inspection.importance(EvidenceClassifier(), ROWS, n_windows=8, by="weights")
    assert weights.vanished(4) == ["goes"]
    assert all(value > 0.0 for value in weights.values("goes"))
    assert weights.observed("goes") == history.observed("goes")


@pytest.mark.parametrize("by", ["contributions", "weights", "evidence"])
@pytest.mark.parametrize("mixture", [True, False])
def test_informative_features_are_more_important_than_noise(by, mixture):
    model = EvidenceClassifier(mixture=mixture)
    history = inspection.importance(model, ROWS, n_windows=4, by=by)
    assert set(history.top(2, window=1)) == {"stays", "goes"}
    assert next(iter(history.top(1))) == "stays"
    assert history.features[0] == "stays"
    assert len(history.features) == 12
    noise = max(history.values(f"noise {i}")[-1] for i in range(10))
    assert history.values("stays")[-1] > 2 * noise


def test_informative_pairs_are_more_important_than_noise():
    rng = random.Random(0)
    rows = [{key: rng.choice([-1.0, 1.0]) for key in "abcde"} for _ in range(1000)]
    rows = [(x, x["a"] != x["c"]) for x in rows]
    history = inspection.importance(EvidenceClassifier(), rows, n_windows=4, by="pairs")
    (pair, value), (_, second) = history.top(2, window=-1).items()
    assert set(pair) == {"a", "c"}
    assert value > 5 * second
    # What they do together counts half for each.
    contributions = inspection.importance(EvidenceClassifier(), rows, n_windows=4).top(3, window=-1)
    (_, first), (_, second), (_, third) = contributions.items()
    assert set(list(contributions)[:2]) == {"a", "c"}
    assert first == pytest.approx(second, rel=0.1)
    assert second > 5 * third


@pytest.mark.parametrize("by", ["contributions", "weights", "evidence", "pairs"])
@pytest.mark.parametrize("limits", [{}, {"max_features": 3, "max_known": 5}])
def test_the_order_of_features_changes_nothing(by, limits):
    rng = random.Random(1)
    # Columns that are alike are equally important.
    rows = [({**x, "twin": x["stays"]}, y) for x, y in ROWS]
    shuffled = [(dict(rng.sample(list(x.items()), len(x))), y) for x, y in rows]
    histories = [
        inspection.importance(EvidenceClassifier(), data, n_windows=8, by=by, **limits)
        for data in (rows, shuffled)
    ]
    first, second = (
        [(list(w.importances.items()), dataclasses.asdict(w)) for w in h.windows] for h in histories
    )
    assert first == second
    assert repr(histories[0]) == repr(histories[1])


def test_importance_does_not_modify_the_model():
    model = own_preprocessing.StandardScaler() | OLSFClassifier()
    before = pickle.dumps(model)
    inspection.importance(model, ROWS)
    assert pickle.dumps(model) == before


def test_scores_are_those_of_each_window():
    model = EvidenceClassifier()
    history = inspection.importance(model, ROWS, n_windows=8)
    log_loss = inspection.importance(model, ROWS, n_windows=8, metric=metrics.LogLoss())
    assert (history.metric, log_loss.metric) == ("Accuracy", "LogLoss")
    model = model.clone()
    for i in range(8):
        accuracy, loss = metrics.Accuracy(), metrics.LogLoss()
        for x, y in ROWS[50 * i : 50 * i + 50]:
            accuracy.update(y, model.predict_one(x))
            loss.update(y, model.predict_proba_one(x))
            model.learn_one(x, y)
        assert history.windows[i].score == accuracy.get()
        assert log_loss.windows[i].score == loss.get()


def test_regressors_have_importances():
    rows = [(x, 2.0 * x["stays"]) for x, _ in ROWS]
    history = inspection.importance(linear_model.LinearRegression(), rows, n_windows=4)
    assert history.metric == "MAE"
    assert next(iter(history.top(1, window=-1))) == "stays"


def test_words_are_features_and_a_sampler_learns_queried_labels():
    model = RandomSampler(feature_extraction.BagOfWords() | OLSFClassifier(), 0.3, seed=1)
    history = inspection.importance(model, TEXTS, n_windows=3, by="weights")
    assert set(history.new(0)) == {"good", "fine", "day", "bad", "sad", "fun"}
    twin = model.clone()
    for x, y in TEXTS:
        _, ask = twin.predict_one(x)
        if ask:
            twin.learn_one(x, y)
    sizes = {key: abs(w) for key, w in twin.classifier["OLSFClassifier"].weights.items()}
    assert history.windows[-1].importances == sizes


@pytest.mark.parametrize("by", ["contributions", "weights"])
def test_inspection_does_not_train_a_pipeline(by):
    model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    recorder = inspection.ImportanceRecorder(model, by=by)
    with compose.learn_during_predict():
        for x, y in ROWS[:50]:
            model.predict_one(x)
            before = pickle.dumps(model)
            recorder.update(x)
            assert pickle.dumps(model) == before
            model.learn_one(x, y)
        assert compose.Pipeline._LEARN_UNSUPERVISED_DURING_PREDICT


def test_contributions_are_those_that_the_prediction_was_made_with():
    model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    twin, total = model.clone(), 0.0
    with compose.learn_during_predict():
        history = inspection.importance(model, ROWS, n_windows=2)
        for x, y in ROWS:
            twin.predict_one(x)
            # The steps of a pipeline transform without learning when asked one by one.
            total += sum(abs(c) for _, c in _logistic(dict(twin.steps), x))
            twin.learn_one(x, y)
    assert math.fsum(history.top(None).values()) == pytest.approx(total / len(ROWS))


def test_learners_inside_wrappers_are_inspected():
    inner = semi_supervised.ScarceLabels(PseudoLabelClassifier(OLSFClassifier()), 0.5, seed=1)
    history = inspection.importance(inner, ROWS, n_windows=2)
    assert "stays" in history.features


def test_missing_values_are_not_observed():
    rows = [({"a": 1.0, "b": None}, True), ({"a": math.nan, "b": 1.0}, False)] * 10
    history = inspection.importance(OLSFClassifier(), rows, window=2)
    assert history.windows[0].shares == {"a": 0.5, "b": 0.5}
    history = inspection.importance(OLSFClassifier(), rows, window=1)
    assert [history.new(0), history.new(1)] == [["a"], ["b"]]
    assert [history.vanished(i) for i in range(1, 4)] == [["a"], ["b"], ["a"]]


def _generated(n):
    yield from itertools.islice(coming_and_going(), n)


class _Unsized:
    def __iter__(self):
        return iter(ROWS[:90])


class _SaysLess(list):
    n_samples = 50


@pytest.mark.parametrize(
    ("rows", "options", "ends"),
    [
        (ROWS[:90], {"n_windows": 4}, [22, 45, 67, 90]),
        (_Unsized(), {"n_windows": 2}, [45, 90]),
        (_generated(90), {"n_windows": 3}, [30, 60, 90]),
        (_generated(90), {"window": 40}, [40, 80, 90]),
        (ROWS[:3], {}, [1, 2, 3]),
        (datasets.Phishing(), {"n_windows": 1}, [1250]),
        (_SaysLess(ROWS[:90]), {"n_windows": 2}, [25, 50, 75, 90]),
        (datasets.synth.SEA(seed=1).take(60), {"n_windows": 2}, [30, 60]),
    ],
    ids=["list", "unsized", "iterator", "window", "few", "dataset", "more than it says", "taken"],
)
def test_windows_divide_any_stream(rows, options, ends):
    history = inspection.importance(OLSFClassifier(), rows, **options)
    assert [w.end for w in history.windows] == ends
    assert [w.start for w in history.windows] == [0, *ends[:-1]]


def test_instances_may_come_with_weights():
    rows = [(x, y, {"w": 0.0}) for x, y in ROWS[:100]]
    history = inspection.importance(OLSFClassifier(), rows, n_windows=2)
    assert history.features == []


def words(n=300, seed=0):
    """Instances of eight words each, of which new ones come along and old ones become rare."""
    rng = random.Random(seed)
    for t in range(n):
        x = {f"w{int(rng.triangular(0, t + 20, t))}": 1.0 for _ in range(8)}
        yield x, sum(int(word[1:]) % 2 for word in x) > len(x) / 2


def test_the_most_important_features_are_kept_and_the_loss_is_reported():
    rows = list(words())
    model = EvidenceClassifier()
    for by in ("contributions", "weights", "evidence", "pairs"):
        whole = inspection.importance(model, rows, n_windows=5, by=by)
        cut = inspection.importance(model, rows, n_windows=5, by=by, max_features=7)
        assert not any(w.n_left_out or w.share_left_out for w in whole.windows)
        assert "Left out" not in whole.table()
        for all_of_it, window in zip(whole.windows, cut.windows, strict=True):
            sizes = list(all_of_it.importances.items())
            assert list(window.importances.items()) == sizes[:7]
            assert window.n_left_out == len(sizes) - 7 > 0
            lost = sum(size for _, size in sizes[7:]) / sum(size for _, size in sizes)
            assert window.share_left_out == pytest.approx(lost)
            for event in ("new", "vanished", "returned"):
                names = getattr(all_of_it, event)
                assert getattr(window, event) == names[:7]
                assert (
                    len(names) == getattr(window, f"n_{event}") == getattr(all_of_it, f"n_{event}")
                )
            assert len(window.shares) <= 21
        last = sizes[-1][0]
        assert math.isnan(cut.windows[-1].importance(last))
        lost = max(w.share_left_out for w in cut.windows)
        assert f"with up to {lost:.1%} of its importance" in cut.table()
        assert f"{lost:.1%}" in cut.to_html()


@pytest.mark.parametrize("by", ["contributions", "weights"])
@pytest.mark.parametrize("max_features", [1, 7, 30])
def test_observations_are_correct_for_any_number_of_kept_names(by, max_features):
    rows = list(words())
    model = EvidenceClassifier()
    history = inspection.importance(model, rows, window=20, by=by, max_features=max_features)
    said = {True: 0, False: 0, None: 0}
    for feature in history.features:
        for window, there in zip(history.windows, history.observed(feature), strict=True):
            said[there] += 1
            if there is not None:
                assert there == any(feature in x for x, _ in rows[window.start : window.end])
    assert all(said.values())
    whole = inspection.importance(model, rows, window=20, by=by)
    for feature in whole.features:
        assert whole.observed(feature) == [
            any(feature in x for x, _ in rows[w.start : w.end]) for w in whole.windows
        ]


def test_features_that_have_been_away_longest_are_forgotten():
    rows = [({name: 1.0}, True) for name in ("a", "b", "c", "a", "c")]
    model = linear_model.PAClassifier()
    history = inspection.importance(model, rows, window=1, max_known=2)
    assert [history.new(i) for i in range(5)] == [["a"], ["b"], ["c"], ["a"], []]
    assert [history.returned(i) for i in range(5)] == [[], [], [], [], ["c"]]
    assert [w.n_forgotten for w in history.windows] == [0, 0, 1, 1, 0]
    assert "Forgotten: 2. They count as new if they return." in repr(history)
    whole = inspection.importance(model, rows, window=1)
    assert [whole.returned(i) for i in range(5)] == [[], [], [], ["a"], ["c"]]
    assert "Forgotten" not in repr(whole)


def test_memory_does_not_grow_with_the_features_that_have_been_seen():
    model = OLSFClassifier(B=10)
    recorder = inspection.ImportanceRecorder(model, max_features=5, max_known=20)
    sizes = []
    for t in range(2000):
        x = {f"f{t}": 1.0, f"f{t + 1}": -1.0}
        recorder.update(x)
        model.learn_one(x, t % 2 == 0)
        if t % 10 == 9:
            recorder.end_window()
            sizes.append(len(pickle.dumps((recorder._known, recorder._windows[-1]))))
    assert max(sizes[20:]) < 1.2 * sizes[10]


def test_a_recorder_in_a_loop_records_the_same():
    model = EvidenceClassifier()
    history = inspection.importance(model, ROWS, n_windows=4)
    recorder = inspection.ImportanceRecorder(model, metric="Accuracy")
    accuracy = metrics.Accuracy()
    for t, (x, y) in enumerate(ROWS, start=1):
        accuracy.update(y, model.predict_one(x))
        recorder.update(x)
        model.learn_one(x, y)
        if t % 100 == 0:
            window = recorder.end_window(accuracy.get())
            accuracy = metrics.Accuracy()
            assert recorder.history.windows[-1] == window
    assert recorder.history == history
    with pytest.raises(ValueError, match="a window must have at least one instance"):
        recorder.end_window()
    assert recorder.history == history


def test_a_recorder_is_not_modified_by_an_instance_that_it_refuses():
    recorder = inspection.ImportanceRecorder(EvidenceClassifier())
    recorder.update({"a": 1.0})
    with pytest.raises(TypeError, match="feature 'b'"):
        recorder.update({"a": 1.0, "b": [1.0]})
    with pytest.raises(TypeError, match="x must be a dict of features"):
        recorder.update("red")
    assert recorder.end_window().shares == {"a": 1.0}


TREE = tree.HoeffdingTreeClassifier()


@pytest.mark.parametrize(
    ("model", "by", "message"),
    [
        (TREE, "contributions", "contributions_one or the weights .*got HoeffdingTreeClass"),
        (
            preprocessing.StandardScaler() | TREE,
            "contributions",
            "contributions_one or the weights",
        ),
        (multiclass.OneVsRestClassifier(TREE), "contributions", "contributions_one or the weights"),
        (TREE, "weights", "linear model with weights, .*; got HoeffdingTreeClassifier"),
        (TREE, "evidence", "must have evidence_one, .*; got HoeffdingTreeClassifier"),
        (TREE, "pairs", "must have pair_evidence_one"),
        (OLSFClassifier(), "evidence", "must have evidence_one, .*; got OLSFClassifier"),
        (naive_bayes.GaussianNB(), "contributions", "got GaussianNB, which has neither"),
        (SVMClassifier(), "contributions", "got SVMClassifier, which has neither"),
        (facto.FMClassifier(), "contributions", "got FMClassifier, which has neither"),
        (ensemble.BaggingClassifier(OLSFClassifier()), "contributions", "an ensemble"),
        (preprocessing.StandardScaler(), "contributions", "a classifier or a regressor"),
    ],
)
def test_models_without_what_importance_needs_are_refused(model, by, message):
    def never():
        raise AssertionError
        yield

    with pytest.raises(TypeError, match=message):
        inspection.importance(model, never(), window=10, by=by)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"by": "gain"}, "by must be one of 'contributions', 'weights', 'evidence', 'pairs'"),
        ({"n_windows": 0}, "n_windows must be an integer >= 1"),
        ({"window": 0}, "window must be an integer >= 1, or None"),
        ({"max_features": 0}, "max_features must be"),
        ({"max_known": 0}, "max_known must be"),
        ({"stream": []}, "stream must have instances; got none"),
        ({"stream": iter(()), "window": 3}, "stream must have instances; got none"),
        ({"stream": datasets.synth.SEA()}, r"must be finite; .*SEA\(\)\.take"),
        (
            {"metric": metrics.Accuracy() + metrics.LogLoss()},
            "metric must be a single metric; got Accuracy, LogLoss",
        ),
        ({"metric": metrics.MAE()}, "metrics must be compatible with model; got MAE for"),
        ({"model": EvidenceClassifier(mixture=False), "by": "pairs"}, "model must pair features"),
    ],
)
def test_mistakes_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        inspection.importance(**{"model": EvidenceClassifier(), "stream": ROWS, **change})


def test_unknown_features_and_windows_are_refused():
    history = inspection.importance(OLSFClassifier(), ROWS, n_windows=4)
    with pytest.raises(ValueError, match="feature must be a feature of the history; got 'other'"):
        history.values("other")
    for window in (4, -5, "last"):
        with pytest.raises(ValueError, match="window must be an integer >= -4 and <= 3"):
            history.new(window)


class _Overflowing(base.Classifier):
    """A model whose weights have become useless."""

    weights = {"fine": 1.0, "endless": math.inf, "none": math.nan, "zero": 0.0}  # noqa: RUF012

    def learn_one(self, x, y):
        pass

    def predict_one(self, x):
        return True


def test_nan_comes_last():
    rows = [(dict.fromkeys(_Overflowing.weights, 1.0), True)] * 4
    history = inspection.importance(_Overflowing(), rows, n_windows=2)
    assert list(history.top(None)) == ["endless", "fine", "none"]
    cut = inspection.importance(_Overflowing(), rows, n_windows=2, max_features=2)
    assert list(cut.windows[0].importances) == ["endless", "fine"]


sizes = st.dictionaries(
    st.one_of(st.integers(0, 9), st.text("ab", max_size=3)),
    st.sampled_from([0.0, 1.0, 2.0, 3.0, math.inf, math.nan]),
)


@given(sizes, st.integers(0, 8), st.randoms())
def test_ranks_are_those_of_sorting_everything(values, k, rng):
    by_name = sorted(values.items(), key=lambda item: repr(item[0]))
    numbers = [item for item in by_name if not math.isnan(item[1])]
    everything = sorted(numbers, key=lambda item: -item[1])
    everything += [item for item in by_name if math.isnan(item[1])]
    shuffled = dict(rng.sample(list(values.items()), len(values)))
    assert repr(ranked(shuffled)) == repr(everything)
    assert repr(ranked(shuffled, k)) == repr(everything[:k])


def test_the_mean_over_windows_is_that_over_instances():
    model = EvidenceClassifier()
    parts = inspection.importance(model, ROWS, window=150)
    assert [w.end for w in parts.windows] == [150, 300, 400]
    whole = inspection.importance(model, ROWS, n_windows=1)
    assert parts.top(None) == pytest.approx(whole.top(None))
    assert list(parts.top(3)) == list(whole.top(3))
    assert parts.top(0) == {}


def test_records_are_tidy(tmp_path):
    history = inspection.importance(EvidenceClassifier(), ROWS, n_windows=8)
    records = history.records
    assert {(r["window"], r["start"], r["end"]) for r in records} == {
        (i, 50 * i, 50 * i + 50) for i in range(8)
    }
    goes = [r for r in records if r["feature"] == "goes"]
    assert [r["event"] for r in goes] == ["new", "", "", "", "vanished"]
    assert [r["importance"] for r in goes] == history.values("goes")[:5]
    assert [r["share"] for r in goes] == [1.0] * 4 + [0.0]
    history.to_csv(tmp_path / "history.csv")
    with open(tmp_path / "history.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [r["feature"] for r in rows] == [r["feature"] for r in records]
    assert [float(r["importance"]) for r in rows] == [r["importance"] for r in records]
    assert history.to_pandas().to_dict("records") == records


def test_pairs_have_titles(tmp_path):
    history = inspection.importance(EvidenceClassifier(), ROWS, n_windows=2, by="pairs")
    assert history.title(("noise 1", "stays")) == "noise 1 × stays"
    assert history.title(("a" * 30, "stays"), longest=20) == "aaaaa…aaaa × stays"
    history.to_csv(tmp_path / "pairs.csv")
    assert "noise 1 × stays" in (tmp_path / "pairs.csv").read_text(encoding="utf-8")
    assert "Pairs" in repr(history)


def test_the_error_without_pandas_names_what_to_install(monkeypatch):
    history = inspection.importance(OLSFClassifier(), ROWS)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        history.to_pandas()


def test_tables_show_every_window():
    rows = [({"<b>": x["stays"], "a name " * 9: x["noise 2"]}, y) for x, y in ROWS]
    history = inspection.importance(EvidenceClassifier(), rows, n_windows=8)
    header, *lines = repr(history).splitlines()
    assert header.split()[:3] == ["Instances", "Accuracy", "Features"]
    assert len(lines) == 8
    assert lines[-1].split()[:4] == ["350", "to", "400", f"{history.windows[-1].score:.4f}"]
    value = history.windows[-1].importances["<b>"]
    assert f"<b> {value:.2g}, a name a n…e a name  " in lines[-1]
    html = history._repr_html_()
    assert html.count("<tr>") == 9
    assert f"&lt;b&gt; {value:.2g}" in html
    assert "<b>" not in html
    assert "a name" not in history.table(k=1)


def test_a_history_cannot_be_changed_and_survives_pickling():
    history = inspection.importance(OLSFClassifier(), ROWS)
    with pytest.raises(dataclasses.FrozenInstanceError):
        history.by = "weights"
    assert pickle.loads(pickle.dumps(history)) == history
