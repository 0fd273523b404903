from __future__ import annotations

import pickle

import pytest
from river import compose, datasets, evaluate, metrics, naive_bayes, optim, preprocessing, stream
from river import linear_model as river_linear_model

from river_trapezoid import active, drift, persist
from river_trapezoid.active._doubt import Doubt
from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier


def inverted(rows):
    """Instances whose labels are inverted half-way."""
    rows = list(rows)
    return [(x, y if i < len(rows) // 2 else not y) for i, (x, y) in enumerate(rows)]


def alternating(rows, period):
    """Instances whose labels are inverted in every other period."""
    return [(x, y if i // period % 2 else not y) for i, (x, y) in enumerate(rows)]


def logistic():
    return preprocessing.StandardScaler() | river_linear_model.LogisticRegression()


def accuracy(rows, model):
    return evaluate.progressive_val_score(rows, model, metrics.Accuracy()).get()


class Reference:
    """The rule with the models of each role in a list, and all of them kept by name."""

    def __init__(self, scaler, last, threshold, lead):
        self.scaler, self.threshold, self.lead = scaler, threshold, lead
        self.first = last
        self.current, self.challenger = last, None
        self.fresh = last.clone()
        self.doubt, self.ahead, self.n, self.former = Doubt(), 0, 0, False

    def learn(self, x, y):
        ready = self.scaler.transform_one(x)
        q = self.current.margin_one(ready)
        label = self.current.predict_one(ready)
        self.doubt = self.doubt.after(label, y, abs(q))
        rival = self.challenger
        guess = rival.predict_one(ready) if rival else None
        self.scaler.learn_one(x)
        ready = self.scaler.transform_one(x)
        if rival is None and self.doubt.probability > self.threshold:
            self.challenger, self.ahead, self.former = self.fresh.clone(), 0, False
        models = [self.first, self.current, self.challenger]
        for model in {id(m): m for m in models if m is not None}.values():
            model.learn_one(ready, y)
        if rival is None and self.challenger is None:
            return
        if rival is not None:
            self.ahead += (guess == y) - (label == y)
        if self.ahead >= self.lead:
            self.current, self.challenger = self.challenger, self.current
            self.doubt = self.doubt._replace(probability=0.0)
            self.ahead, self.former = 0, True
            self.n += 1
        elif self.ahead <= -self.lead or (
            self.doubt.probability < 0.4 * self.threshold and not self.former
        ):
            self.challenger = None


@pytest.mark.parametrize(("threshold", "lead"), [(0.3, 3), (0.1, 1), (0.05, 2)])
def test_it_follows_its_rule(threshold, lead):
    # A low cost, so that the weights follow a drift slowly.
    learner = OLSFClassifier(C=0.01)
    model = drift.ChallengedClassifier(
        preprocessing.StandardScaler() | learner.clone(), threshold, lead
    )
    twin = Reference(preprocessing.StandardScaler(), learner, threshold, lead)
    n_former = 0
    for x, y in alternating(datasets.Phishing(), 250):
        expected = twin.current.predict_proba_one(twin.scaler.transform_one(x))
        assert model.predict_proba_one(x) == expected
        model.learn_one(x, y)
        twin.learn(x, y)
        assert (model.doubt, model.n_replacements) == (twin.doubt.probability, twin.n)
        assert (model.current is model.classifier) == (twin.current is twin.first)
        n_former += twin.former and twin.challenger is not None
    assert model.n_replacements >= 2
    assert n_former > 10
    assert model.classifier["OLSFClassifier"].weights == twin.first.weights


@pytest.mark.parametrize(
    ("make", "gain"), [(logistic, 0.05), (naive_bayes.GaussianNB, 0.2), (EvidenceClassifier, 0.0)]
)
def test_it_recovers_from_an_inversion(make, gain):
    rows = inverted(datasets.Phishing())
    model = drift.ChallengedClassifier(make())
    assert accuracy(rows, model) > accuracy(rows, make()) + gain
    assert model.n_replacements >= 1


@pytest.mark.parametrize("make", [logistic, EvidenceClassifier])
def test_without_drift_it_predicts_what_the_classifier_does(make):
    model, alone = drift.ChallengedClassifier(make()), make()
    for x, y in datasets.Phishing():
        assert model.predict_proba_one(x) == alone.predict_proba_one(x)
        model.learn_one(x, y)
        alone.learn_one(x, y)
    assert model.n_replacements == 0
    assert model.current is model.classifier


def test_the_classifier_learns_every_label_whoever_predicts():
    model, alone = drift.ChallengedClassifier(logistic()), logistic()
    for x, y in inverted(datasets.Phishing()):
        model.learn_one(x, y)
        alone.learn_one(x, y)
    assert model.current is not model.classifier
    assert dict(model.classifier["LogisticRegression"].weights) == dict(
        alone["LogisticRegression"].weights
    )


def test_the_scaler_is_shared_and_learns_each_instance_once():
    model = drift.ChallengedClassifier(logistic())
    with compose.learn_during_predict():
        for n, (x, y) in enumerate(inverted(datasets.Phishing()), start=1):
            model.predict_one(x)
            model.learn_one(x, y)
            assert set(model.classifier["StandardScaler"].counts.values()) == {n}
    assert isinstance(model.current, river_linear_model.LogisticRegression)


def test_several_classes_that_are_exchanged():
    rows = list(stream.shuffle(datasets.ImageSegments(), 300, seed=1))[:2000]
    classes = sorted({y for _, y in rows})
    turned = dict(zip(classes, classes[1:] + classes[:1], strict=True))
    rows = [(x, y if i < 1000 else turned[y]) for i, (x, y) in enumerate(rows)]

    def make():
        return preprocessing.StandardScaler() | naive_bayes.GaussianNB()

    model = drift.ChallengedClassifier(make())
    assert accuracy(rows, model) > accuracy(rows, make()) + 0.1
    assert model.n_replacements >= 1


def in_doubt():
    """A model with a successor and a challenger, after an inversion of its labels."""
    model = drift.ChallengedClassifier(
        preprocessing.StandardScaler() | OLSFClassifier(learn_intercept=True), 0.1, 1
    )
    for x, y in inverted(datasets.Phishing()):
        model.learn_one(x, y)
        if model.n_replacements >= 2 and model._successor and model._challenger:
            return model
    raise AssertionError("no second replacement")


@pytest.mark.parametrize(
    ("x", "y", "error"), [({"new": "red"}, True, TypeError), ({"new": 1.0}, "spam", ValueError)]
)
def test_an_instance_that_cannot_be_learned_changes_nothing(x, y, error):
    model = drift.ChallengedClassifier(OLSFClassifier(), 0.1, 1)
    for row, label in inverted(datasets.Phishing()):
        model.learn_one(row, label)
    before = pickle.dumps(model)
    with pytest.raises(error):
        model.learn_one(x, y)
    assert pickle.dumps(model) == before


def test_saved_models_continue_identically():
    for copied in (
        pickle.loads(pickle.dumps(in_doubt())),
        persist.loads(persist.dumps(in_doubt())),
    ):
        model = in_doubt()
        for x, y in datasets.Phishing().take(300):
            assert model.predict_proba_one(x) == copied.predict_proba_one(x)
            model.learn_one(x, y)
            copied.learn_one(x, y)
            assert (model.doubt, model.n_replacements) == (copied.doubt, copied.n_replacements)


def test_a_file_whose_models_do_not_fit_together_is_refused():
    model = in_doubt()
    model._challenger = naive_bayes.GaussianNB()
    with pytest.raises(persist.ModelFileError, match="a clone must be a OLSFClassifier"):
        persist.loads(persist.dumps(model))
    model = in_doubt()
    model._state = model._state._replace(classifier_challenges=True)
    with pytest.raises(
        persist.ModelFileError, match="only if a clone predicts and no clone is a challenger"
    ):
        persist.loads(persist.dumps(model))
    model = in_doubt()
    model._doubt = Doubt(2.0)
    with pytest.raises(persist.ModelFileError, match="a probability below 1"):
        persist.loads(persist.dumps(model))


def test_at_most_three_models_are_stored():
    model = drift.ChallengedClassifier(logistic(), 0.05, 1)
    most = 0
    for x, y in alternating(datasets.Phishing(), 250):
        model.learn_one(x, y)
        # A pipeline is an instance of the class of its last step.
        kind = river_linear_model.LogisticRegression
        most = max(most, sum(isinstance(value, kind) for value in vars(model).values()))
    assert model.n_replacements > 2
    assert most == 3


class Fragile(river_linear_model.LogisticRegression):
    """A classifier whose clones raise an error from the instance on that has the key "bad"."""

    def __init__(self, original=True):
        super().__init__(optim.SGD(0.01))
        self.original = original

    def clone(self, *args, **kwargs):
        return Fragile(original=False)

    def learn_one(self, x, y, w=1.0):
        if "bad" in x and not self.original:
            raise OverflowError("the weights leave their range")
        super().learn_one(x, y, w)


def test_a_clone_that_cannot_learn_is_dropped():
    model = drift.ChallengedClassifier(preprocessing.StandardScaler() | Fragile())
    for x, y in inverted(datasets.Phishing()):
        model.learn_one(x, y, w=2.0)
    assert model.current is not model.classifier
    model.learn_one({"bad": 1.0}, True)
    assert model.current is model.classifier
    assert model._challenger is None


def test_a_sampler_queries_with_the_confidence_of_the_current_model():
    model = drift.ChallengedClassifier(OLSFClassifier())
    for x, y in inverted(datasets.Phishing()):
        model.learn_one(x, y)
    assert model.current is not model.classifier
    margin = model.current.margin_one(x)
    assert active.MarginSampler(model).confidence_one(x) == pytest.approx(abs(margin))


def test_wrong_arguments_are_refused():
    with pytest.raises(TypeError, match=r"classifier must be an instance.*OLSFClassifier\(\)"):
        drift.ChallengedClassifier(OLSFClassifier)
    with pytest.raises(ValueError, match="threshold must be a finite number > 0 and < 1; got 1"):
        drift.ChallengedClassifier(OLSFClassifier(), threshold=1)
    with pytest.raises(ValueError, match="lead must be an integer >= 1; got 0"):
        drift.ChallengedClassifier(OLSFClassifier(), lead=0)
