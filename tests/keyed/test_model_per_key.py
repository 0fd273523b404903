from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from river import multiclass

from river_trapezoid import active, linear_model, preprocessing
from river_trapezoid.keyed import ModelPerKey, Row

A = {"a": 1.0}


def new(**settings):
    return ModelPerKey(linear_model.OLSFClassifier(), **settings)


ROWS = st.lists(
    st.tuples(
        st.none() | st.dictionaries(st.sampled_from("abc"), st.floats(-2, 2) | st.just(1e999)),
        st.sampled_from([None, True, False, "spam"]),
        st.sampled_from([None, "1", "2", "3"]),
    ),
    max_size=30,
)
SAMPLER = active.BudgetSampler(
    preprocessing.StandardScaler() | linear_model.OLSFClassifier(), budget=0.5, seed=1
)


@pytest.mark.parametrize("model", [linear_model.OLSFClassifier(), SAMPLER], ids=["all", "sampler"])
@settings(max_examples=50)
@given(ROWS, st.sets(st.integers(0, 30)))
def test_any_split_into_batches_gives_the_same_answers(model, rows, cuts):
    step = ModelPerKey(model, max_waiting=3, max_remembered=2)
    rows = [Row(order, *row) for order, row in enumerate(rows)]
    _, whole = step.run(None, rows)
    state, found, start = None, [], 0
    for cut in [*sorted(cuts), len(rows)]:
        state, answers = step.run(state, rows[start:cut][::-1])
        found += answers
        start = max(start, cut)
    assert found == whole


def test_answers_are_those_of_a_plain_loop():
    twin, rows, expected = SAMPLER.clone(), [], []
    for i in range(200):
        x = {"a": (i * 37 % 11) - 5.0, "b": (i * 17 % 7) - 3.0}
        y = x["a"] + x["b"] > 0
        label, probabilities, ask = twin.decide_one(x)
        expected.append((label, probabilities[label], ask))
        if ask:
            twin.learn_one(x, y)
        rows.append(Row(i, x, y))
    _, answers = ModelPerKey(SAMPLER).run(None, rows)
    assert [answer[2:5] for answer in answers] == expected
    assert answers[-1].labels_spent == twin.labels_spent


def test_late_labels_are_learned_once_and_repeats_change_nothing():
    step = new()
    rows = [
        Row(1, A, id="x"),
        Row(2, None, True, "x"),
        Row(3, A, False, "x"),
        Row(4, None, True, "?"),
    ]
    state, answers = step.run(None, rows)
    assert [answer.labels_spent for answer in answers] == [0, 1, 1, 1]
    assert [answer.prediction for answer in answers] == [False, None, None, None]
    assert step.model(state).weights["a"] > 0
    assert step.model(step.run(None, rows[:2])[0]).weights == step.model(state).weights


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (Row(1, {"a": 1e999}, True), "'a'"),
        (Row(1, A, "spam"), "spam"),
        (Row(None, A, True), "order"),
    ],
)
def test_bad_rows_are_reported_or_raised_and_not_learned(row, message):
    state, (answer,) = new().run(None, [row])
    assert message in answer.error
    assert answer.labels_spent == 0
    assert new().model(state).weights == {}
    with pytest.raises(ValueError, match=message):
        new(errors="raise").run(None, [row])


def test_an_instance_with_a_bad_label_waits_for_a_good_one():
    _, answers = new().run(None, [Row(1, A, "spam", "x"), Row(2, None, True, "x")])
    assert [answer.labels_spent for answer in answers] == [0, 1]


def test_models_without_probabilities():
    model = multiclass.OneVsOneClassifier(linear_model.OLSFClassifier())
    rows = [Row(i, {"abc"[i % 3]: 1.0}, "abc"[i % 3]) for i in range(30)]
    _, answers = ModelPerKey(model).run(None, rows)
    assert answers[-1][2:5] == ("c", None, True)


def test_models_that_cannot_be_run_again_are_refused():
    with pytest.raises(ValueError, match="seed"):
        ModelPerKey(active.BudgetSampler(linear_model.OLSFClassifier()))
    with pytest.raises(TypeError, match="classifier"):
        ModelPerKey(preprocessing.StandardScaler())
