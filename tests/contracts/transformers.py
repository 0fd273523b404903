"""Checks of transformers."""

from __future__ import annotations

from river import compose, datasets, evaluate, linear_model, metrics

from .steps import growing_stream, trained


def check_an_empty_instance_stays_empty(model):
    assert model.transform_one({}) == {}
    trained(model)
    model.learn_one({})
    assert model.transform_one({}) == {}


def check_features_do_not_depend_on_each_other(model):
    trained(model)
    for x, _ in growing_stream(60, seed=4):
        parts = [model.transform_one({key: value}) for key, value in x.items()]
        assert model.transform_one(x) == {key: value for p in parts for key, value in p.items()}


def check_a_pipeline_learns_as_its_parts(model):
    pipeline = model.clone() | linear_model.LogisticRegression()
    by_hand, twin = model.clone(), linear_model.LogisticRegression()
    for x, y in datasets.Phishing().take(100):
        transformed = by_hand.transform_one(x)
        assert pipeline.predict_proba_one(x) == twin.predict_proba_one(transformed)
        pipeline.learn_one(x, y)
        by_hand.learn_one(x)
        twin.learn_one(by_hand.transform_one(x), y)


def check_a_pipeline_may_learn_during_prediction(model):
    pipeline = model.clone() | linear_model.LogisticRegression()
    by_hand, twin = model.clone(), linear_model.LogisticRegression()
    with compose.learn_during_predict():
        for x, y in datasets.Phishing().take(100):
            by_hand.learn_one(x)
            transformed = by_hand.transform_one(x)
            assert pipeline.predict_proba_one(x) == twin.predict_proba_one(transformed)
            pipeline.learn_one(x, y)
            twin.learn_one(transformed, y)


def check_it_joins_other_transformers(model):
    union = model.clone() + compose.Select("age_of_domain")
    for x, _ in datasets.Phishing().take(50):
        union.learn_one(x)
    assert set(model.transform_one(x)) | {"age_of_domain"} <= set(union.transform_one(x))


def check_progressive_validation_of_a_pipeline(model):
    def validated(learner):
        (step,) = evaluate.iter_progressive_val_score(
            datasets.Phishing().take(200),
            learner,
            metrics.Accuracy(),
            step=200,
            delay=3,
            measure_memory=True,
        )
        return step["Accuracy"].get(), step["Memory"]

    accuracy, memory = validated(model | linear_model.LogisticRegression())
    alone, least = validated(linear_model.LogisticRegression())
    assert accuracy >= alone > 0.5
    assert memory > least
