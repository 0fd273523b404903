"""Checks that every estimator of the package must pass, as functions of an estimator.

Each check receives a new clone. A check that does not apply to all estimators declares its
conditions, and is not collected for the others. River's own checks are run as well.
"""

from __future__ import annotations

import copy
import inspect
import itertools
import math
import pickle
import random
import re

import numpy as np
import pytest
from river import (
    active,
    base,
    compat,
    compose,
    datasets,
    drift,
    ensemble,
    evaluate,
    imblearn,
    metrics,
    model_selection,
    multiclass,
    preprocessing,
    stream,
)

from river_trapezoid import persist

NAN = float("nan")


def growing_stream(n=200, seed=0):
    """Yield instances with appearing and absent features of mixed magnitude, and their labels."""
    rng = random.Random(seed)
    names = [f"f{i}" for i in range(25)]
    for t in range(n):
        present = names[: 3 + t * 22 // n]
        if t % 3 == 0:
            present = rng.sample(present, rng.randint(1, len(present)))
        x = {name: rng.choice([0.0, 1.0, rng.gauss(0, 1)]) for name in present}
        yield x, sum(v * (-1) ** int(k[1:]) for k, v in x.items()) + rng.gauss(0, 0.3) > 0


def trained(model, n=120):
    for _ in outputs(model, n, seed=0):
        pass
    return model


def outputs(model, n=60, seed=1):
    """Yield the predictions of a model, or the outputs of a transformer, that learns a stream."""
    for x, y in growing_stream(n, seed):
        if isinstance(model, base.Transformer):
            yield model.transform_one(x)
            model.learn_one(x)
        else:
            yield model.predict_proba_one(x), model.predict_one(x)
            model.learn_one(x, y)


def state(model):
    return pickle.dumps(model)


def applies_to(*conditions):
    """Restrict a check to the estimators that meet all conditions."""

    def mark(check):
        check.conditions = conditions
        return check

    return mark


def checks_for(model):
    """Yield the checks that apply to an estimator."""
    for name, check in sorted(globals().items()):
        if name.startswith("check_") and all(
            condition(model) for condition in getattr(check, "conditions", ())
        ):
            yield check


def is_active(model):
    return isinstance(model, active.base.ActiveLearningClassifier)


def is_passive(model):
    """Whether predictions leave the state unchanged; a sampler draws a random number, as in River."""
    return not is_active(model)


def is_binary(model):
    return not model._multiclass


def is_not_a_wrapper(model):
    return not hasattr(model, "classifier")


def has_margin(model):
    return hasattr(model, "margin_one")


def predicts_the_likelier_label(model):
    """Whether the predicted label is the more likely one, whatever the shares of the labels."""
    return getattr(model, "decision", "accuracy") == "accuracy"


def has_explanations(model):
    return hasattr(model, "debug_one")


def probabilities(model, x):
    answer = model.predict_proba_one(x)
    return answer[0] if is_active(model) else answer


def label(model, x):
    answer = model.predict_one(x)
    return answer[0] if is_active(model) else answer


def check_order_of_features_changes_nothing(model):
    rng = random.Random(3)
    twin = model.clone()
    for x, y in growing_stream():
        keys = list(x)
        rng.shuffle(keys)
        shuffled = {key: x[key] for key in keys}
        assert model.predict_proba_one(x) == twin.predict_proba_one(shuffled)
        model.learn_one(x, y)
        twin.learn_one(shuffled, y)


def check_unpickled_model_continues_identically(model):
    trained(model)
    twin = pickle.loads(pickle.dumps(model))
    assert list(outputs(model)) == list(outputs(twin))


def check_loaded_model_continues_identically(model):
    trained(model)
    twin = persist.loads(persist.dumps(model))
    assert list(outputs(model)) == list(outputs(twin))


def check_copies_are_independent(model):
    trained(model)
    before = state(model)
    twin = copy.deepcopy(model)
    assert list(outputs(twin)) == list(outputs(copy.deepcopy(model)))
    trained(twin, 20)
    assert state(model) == before


# River clones a wrapped model without its attributes.
@applies_to(is_not_a_wrapper)
def check_clone_can_include_what_was_learned(model):
    trained(model)
    before = state(model)
    twin = model.clone(include_attributes=True)
    assert list(outputs(twin)) == list(outputs(copy.deepcopy(model)))
    trained(twin, 20)
    assert state(model) == before


def check_clone_starts_afresh(model):
    fresh = model.clone()
    trained(model)
    late = model.clone()
    assert repr(late) == repr(model) == repr(fresh)
    assert list(outputs(late)) == list(outputs(fresh))


def check_same_seed_same_result(model):
    twin = model.clone()
    assert list(outputs(model, 150)) == list(outputs(twin, 150))


@applies_to(is_passive)
def check_prediction_changes_nothing(model):
    trained(model)
    before = state(model)
    for x, _ in growing_stream(40, seed=5):
        model.predict_one(x)
        model.predict_proba_one({**x, "never seen": 1.0})
        assert state(model) == before
    for x, _, error, _ in BAD:
        for predict in (model.predict_one, model.predict_proba_one):
            with pytest.raises(error):
                predict(x)
        assert state(model) == before


@applies_to(has_explanations, is_passive)
def check_explanation_changes_nothing(model):
    trained(model)
    before = state(model)
    for x, _ in growing_stream(40, seed=5):
        assert isinstance(model.debug_one({**x, "never seen": 1.0}), str)
        assert state(model) == before


BAD = [
    ({"f0": 1.0, "colour": "red"}, True, TypeError, "colour"),
    ({"f0": 1.0, "list": [1.0]}, True, TypeError, "list"),
    ({"f0": 1.0, "array": np.ones(1)}, True, TypeError, "array"),
    ({"f0": 1.0, "complex": 1j}, True, TypeError, "complex"),
    ({"f0": 1.0, "endless": math.inf}, True, ValueError, "endless"),
    ({"f0": -math.inf, "f1": math.inf}, False, ValueError, "f0|f1"),
    ({"f0": 1.0, "integer": 10**400}, True, ValueError, "integer"),
]


def check_bad_features_raise_and_change_nothing(model):
    trained(model)
    for x, y, error, named in BAD:
        before = state(model)
        with pytest.raises(error, match=named):
            model.learn_one(x, y)
        assert state(model) == before
        with pytest.raises(error, match=named):
            model.predict_one(x)
        with pytest.raises(error, match=named):
            model.predict_proba_one(x)


@applies_to(is_binary)
def check_unknown_label_raises_and_changes_nothing(model):
    trained(model)
    # If the label is optional, None is a valid argument.
    optional = inspect.signature(model.learn_one).parameters["y"].default is None
    for y in ["spam", 2, -3, 0.5, [1], *([] if optional else [None])]:
        before = state(model)
        with pytest.raises(ValueError, match=r"label.*" + ("" if y == [1] else str(y))):
            model.learn_one({"f0": 1.0, "new": 2.0}, y)
        assert state(model) == before


def check_keys_without_an_order_are_refused_by_name(model):
    trained(model)
    for key in (frozenset(["odd"]), (float("nan"), "odd"), 1j):
        before = state(model)
        with pytest.raises(TypeError, match=re.escape(f"feature {key!r}")):
            model.learn_one({"f0": 1.0, key: 2.0, "new": 1.0}, True)
        assert state(model) == before


def check_missing_means_absent(model):
    twin = model.clone()
    rng = random.Random(1)
    for x, y in growing_stream():
        gaps = {f"gap{rng.randint(0, 30)}": rng.choice([None, NAN, np.nan, np.float32("nan")])}
        padded = {**gaps, **x, "always": None}
        assert model.predict_proba_one(x) == twin.predict_proba_one(padded)
        model.learn_one(x, y)
        twin.learn_one(padded, y)
    assert model.predict_proba_one({}) == twin.predict_proba_one({"a": None, "b": NAN})


def check_kinds_of_number_do_not_matter(model):
    twin = model.clone()
    kinds = [int, bool, np.int8, np.float32, np.float64, np.bool_]
    for i, (x, y) in enumerate(growing_stream()):
        x = {k: float(v > 0.5) for k, v in x.items()}
        kind = kinds[i % len(kinds)]
        assert model.predict_proba_one(x) == twin.predict_proba_one(
            {k: kind(v) for k, v in x.items()}
        )
        model.learn_one(x, y)
        twin.learn_one({k: kind(v) for k, v in x.items()}, y)


def check_keys_of_mixed_types(model):
    keys = ["a", 1, 2.5, ("b", 1), (2, "c"), None, b"bytes", -7, "zz", ("b", "d")]
    rng = random.Random(0)
    twin = model.clone()
    for _ in range(150):
        some = rng.sample(keys, rng.randint(1, len(keys)))
        x = {key: rng.choice([1.0, -1.0, 0.5]) for key in some}
        y = rng.random() < 0.5
        backwards = dict(reversed(x.items()))
        assert model.predict_proba_one(x) == twin.predict_proba_one(backwards)
        model.learn_one(x, y)
        twin.learn_one(backwards, y)


def check_empty_instance(model):
    for y in (True, False):
        model.predict_one({})
        model.predict_proba_one({})
        model.learn_one({}, y)
    trained(model)
    model.learn_one({}, True)
    assert math.isclose(sum(probabilities(model, {}).values()), 1.0)


def check_extreme_values(model):
    rng = random.Random(0)
    sizes = [1e-320, 1e-160, 1e-30, 1.0, 1e30, 1e150, 1e300]
    for _ in range(300):
        x = {f"f{rng.randint(0, 9)}": rng.choice([-1, 1]) * rng.choice(sizes) for _ in range(4)}
        proba = probabilities(model, x)
        assert not any(math.isnan(p) for p in proba.values())
        before = state(model)
        try:
            model.learn_one(x, rng.random() < 0.5)
        except OverflowError:
            assert state(model) == before


@applies_to(is_binary)
def check_kinds_of_label(model):
    def learned(negative, positive):
        """Return labels and probabilities of a model trained with these labels."""
        twin = model.clone()
        for x, y in growing_stream(100, seed=2):
            twin.learn_one(x, positive if y else negative)
        rows = [x for x, _ in growing_stream(60, seed=1)]
        return [label(twin, x) for x in rows], [probabilities(twin, x) for x in rows]

    labels, probas = learned(False, True)
    assert {type(answer) for answer in labels} == {bool}
    kinds = [
        (np.False_, np.True_, bool),
        (0, 1, int),
        (np.int64(0), np.int64(1), int),
        (-1, 1, int),
    ]
    for negative, positive, kind in kinds:
        answers, others = learned(negative, positive)
        assert {type(answer) for answer in answers} == {kind}
        assert [answer == positive for answer in answers] == labels
        assert [list(proba) for proba in others] == [[negative, positive]] * 60
        assert [list(proba.values()) for proba in others] == [list(p.values()) for p in probas]


@applies_to(predicts_the_likelier_label)
def check_probabilities_agree_with_labels(model):
    trained(model)
    for x, _ in growing_stream(100, seed=4):
        proba = probabilities(model, x)
        assert proba[label(model, x)] == max(proba.values())


def check_probabilities_add_up(model):
    trained(model)
    for x, _ in growing_stream(100, seed=4):
        assert math.isclose(sum(probabilities(model, x).values()), 1.0)


@applies_to(has_margin, is_binary)
def check_margin_is_the_log_odds(model):
    assert model.clone().predict_proba_one({"f0": 1.0}) == {False: 0.5, True: 0.5}
    trained(model)
    rows = [x for x, _ in growing_stream(50, seed=4)]
    # For larger margins, one minus the probability loses too many digits.
    rows = [x for x in rows if abs(model.margin_one(x)) < 20]
    assert len(rows) > 10
    for x in rows:
        p = model.predict_proba_one(x)
        log_odds = math.log(p[True] / p[False])
        assert math.isclose(model.margin_one(x), log_odds, rel_tol=1e-6, abs_tol=1e-12)


def _segments(n):
    return itertools.islice(datasets.ImageSegments(), n)


@applies_to(is_passive)
def check_multiclass_wrappers(model):
    for wrap in (
        multiclass.OneVsRestClassifier,
        multiclass.OneVsOneClassifier,
        lambda m: multiclass.OutputCodeClassifier(m, code_size=7, coding_method="exact", seed=1),
    ):
        wrapped = preprocessing.StandardScaler() | wrap(model.clone())
        metric = evaluate.progressive_val_score(_segments(300), wrapped, metrics.Accuracy())
        assert metric.get() > 1 / 7


def check_pipelines(model):
    scalers = [preprocessing.StandardScaler(), preprocessing.MinMaxScaler()]
    for prefix in (scalers[0], scalers[0] + scalers[1]):
        pipeline, by_hand, twin = prefix.clone() | model.clone(), prefix.clone(), model.clone()
        for x, y in datasets.Phishing().take(100):
            scaled = by_hand.transform_one(x)
            assert pipeline.predict_proba_one(x) == twin.predict_proba_one(scaled)
            pipeline.learn_one(x, y)
            by_hand.learn_one(x)
            twin.learn_one(by_hand.transform_one(x), y)


def check_pipelines_that_learn_during_predict(model):
    pipeline = preprocessing.StandardScaler() | model.clone()
    scaler, twin = preprocessing.StandardScaler(), model.clone()
    with compose.learn_during_predict():
        for x, y in datasets.Phishing().take(100):
            scaler.learn_one(x)
            scaled = scaler.transform_one(x)
            assert pipeline.predict_proba_one(x) == twin.predict_proba_one(scaled)
            pipeline.learn_one(x, y)
            twin.learn_one(scaled, y)


@applies_to(is_passive)
def check_pipelines_explain_themselves(model):
    pipeline = preprocessing.StandardScaler() | model
    for x, y in datasets.Phishing().take(50):
        pipeline.learn_one(x, y)
    assert all(name in pipeline.debug_one(x) for name in x)


def check_progressive_validation(model):
    # River recognises an active learner only as the outermost model.
    pipeline = model if is_active(model) else preprocessing.StandardScaler() | model
    accuracy = metrics.Accuracy()
    steps = list(
        evaluate.iter_progressive_val_score(
            datasets.Phishing().take(200),
            pipeline,
            metrics.ROCAUC() + accuracy,
            step=100,
            delay=3,
            measure_memory=True,
            measure_time=True,
        )
    )
    assert [step["Step"] for step in steps] == [100, 200]
    assert all(step["Memory"] > 0 for step in steps)
    # The first label arrives three instances later; until then, a multi-class learner has no labels.
    assert accuracy.cm.n_samples == (200 if model.clone().predict_one({}) is not None else 197)


def accuracy(model):
    pipeline = preprocessing.StandardScaler() | model
    rows = datasets.Phishing().take(200)
    return evaluate.progressive_val_score(rows, pipeline, metrics.Accuracy()).get()


@applies_to(is_passive)
def check_model_selection_and_ensembles(model):
    alone = accuracy(model.clone())
    for wrapped in (
        model_selection.SuccessiveHalvingClassifier(
            [model.clone() for _ in range(4)], metrics.Accuracy(), budget=100, verbose=False
        ),
        ensemble.ADWINBaggingClassifier(model.clone(), n_models=3, seed=1),
        ensemble.BaggingClassifier(model.clone(), n_models=3, seed=1),
        ensemble.VotingClassifier([model.clone(), model.clone()]),
        drift.DriftRetrainingClassifier(model.clone()),
        imblearn.RandomUnderSampler(model.clone(), {True: 0.5, False: 0.5}, seed=1),
    ):
        assert accuracy(wrapped) > alone - 0.1


@applies_to(is_passive)
def check_scikit_learn_converter(model):
    from sklearn import datasets as sk_datasets

    X, y = sk_datasets.make_classification(200, random_state=1)
    twin = model.clone()
    for x, label in stream.iter_array(X, y):
        twin.learn_one(x, label)
    expected = [twin.predict_one(x) for x, _ in stream.iter_array(X)]
    assert compat.convert_river_to_sklearn(model).fit(X, y).predict(X).tolist() == expected


def check_inputs_are_not_modified(model):
    for x, y in growing_stream(80):
        kept = copy.deepcopy(x)
        model.predict_one(x)
        model.learn_one(x, y)
        assert list(x.items()) == list(kept.items())


def hash_seed_report():
    """Print the predictions of every estimator, to be compared between processes."""
    from tests.estimators import ours, seeded

    for name, model in ours():
        print(name, [repr(o) for o in outputs(seeded(model), 120)])
