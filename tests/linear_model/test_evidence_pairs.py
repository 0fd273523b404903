"""What two features say together: which pairs are known, and what is learned from them."""

from __future__ import annotations

import itertools
import pickle
import random

import pytest
from river import metrics

from river_trapezoid.linear_model import EvidenceClassifier
from tests.linear_model.test_evidence import (
    beliefs,
    pair_beliefs,
    pair_keys,
    together_stream,
    words_stream,
)


def test_learns_what_two_features_say_only_together():
    accuracy = {}
    for n_paired in (0, 10):
        rng = random.Random(0)
        model, metric = EvidenceClassifier(n_paired=n_paired), metrics.Accuracy()
        for t in range(2500):
            x = {key: rng.gauss(0.0, 1.0) for key in "abcd"}
            y = (x["a"] > 0) != (x["b"] > 0)
            if t >= 1000:
                metric.update(y, model.predict_one(x))
            model.learn_one(x, y)
        accuracy[n_paired] = metric.get()
    assert accuracy[10] > 0.9
    assert accuracy[0] < 0.65


def test_evidence_of_a_pair_has_the_sign_of_each_quadrant():
    model = EvidenceClassifier()
    for x, y in together_stream(1500, seed=0):
        model.learn_one(x, y)
    for a, b in itertools.product((-1.0, 1.0), repeat=2):
        x = {"a": a, "b": b}
        together = model.pair_evidence_one(x)
        assert list(together) == [("a", "b")]
        assert together["a", "b"] * a * b > 1.0
        assert all(abs(apart) < 1.0 for apart in model.evidence_one(x).values())


def test_a_pair_is_known_once_both_features_were_known_together():
    model = EvidenceClassifier()
    x = {"b": 1.0, "a": 2.0}
    model.learn_one(x, True)
    assert model.n_pairs == 0
    assert model.pair_evidence_one(x) == {}
    model.learn_one(x, True)
    assert pair_keys(model) == [("a", "b")]
    assert list(model.pair_evidence_one(x)) == [("a", "b")]
    assert model.pair_evidence_one({"a": 2.0, "c": 1.0}) == {}
    model.learn_one({"a": 1.0, "c": 1.0}, False)
    assert model.n_pairs == 1


@pytest.mark.parametrize("params", [{"n_paired": 0}, {"n_paired": 1}, {"mixture": False}], ids=str)
def test_no_pairs_where_none_are_wanted(params):
    model = EvidenceClassifier(**params)
    for x, y in together_stream(50, seed=0):
        model.learn_one(x, y)
        assert model.pair_evidence_one(x) == {}
    assert model.n_pairs == 0
    assert ("pairs" in model.head_shares) == (params == {"n_paired": 1})


def strongest(model, x, n_paired):
    """The pairs of the strongest known features of an instance, by sorting them."""
    known = beliefs(model)
    strength = {key: abs(known[key].w[0]) + abs(0.2 + known[key].v[0]) for key in x if key in known}
    ranked = sorted(strength, key=lambda key: (-strength[key], key))
    return list(itertools.combinations(sorted(ranked[:n_paired]), 2))


@pytest.mark.parametrize(
    ("n_paired", "max_pairs"), [(10, 1), (10, 7), (10, 60), (3, 4), (2, 1000), (5, 10)]
)
def test_the_pair_learned_from_longest_ago_goes_first(n_paired, max_pairs):
    params = {"n_paired": n_paired, "max_pairs": max_pairs, "n_bins": 3}
    model, backwards = EvidenceClassifier(**params), EvidenceClassifier(**params)
    rng, last, n_dropped = random.Random(0), {}, 0
    for t, (x, y) in enumerate(words_stream(250, seed=1)):
        if t % 2:
            x = {key: rng.gauss(0.0, 1.0) for key in x}
        paired = strongest(model, x, n_paired)
        assert list(model.pair_evidence_one(x)) == [pair for pair in paired if pair in last]
        new = [pair for pair in paired if pair not in last]
        before = pair_beliefs(model)
        model.learn_one(x, y)
        backwards.learn_one(dict(reversed(x.items())), y)
        last |= dict.fromkeys(paired, t)
        kept = sorted(last, key=lambda pair: (last[pair], pair))[-max_pairs:]
        n_dropped += len(last) - len(kept)
        last = {pair: last[pair] for pair in kept}
        assert pair_keys(model) == kept
        assert model.n_pairs == len(kept)
        assert backwards._weights.__getstate__() == model._weights.__getstate__()
        for pair, known in pair_beliefs(model).items():
            if pair in new:
                # One that comes back starts anew.
                assert (known.w, known.variance) == (0.0, 0.1)
                assert sum(known.counts) == pytest.approx(1.0)
            elif pair not in paired:
                assert vars(known).keys() == vars(before[pair]).keys()
                assert known.w == before[pair].w
                assert list(known.counts) == list(before[pair].counts)
    assert bool(n_dropped) == (max_pairs < 1000)


def test_equally_strong_features_are_paired_in_the_order_of_their_keys():
    model = EvidenceClassifier(n_paired=3)
    for keys in ("dbeac", "ecabd", "abcde"):
        model.learn_one(dict.fromkeys(keys, 1.0), True)
    assert pair_keys(model) == [("a", "b"), ("a", "c"), ("b", "c")]
    mixed = EvidenceClassifier(n_paired=3)
    for _ in range(3):
        mixed.learn_one({None: 1.0, ("b", 1): 1.0, "b": 1.0, 10: 1.0, 2.5: 1.0}, True)
    assert pair_keys(mixed) == [(2.5, 10), (2.5, "b"), (10, "b")]


def test_pairs_of_a_dropped_feature_go_with_it():
    model, rng, dropped = EvidenceClassifier(B=6), random.Random(0), 0
    for t in range(400):
        before = set(pair_keys(model))
        x = {f"k{rng.randrange(4 + t // 20)}": rng.gauss(0.0, 1.0) for _ in range(5)}
        # Weights that come to nothing, as the labels have nothing to do with the values.
        model.learn_one(x, rng.random() < 0.5)
        kept = set(model.value_weights)
        assert all(kept.issuperset(pair) for pair in pair_keys(model))
        lost = before - set(pair_keys(model))
        assert all(not kept.issuperset(pair) for pair in lost)
        dropped += len(lost)
    assert len(kept) == 6
    assert dropped
    assert model.n_pairs


@pytest.mark.parametrize("B", [200, 1.0])
def test_pairs_of_words_do_not_pile_up(B):
    rng = random.Random(0)
    model, sizes = EvidenceClassifier(B=B, max_pairs=50, n_bins=3, n_paired=5), []
    for t in range(2500):
        # Two words that come for the first time, and others that have come before.
        words = [2 * t, 2 * t + 1, *(rng.randrange(2 * t + 1) for _ in range(6))]
        model.learn_one(dict.fromkeys(words, 1.0), words[-1] % 3 == 0)
        assert model.n_pairs <= 50
        if t % 500 == 499:
            *_, features, _, pairs = model._weights.__getstate__()
            sizes.append((len(features), len(pickle.dumps(pairs))))
    n_features, n_bytes = zip(*sizes, strict=True)
    assert n_features[-1] == (200 if B == 200 else 5000)
    assert model.n_pairs == 50 or (B == 200 and model.n_pairs > 25)
    assert max(n_bytes) < 50 * 400
