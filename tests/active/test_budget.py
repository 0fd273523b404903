from __future__ import annotations

import decimal
import itertools
import math
import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from river import base, compose, datasets, dummy, evaluate, metrics, preprocessing
from river import linear_model as river_linear_model

from river_trapezoid import drift, persist
from river_trapezoid.active import BudgetSampler
from river_trapezoid.active._doubt import Doubt
from river_trapezoid.linear_model import OLSFClassifier
from tests.interrupts import interrupted

NAN = math.nan


class Told(dummy.NoChangeClassifier):
    """A classifier whose margin is what it is shown, whatever that is."""

    def margin_one(self, x):
        return x["q"]

    def label_at(self, margin):
        return margin > 0

    def confidence_at(self, margin):
        return abs(margin)

    def proba_at(self, margin):
        return {False: 0.5, True: 0.5}


def allowed(t, b, K):
    return min(max(1 / 2, b) * t, max(b * t, K + 3 / 4 * b * t))


class Twin:
    """The rule as it is written down, in as many digits as it takes."""

    def __init__(self, b, K, explore, power, slack, reserve=0):
        self.reserve, self.doubt = reserve, Doubt()
        self.b, self.K, self.explore, self.power, self.slack = b, K, explore, power, slack
        self.t = self.S = 0
        self.lam = decimal.Decimal(0)
        self.seen = []

    def target(self, t):
        aim = max(self.b * t - self.reserve, self.K + 3 / 4 * self.b * t)
        return min(max(1 / 2, self.b) * t, aim)

    def probability(self, q, draw):
        D = decimal.Decimal
        self.t += 1
        q = 0.0 if math.isnan(q) else q
        now = allowed(self.t, self.b, self.K)
        P = self.doubt.probability
        r = max(self.target(self.t) - self.target(self.t - 1), 1e-4)
        if P > 1 / 2:
            r = max(r, self.b)
        aim = (1 - P) * self.target(self.t) + P * now
        below = sum(c < q for c in self.seen)
        equal = sum(c == q for c in self.seen)
        u = D((below + draw * (equal + 1)) / (len(self.seen) + 1)) if self.seen else D("0.5")
        self.seen = [*self.seen, q][-64:]
        if r >= 0.999:
            p = D(1)
        else:
            r = D(r)
            rho = self.lam.exp() * r / (1 - r)
            p0 = 1 / (1 + ((2 * u + D("0.1")) / rho) ** D(self.power))
            self.lam += D("0.05") * min(max(1 - p0 / r, D(-3)), D(3))
            self.lam = min(max(self.lam, D(-12)), D(12))
            boost = min(max(1 + D(aim - self.S) / 2, D(0)), D(4))
            explore = D(self.explore)
            p = explore * min(D(1), r * boost) + (1 - explore) * min(D(1), p0 * boost)
            if not boost:
                return 0.0
            p = D(P) * min(D(1), 2 * u * r * boost) + D(1 - P) * p
        return float(p) if now + self.slack >= self.S + 1 else 0.0


SETTINGS = [
    (0.1, 20.0, 0.1, 4.0, 2.0),
    (0.02, 0.0, 0.0, 1.0, 2.0),
    (0.3, 5.0, 1.0, 2.0, 0.5),
    (0.6, 20.0, 0.1, 4.0, 0.0),
    (0.9995, 20.0, 0.1, 4.0, 2.0),
    (1.0, 0.0, 0.5, 1.0, 3.0),
    (1e-4, 20.0, 0.1, 100.0, 2.0),
    (1e-4, 0.0, 0.0, 100.0, 2.0),
]


@pytest.mark.parametrize("arguments", SETTINGS)
def test_it_follows_its_rule(arguments):
    rng, source = random.Random(1), random.Random(9)
    model = BudgetSampler(Told(), *arguments, seed=9)
    twin = Twin(*arguments)
    for t in range(1500):
        if t % 64 == 0:
            ties, questions = ([source.random() for _ in range(64)] for _ in range(2))
        q = rng.choice([rng.expovariate(1.0), rng.gauss(0, 1), 0.0, 1.0, math.inf, NAN])
        x, confidence = {"q": q}, abs(q)
        before = pickle.dumps(model)
        probability = model.query_probability_one(x)
        assert pickle.dumps(model) == before
        in_the_middle = pickle.loads(pickle.dumps(twin)).probability(confidence, 0.5)
        assert probability == pytest.approx(in_the_middle, rel=1e-7, abs=1e-300)

        p = twin.probability(confidence, ties[t % 64])
        _, ask = model.predict_one(x)
        assert ask is (questions[t % 64] < p)
        twin.S += ask
        assert (model.labels_spent, model.n_offered) == (twin.S, twin.t)
        assert model.allowed(twin.t) == pytest.approx(allowed(twin.t, *arguments[:2]), rel=1e-15)
    assert twin.S > 0
    assert (twin.S < 1500) is (arguments[0] < 0.999)


@pytest.mark.parametrize(
    ("arguments", "reserve"),
    [
        ((0.1, 15.0, 0.1, 3.0, 2.0), 10.0),
        ((0.3, 0.0, 0.0, 4.0, 1.0), 30.0),
        ((0.05, 5.0, 0.5, 1.0, 2.0), 0.0),
        ((0.7, 15.0, 0.1, 3.0, 2.0), 10.0),
    ],
)
def test_in_doubt_it_follows_its_rule(arguments, reserve):
    rng, source = random.Random(1), random.Random(9)
    model = BudgetSampler(Told(), *arguments, seed=9, doubting=True, reserve=reserve)
    twin = Twin(*arguments, reserve)
    doubts = []
    for t in range(2000):
        if t % 64 == 0:
            ties, questions = ([source.random() for _ in range(64)] for _ in range(2))
        q = rng.choice([rng.gauss(0, 3), rng.gauss(0, 1), 0.0, 1.0])
        p = twin.probability(abs(q), ties[t % 64])
        _, ask = model.predict_one({"q": q})
        assert ask is (questions[t % 64] < p)
        twin.S += ask
        if ask:
            # The concept is inverted in the middle.
            y = (q > 0) is not (700 < t < 1400)
            model.learn_one({"q": q}, y)
            twin.doubt = twin.doubt.after(q > 0, y, abs(q))
        assert model.doubt == twin.doubt.probability
        assert model.labels_spent == twin.S <= allowed(twin.t, *arguments[:2]) + arguments[4]
        doubts.append(model.doubt)
    assert max(doubts[:700]) < 0.3
    assert max(doubts[700:]) > 0.9


HOSTILE = {
    "all zero": lambda t, rng: 0.0,
    "all equal": lambda t, rng: 5.0,
    "strictly rising": lambda t, rng: float(t),
    "strictly falling": lambda t, rng: 1.0 / t,
    "drifts up a million times": lambda t, rng: rng.random() * 10 ** (6 * t / 4000),
    "drifts down a million times": lambda t, rng: rng.random() * 10 ** (-6 * t / 4000),
    "alternating blocks": lambda t, rng: 1e-6 if t // 200 % 2 else 1e6,
    "endless confidence": lambda t, rng: 1.7e308,
    "mostly zero": lambda t, rng: rng.random() if rng.random() < 0.05 else 0.0,
    "mostly huge": lambda t, rng: rng.random() if rng.random() < 0.05 else 1e9,
    "heavy tails": lambda t, rng: rng.paretovariate(0.3),
    "late sobering": lambda t, rng: 100.0 if t < 3000 else 0.01,
    "one spike": lambda t, rng: 1e12 if t == 1000 else rng.random(),
    "NaN once": lambda t, rng: NAN if t == 100 else rng.random(),
    "NaN always": lambda t, rng: NAN,
    "infinite now and then": lambda t, rng: math.inf if t % 3 else rng.random(),
}


@pytest.mark.parametrize("budget", [0.05, 0.1, 0.2, 0.7])
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"credit": 0},
        {"explore": 0.5, "power": 100},
        {"doubting": True},
        {"doubting": True, "reserve": 50, "credit": 0},
    ],
)
def test_the_budget_holds_whatever_the_confidence_does(name, budget, settings):
    rng = random.Random(0)
    model = BudgetSampler(Told(), budget=budget, seed=5, **settings)
    credit = settings.get("credit", 20)
    saved = settings.get("reserve", 10) if "doubting" in settings else 0
    for t in range(1, 4001):
        x = {"q": HOSTILE[name](t, rng)}
        assert 0.0 <= model.query_probability_one(x) <= 1.0
        model.predict_one(x)
        assert model.n_offered == t
        spent = model.labels_spent
        assert spent <= allowed(t, budget, credit) + 2
        assert spent <= budget * t + credit + 2
        if budget * t >= 4 * credit:
            assert spent <= budget * t + 2
            if t >= 1000:
                assert abs(spent / t - budget) <= 0.005 + saved / t, t


confidences = st.one_of(
    st.floats(min_value=0.0),
    st.sampled_from([0.0, 1.0, math.inf, NAN, 5e-324, 1e308]),
)


@settings(max_examples=300, deadline=None)
@given(
    blocks=st.lists(st.tuples(confidences, st.integers(1, 80)), min_size=1, max_size=12),
    budget=st.floats(1e-6, 1.0),
    credit=st.floats(0.0, 100.0),
    explore=st.floats(0.0, 1.0),
    power=st.floats(0.01, 100.0),
    slack=st.floats(0.0, 10.0),
    seed=st.integers(0, 5),
    reserve=st.none() | st.floats(0.0, 100.0),
)
def test_no_more_than_allowed_is_asked_for(
    blocks, budget, credit, explore, power, slack, seed, reserve
):
    saving = {} if reserve is None else {"doubting": True, "reserve": reserve}
    model = BudgetSampler(Told(), budget, credit, explore, power, slack, seed, **saving)
    sequence = itertools.chain.from_iterable([q] * n for q, n in blocks)
    for t, q in enumerate(sequence, start=1):
        assert 0.0 <= model.query_probability_one({"q": q}) <= 1.0
        label, ask = model.predict_one({"q": q})
        if ask and reserve is not None:
            # In every other block of instances, the predictions are wrong.
            model.learn_one({"q": q}, label is bool(t // 20 % 2))
        assert model.n_offered == t
        assert model.labels_spent <= allowed(t, budget, credit) + slack


def test_probabilities_that_are_not_numbers_do_not_stop_it_from_asking():
    class Broken(dummy.NoChangeClassifier):
        def predict_proba_one(self, x):
            return {True: NAN, False: NAN} if x["broken"] else {True: 0.9, False: 0.1}

        def predict_one(self, x):
            return True

    model = BudgetSampler(Broken(), 0.1, seed=1)
    asked = [model.predict_one({"broken": i % 50 == 0})[1] for i in range(2000)]
    assert sum(asked) == pytest.approx(200, abs=5)
    # No confidence is less than any.
    assert sum(asked[::50]) >= 20


@pytest.mark.parametrize("make", [OLSFClassifier, river_linear_model.LogisticRegression])
@pytest.mark.parametrize("budget", [0.07, 0.2])
def test_the_budget_holds_on_real_data(make, budget):
    for seed in range(3):
        model = BudgetSampler(preprocessing.StandardScaler() | make(), budget=budget, seed=seed)
        *_, last = evaluate.iter_progressive_val_score(
            datasets.Phishing(), model, metrics.Accuracy(), step=1250
        )
        assert abs(last["Samples used"] / 1250 - budget) <= 0.005


def test_credit_is_spent_early_and_repaid():
    shares = {}
    for credit in (0, 20):
        model = BudgetSampler(Told(), 0.1, credit=credit, seed=1)
        rng = random.Random(0)
        asked = [model.predict_one({"q": rng.random()})[1] for _ in range(2000)]
        shares[credit] = [sum(asked[:100]), sum(asked)]
    assert shares[0] == pytest.approx([10, 200], abs=4)
    assert shares[20] == pytest.approx([27.5, 200], abs=4)


def test_labels_that_never_arrive_stay_spent():
    model = BudgetSampler(Told(), 0.1, seed=1)
    for i in range(1000):
        model.predict_one({"q": float(i % 7)})
    assert model.labels_spent == pytest.approx(100, abs=3)


def test_every_prediction_is_an_instance():
    model = BudgetSampler(Told(), 0.2, seed=1)
    buffer = {}
    n_asked = 0
    for i in range(1000):
        buffer["q"] = 0.0
        n_asked += model.predict_one(buffer)[1] + model.predict_proba_one(buffer)[1]
        assert model.n_offered == 2 * i + 2
    assert model.labels_spent == n_asked == pytest.approx(400, abs=5)


def test_an_interrupted_decision_is_counted_whole_or_not_at_all():
    start = BudgetSampler(Told(), 0.3, seed=1)
    rng = random.Random(0)
    stream = [{"q": rng.choice([rng.random(), 0.5])} for _ in range(200)]
    for n_before in (0, 3, 63, 70):
        model = pickle.loads(pickle.dumps(start))
        for x in stream[:n_before]:
            model.predict_one(x)
        whole = pickle.loads(pickle.dumps(model))
        expected = [whole.predict_one(x)[1] for x in stream[n_before:]]
        n_undone = n_done = 0
        modules = ("river_trapezoid.active.budget",)
        for twin in interrupted(model, lambda m, x=stream[n_before]: m.predict_one(x), modules):
            assert twin.n_offered in (n_before, n_before + 1)
            done = twin.n_offered - n_before
            n_done += done
            n_undone += not done
            left = stream[n_before + done :]
            assert [twin.predict_one(x)[1] for x in left] == expected[done:]
            assert twin.labels_spent == whole.labels_spent
        assert n_undone > 50
        assert n_done >= 2


class Alarm(base.DriftDetector):
    """A detector that fires at given updates."""

    def __init__(self, at=()):
        super().__init__()
        self.at = at
        self.seen = []

    def update(self, x):
        self.seen.append(x)
        self._drift_detected = len(self.seen) in self.at


def test_labels_are_drawn_at_random_after_a_drift():
    shares = {}
    for at in ((), (20,)):
        # Half of the instances are sure, and hardly ever asked for.
        model = BudgetSampler(Told(), 0.2, explore=0, seed=1, drift_detector=Alarm(at))
        asked = []
        for i in range(1000):
            x = {"q": float(i % 2)}
            if model.predict_one(x)[1]:
                model.learn_one(x, True)
                asked.append(x["q"])
            assert model.labels_spent <= model.allowed(model.n_offered) + 2
        shares[at] = sum(asked[20:60]) / 40
        assert sum(asked[60:]) < 0.05 * len(asked[60:])
    assert shares[()] < 0.1
    assert shares[20,] == pytest.approx(0.5, abs=0.25)


def test_the_detector_is_shown_the_errors_and_the_scaler_learns_once():
    model = BudgetSampler(
        preprocessing.StandardScaler() | OLSFClassifier(), 0.5, seed=1, drift_detector=Alarm()
    )
    twin = OLSFClassifier()
    expected = []
    scaler = preprocessing.StandardScaler()
    for n, (x, y) in enumerate(datasets.Phishing().take(200), start=1):
        with compose.learn_during_predict():
            model.query_probability_one(x)
            _, ask = model.predict_one(x)
            scaler.learn_one(x)
            if ask:
                ready = scaler.transform_one(x)
                expected.append(twin.predict_one(ready) != y)
                twin.learn_one(ready, y)
                model.learn_one(x, y)
        assert set(model.classifier["StandardScaler"].counts.values()) == {n}
    assert model.drift_detector.seen == expected
    assert 0 < sum(expected) < len(expected)


def test_a_step_that_fails_is_not_shown_to_the_detector():
    model = BudgetSampler(OLSFClassifier(), drift_detector=Alarm())
    for x, y in (({"a": "red"}, True), ({"a": 1.0}, "red")):
        with pytest.raises((TypeError, ValueError)):
            model.learn_one(x, y)
    assert model.drift_detector.seen == []


def inverted():
    rows = list(datasets.Phishing())
    return [(x, y if i < len(rows) // 2 else not y) for i, (x, y) in enumerate(rows)]


def paid_run(model):
    """Return the share of correct predictions in the second half, and the doubt over time."""
    correct, doubts = [], []
    for x, y in inverted():
        label, ask = model.predict_one(x)
        correct.append(label == y)
        if ask:
            model.learn_one(x, y)
        doubts.append(model.doubt)
    half = len(correct) // 2
    return sum(correct[half:]) / half, doubts


def test_doubt_rises_after_an_inversion_and_only_then():
    learner = preprocessing.StandardScaler() | river_linear_model.LogisticRegression()
    model = BudgetSampler(learner, 0.2, 15, power=3, seed=1, doubting=True)
    _, doubts = paid_run(model)
    assert max(doubts[100:625]) < 0.3
    assert max(doubts[625:]) > 0.8


def test_a_sampler_that_doubts_recovers_faster_from_an_inversion():
    def mean(**settings):
        results = []
        for seed in range(5):
            learner = preprocessing.StandardScaler() | river_linear_model.LogisticRegression()
            results.append(paid_run(BudgetSampler(learner, 0.1, seed=seed, **settings))[0])
        return sum(results) / len(results)

    assert mean(credit=15, power=3, doubting=True) > mean() + 0.02


def test_without_doubting_there_is_no_doubt():
    model = BudgetSampler(OLSFClassifier(), 0.5, seed=1)
    assert set(paid_run(model)[1]) == {0.0}


def test_a_classifier_that_estimates_its_doubt_hands_it_to_the_sampler():
    model = BudgetSampler(
        preprocessing.StandardScaler()
        | drift.ChallengedClassifier(river_linear_model.LogisticRegression()),
        0.2,
        seed=1,
        doubting=True,
    )
    inner = model.classifier["ChallengedClassifier"]
    for x, y in inverted():
        if model.predict_one(x)[1]:
            model.learn_one(x, y)
            assert model.doubt == inner.doubt
    assert inner.n_replacements == 1
    assert model._doubt == Doubt()


def test_a_step_that_fails_does_not_change_the_doubt():
    model = BudgetSampler(OLSFClassifier(), 0.5, seed=1, doubting=True)
    paid_run(model)
    before = pickle.dumps(model)
    for x, y in (({"a": "red"}, True), ({"a": 1.0}, "red")):
        with pytest.raises((TypeError, ValueError)):
            model.learn_one(x, y)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    "copied", [lambda m: pickle.loads(pickle.dumps(m)), lambda m: persist.loads(persist.dumps(m))]
)
def test_a_copy_doubts_as_the_original_does(copied):
    model = BudgetSampler(OLSFClassifier(), 0.3, seed=1, doubting=True, reserve=5)
    paid_run(model)
    assert model.doubt > 0
    twin = copied(model)
    assert paid_run(twin) == paid_run(model)


def test_pickles_without_a_doubt_load():
    model = BudgetSampler(OLSFClassifier(), 0.3, seed=1)
    paid_run(model)
    old = {k: v for k, v in vars(model).items() if k not in ("doubting", "reserve", "_doubt")}
    twin = BudgetSampler.__new__(BudgetSampler)
    twin.__setstate__(pickle.loads(pickle.dumps(old)))
    assert twin.doubting is False
    assert paid_run(twin) == paid_run(model)


def test_a_file_with_an_impossible_doubt_is_refused():
    model = BudgetSampler(OLSFClassifier(), doubting=True)
    model._doubt = Doubt(math.nan)
    with pytest.raises(persist.ModelFileError, match="a probability below 1"):
        persist.loads(persist.dumps(model))


def test_a_negative_reserve_is_refused():
    with pytest.raises(ValueError, match="reserve must be a finite number >= 0; got -1"):
        BudgetSampler(OLSFClassifier(), reserve=-1)
