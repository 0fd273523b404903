"""What every estimator of the package keeps to, written once, as functions of an estimator.

Each check gets a fresh clone. River's own checks come on top of these.
"""

from __future__ import annotations

import copy
import inspect
import itertools
import math
import pickle
import random

import numpy as np
import pytest
from river import (
    active,
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

NAN = float("nan")


def growing_stream(n=200, seed=0):
    """Instances whose features come, go, and are of mixed magnitude; labels depend on them."""
    rng = random.Random(seed)
    names = [f"f{i}" for i in range(25)]
    for t in range(n):
        present = names[: 3 + t * 22 // n]
        if t % 3 == 0:
            present = rng.sample(present, rng.randint(1, len(present)))
        x = {name: rng.choice([0.0, 1.0, rng.gauss(0, 1)]) for name in present}
        yield x, sum(v * (-1) ** int(k[1:]) for k, v in x.items()) + rng.gauss(0, 0.3) > 0


def trained(model, n=120):
    for x, y in growing_stream(n):
        model.predict_one(x)
        model.learn_one(x, y)
    return model


def outputs(model, n=60, seed=1):
    """Predictions on a stream, learned from on the way."""
    for x, y in growing_stream(n, seed):
        yield model.predict_proba_one(x), model.predict_one(x)
        model.learn_one(x, y)


def state(model):
    return pickle.dumps(model)


def is_active(model):
    return isinstance(model, active.base.ActiveLearningClassifier)


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


def check_pickle_goes_on_as_if_nothing_happened(model):
    trained(model)
    twin = pickle.loads(pickle.dumps(model))
    assert list(outputs(model)) == list(outputs(twin))


def check_copies_go_their_own_way(model):
    trained(model)
    before = state(model)
    twins = [copy.deepcopy(model)]
    if not hasattr(model, "classifier"):
        # Of what a model wraps, River's clone takes the parameters only.
        twins.append(model.clone(include_attributes=True))
    answers = list(outputs(copy.deepcopy(model)))
    for twin in twins:
        assert list(outputs(twin)) == answers
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


def check_prediction_changes_nothing(model):
    if is_active(model):
        return  # The draw moves the generator, as in River.
    trained(model)
    for x, _ in growing_stream(40, seed=5):
        before = state(model)
        model.predict_one(x)
        model.predict_proba_one({**x, "never seen": 1.0})
        if hasattr(model, "debug_one"):
            model.debug_one(x)
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
        assert is_active(model) or state(model) == before


def check_unknown_label_raises_and_changes_nothing(model):
    if model._multiclass:
        return
    trained(model)
    # Where the label may be left out, None is no label.
    optional = inspect.signature(model.learn_one).parameters["y"].default is None
    for y in ["spam", 2, -3, 0.5, [1], *([] if optional else [None])]:
        before = state(model)
        with pytest.raises(ValueError, match=r"label.*" + ("" if y == [1] else str(y))):
            model.learn_one({"f0": 1.0, "new": 2.0}, y)
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


def check_kinds_of_label(model):
    if model._multiclass:
        return
    kinds = {
        bool: (False, True),
        np.bool_: (False, True),
        int: (0, 1),
        np.int64: (0, 1),
        "signed": (-1, 1),
    }
    reference = list(outputs(model.clone()))
    for kind, (negative, positive) in kinds.items():
        twin = model.clone()
        convert = int if kind == "signed" else kind
        for x, y in growing_stream(30, seed=2):
            twin.learn_one(x, convert(positive if y else negative))
        answers = {label(twin, x) for x, _ in growing_stream(60, seed=1)}
        expected = bool if kind in (bool, np.bool_) else int
        assert {type(answer) for answer in answers} == {expected}
        assert answers <= {negative, positive}
        assert list(probabilities(twin, {"f0": 1.0})) == [negative, positive]
    assert reference == list(outputs(model.clone()))


def check_probabilities_agree_with_labels(model):
    trained(model)
    for x, _ in growing_stream(100, seed=4):
        proba = probabilities(model, x)
        assert math.isclose(sum(proba.values()), 1.0)
        assert proba[label(model, x)] == max(proba.values())


def check_margin_is_the_log_odds(model):
    if not hasattr(model, "margin_one") or model._multiclass:
        return
    assert model.clone().predict_proba_one({"f0": 1.0}) == {False: 0.5, True: 0.5}
    trained(model)
    for x, _ in growing_stream(50, seed=4):
        p = model.predict_proba_one(x)
        if abs(model.margin_one(x)) < 20:
            assert math.isclose(
                model.margin_one(x), math.log(p[True] / p[False]), rel_tol=1e-6, abs_tol=1e-12
            )


def _segments(n):
    return itertools.islice(datasets.ImageSegments(), n)


def check_multiclass_wrappers(model):
    if is_active(model):
        return
    for wrap in (
        multiclass.OneVsRestClassifier,
        multiclass.OneVsOneClassifier,
        lambda m: multiclass.OutputCodeClassifier(m, code_size=7, coding_method="exact", seed=1),
    ):
        wrapped = preprocessing.StandardScaler() | wrap(model.clone())
        metric = evaluate.progressive_val_score(_segments(300), wrapped, metrics.Accuracy())
        assert metric.get() > 1 / 7


def check_pipelines(model):
    for learn_during_predict in (False, True):
        pipeline = preprocessing.StandardScaler() | model.clone()
        for x, y in datasets.Phishing().take(150):
            if learn_during_predict:
                with compose.learn_during_predict():
                    pipeline.predict_proba_one(x)
            else:
                pipeline.predict_one(x)
            pipeline.learn_one(x, y)
        if not is_active(model):
            assert isinstance(pipeline.debug_one(x), str)
    union = (preprocessing.StandardScaler() + preprocessing.MinMaxScaler()) | model.clone()
    for x, y in datasets.Phishing().take(50):
        union.predict_one(x)
        union.learn_one(x, y)


def check_progressive_validation(model):
    pipeline = preprocessing.StandardScaler() | model
    if is_active(model):
        pipeline = model
    steps = evaluate.iter_progressive_val_score(
        datasets.Phishing().take(200),
        pipeline,
        metrics.ROCAUC() + metrics.Accuracy(),
        step=100,
        delay=3,
        measure_memory=True,
        measure_time=True,
    )
    assert len(list(steps)) == 2


def check_model_selection_and_ensembles(model):
    if is_active(model):
        return
    candidates = [model.clone() for _ in range(4)]
    wrapped = [
        model_selection.SuccessiveHalvingClassifier(
            candidates, metrics.Accuracy(), budget=100, verbose=False
        ),
        ensemble.ADWINBaggingClassifier(model.clone(), n_models=3, seed=1),
        ensemble.BaggingClassifier(model.clone(), n_models=3, seed=1),
        ensemble.VotingClassifier([model.clone(), model.clone()]),
        drift.DriftRetrainingClassifier(model.clone()),
        imblearn.RandomUnderSampler(model.clone(), {True: 0.5, False: 0.5}, seed=1),
    ]
    for ensemble_model in wrapped:
        pipeline = preprocessing.StandardScaler() | ensemble_model
        evaluate.progressive_val_score(datasets.Phishing().take(200), pipeline, metrics.Accuracy())


def check_scikit_learn_converter(model):
    if is_active(model):
        return
    from sklearn import datasets as sk_datasets

    X, y = sk_datasets.make_classification(200, random_state=1)
    converted = compat.convert_river_to_sklearn(model).fit(X, y)
    assert converted.predict(X).shape == (200,)
    assert len(list(stream.iter_array(X, y))) == 200


def check_inputs_are_left_alone(model):
    for x, y in growing_stream(80):
        kept = copy.deepcopy(x)
        model.predict_one(x)
        model.learn_one(x, y)
        assert list(x.items()) == list(kept.items())


CHECKS = [check for name, check in sorted(globals().items()) if name.startswith("check_")]


def hash_seed_report():
    """Print what every estimator predicts, for comparison between processes."""
    from tests.estimators import ours, seeded

    for name, model in ours():
        print(name, [repr(o) for o in outputs(seeded(model), 120)])
