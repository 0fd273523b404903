from __future__ import annotations

import copy
import json
import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import active as river_active
from river import compose, datasets, evaluate, feature_extraction, metrics, naive_bayes, stream
from river import linear_model as river_linear_model
from river import preprocessing as river_preprocessing

from river_trapezoid import evaluate as our_evaluate
from river_trapezoid import persist, preprocessing
from river_trapezoid.active import BudgetSampler, LabelQueue, MarginSampler, RandomSampler
from river_trapezoid.linear_model import (
    EvidenceClassifier,
    MulticlassOLSFClassifier,
    OFSClassifier,
    OLSFClassifier,
)
from river_trapezoid.weights import KERNEL
from tests.interrupts import interrupted

A, B, C = {"a": 1.0}, {"b": 2.0}, {"c": -1.0}


def new(**settings):
    return LabelQueue(OLSFClassifier(B=1.0, radius=None), **settings)


def state(queue):
    return pickle.dumps(queue)


def pipeline():
    return preprocessing.StandardScaler() | EvidenceClassifier(mixture=False)


def late(x, y):
    """Ten to two hundred instances, by what the instance looks like."""
    return 10 + sum(map(int, x.values())) * 13 % 190


@pytest.mark.parametrize("delay", [1, 57, late], ids=["next", "57", "by instance"])
@pytest.mark.parametrize(
    "model",
    [
        pipeline(),
        EvidenceClassifier(),
        river_preprocessing.StandardScaler() | river_linear_model.LogisticRegression(),
        BudgetSampler(pipeline(), budget=0.3, seed=3),
        river_active.EntropySampler(pipeline(), seed=3),
    ],
    ids=["pipeline", "evidence", "river", "sampler", "river's sampler"],
)
def test_late_labels_give_the_same_predictions_and_model_as_rivers_evaluation(model, delay):
    rows = list(datasets.Phishing().take(500))
    queue, twin = LabelQueue(model.clone()), model.clone()
    asks = isinstance(model, river_active.base.ActiveLearningClassifier)
    accuracy, predicted, in_order = metrics.Accuracy(), {}, []
    for i, x, y in stream.simulate_qa(rows, None, delay):
        if y is None:
            answer = queue.predict_one(i, x)
            predicted[i] = answer[0] if asks else answer
            x.clear()
        else:
            in_order.append(predicted.pop(i))
            accuracy.update(y, in_order[-1])
            queue.learn_one(i, y)
    expected = metrics.Accuracy()
    steps = evaluate.iter_progressive_val_score(
        rows, twin, expected, delay=delay, yield_predictions=True
    )
    assert [step["Prediction"] for step in steps] == in_order
    assert accuracy.get() == expected.get()
    assert queue.n_waiting == 0
    if not asks:
        # Predicting draws nothing, so that the models can be compared to the last bit.
        assert [queue.model.predict_proba_one(x) for x, _ in rows] == [
            twin.predict_proba_one(x) for x, _ in rows
        ]


def test_late_labels_give_the_same_figure_as_our_comparison():
    model = RandomSampler(OLSFClassifier(), ratio=0.4, seed=0)
    queue, accuracy, predicted = LabelQueue(model.clone()), metrics.Accuracy(), {}
    for i, x, y in stream.simulate_qa(datasets.Phishing(), None, 100):
        if y is None:
            predicted[i] = queue.predict_one(i, x)
        else:
            label, asked = predicted.pop(i)
            assert asked == (i in queue)
            accuracy.update(y, label)
            queue.learn_one(i, y)
    compared = our_evaluate.compare(
        {"model": model},
        {"s": datasets.Phishing()},
        [metrics.Accuracy()],
        delay=100,
        progress=False,
    )
    assert compared.values("s", "model", "Accuracy") == [accuracy.get()]
    assert queue.n_learned == round(
        compared.values("s", "model", "Accuracy", "labels_used")[0] * 1250
    )


def test_regressors_learn_late():
    model = river_preprocessing.StandardScaler() | river_linear_model.LinearRegression()
    queue, error, predicted = LabelQueue(model.clone()), metrics.MAE(), {}
    for i, x, y in stream.simulate_qa(datasets.TrumpApproval().take(300), None, 20):
        if y is None:
            predicted[i] = queue.predict_one(i, x)
        else:
            error.update(y, predicted.pop(i))
            queue.learn_one(i, y)
    rows = datasets.TrumpApproval().take(300)
    expected = evaluate.progressive_val_score(rows, model, metrics.MAE(), delay=20)
    assert error.get() == expected.get()


def test_texts_and_many_classes():
    queue = LabelQueue(feature_extraction.BagOfWords() | MulticlassOLSFClassifier())
    for key, (text, label) in enumerate(
        [("ball goal team", "sport"), ("vote law court", "law"), ("goal and team", "sport")] * 5
    ):
        queue.predict_one(key, text)
        queue.learn_one(key, label)
    assert queue.predict_one("new", "law of the court") == "law"


def test_labels_may_come_in_any_order_and_are_learned_as_they_come():
    queue, twin = new(), OLSFClassifier(B=1.0, radius=None)
    for key, x in zip("abc", (A, B, C), strict=True):
        queue.predict_one(key, x)
    assert queue.waiting == ("a", "b", "c")
    for key, x in (("c", C), ("a", A)):
        queue.learn_one(key, True)
        twin.learn_one(x, True)
    assert queue.waiting == ("b",)
    assert "b" in queue
    assert "a" not in queue
    assert (queue.n_waiting, queue.n_learned) == (1, 2)
    assert queue.model.weights == twin.weights


@pytest.mark.parametrize("change", [{"a": 9.0, "new": 1.0}, {"a": [1.0]}])
def test_instances_are_copies(change):
    class Keeper(OLSFClassifier):
        def predict_one(self, x, **kwargs):
            return None

        def learn_one(self, x, y, w=1.0):
            self.last = x

    queue = LabelQueue(Keeper())
    x = {"a": [0.0], "b": 2.0}
    queue.predict_one(1, x)
    x["a"][0] = 7.0
    x.update(change)
    queue.learn_one(1, True)
    assert queue.model.last == {"a": [0.0], "b": 2.0}


def test_a_repeated_label_changes_nothing():
    queue = new()
    queue.predict_one(1, A)
    queue.learn_one(1, True)
    before = pickle.dumps(queue.model)
    for label in (True, False, "nonsense"):
        queue.learn_one(1, label)
    assert pickle.dumps(queue.model) == before
    assert (queue.n_learned, queue.n_ignored) == (1, 3)


def test_as_many_finished_keys_are_known_as_were_asked_for():
    queue = new(max_remembered=2)
    for key in range(4):
        queue.predict_one(key, A)
        queue.learn_one(key, True)
    for key in (2, 3):
        queue.learn_one(key, True)
    for key in (0, 1):
        with pytest.raises(KeyError, match=f"got {key}"):
            queue.learn_one(key, True)
    assert new(max_remembered=0)._done == {}


def test_keys_are_known_while_they_wait_and_are_remembered():
    queue = new(max_remembered=1)
    for key in (1, 2, 3):
        queue.predict_one(key, A)
    queue.learn_one(1, True)
    queue.learn_one(2, True)
    assert [queue.knows(key) for key in (1, 2, 3, 4)] == [False, True, True, False]


def test_a_label_for_an_unknown_key_is_an_error_or_counted():
    queue = new()
    before = state(queue)
    with pytest.raises(KeyError, match=r"\('order', 17\)"):
        queue.learn_one(("order", 17), True)
    with pytest.raises(KeyError, match="'x'"):
        queue.drop_one("x")
    assert state(queue) == before
    queue = new(unknown="ignore")
    queue.learn_one("x", True)
    assert (queue.n_ignored, queue.n_learned) == (1, 0)


def test_the_oldest_is_dropped_where_there_is_no_room():
    queue = new(max_waiting=2)
    for key in range(5):
        queue.predict_one(key, A)
    assert queue.waiting == (3, 4)
    assert queue.n_dropped == 3
    before = pickle.dumps(queue.model)
    queue.learn_one(0, True)
    assert pickle.dumps(queue.model) == before
    assert queue.n_ignored == 1


def test_instances_are_dropped_by_age():
    queue = new(max_age=2)
    for key in range(3):
        queue.predict_one(key, A)
    assert queue.waiting == (0, 1, 2)
    queue.learn_one(1, True)
    queue.predict_one(3, A)
    assert queue.waiting == (2, 3)
    queue.predict_one(4, A)
    queue.predict_one(5, A)
    assert queue.waiting == (3, 4, 5)
    assert queue.n_dropped == 2


def test_age_is_counted_in_instances_that_need_not_be_asked_for():
    class Once(RandomSampler):
        def _ask(self, confidence):
            return False

    queue = LabelQueue(RandomSampler(OLSFClassifier(), ratio=1.0), max_age=3)
    assert queue.predict_one("asked", A)[1]
    queue.model = Once(queue.model.classifier)
    for key in range(3):
        assert not queue.predict_one(key, A)[1]
        assert queue.waiting == ("asked",)
    queue.predict_one(3, A)
    assert queue.waiting == ()
    queue.learn_one(2, True)
    assert (queue.n_dropped, queue.n_ignored) == (1, 1)


def test_one_may_give_up_on_a_label():
    queue = new()
    queue.predict_one(1, A)
    queue.drop_one(1)
    queue.learn_one(1, True)
    assert (queue.n_waiting, queue.n_dropped, queue.n_learned, queue.n_ignored) == (0, 1, 0, 1)


def test_a_second_prediction_is_one_for_the_same_instance():
    queue = new(max_age=1)
    queue.predict_one(1, A)
    queue.predict_one(2, B)
    queue.predict_proba_one(1, C)
    assert queue.waiting == (1, 2)
    queue.learn_one(1, True)
    assert queue.model.weights.keys() == {"c"}


def test_a_key_that_is_done_with_may_begin_anew():
    queue = new()
    for x in (A, B):
        queue.predict_one(1, x)
        queue.learn_one(1, True)
    assert (queue.n_learned, queue.n_ignored) == (2, 0)
    assert queue.model.weights.keys() == {"a", "b"}


def test_weights_are_passed_on():
    queue, twin = new(), OLSFClassifier(B=1.0, radius=None)
    queue.predict_one(1, A)
    queue.learn_one(1, True, w=0.5)
    twin.learn_one(A, True, w=0.5)
    assert queue.model.weights == twin.weights
    queue = LabelQueue(naive_bayes.GaussianNB())
    queue.predict_one(1, A)
    with pytest.raises(TypeError, match="w"):
        queue.learn_one(1, True, w=0.5)
    assert queue.n_waiting == 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda queue: queue.predict_one([1], A), TypeError, "unhashable"),
        (
            lambda queue: queue.predict_one(float("nan"), A),
            ValueError,
            "key must be equal to itself",
        ),
        (lambda queue: queue.predict_one("new", {"a": "red"}), TypeError, "'a'"),
        (lambda queue: queue.predict_proba_one("new", {"a": "red"}), TypeError, "'a'"),
        (lambda queue: queue.decide_one("new", {"a": "red"}), TypeError, "'a'"),
        (lambda queue: queue.learn_one("waits", "spam"), ValueError, "spam"),
        (lambda queue: queue.learn_one("waits", True, w=-1.0), ValueError, "w must be"),
    ],
)
@pytest.mark.parametrize("sampler", [False, True])
def test_errors_leave_the_queue_as_it_was(call, error, message, sampler):
    model = OLSFClassifier()
    queue = LabelQueue(RandomSampler(model, ratio=1.0, seed=1) if sampler else model)
    queue.predict_one("waits", A)
    before = state(queue)
    with pytest.raises(error, match=message):
        call(queue)
    assert state(queue) == before


def test_an_interrupt_leaves_a_label_learned_and_finished_or_neither():
    queue = new(max_remembered=2)
    for key, x in enumerate([A, B, C, A]):
        queue.predict_one(key, x)
    queue.learn_one(0, True)
    queue.learn_one(1, False)
    twin = copy.deepcopy(queue)
    twin.learn_one(2, True)
    outcomes = []
    modules = ("river_trapezoid.active.label_queue", "river_trapezoid._uninterrupted")
    for one in interrupted(queue, lambda queue: queue.learn_one(2, True), modules):
        outcomes.append(2 not in one)
        assert one.n_learned == 2 + outcomes[-1]
        if 2 in one:
            one.learn_one(2, True)
        assert one.model.weights == twin.model.weights
        assert (one._waiting, one._done, one.n_learned) == (twin._waiting, twin._done, 3)
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {False, True}


@pytest.mark.skipif(KERNEL == "pure", reason="the pure weights do not promise it")
@pytest.mark.parametrize(
    "model",
    [
        OLSFClassifier(),
        OFSClassifier(epsilon=0.5, seed=1),
        EvidenceClassifier(n_paired=2),
        MarginSampler(OLSFClassifier(), rho=1e9, seed=1),
        RandomSampler(EvidenceClassifier(mixture=False), ratio=1.0),
    ],
    ids=str,
)
@pytest.mark.parametrize("y", [True, 0])
def test_a_retry_after_an_interrupt_never_learns_twice(model, y):
    queue = LabelQueue(model.clone())
    for key, x in enumerate([A, B, C, A]):
        queue.predict_one(key, x)
    queue.learn_one(0, True)
    queue.learn_one(1, False)
    # Equal objects are shared in pickles or not.
    twin = pickle.loads(pickle.dumps(queue))
    twin.learn_one(2, y)
    rooms = ("linear_model.base", "linear_model.ofs", "active.base")
    rooms += ("linear_model.olsf", "linear_model.evidence", "active.label_queue", "_uninterrupted")
    modules = tuple(f"river_trapezoid.{room}" for room in rooms)
    outcomes = []
    for one in interrupted(queue, lambda queue: queue.learn_one(2, y), modules):
        outcomes.append(2 not in one)
        if 2 in one:
            one.learn_one(2, y)
        assert state(pickle.loads(state(one))) == state(pickle.loads(state(twin)))
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {False, True}


@pytest.mark.parametrize("key", ["waits", "finished", "new"])
def test_an_interrupt_leaves_an_instance_stored_or_not(key):
    queue = new(max_waiting=2, max_remembered=1)
    for known in ("finished", "waits", "other"):
        queue.predict_one(known, A)
    assert queue.knows("finished")
    before = (queue._waiting.copy(), queue._done.copy(), queue._n_instances, queue.n_dropped)
    twin = copy.deepcopy(queue)
    twin.predict_one(key, B)
    after = (twin._waiting, twin._done, twin._n_instances, twin.n_dropped)
    outcomes = []
    modules = ("river_trapezoid.active.label_queue", "river_trapezoid._uninterrupted")
    for one in interrupted(queue, lambda queue: queue.predict_one(key, B), modules):
        found = (one._waiting, one._done, one._n_instances, one.n_dropped)
        outcomes.append([before, after].index(found))
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {0, 1}


def test_label_and_probabilities_of_one_decision():
    queue = LabelQueue(EvidenceClassifier())
    assert queue.decide_one(1, A) == (False, {False: 0.5, True: 0.5}, True)
    queue = LabelQueue(BudgetSampler(EvidenceClassifier(), seed=1))
    for key in range(50):
        *_, ask = queue.decide_one(key, A)
        assert (key in queue) == ask
    assert queue.model.n_offered == 50
    queue = LabelQueue(river_active.EntropySampler(EvidenceClassifier()))
    with pytest.raises(TypeError, match="decides again"):
        queue.decide_one(1, A)


def test_a_sampler_may_be_the_end_of_a_pipeline():
    queue = LabelQueue(preprocessing.StandardScaler() | MarginSampler(OLSFClassifier(), seed=1))
    for key, (x, y) in enumerate(datasets.Phishing().take(300)):
        _, ask = queue.predict_one(key, x)
        assert (key in queue) == ask
        queue.learn_one(key, y)
    assert 0 < queue.n_learned < 200
    assert queue.n_learned + queue.n_ignored == 300


def test_scalers_may_learn_as_instances_come():
    model = preprocessing.StandardScaler() | OLSFClassifier()
    queue = LabelQueue(model)
    with compose.learn_during_predict():
        queue.predict_one(1, A)
        queue.predict_one(2, {"a": 3.0})
    assert model[0].means["a"] == 2.0


def test_clones_and_descriptions():
    queue = new(max_waiting=7, max_age=3, unknown="ignore", max_remembered=2)
    queue.predict_one(1, A)
    twin = queue.clone()
    assert repr(twin) == repr(queue)
    assert "max_waiting=7" in repr(queue)
    assert twin.waiting == ()
    assert twin.model is not queue.model
    with pytest.raises(ValueError, match="max_waiting"):
        queue.clone({"max_waiting": 0})


@pytest.mark.parametrize(
    "settings",
    [
        {"max_waiting": 0},
        {"max_waiting": 1.5},
        {"max_age": -1},
        {"unknown": "maybe"},
        {"max_remembered": -1},
    ],
)
def test_settings_are_checked(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        new(**settings)


KEYS = [1, -7, 2.5, "order 17", "", b"\xff", ("shop", 3), (None, ("a", 1)), None, True, 10**30]


def driven(queue, n=150, seed=0):
    """What a queue says while it goes on."""
    rng = random.Random(seed)
    said = []
    for _ in range(n):
        key = rng.choice(KEYS)
        if rng.random() < 0.6:
            said.append(
                queue.predict_one(key, {"f": rng.random(), ("g", 1): rng.choice([1, None])})
            )
        elif key in queue or key in queue._done:
            queue.learn_one(key, rng.random() < 0.5)
        said.append((queue.waiting, queue.n_learned, queue.n_dropped, queue.n_ignored))
    return said


@pytest.mark.parametrize("again", [copy.deepcopy, None], ids=["copied", "saved"])
@pytest.mark.parametrize(
    "model",
    [
        EvidenceClassifier(),
        BudgetSampler(preprocessing.StandardScaler() | OLSFClassifier(), budget=0.5, seed=1),
    ],
    ids=["classifier", "sampler"],
)
def test_a_saved_queue_goes_on_as_if_nothing_happened(model, again):
    queue = LabelQueue(model.clone(), max_waiting=4, max_age=9, max_remembered=5)
    driven(queue)
    assert queue.n_waiting
    assert queue._done
    twin = again(queue) if again else persist.loads(persist.dumps(queue))
    assert repr(twin) == repr(queue)
    assert driven(twin, seed=1) == driven(queue, seed=1)
    assert driven(pickle.loads(pickle.dumps(queue)), seed=2) == driven(queue, seed=2)


def test_texts_that_wait_are_saved():
    queue = LabelQueue(feature_extraction.BagOfWords() | OLSFClassifier())
    queue.predict_one("a", "free money")
    twin = persist.loads(persist.dumps(queue))
    twin.learn_one("a", True)
    assert twin.predict_one("b", "money") is True


@pytest.mark.parametrize(
    "change",
    [
        {"_n_instances": 1},
        {"_n_instances": "many"},
        {"_waiting": {1: (2, {}), 2: (1, {})}},
        {"_waiting": {1: [1, {}]}},
        {"_waiting": {1: (1, {}), 2: (2, {}), 3: (3, {})}},
        {"_waiting": {"done": (1, {})}},
        {"_done": {"done": 0}},
        {"_done": {"a": None, "b": None}},
        {"n_learned": -1},
        {"model": None},
        {"model": "model"},
    ],
)
def test_files_that_hold_no_queue_are_refused(change):
    queue = new(max_waiting=2, max_remembered=1)
    for key in ("done", 1, 2):
        queue.predict_one(key, A)
    assert queue.waiting == (1, 2)
    vars(queue).update(change)
    data = persist.dumps(queue)
    with pytest.raises(persist.ModelFileError, match="LabelQueue in the file is damaged"):
        persist.loads(data)


ACTIONS = st.lists(
    st.tuples(st.sampled_from(["predict", "learn", "drop"]), st.integers(0, 6), st.booleans()),
    max_size=60,
)


@given(ACTIONS, st.integers(1, 4), st.none() | st.integers(0, 5), st.integers(0, 3))
def test_a_queue_does_what_a_list_would(actions, max_waiting, max_age, max_remembered):
    """Against a twin that keeps everything in plain lists, and searches them."""
    queue = LabelQueue(
        OLSFClassifier(),
        max_waiting=max_waiting,
        max_age=max_age,
        max_remembered=max_remembered,
        unknown="ignore",
    )
    waiting, done, clock = [], [], 0
    learned = dropped = ignored = 0

    def finished(key):
        if key in done:
            done.remove(key)
        done.append(key)
        del done[: max(0, len(done) - max_remembered)]

    for action, key, label in actions:
        keys = [k for k, _ in waiting]
        if action == "predict":
            queue.predict_one(key, {"x": 1.0})
            if key not in keys:
                clock += 1
                waiting.append((key, clock))
                if key in done:
                    done.remove(key)
            while waiting and (
                len(waiting) > max_waiting
                or (max_age is not None and clock - waiting[0][1] > max_age)
            ):
                finished(waiting.pop(0)[0])
                dropped += 1
        elif action == "learn":
            queue.learn_one(key, label)
            if key in keys:
                del waiting[keys.index(key)]
                finished(key)
                learned += 1
            else:
                ignored += 1
        elif key in keys:
            queue.drop_one(key)
            del waiting[keys.index(key)]
            finished(key)
            dropped += 1
        assert queue.waiting == tuple(k for k, _ in waiting)
        assert list(queue._done) == done
        assert (queue.n_learned, queue.n_dropped, queue.n_ignored) == (learned, dropped, ignored)


def test_memory_is_bounded():
    queue = new(max_waiting=50, max_remembered=50)
    sizes = []
    for key in range(3000):
        queue.predict_one(key, {"x": 1.0})
        if key % 1000 == 999:
            sizes.append(len(json.dumps([list(queue._waiting.values()), list(queue._done)])))
    assert max(sizes) < 1.2 * min(sizes)
    assert queue.n_dropped == 2950
