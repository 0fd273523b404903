"""The categories of the evidence learner: golden traces, both forms, and what is refused."""

from __future__ import annotations

import json
import math
import pickle
import random
import warnings

import pytest

from river_trapezoid import persist
from river_trapezoid.linear_model import EvidenceClassifier
from river_trapezoid.weights import transaction
from tests.weights.kinds import COMPILED_EVIDENCE, NEEDS_BOTH, PURE_EVIDENCE, assert_same_evidence

KINDS = [
    pytest.param(PURE_EVIDENCE, id="pure"),
    pytest.param(COMPILED_EVIDENCE, id="compiled", marks=NEEDS_BOTH),
]


def stream(n, n_users=12, seed=0):
    """Users with a taste of their own, a colour that is sometimes absent, and a number."""
    rng = random.Random(seed)
    taste = [rng.choice((-2.0, 2.0)) for _ in range(n_users)]
    for _ in range(n):
        user, a = min(int(rng.expovariate(0.3)), n_users - 1), rng.gauss(0.0, 1.0)
        x = {"user": f"u{user}", "a": a}
        if rng.random() < 0.6:
            x["colour"] = rng.choice(("red", "green", "blue"))
        if rng.random() < 0.1:
            x["user"] = float(user)
        yield x, rng.random() < 1.0 / (1.0 + math.exp(-taste[user] - a))


def learned(kind, n=300, **settings):
    weights = kind(**settings)
    for x, y in stream(n):
        weights.learn(x, 1 if y else -1)
    return weights


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["single", "mixture"])
@pytest.mark.parametrize("most", [5, 1000])
def test_golden_traces(shared, most, form, kind):
    path = shared / "golden" / "categories" / f"at_most_{most}_{form}.json"
    trace = json.loads(path.read_text())
    weights = kind(mixture=trace["mixture"], max_categories=trace["max_categories"])
    for x, y, margin in trace["rows"]:
        assert weights.margin(x) == pytest.approx(margin, rel=1e-9, abs=1e-9)
        weights.learn(x, 1 if y else -1)


@NEEDS_BOTH
@pytest.mark.parametrize(
    "settings",
    [{}, {"mixture": False}, {"max_categories": 3}, {"budget": 2}, {"budget": 0.6}, {"n_bins": 2}],
)
def test_both_forms_are_equal_to_the_last_bit(settings):
    pure, compiled = PURE_EVIDENCE(**settings), COMPILED_EVIDENCE(**settings)
    for row, (x, y) in enumerate(stream(300)):
        assert pure.margin(x) == compiled.margin(x)
        assert pure.inputs(x) == compiled.inputs(x)
        for weights in (pure, compiled):
            weights.learn(x, 1 if y else -1, 1.0 + row % 3)
    *numbers, categories = pure.__getstate__()
    *numbers_compiled, categories_compiled = compiled.__getstate__()
    assert repr(numbers[:3]) == repr(numbers_compiled[:3])
    assert repr(numbers[4]) == repr(numbers_compiled[4])
    assert repr(categories) == repr(categories_compiled)


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_features_does_not_matter(kind):
    one, other = kind(n_paired=3), kind(n_paired=3)
    for x, y in stream(200):
        y = 1 if y else -1
        backwards = dict(reversed(x.items()))
        assert one.margin(x) == other.margin(backwards)
        one.learn(x, y)
        other.learn(backwards, y)


@pytest.mark.parametrize("kind", KINDS)
def test_evidence_is_that_of_a_brute_force_count(kind):
    weights, rows = kind(mixture=False), []
    for x, y in stream(150):
        if isinstance(x["user"], str) and len(rows) > 5:
            expected = brute_force_evidence(rows, x["user"])
            found = {
                key: evidence for key, _, _, evidence, _ in weights.inputs({"user": x["user"]})
            }
            assert found["user"] == pytest.approx(expected, rel=1e-9, abs=1e-12)
        weights.learn(x, 1 if y else -1)
        rows.append((x, y))


def brute_force_evidence(rows, user):
    """The evidence of a user, counted anew from all instances."""
    n, smoothing = len(rows), 2.0
    prior = (sum(y for _, y in rows) + 1.0) / (n + 2.0)
    labels = [y for x, y in rows if isinstance(x["user"], str)]
    own = [y for x, y in rows if x["user"] == user]
    of_feature = (sum(labels) + smoothing * prior) / (len(labels) + smoothing)
    positive = sum(own) + smoothing * of_feature
    negative = len(own) - sum(own) + smoothing * (1.0 - of_feature)
    odds = prior / (1.0 - prior)
    return n / (n + 20.0) * (math.log(positive / negative) - math.log(odds))


@pytest.mark.parametrize("kind", KINDS)
def test_the_rarest_of_the_eight_used_longest_ago_is_replaced(kind):
    weights = kind(max_categories=9)
    uses = {"a": 3, "b": 2, "c": 2, "d": 3, "e": 4, "f": 5, "g": 6, "h": 7, "i": 1}
    for text, n in uses.items():
        for _ in range(n):
            weights.learn({"plan": text}, 1)
    weights.learn({"plan": "new"}, -1)
    _, _, items = weights.__getstate__()[-1]["plan"]
    assert [text for text, _ in items] == ["a", "c", "d", "e", "f", "g", "h", "i", "new"]
    weights.learn({"plan": "a"}, -1)
    _, _, items = weights.__getstate__()[-1]["plan"]
    assert [text for text, _ in items][-2:] == ["new", "a"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_and_a_string_of_the_same_name_are_two_features(kind):
    weights = kind()
    for _ in range(10):
        weights.learn({"a": 1.0}, 1)
        weights.learn({"a": "1"}, -1)
    assert len(weights) == 2
    assert weights.margin({"a": 1.0}) > 0.0 > weights.margin({"a": "1"})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["", " "])
def test_an_empty_string_is_refused(kind, text):
    weights = learned(kind, 50)
    before = repr(weights.__getstate__())
    for act in (weights.margin, lambda x: weights.learn(x, 1)):
        with pytest.raises(
            ValueError, match=r"feature 'colour' has the value.* leave the feature out"
        ):
            act({"colour": text, "a": 1.0, "user": "new"})
    assert repr(weights.__getstate__()) == before


@pytest.mark.parametrize("kind", KINDS)
def test_strings_that_are_all_numbers_bring_a_single_warning(kind):
    weights = kind()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(19):
            weights.learn({"age": str(i), "plan": "1" if i else "free"}, 1)
    with pytest.warns(UserWarning, match="values of feature 'age' are strings"):
        weights.learn({"age": "19.5", "plan": "2"}, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(30):
            weights.learn({"age": str(i), "plan": "3"}, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_pickle_continues_to_the_last_bit(kind):
    weights = learned(kind, max_categories=4, budget=3)
    twin = kind(max_categories=4, budget=3)
    twin.__setstate__(weights.__getstate__())
    for x, y in stream(100, seed=1):
        assert twin.margin(x) == weights.margin(x)
        for each in (weights, twin):
            each.learn(x, 1 if y else -1)
    assert repr(pickle.loads(pickle.dumps(weights)).__getstate__()) == repr(weights.__getstate__())


def learn_all(weights, rows):
    with transaction(None, weights):
        for x, sign in rows:
            weights.learn(x, sign)


@pytest.mark.parametrize("kind", KINDS)
def test_a_transaction_is_undone(kind):
    weights = learned(kind, max_categories=4)
    before = repr(weights.__getstate__())
    rows = [(x | {"new": "new"}, 1 if y else -1) for x, y in stream(60, seed=2)]
    rows.append(({"colour": ""}, 1))
    with pytest.raises(ValueError, match="colour"):
        learn_all(weights, rows)
    assert repr(weights.__getstate__()) == before


@pytest.mark.parametrize("kind", KINDS)
def test_dropped_features_lose_their_categories(kind):
    weights = kind(budget=2)
    for i in range(30):
        weights.learn({f"f{i}": "a", "a": 1.0}, 1 if i % 2 else -1)
    known = set(weights.__getstate__()[-1])
    assert len(known) <= 2
    assert known == {key[1] for key in weights.__getstate__()[2] if isinstance(key, tuple)}


@pytest.mark.parametrize("settings", [{}, {"max_categories": 3, "B": 2}, {"mixture": False}])
def test_a_model_file_continues_to_the_last_bit(settings):
    model = EvidenceClassifier(**settings)
    for x, y in stream(200):
        model.learn_one(x, y)
    twins = persist.loads(persist.dumps(model)), pickle.loads(pickle.dumps(model))
    for x, y in stream(100, seed=1):
        for twin in twins:
            assert twin.margin_one(x) == model.margin_one(x)
        for each in (model, *twins):
            each.learn_one(x, y)


def test_explanations_name_the_features_and_sum_to_the_margin():
    model = EvidenceClassifier(mixture=False)
    for x, y in stream(200):
        model.learn_one(x, y)
    x = {"user": "u1", "colour": "red", "a": 0.5}
    assert set(model.evidence_one(x)) == set(model.contributions_one(x)) == set(x)
    assert "user (value)" in model.debug_one(x)
    mixed = EvidenceClassifier()
    for row, y in stream(200):
        mixed.learn_one(row, y)
    assert set(mixed.pair_evidence_one(x)) == {("a", "user"), ("a", "colour"), ("colour", "user")}
    assert "Head" in mixed.debug_one(x)


def test_a_weight_of_zero_changes_nothing_and_refuses_what_a_step_refuses():
    model = EvidenceClassifier()
    model.learn_one({"plan": "free"}, True, w=0.0)
    assert model.evidence_one({"plan": "free"}) == {}
    with pytest.raises(ValueError, match="plan"):
        model.learn_one({"plan": ""}, True, w=0.0)


@NEEDS_BOTH
def test_numbers_alone_have_the_same_state_as_before():
    pure, compiled = PURE_EVIDENCE(), COMPILED_EVIDENCE()
    for weights in (pure, compiled):
        weights.learn({"a": 1.0}, 1)
        assert len(weights.__getstate__()) == 5
    assert_same_evidence(pure, compiled)
