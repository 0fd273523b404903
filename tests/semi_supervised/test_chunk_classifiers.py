from __future__ import annotations

import inspect
import math
import pickle
import random
import re
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets, evaluate, metrics, preprocessing
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel
from sklearn.svm import SVC

from river_trapezoid import semi_supervised
from river_trapezoid.semi_supervised import base

CLASSES = [
    semi_supervised.SVMClassifier,
    semi_supervised.TrSVMClassifier,
    semi_supervised.S3VMClassifier,
    semi_supervised.TS3VMClassifier,
    semi_supervised.RKTS3VMClassifier,
]
KERNELS = ["linear", "rbf", "poly"]


@pytest.fixture(params=CLASSES, ids=lambda cls: cls.__name__)
def cls(request):
    return request.param


def make(cls, **params):
    """An instance whose tail is long enough for its mean margin to mean something."""
    known = cls()._get_params()
    extra = {"seed": 1, "tail": 0.5}
    return cls(**params, **{name: extra[name] for name in extra if name in known})


def two_blobs(n, seed=0, share=0.3, labels=(False, True)):
    """Two clouds, with a label for some instances and None for the others."""
    rng = random.Random(seed)
    for _ in range(n):
        side = rng.random() < 0.5
        x = {name: rng.gauss(2.0 if side else -2.0, 1.0) for name in "ab"}
        yield x, labels[side], rng.random() < share


def accuracy(model, n=400, **kwargs):
    hits = [model.predict_one(x) == y for x, y, _ in two_blobs(n, seed=99, **kwargs)]
    return sum(hits) / len(hits)


@pytest.mark.parametrize("kernel", KERNELS)
def test_learns_from_few_labels(cls, kernel):
    model = make(cls, chunk_size=100, kernel=kernel)
    for x, y, labelled in two_blobs(200):
        model.learn_one(x, y if labelled else None)
    assert accuracy(model) > 0.95


def test_predicts_the_majority_before_the_first_chunk_is_complete(cls):
    model = make(cls, chunk_size=10)
    assert model.predict_one({"a": 1.0}) is None
    assert model.predict_proba_one({"a": 1.0}) == {}
    for y in ("no", None, "yes", "yes"):
        model.learn_one({"a": 1.0}, y)
    assert model.predict_one({"a": 1.0}) == "yes"
    assert model.predict_proba_one({}) == {"no": 1 / 3, "yes": 2 / 3}


def test_a_chunk_without_labels_keeps_the_model(cls):
    model = make(cls, chunk_size=40)
    for x, _, _ in two_blobs(40):
        model.learn_one(x)
    assert model.predict_one({"a": 1.0}) is None
    for x, y, _ in two_blobs(40, seed=1):
        model.learn_one(x, y)
    before = [model.predict_proba_one(x) for x, _, _ in two_blobs(20, seed=2)]
    for x, _, _ in two_blobs(40, seed=3):
        model.learn_one(x, None)
    assert before == [model.predict_proba_one(x) for x, _, _ in two_blobs(20, seed=2)]


def test_after_a_chunk_with_a_single_label_that_label_is_predicted(cls):
    model = make(cls, chunk_size=20)
    for x, y, _ in two_blobs(20):
        model.learn_one(x, y)
    for i, (x, _, _) in enumerate(two_blobs(20, seed=1)):
        model.learn_one(x, True if i % 4 == 0 else None)
    assert model.predict_proba_one({"a": -9.0, "b": -9.0}) == {False: 0.0, True: 1.0}


@pytest.mark.parametrize("kernel", KERNELS)
def test_each_type_of_instance_may_be_missing(cls, kernel):
    # Which part of the chunk has labels: 0 none, 1 some, 2 all of it.
    for head in (0, 1, 2):
        for tail in (0, 1, 2):
            model = make(cls, chunk_size=60, kernel=kernel)
            for i, (x, y, some) in enumerate(two_blobs(60)):
                kind = tail if i >= 30 else head
                model.learn_one(x, y if kind == 2 or (kind == 1 and some) else None)
            if 2 in (head, tail):
                assert accuracy(model) > 0.9
            else:
                known = {False, True} if head or tail else {None}
                assert {model.predict_one(x) for x, _, _ in two_blobs(20, seed=99)} <= known


def test_more_classes_than_two(cls):
    rng = random.Random(0)
    centres = {"left": (-6, 0), "right": (6, 0), "up": (0, 8), "down": (0, -8)}
    model, hits = make(cls, chunk_size=200), []
    for i in range(600):
        label = rng.choice(list(centres))
        x = {i: rng.gauss(centre, 1.0) for i, centre in enumerate(centres[label])}
        if i >= 200:
            hits.append(model.predict_one(x) == label)
            proba = model.predict_proba_one(x)
            assert set(proba) == set(centres)
            assert math.isclose(sum(proba.values()), 1.0)
        model.learn_one(x, label if rng.random() < 0.3 else None)
    assert sum(hits) / len(hits) > 0.8


def test_labels_of_earlier_chunks_stay_known(cls):
    model = make(cls, chunk_size=20)
    for labels in (("a", "b"), ("c", "d")):
        for x, y, _ in two_blobs(20, labels=labels):
            model.learn_one(x, y)
    proba = model.predict_proba_one({"a": 5.0, "b": 5.0})
    assert list(proba) == ["a", "b", "c", "d"]
    assert proba["a"] == proba["b"] == 0.0
    assert model.predict_one({"a": 5.0, "b": 5.0}) == "d"


def test_none_never_becomes_a_class(cls):
    model = make(cls, chunk_size=20)
    for x, y, labelled in two_blobs(60):
        model.learn_one(x, y if labelled else None)
    assert set(model.predict_proba_one({"a": 1.0})) == {False, True}


def test_absent_features_count_as_the_mean_and_unknown_ones_are_ignored(cls):
    model = make(cls, chunk_size=50)
    values = []
    for x, y, _ in two_blobs(50):
        values.append(x["a"])
        model.learn_one(x, y)
    mean = sum(values) / len(values)
    assert model.predict_proba_one({"b": 1.0})[True] == pytest.approx(
        model.predict_proba_one({"a": mean, "b": 1.0})[True]
    )
    assert model.predict_proba_one({"b": 1.0, "unknown": 1e9}) == model.predict_proba_one({"b": 1})


def test_scale_and_place_of_features_do_not_matter(cls):
    plain, moved = make(cls, chunk_size=60), make(cls, chunk_size=60)
    for x, y, labelled in two_blobs(60):
        plain.learn_one(x, y if labelled else None)
        moved.learn_one({k: 1e6 + 1e3 * v for k, v in x.items()}, y if labelled else None)
    for x, _, _ in two_blobs(20, seed=5):
        assert plain.predict_proba_one(x)[True] == pytest.approx(
            moved.predict_proba_one({k: 1e6 + 1e3 * v for k, v in x.items()})[True], abs=1e-6
        )


def test_learns_without_standardisation(cls):
    model = make(cls, chunk_size=60, standardise=False)
    for x, y, labelled in two_blobs(60):
        model.learn_one(x, y if labelled else None)
    assert accuracy(model) > 0.95


def margin(model, x):
    proba = model.predict_proba_one(x)
    return math.log(proba[True] / proba[False])


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [0.01, 0.6, 30.0])
def test_margins_are_those_of_scikit_learn(kernel, C):
    """Without standardisation and unlabelled instances it is the common SVM, but for a factor 2."""
    model = semi_supervised.SVMClassifier(
        60, C=C, kernel=kernel, gamma=0.2, degree=2, standardise=False
    )
    instances = [(x, y if labelled else None) for x, y, labelled in two_blobs(60, share=0.8)]
    for x, y in instances:
        model.learn_one(x, y)
    X = [list(x.values()) for x, y in instances if y is not None]
    theirs = SVC(C=C / 2, kernel=kernel, gamma=0.2, degree=2, coef0=1.0, tol=1e-9)
    theirs.fit(X, [y for _, y in instances if y is not None])
    for x, _, _ in two_blobs(20, seed=99):
        expected = theirs.decision_function([list(x.values())])[0]
        assert margin(model, x) == pytest.approx(expected, abs=1e-5)


def of_scikit_learn(kernel, X, Y):
    if kernel == "linear":
        return linear_kernel(X, Y)
    if kernel == "rbf":
        return rbf_kernel(X, Y, gamma=0.2)
    return polynomial_kernel(X, Y, gamma=0.2, degree=2, coef0=1.0)


def noisy_blobs(n, seed=0, share=0.6):
    rng = random.Random(seed)
    for x, y, labelled in two_blobs(n, seed, share):
        yield x, y != (rng.random() < 0.15), labelled


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("C1", "C2"), [(10.0, 1.0), (0.1, 3.0)])
def test_margins_of_two_tasks_are_those_of_scikit_learn(kernel, C1, C2):
    """TrSVM is the SVM of the kernel k(x, x')(1 + [same task]/C_task); it predicts task 2."""
    params = {"kernel": kernel, "gamma": 0.2, "degree": 2, "standardise": False, "C": 0.6}
    model = semi_supervised.TrSVMClassifier(80, C1=C1, C2=C2, tail=0.4, **params)
    chunk = list(noisy_blobs(80))
    for x, y, labelled in chunk:
        model.learn_one(x, y if labelled else None)
    known = [(list(x.values()), y, t >= 48) for t, (x, y, labelled) in enumerate(chunk) if labelled]
    X = [row for row, _, _ in known]
    tail = np.array([at_tail for _, _, at_tail in known])
    strength = (tail[:, None] == tail) * np.where(tail, 1 / C1, 1 / C2)
    theirs = SVC(C=0.3, kernel="precomputed", tol=1e-9)
    theirs.fit(of_scikit_learn(kernel, X, X) * (1 + strength), [y for _, y, _ in known])
    for x, _, _ in two_blobs(20, seed=99):
        row = of_scikit_learn(kernel, [list(x.values())], X) * (1 + ~tail / C2)
        assert margin(model, x) == pytest.approx(theirs.decision_function(row)[0], abs=1e-5)


@pytest.mark.parametrize("kernel", KERNELS)
def test_margins_with_clusters_are_those_of_scikit_learn(kernel):
    """Without type III, RK-TS3VM is TrSVM with inner products with cluster centres as features."""
    params = {"kernel": kernel, "gamma": 0.2, "degree": 2, "standardise": False, "C": 0.6}
    model = semi_supervised.RKTS3VMClassifier(80, tail=0.4, n_clusters=2, seed=1, **params)
    chunk = [(x, y if t >= 48 else y if labelled else None)
             for t, (x, y, labelled) in enumerate(noisy_blobs(80))]  # fmt: skip
    for x, y in chunk:
        model.learn_one(x, y)
    X = np.array([list(x.values()) for x, _ in chunk])
    labelled = np.array([y is not None for _, y in chunk])
    tail = np.arange(80) >= 48
    groups = semi_supervised.RelationalKMeans(2, seed=1).fit(X[~labelled], X[tail])
    centres = np.array([(groups == g) / (groups == g).sum() for g in set(groups.tolist())])

    def products(Y):
        """With all instances, the products with the centres included."""
        new = of_scikit_learn(kernel, Y, X[~labelled]) @ centres.T
        of_chunk = of_scikit_learn(kernel, X, X[~labelled]) @ centres.T
        return of_scikit_learn(kernel, Y, X) + new @ of_chunk.T

    strength = (tail[:, None] == tail) * np.where(tail, 1 / 10, 1 / 1)
    theirs = SVC(C=0.3, kernel="precomputed", tol=1e-9)
    gram = (products(X) * (1 + strength))[np.ix_(labelled, labelled)]
    theirs.fit(gram, [y for _, y in chunk if y is not None])
    for x, _, _ in two_blobs(20, seed=99):
        row = (products(np.array([list(x.values())])) * (1 + ~tail))[:, labelled]
        assert margin(model, x) == pytest.approx(theirs.decision_function(row)[0], abs=1e-4)


@pytest.mark.parametrize("kernel", KERNELS)
def test_without_a_cost_of_errors_one_label_is_predicted_everywhere(cls, kernel):
    model = make(cls, chunk_size=100, kernel=kernel, C=0)
    chunk = [(x, y if labelled else None) for x, y, labelled in two_blobs(100)]
    for x, y in chunk:
        model.learn_one(x, y)
    labels = [y for _, y in chunk if y is not None]
    expected = 2 * sum(labels) / len(labels) - 1
    assert expected != 0.0
    if "C_star" not in inspect.signature(cls).parameters:
        expected = math.copysign(1.0, expected)
    for x, _, _ in two_blobs(20, seed=99):
        assert margin(model, x) == pytest.approx(expected)


def test_a_small_cost_of_errors_comes_close_to_none(cls):
    none, small = make(cls, chunk_size=100, C=0.0), make(cls, chunk_size=100, C=1e-7)
    for x, y, labelled in two_blobs(100):
        for model in (none, small):
            model.learn_one(x, y if labelled else None)
    for x, _, _ in two_blobs(20, seed=99):
        assert margin(small, x) == pytest.approx(margin(none, x), abs=1e-4)


SEMI = [cls for cls in CLASSES if "C_star" in inspect.signature(cls).parameters]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("cls", SEMI)
def test_without_a_cost_unlabelled_instances_only_balance(cls, kernel):
    none, small = (make(cls, chunk_size=100, kernel=kernel, C_star=c) for c in (0.0, 1e-9))
    chunk = [(x, y if labelled else None) for x, y, labelled in noisy_blobs(100)]
    for x, y in chunk:
        for model in (none, small):
            model.learn_one(x, y)
    for x, _, _ in two_blobs(20, seed=99):
        assert margin(none, x) == pytest.approx(margin(small, x), abs=1e-5)
    type_3 = [
        x
        for t, (x, y) in enumerate(chunk)
        if y is None and (t >= 50 or "tail" not in cls().__dict__)
    ]
    labels = [1 if y else -1 for _, y in chunk if y is not None]
    mean = sum(margin(none, x) for x in type_3) / len(type_3)
    assert mean == pytest.approx(sum(labels) / len(labels), abs=1e-6)


TRANSFER = [cls for cls in CLASSES if "C1" in inspect.signature(cls).parameters]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("free", ["C1", "C2"])
@pytest.mark.parametrize("cls", [c for c in TRANSFER if c in SEMI])
def test_a_difference_without_a_cost_is_the_limit_of_small_costs(cls, free, kernel):
    costs = {"C1": 2.0, "C2": 1.0, "C": 0.5}
    none, small = (
        make(cls, chunk_size=100, kernel=kernel, **{**costs, free: c}) for c in (0.0, 1e-6)
    )
    for x, y, labelled in noisy_blobs(100):
        for model in (none, small):
            model.learn_one(x, y if labelled else None)
    for x, _, _ in two_blobs(20, seed=99):
        assert margin(none, x) == pytest.approx(margin(small, x), abs=1e-3)


def test_a_tail_that_is_fitted_freely_says_nothing_of_the_rest():
    """The rows of an rbf kernel are linearly independent, and the tail is fitted without an error."""
    model = semi_supervised.TrSVMClassifier(
        80, C=0.6, C1=0.0, C2=2.0, tail=0.4, kernel="rbf", gamma=0.2, standardise=False
    )
    chunk = list(noisy_blobs(80))
    for x, y, labelled in chunk:
        model.learn_one(x, y if labelled else None)
    before = [(list(x.values()), y) for x, y, labelled in chunk[:48] if labelled]
    X = [row for row, _ in before]
    theirs = SVC(C=0.3, kernel="precomputed", tol=1e-9)
    theirs.fit(rbf_kernel(X, X, gamma=0.2) * 1.5, [y for _, y in before])
    for x, _, _ in two_blobs(20, seed=99):
        row = rbf_kernel([list(x.values())], X, gamma=0.2) * 1.5
        assert margin(model, x) == pytest.approx(theirs.decision_function(row)[0], abs=1e-5)


@pytest.mark.parametrize("cls", TRANSFER)
def test_one_of_the_two_differences_has_a_cost(cls):
    with pytest.raises(ValueError, match=r"^C2 must be .* > 0 if C1 is 0; got 0\.0$"):
        cls(C1=0.0, C2=0.0)


@given(
    labelled=st.lists(st.booleans(), min_size=1, max_size=60),
    drift_rate=st.floats(0, 1),
    alpha=st.floats(0.01, 1),
)
def test_sizes_of_the_types_are_those_of_equation_1(labelled, drift_rate, alpha):
    model = semi_supervised.TrSVMClassifier(drift_rate=drift_rate, alpha=alpha)
    labelled = np.array(labelled)
    tail = model._tasks(labelled) == 1
    share = min(1.0, alpha / drift_rate) if drift_rate else 1.0
    n, n_labelled = len(labelled), labelled.sum()
    sizes = {
        "I": (tail & labelled, share * n_labelled),
        "II": (~tail & labelled, (1 - share) * n_labelled),
        "III": (tail & ~labelled, share * (n - n_labelled)),
        "IV": (~tail & ~labelled, (1 - share) * (n - n_labelled)),
    }
    for members, size in sizes.values():
        assert abs(members.sum() - size) <= 1.0 + 1e-9
    assert tail.any()
    # The latest of each kind.
    for kind in (labelled, ~labelled):
        assert (np.diff(tail[kind].astype(int)) >= 0).all()


@pytest.mark.parametrize("cls", TRANSFER)
def test_a_drift_rate_takes_the_place_of_the_tail(cls):
    # With a label for every other instance, the tail has as many as Eq. 1 asks for.
    seed = {"seed": 1} if "seed" in inspect.signature(cls).parameters else {}
    by_tail = cls(chunk_size=80, tail=0.25, **seed)
    by_rate = cls(chunk_size=80, tail=0.9, drift_rate=0.2, alpha=0.05, **seed)
    other = cls(chunk_size=80, drift_rate=0.1, **seed)
    for t, (x, y, _) in enumerate(noisy_blobs(80)):
        for model in (by_tail, by_rate, other):
            model.learn_one(x, y if t % 2 else None)
    x = {"a": 0.3, "b": -0.2}
    assert margin(by_rate, x) == margin(by_tail, x) != margin(other, x)


def test_class_ratio_moves_the_boundary():
    def positives(ratio):
        model = semi_supervised.S3VMClassifier(chunk_size=100, class_ratio=ratio)
        rng = random.Random(1)
        for i in range(100):
            x = {"a": rng.gauss(0, 1)}
            model.learn_one(x, x["a"] > 0 if i < 10 else None)
        return sum(model.predict_one({"a": i / 50}) for i in range(-100, 100))

    assert positives({True: 0.8, False: 0.2}) > positives(None) > positives({True: 2, False: 8})


def test_unlabelled_instances_help():
    """The boundary goes through the gap that only unlabelled instances show."""
    rng = random.Random(0)

    def draw():
        side = rng.random() < 0.5
        noise = {f"noise {i}": rng.gauss(0, 1) for i in range(20)}
        return {"a": rng.gauss(1.0 if side else -1.0, 0.2), **noise}, side

    svm = semi_supervised.SVMClassifier(chunk_size=200)
    s3vm = semi_supervised.S3VMClassifier(chunk_size=200)
    for i in range(200):
        x, side = draw()
        for model in (svm, s3vm):
            model.learn_one(x, side if i < 12 else None)
    hits = {model: 0 for model in (svm, s3vm)}
    for _ in range(500):
        x, side = draw()
        for model in hits:
            hits[model] += model.predict_one(x) == side
    assert hits[s3vm] > hits[svm] + 10


def test_works_with_hidden_labels_in_a_pipeline(cls):
    model = preprocessing.StandardScaler() | semi_supervised.ScarceLabels(
        make(cls, chunk_size=250), ratio=0.2, seed=42
    )
    metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    assert metric.get() > 0.7


class Unordered:
    """A key that does not compare with others."""

    def __lt__(self, other):
        raise TypeError("no order")

    def __repr__(self):
        raise TypeError("no order, nor a name to order it by")


@pytest.mark.parametrize(
    ("x", "y"),
    [({"a": 1.0}, ["a list"]), ({Unordered(): 1.0, Unordered(): 1.0}, True), ({}, Unordered())],
    ids=["unhashable label", "keys without an order", "label without an order"],
)
def test_what_would_spoil_the_chunk_is_refused_at_once(cls, x, y):
    model = make(cls, chunk_size=20)
    for x_fine, y_fine, _ in two_blobs(18):
        model.learn_one(x_fine, y_fine)
    before = pickle.dumps(model)
    with pytest.raises(TypeError):
        model.learn_one(x, y)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    "error", [np.linalg.LinAlgError("singular"), MemoryError("too large"), OverflowError("inf")]
)
def test_a_chunk_that_cannot_be_learned_from_is_dropped(cls, error, monkeypatch):
    def fail(*args):
        raise error

    model, twin = make(cls, chunk_size=40), make(cls, chunk_size=40)
    first, second, third = ([*two_blobs(40, seed=seed)] for seed in range(3))
    for x, y, _ in first:
        model.learn_one(x, y)
        twin.learn_one(x, y)
    for x, y, labelled in second[:-1]:
        model.learn_one(x, y if labelled else None)
    with monkeypatch.context() as patch:
        patch.setattr("river_trapezoid.semi_supervised._multi_task.solve", fail)
        with pytest.raises(RuntimeError, match=f"chunk of 40 instances.*dropped.*{error}") as info:
            model.learn_one(*second[-1][:2])
    assert info.value.__cause__ is error
    # What was learned before is kept, the next chunk is learned, and it is a whole one.
    for x, y, labelled in third:
        assert model.predict_proba_one(x) == twin.predict_proba_one(x)
        for each in (model, twin):
            each.learn_one(x, y if labelled else None)
    for x, _, _ in second:
        assert model.predict_proba_one(x) == twin.predict_proba_one(x)


def test_values_that_are_too_large_fail_once(cls):
    """Integers that no float can hold, whose sum is fine."""
    model, errors = make(cls, chunk_size=20), []
    too_large = ({"a": 10**400, "b": -(10**400), "c": 1.0}, True, True)
    for x, y, _ in [too_large, *two_blobs(39)]:
        try:
            model.learn_one(x, y)
        except (RuntimeError, ValueError) as error:
            errors.append(error)
    assert len(errors) == 1
    assert accuracy(model) > 0.9


def test_an_interrupt_comes_before_or_after_an_instance_is_learned(cls):
    """Interrupt `learn_one` at each of its instructions, in the middle of a chunk and at its end."""
    instances = [(x, y if labelled else None) for x, y, labelled in two_blobs(24, share=0.7)]

    def interrupted(n_before, instruction):
        """A model whose next call is interrupted, and whether it came so far."""
        model = make(cls, chunk_size=8)
        for x, y in instances[:n_before]:
            model.learn_one(x, y)
        left = instruction

        def trace(frame, event, arg):
            nonlocal left
            if frame.f_code is not base.ChunkClassifier.learn_one.__code__:
                return None
            frame.f_trace_opcodes = True
            if event == "opcode":
                left -= 1
                if left < 0:
                    raise KeyboardInterrupt
            return trace

        outer = sys.gettrace()
        sys.settrace(trace)
        try:
            model.learn_one(*instances[n_before])
        except KeyboardInterrupt:
            return model, True
        finally:
            sys.settrace(outer)
        return model, False

    def answers(model, rest):
        """What the model predicts now, and as it goes on."""
        for x, y in rest:
            yield model.predict_proba_one(x)
            model.learn_one(x, y)

    for n_before in (3, 7, 15):
        rest = instances[n_before + 1 :]
        allowed = []
        for learned in (instances[:n_before], instances[: n_before + 1]):
            twin = make(cls, chunk_size=8)
            for x, y in learned:
                twin.learn_one(x, y)
            allowed.append(list(answers(twin, rest)))
        seen, instruction, stopped = set(), 0, True
        while stopped:
            model, stopped = interrupted(n_before, instruction)
            seen.add(allowed.index(list(answers(model, rest))))
            instruction += 1
        assert seen == {0, 1}
        assert instruction > 50


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_debug_one_adds_up_to_the_margin(kernel):
    model = semi_supervised.SVMClassifier(chunk_size=50, kernel=kernel)
    assert "No chunk" in model.debug_one({"a": 1.0})
    for x, y, _ in two_blobs(50):
        model.learn_one(x, y)
    x = {"a": 0.3, "b": 0.1, "unknown": 1.0}
    rows = [line.split() for line in model.debug_one(x, decimals=9).splitlines()[1:]]
    names = {"linear": {"a", "b", "Intercept"}, "rbf": {"Kernel", "Intercept"}}
    assert {row[0] for row in rows} == names[kernel]
    proba = model.predict_proba_one(x)[model.predict_one(x)]
    assert sum(float(row[-1]) for row in rows) == pytest.approx(
        math.log(proba / (1 - proba)), abs=1e-7
    )


def test_debug_one_after_a_chunk_with_a_single_label(cls):
    model = make(cls, chunk_size=20)
    for x, _, labelled in two_blobs(20):
        model.learn_one(x, "spam" if labelled else None)
    assert "'spam'" in model.debug_one({"a": 1.0, "b": 2.0})


def test_every_parameter_is_in_the_signature_and_the_docstring(cls):
    """Both are put together from the bases: in the same order, once each, with the defaults."""
    parameters = inspect.signature(cls).parameters
    section = re.search(
        r"^Parameters\n-+\n(.*?)\n\n", inspect.getdoc(cls), re.DOTALL | re.MULTILINE
    )
    documented = re.findall(r"^(\w+)\n    \S", section[1], re.MULTILINE)
    assert documented == list(parameters)
    assert cls()._get_params() == {name: p.default for name, p in parameters.items()}
    assert documented[0] == "chunk_size"
    assert cls(17).chunk_size == 17
    doc = inspect.getdoc(cls)
    for once in ("Instances are collected in a chunk", "Examples\n----", "References\n----"):
        assert doc.count(once) == 1


def test_parameters_are_those_of_the_paper():
    own = {
        cls.__name__.removesuffix("Classifier"): set(inspect.signature(cls).parameters)
        - set(inspect.signature(semi_supervised.SVMClassifier).parameters)
        for cls in CLASSES
    }
    assert own == {
        "SVM": set(),
        "TrSVM": {"tail", "C1", "C2", "drift_rate", "alpha"},
        "S3VM": {"C_star", "class_ratio"},
        "TS3VM": {"tail", "C1", "C2", "drift_rate", "alpha", "C_star", "class_ratio"},
        "RKTS3VM": {
            *("tail", "C1", "C2", "drift_rate", "alpha", "C_star", "class_ratio"),
            *("n_clusters", "n_steps", "seed"),
        },
    }


WRONG = {
    "chunk_size": [0, 1.5, None],
    "C": [-1, math.inf, "1"],
    "kernel": ["sigmoid", None],
    "gamma": [0, -1.0],
    "degree": [0, 1.5, 6],
    "coef0": [-1, None],
    "standardise": [1, None],
    "tail": [0, 1.1, None],
    "C1": [-1, None],
    "C2": [-1, None],
    "drift_rate": [-0.1, 1.5, "1"],
    "alpha": [0, None],
    "C_star": [-1, None],
    "class_ratio": [0.5, [1]],
    "n_clusters": [0, 1.5],
    "n_steps": [-1, 0.5],
    "seed": [1.5, "1"],
}


@pytest.mark.parametrize(
    ("cls", "name"),
    [
        pytest.param(cls, name, id=f"{cls.__name__}-{name}")
        for cls in CLASSES
        for name in inspect.signature(cls).parameters
    ],
)
def test_wrong_parameters_are_named(cls, name):
    for value in WRONG[name]:
        with pytest.raises(ValueError, match=f"^{name} must be .*got"):
            cls(**{name: value})


def test_wrong_shares_are_named():
    with pytest.raises(ValueError, match=r"^class_ratio\['spam'\] must be .*> 0.*got -1"):
        semi_supervised.S3VMClassifier(class_ratio={"spam": -1})
