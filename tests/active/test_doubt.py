"""The filter against the two states written out, as exact fractions where they allow it."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_trapezoid.active._doubt import Doubt

outcomes = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.floats(0, 50)), min_size=1, max_size=40
)


def assignments(n_classes):
    """For each class that may now have the instances of class 0, the others are equally likely."""
    return [Fraction(1, n_classes - 1)] * (n_classes - 1)


def brute_force(stream):
    """The probability of each path of states is summed up; nothing is carried but the sums."""
    paths = {"holds": Fraction(1), "does not": Fraction(0)}
    scale, precision = 1.0, 2.0
    seen = set()
    for predicted, label, confidence in stream:
        seen.add(label)
        n = max(len(seen), 2)
        c = min(confidence, 30.0)
        weights = [1.0] + [math.exp(-min(scale * c, 30.0))] * (n - 1)
        p = weights[0] / sum(weights)
        capped = Fraction(min(p, 0.97))
        # The mass of each other class is equal; the predicted one received that of one of them.
        rest = [(1 - capped) / (n - 1)] * (n - 1)
        exchanged = sum(share * mass for share, mass in zip(assignments(n), rest, strict=True))
        correct = {
            "holds": capped,
            "does not": (Fraction(1, n) + exchanged) / 2,
        }
        moves = {
            ("holds", "holds"): Fraction(99, 100),
            ("holds", "does not"): Fraction(1, 100),
            ("does not", "does not"): Fraction(98, 100),
            ("does not", "holds"): Fraction(2, 100),
        }
        reached = dict.fromkeys(paths, Fraction(0))
        for (a, b), move in moves.items():
            outcome = correct[b] if predicted == label else 1 - correct[b]
            reached[b] += paths[a] * move * outcome
        total = sum(reached.values())
        # Rounded, or the fractions double their length with each label.
        paths = {k: Fraction(float(v / total)) for k, v in reached.items()}
        trust = float(paths["holds"])
        precision = 0.99 * precision + 0.01 * 2.0 + trust * p * (1 - p) * c * c
        gradient = (predicted == label) - p
        scale = max(scale + trust * gradient * c / precision, 0.05)
    return float(paths["does not"]), scale


@settings(max_examples=200, deadline=None)
@given(outcomes)
def test_it_is_the_posterior_of_a_chain_of_two_states(stream):
    doubt = Doubt()
    for predicted, label, confidence in stream:
        doubt = doubt.after(predicted, label, confidence)
    doubt.check()
    probability, scale = brute_force(stream)
    assert doubt.probability == pytest.approx(probability, rel=1e-6, abs=1e-12)
    assert doubt.scale == pytest.approx(scale, rel=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("correct", [True, False])
def test_a_label_at_a_confidence_of_zero_changes_nothing(n_classes, correct):
    doubt = Doubt(0.3, labels=tuple(range(n_classes)))
    after = doubt.after(0, 0 if correct else 1, 0.0)
    assert after.probability == pytest.approx(0.3 + 0.7 * 0.01 - 0.3 * 0.02)
    assert after.scale == 1.0


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_confident_errors_raise_it_and_correct_predictions_lower_it(n_classes):
    doubt = Doubt(labels=tuple(range(n_classes)))
    for _ in range(100):
        doubt = doubt.after(0, 0, 3.0)
    assert doubt.probability < 0.05
    history = [doubt.probability]
    for _ in range(5):
        doubt = doubt.after(0, 1, 3.0)
        history.append(doubt.probability)
    assert history == sorted(history)
    assert history[-1] > 0.9
    for _ in range(20):
        doubt = doubt.after(0, 0, 3.0)
    assert doubt.probability < 0.1


def test_errors_without_confidence_are_no_reason_for_doubt():
    doubt = Doubt()
    for i in range(500):
        doubt = doubt.after(0, i % 2, 0.05)
    assert doubt.probability < 0.5


@pytest.mark.parametrize(("predicted", "confidence"), [(None, 1.0), (True, math.nan)])
def test_without_a_prediction_only_the_classes_are_learned(predicted, confidence):
    doubt = Doubt(0.2, 1.5, 3.0, (False,))
    assert doubt.after(predicted, True, confidence) == Doubt(0.2, 1.5, 3.0, (False, True))


@pytest.mark.parametrize("confidence", [math.inf, 1e308, -1.0])
def test_any_confidence_leaves_finite_numbers(confidence):
    doubt = Doubt()
    for i in range(2000):
        doubt = doubt.after(True, i % 3 == 0, confidence)
    doubt.check()
    assert math.isfinite(doubt.precision)


@pytest.mark.parametrize(
    "values", [(1.0, 1.0, 2.0), (math.nan, 1.0, 2.0), (0.1, 0.0, 2.0), (0.1, 1.0, math.inf)]
)
def test_values_out_of_range_are_refused(values):
    with pytest.raises(ValueError, match="doubt must be a probability below 1"):
        Doubt(*values).check()


def test_a_class_may_not_be_listed_twice():
    with pytest.raises(ValueError, match="labels must differ"):
        Doubt(labels=(1, True)).check()
