"""Learners from elsewhere, called instance by instance as River's are, where they are installed."""

from __future__ import annotations

import importlib.util
import warnings


def installed():
    """Name and maker of each learner that is there; those of scikit-learn are slow."""
    fast, slow = {}, {}
    if importlib.util.find_spec("vowpalwabbit"):
        fast["Vowpal Wabbit"] = VowpalWabbit
    if importlib.util.find_spec("sklearn"):
        slow["scikit-learn SGD"] = lambda: ScikitLearn(learning_rate="optimal")
        slow["scikit-learn PA-I"] = lambda: ScikitLearn(
            loss="hinge", penalty=None, learning_rate="pa1", eta0=0.1
        )
    return fast, slow


class VowpalWabbit:
    """Its Python interface, with features given as a dict, which it hashes."""

    def __init__(self, loss="hinge"):
        import vowpalwabbit

        self._workspace = vowpalwabbit.Workspace(f"--loss_function {loss} --quiet -b 18")

    def predict_one(self, x):
        example = self._workspace.example({"x": x})
        margin = self._workspace.predict(example)
        self._workspace.finish_example(example)
        return margin > 0

    def learn_one(self, x, y):
        example = self._workspace.example({"x": x})
        example.set_label_string("1" if y else "-1")
        self._workspace.learn(example)
        self._workspace.finish_example(example)


class ScikitLearn:
    """`partial_fit` with one row, hashed, as the vocabulary is not known beforehand."""

    def __init__(self, **settings):
        from sklearn.feature_extraction import FeatureHasher
        from sklearn.linear_model import SGDClassifier

        self._hasher = FeatureHasher(2**18)
        self._model = SGDClassifier(**settings)
        self._fitted = False

    def predict_one(self, x):
        return bool(self._fitted and self._model.predict(self._hasher.transform([x]))[0])

    def learn_one(self, x, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._model.partial_fit(self._hasher.transform([x]), [y], classes=[False, True])
        self._fitted = True
