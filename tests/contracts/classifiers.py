"""Checks of classifiers."""

from __future__ import annotations

import inspect
import itertools
import math

import numpy as np
import pytest
from river import (
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

from .conditions import (
    applies_to,
    has_explanations,
    has_margin,
    is_active,
    is_binary,
    is_passive,
    predicts_the_likelier_label,
)
from .steps import growing_stream, state, trained


def probabilities(model, x):
    answer = model.predict_proba_one(x)
    return answer[0] if is_active(model) else answer


def label(model, x):
    answer = model.predict_one(x)
    return answer[0] if is_active(model) else answer


@applies_to(has_explanations, is_passive)
def check_explanation_changes_nothing(model):
    trained(model)
    before = state(model)
    for x, _ in growing_stream(40, seed=5):
        assert isinstance(model.debug_one({**x, "never seen": 1.0}), str)
        assert state(model) == before


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


def check_empty_instance(model):
    for y in (True, False):
        model.predict_one({})
        model.predict_proba_one({})
        model.learn_one({}, y)
    trained(model)
    model.learn_one({}, True)
    assert math.isclose(sum(probabilities(model, {}).values()), 1.0)


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
