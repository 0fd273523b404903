from __future__ import annotations

import math
import random

import pytest
from river import base, datasets

from river_trapezoid import linear_model, stream
from river_trapezoid.linear_model import EvidenceClassifier, MulticlassOLSFClassifier
from tests.contracts import growing_stream, state, trained
from tests.estimators import instances, seeded

from .test_evidence import together_stream

LINEAR = {
    name: model
    for name, model in instances()
    if hasattr(model, "contributions_one") and not model._multiclass
}
PLAIN = {name: m for name, m in LINEAR.items() if not isinstance(m, EvidenceClassifier)}
EVIDENCE = {name: m for name, m in LINEAR.items() if isinstance(m, EvidenceClassifier)}


def test_every_linear_learner_tells_what_its_features_contribute():
    learners = [getattr(linear_model, name) for name in linear_model.__all__]
    learners = [cls for cls in learners if issubclass(cls, base.Classifier)]
    assert len(learners) == 6
    assert all(hasattr(cls, "contributions_one") for cls in learners)


@pytest.mark.parametrize("name", PLAIN)
def test_contributions_and_intercept_sum_to_the_margin(name):
    model = trained(seeded(PLAIN[name]))
    for x, _ in growing_stream(60, seed=1):
        contributions = model.contributions_one({**x, "f1": None, "f2": math.nan})
        x = {key: value for key, value in x.items() if key not in ("f1", "f2")}
        total = math.fsum(contributions.values()) + model.intercept
        assert total == pytest.approx(model.margin_one(x), rel=1e-9, abs=1e-12)


def rest(model, x):
    """What there is in a margin beside features: intercepts, and how labels have come lately."""
    weights = model._weights
    heads = weights.heads(x)
    if not model.mixture:
        return weights.intercept * model.margin_one(x) / heads[0][1]
    inputs = weights.mixed(x)
    total = sum(says * share for _, says, share in inputs)
    own = sum(says * share for _, says, share in inputs[len(heads) :])
    for h, ((_, made, _, _), (_, says, share)) in enumerate(zip(heads, inputs, strict=False)):
        own += share * weights.intercepts[h][0] * says / made
    return own * model.margin_one(x) / total


@pytest.mark.parametrize("name", EVIDENCE)
@pytest.mark.parametrize("rows", [growing_stream, together_stream])
def test_contributions_to_all_heads_sum_to_the_margin(name, rows):
    model = EVIDENCE[name].clone()
    for x, y in rows(200, seed=0):
        model.learn_one(x, y)
    for x, _ in rows(60, seed=1):
        contributions = model.contributions_one(x)
        assert contributions.keys() == model.evidence_one(x).keys()
        total = math.fsum(contributions.values()) + rest(model, x)
        assert total == pytest.approx(model.margin_one(x), rel=1e-9, abs=1e-12)
        pairs = model.pair_contributions_one(x)
        assert pairs.keys() == model.pair_evidence_one(x).keys()
        alone, _ = model._contributions(x)
        for key, contribution in contributions.items():
            halves = math.fsum(0.5 * adds for pair, adds in pairs.items() if key in pair)
            assert contribution - alone[key] == pytest.approx(halves, abs=1e-12)


def test_a_head_that_is_cut_off_contributes_what_is_left_of_it():
    model = EvidenceClassifier()
    for t in range(3000):
        sign = (-1.0) ** t
        model.learn_one({key: sign for key in "abcdef"}, sign > 0)
    x = dict.fromkeys("abcdef", 4.0)
    assert any(abs(made) > 4.0 for _, made, _, _ in model._weights.heads(x))
    total = math.fsum(model.contributions_one(x).values()) + rest(model, x)
    assert total == pytest.approx(model.margin_one(x), rel=1e-9)


def test_two_features_that_tell_something_only_together_contribute_through_their_pair():
    model = EvidenceClassifier()
    for x, y in together_stream(1500, seed=0):
        model.learn_one(x, y)
    x = {"a": 1.0, "b": 1.0, "noise": 0.0}
    pair = model.pair_contributions_one(x)["a", "b"]
    contributions = model.contributions_one(x)
    assert abs(pair) > 0.5
    assert contributions["a"] == pytest.approx(pair / 2, rel=0.4)
    assert contributions["b"] == pytest.approx(pair / 2, rel=0.4)
    assert abs(contributions["noise"]) < 0.1 * abs(pair)


def test_contributions_to_the_scores_of_labels_sum_to_them():
    model = MulticlassOLSFClassifier()
    assert model.contributions_one({"a": 1.0}) == {}
    rows = list(stream.Capricious(list(datasets.ImageSegments().take(200)), seed=1))
    for x, y in rows:
        model.learn_one(x, y)
    for x, _ in rows[:30]:
        contributions = model.contributions_one(x)
        assert {label: math.fsum(own.values()) for label, own in contributions.items()} == (
            pytest.approx(model._scores(x))
        )
        assert all(own.keys() == x.keys() for own in contributions.values())


@pytest.mark.parametrize("name", LINEAR)
def test_telling_changes_nothing_and_does_not_depend_on_the_order_of_features(name):
    model = trained(seeded(LINEAR[name]))
    before, rng = state(model), random.Random(1)
    for x, _ in growing_stream(20, seed=2):
        x["never seen"] = 1.0
        shuffled = dict(rng.sample(list(x.items()), len(x)))
        assert model.contributions_one(x) == model.contributions_one(shuffled)
    assert state(model) == before
