"""Mini-batches by slots: the journal, the columns remembered, and the truncation of many at once."""

from __future__ import annotations

import contextlib
import pickle
import random
import signal
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from river_trapezoid._frame import Rows
from river_trapezoid.weights import transaction
from river_trapezoid.weights.key_order import rank
from tests.weights.kinds import COMPILED, COMPILED_RULE, KINDS, NEEDS_BOTH, PURE, RULES, assert_same

ONES = np.ones(1, dtype=np.int8)


def frozen(rule):
    """All that a rule knows, whatever the order of the features seen."""
    *state, seen = rule.weights.__getstate__()
    rng = None if rule.rng is None else rule.rng.getstate()
    return state, None if seen is None else set(seen), rule.intercept, rng


def random_rows(rng, names, n_rows, density, kind):
    """Rows of columns drawn from names: complete, with gaps, or as a sparse matrix."""
    columns = rng.sample(names, rng.randint(1, len(names)))
    values = np.array([[rng.choice([-2.0, -1.0, 1.0, rng.gauss(0, 1)]) for _ in columns]] * n_rows)
    absent = np.array([[rng.random() >= density for _ in columns] for _ in range(n_rows)])
    if kind == "dense":
        return Rows(values, columns)
    if kind == "gaps":
        return Rows(np.where(absent, np.nan, values), columns)
    return Rows(sparse.csr_array(np.where(absent, 0.0, values)), columns)


settings_of_rules = st.fixed_dictionaries(
    {
        "mode": st.sampled_from([0, 1, 2]),
        "C": st.sampled_from([0.1, 10.0]),
        "radius": st.sampled_from([None, 1.0, 30.0]),
        "learn_intercept": st.booleans(),
        "step": st.sampled_from(["pa", "perceptron"]),
        "update_on": st.sampled_from(["loss", "mistake"]),
    }
)


@NEEDS_BOTH
@settings(max_examples=60)
@given(
    parameters=settings_of_rules,
    budget=st.sampled_from([1, 3, 20, 0.01, 0.1, 0.5, 1.0]),
    at_random=st.booleans(),
    n_names=st.sampled_from([5, 60, 600]),
    seed=st.integers(0, 2**16),
)
def test_batches_are_their_rows_in_both_kinds(parameters, budget, at_random, n_names, seed):
    rng = random.Random(seed)
    names = [rng.choice([f"k{i}", i, (i, "x"), i + 0.5]) for i in range(n_names)]
    rules = [
        RULES[kind](kind(budget, 1), rng=random.Random(1) if at_random else None, **parameters)
        for kind in (PURE, COMPILED, COMPILED)
    ]
    rows = None
    for _ in range(8):
        # The same columns as before, or others, by which entries die and the table is rebuilt.
        if rows is None or rng.random() < 0.6:
            kind = rng.choice(["dense", "gaps", "csr"])
            rows = random_rows(rng, names, rng.choice([1, 4]), rng.choice([0.05, 0.6]), kind)
        signs = np.array([rng.choice([-1, 1]) for _ in range(len(rows))], dtype=np.int8)
        w = None
        if rng.random() < 0.4:
            w = np.array([rng.choice([0.0, 0.5, 1.0, 7.0]) for _ in range(len(rows))])
        for rule in rules[:2]:
            rule.learn_rows(rows, signs, w)
        for i, x in enumerate(rows):
            if w is None or w[i]:
                rules[2].learn(x, int(signs[i]), 1.0 if w is None else float(w[i]))
        x = {key: 1.0 for key in rng.sample(names, 3)}
        for rule in rules:
            rule.learn(x, 1)
        assert_same(rules[0].weights, rules[1].weights)
        assert frozen(rules[0]) == frozen(rules[1]) == frozen(rules[2])
        margins = [rules[2].margin(x) for x in rows]
        assert [rule.margins(rows).tolist() for rule in rules[:2]] == [margins] * 2


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40)
@given(
    budget=st.sampled_from([3, 40, 0.2, 1.0]),
    at_random=st.booleans(),
    sparsely=st.booleans(),
    seed=st.integers(0, 2**16),
)
def test_an_error_in_any_row_leaves_the_rule_as_it_was(kind, budget, at_random, sparsely, seed):
    rng = random.Random(seed)
    names = [f"k{i}" for i in range(120)]
    rule = RULES[kind](
        kind(budget, 1),
        radius=5.0,
        step="perceptron",
        learn_intercept=True,
        rng=random.Random(2) if at_random else None,
    )
    for _ in range(4):
        rows = random_rows(rng, names, 5, 0.3, "csr" if sparsely else "dense")
        rule.learn_rows(rows, np.array([1, -1, 1, -1, 1], dtype=np.int8))
        before = frozen(rule), pickle.dumps(rule)

        bad = np.array([[rng.gauss(0, 1) for _ in range(90)] for _ in range(6)])
        place = rng.randrange(5)
        columns = rng.sample(names, 85) + [f"new{i}" for i in range(5)]
        # One of both labels is none that is predicted.
        bad[place : place + 2] = rng.choice([-1, 1]) * 1.7e308
        rows = Rows(sparse.csr_array(bad) if sparsely else bad, columns)
        signs = np.array([1, -1] * 3, dtype=np.int8)
        with pytest.raises(OverflowError, match=r"^row [0-5]: the weights leave their range"):
            rule.learn_rows(rows, signs, np.full(6, 2.0))
        assert (frozen(rule), pickle.dumps(rule)) == before


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("budget", [2, 0.5])
def test_a_transaction_brings_everything_back(kind, budget):
    weights = kind(budget, 2)
    weights.update({"a": 1.0, "b": -2.0, "c": 0.5}, 1.0)
    before = pickle.dumps(weights), weights.norm, weights.capacity
    columns = ["b", "c", *(f"n{i}" for i in range(50))]

    def learn_until_interrupted():
        with transaction(columns, weights):
            for i in range(50):
                weights.update({f"n{i}": float(i), "b": -1.0}, 1.0, 3.0)
                weights.scale_by(1e-40)
            weights.budget = 3 if budget == 2 else 0.9
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn_until_interrupted()
    assert (pickle.dumps(weights), weights.norm, weights.capacity) == before
    with transaction(columns, weights):
        weights.update({"n1": 9.0}, 1.0)
    assert weights.get("n1") == 9.0


@pytest.mark.parametrize("kind", KINDS)
def test_a_transaction_that_cannot_begin_leaves_the_others_as_they_were(kind):
    one, other = kind(), kind()
    with (
        pytest.raises(TypeError, match="so that features can be sorted"),
        transaction(["a", 1j], one, other),
    ):
        raise AssertionError
    for weights in (one, other):
        weights.update({"a": 1.0}, 1.0)
        assert (weights.to_dict(), weights.n_seen) == ({"a": 1.0}, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_are_found_again_after_the_table_was_rebuilt(kind):
    rule = RULES[kind](kind(10, 0), C=1.0)
    columns = [f"c{i}" for i in range(30)]
    twin = RULES[PURE](PURE(10, 0), C=1.0)
    rng = np.random.default_rng(1)
    for turn in range(40):
        rows = Rows(rng.standard_normal((2, 30)), columns)
        signs = np.array([1, -1], dtype=np.int8)
        for learner in (rule, twin):
            learner.learn_rows(rows, signs)
            # Strangers that push all of the columns out, so that the table leaves them out.
            for i in range(5):
                learner.learn({f"t{turn}-{i}-{j}": 5.0 for j in range(40)}, 1)
        assert rule.margins(rows).tolist() == twin.margins(rows).tolist()
    assert rule.weights.to_dict() == twin.weights.to_dict()


@pytest.mark.parametrize("kind", KINDS)
def test_all_columns_known_but_dead_in_a_table_that_shrinks(kind):
    columns = [f"c{i}" for i in range(5000)]
    rule = RULES[kind](kind(1, 0), step="perceptron")
    values = np.full((2, 5000), 1.0)
    values[1] = 1.7e308
    for _ in range(3):
        # The batch is undone, so that none of its columns has a weight.
        with pytest.raises(OverflowError, match="row 1"):
            rule.learn_rows(
                Rows(values, columns), np.array([1, -1], dtype=np.int8), np.full(2, 9.0)
            )
        assert len(rule.weights) == 0
    rule.learn_rows(Rows(values[:1], columns), ONES)
    assert rule.weights.to_dict() == {"c999": 1.0}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("step", [{"learn_intercept": True}, {"step": "perceptron"}])
def test_nothing_to_draw_from_before_any_feature_is_seen(kind, step):
    rule = RULES[kind](kind(0.5), rng=random.Random(1), **step)
    rule.learn({}, 1)
    rule.learn_rows(Rows(np.full((2, 2), np.nan)), np.array([1, -1], dtype=np.int8))
    assert rule.weights.n_seen == 0


@pytest.mark.parametrize("kind", KINDS)
def test_rows_without_columns_and_columns_without_rows(kind):
    rule = RULES[kind](kind(), learn_intercept=True, C=1.0)
    rule.learn_rows(Rows(np.empty((2, 0))), np.array([1, 1], dtype=np.int8))
    assert (rule.intercept, rule.weights.n_seen) == (1.0, 0)
    rule.learn_rows(Rows(np.empty((0, 3))), np.empty(0, dtype=np.int8))
    assert (rule.intercept, rule.weights.n_seen) == (1.0, 0)
    assert rule.margins(Rows(np.empty((0, 3)))).shape == (0,)
    assert rule.margins(Rows(np.empty((2, 0)))).tolist() == [1.0, 1.0]


class Raises:
    """A name that equals others of its hash only as long as it is told to."""

    fails = False

    def __init__(self, name):
        self.name = name

    def __hash__(self):
        return 7

    def __eq__(self, other):
        if Raises.fails:
            raise ArithmeticError("no comparison")
        return isinstance(other, Raises) and self.name == other.name

    def __lt__(self, other):
        return self.name < other.name

    def __repr__(self):
        return self.name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sparsely", [False, True])
def test_names_that_raise_leave_the_rule_as_it_was(kind, sparsely):
    rule = RULES[kind](kind(3, 1), C=1.0, radius=30.0)
    as_matrix = sparse.csr_array if sparsely else np.array
    first = Rows(as_matrix([[1.0, 2.0], [0.0, 1.0]]), [Raises("a"), Raises("b")])
    signs = np.array([1, -1], dtype=np.int8)
    rule.learn_rows(first, signs)
    before = repr(rule.weights.to_dict()), rule.weights.norm
    rows = Rows(as_matrix([[1.0, 2.0], [0.0, 1.0]]), ["x", Raises("c")])
    rows.check_columns()
    try:
        Raises.fails = True
        with pytest.raises(ArithmeticError, match="no comparison"):
            rule.learn_rows(rows, signs)
    finally:
        Raises.fails = False
    assert (repr(rule.weights.to_dict()), rule.weights.norm) == before
    rule.learn_rows(rows, signs)
    assert len(rule.weights) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_not_compared_with_the_last_ones_unless_they_hash_alike(kind):
    rule = RULES[kind](kind(), C=1.0)
    # To numpy, a number and a tuple of two are as many comparisons.
    for name in (np.int64(3), ("a", 1), np.float64(0.5), (np.int64(3), 2), 3, True, "a"):
        rule.learn_rows(Rows([[1.0]], [name]), ONES)
        assert rule.margins(Rows([[2.0]], [name])).tolist() == [2.0]
    assert rule.weights.n_seen == 6
    with pytest.raises(TypeError, match="so that features can be sorted"):
        rule.learn_rows(Rows([[1.0]], [3 + 0j]), ONES)


@pytest.mark.parametrize("kind", KINDS)
def test_names_without_hash_or_order_are_refused(kind):
    rule = RULES[kind](kind())
    for name, message in (([1], "unhashable"), (1j, "so that features can be sorted")):
        with pytest.raises(TypeError, match=message):
            rule.learn_rows(Rows([[1.0, 2.0]], ["a", name]), ONES)
        assert (len(rule.weights), rule.weights.n_seen) == (0, 0)


@NEEDS_BOTH
@settings(max_examples=80)
@given(
    n=st.sampled_from([1, 2, 9, 40, 400, 3000]),
    kept=st.floats(0.0, 1.0),
    sizes=st.sampled_from([[1.0], [1.0, 2.0], [0.5, 1.0, 1.5, 3e-310], None]),
    seed=st.integers(0, 2**16),
)
def test_truncation_is_a_sort_of_everything(n, kept, sizes, seed):
    rng = random.Random(seed)
    name = rng.choice([str, int, lambda i: (i % 3, str(i)), lambda i: "é" * (i % 2) + str(i)])
    weights = COMPILED(max(1, round(kept * n)), rng.choice([0, 1, 2]))
    oracle = {}
    for _ in range(6):
        some = rng.sample(range(n), rng.choice([1, min(n, 5), n]))
        x = {
            name(i): rng.choice([-1, 1]) * (rng.choice(sizes) if sizes else rng.random())
            for i in some
        }
        weights.update(x, 1.0)
        for key, value in x.items():
            oracle[key] = oracle.get(key, 0.0) + value
        oracle = {key: v for key, v in oracle.items() if v}
        order = sorted(oracle, key=lambda key: (abs(oracle[key]), rank(key)))
        for key in order[: max(0, len(oracle) - weights.capacity)]:
            del oracle[key]
        assert weights.to_dict() == oracle


@NEEDS_BOTH
def test_truncation_of_a_wide_instance():
    rng = random.Random(5)
    x = {f"k{i}": rng.choice([-1.0, 1.0]) * round(rng.random(), 3) for i in range(40_000)}
    x = {key: v for key, v in x.items() if v}
    for budget in (1, 100, 30_000, len(x) - 1):
        weights = COMPILED(budget)
        weights.update(x, 1.0)
        order = sorted(x, key=lambda key: (abs(x[key]), key))
        assert weights.to_dict() == {key: x[key] for key in order[len(x) - budget :]}


@pytest.fixture
def often():
    """Have threads take turns as often as can be."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@NEEDS_BOTH
@pytest.mark.parametrize("at_random", [False, True])
@pytest.mark.parametrize("sparsely", [False, True])
def test_threads_predict_batches_while_one_learns(often, at_random, sparsely):
    names = [f"k{i}" for i in range(40)]
    rule = COMPILED_RULE(COMPILED(10), C=1.0, rng=random.Random(1) if at_random else None)
    twin = pickle.loads(pickle.dumps(rule))
    rng = np.random.default_rng(1)
    batches = []
    for i in range(60):
        values = rng.standard_normal((5, 40)) * (rng.random((5, 40)) < 0.3)
        if i % 3 == 2:
            values[4, 7] = 1e308
        batches.append(sparse.csr_array(values) if sparsely else values)
    signs = np.array([1, -1, 1, -1, 1], dtype=np.int8)

    def learn(learner):
        for X in batches:
            with contextlib.suppress(OverflowError):
                learner.learn_rows(Rows(X, names), signs, np.full(5, 1e5))
            learner.learn(dict.fromkeys(names[::7], 1.0), 1)

    learn(twin)
    raised, done = [], threading.Event()

    def predict():
        try:
            while not done.is_set():
                # Other lists of the same names, and other names, take turns in what is remembered.
                assert np.isfinite(rule.margins(Rows(batches[0], list(names)))).all()
                rule.margins(Rows(batches[1], names[::-1]))
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=predict) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        learn(rule)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert raised == []
    assert frozen(rule) == frozen(twin)


@NEEDS_BOTH
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(),
    reason="signals go to the main thread",
)
def test_an_interrupt_in_the_middle_of_a_batch_changes_nothing():
    class Interrupt(Exception):
        pass

    def interrupt(*_):
        raise Interrupt

    # So few rows that no other look at signals comes between.
    rows = Rows(np.random.default_rng(1).standard_normal((1000, 3000)))
    signs = np.array([1, -1] * 500, dtype=np.int8)
    rule = COMPILED_RULE(COMPILED(0.1), C=1.0)
    rule.learn_rows(Rows([[1.0, -2.0]]), ONES)
    before = pickle.dumps(rule)
    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-3)
        with pytest.raises(Interrupt):
            rule.learn_rows(rows, signs)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert pickle.dumps(rule) == before
