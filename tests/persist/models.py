"""Models to save that have learned, of every class that can be saved."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from river import (
    compose,
    drift,
    feature_extraction,
    linear_model,
    metrics,
    multiclass,
    naive_bayes,
    optim,
    preprocessing,
    utils,
)

from river_trapezoid import active, semi_supervised
from river_trapezoid import drift as our_drift
from river_trapezoid import linear_model as ours
from river_trapezoid.metrics import BrierScore, ExpectedCalibrationError
from river_trapezoid.preprocessing import RowEncoder, StandardScaler
from river_trapezoid.preprocessing.table_scaler import TableScaler
from tests import contracts

MIXED_KEYS = ["a", "ä€😀", b"bytes", 1, -7, 2.5, None, ("b", 1), (2, ("c", None)), 10**30, ""]


def mixed_stream(n=120, seed=0):
    """Instances with keys of all plain types."""
    rng = random.Random(seed)
    for _ in range(n):
        keys = rng.sample(MIXED_KEYS, rng.randint(1, len(MIXED_KEYS)))
        yield {key: rng.choice([1.0, -1.0, rng.gauss(0, 1)]) for key in keys}, rng.random() < 0.5


def segments(n=120, seed=0):
    """Instances of four classes."""
    rng = random.Random(seed)
    for _ in range(n):
        y = rng.choice(["red", "green", "blue", "brown"])
        yield {f"f{i}": rng.gauss(len(y) * i, 1.0) for i in range(rng.randint(3, 6))}, y


def words(n=120, seed=0):
    """Short texts of two topics."""
    rng = random.Random(seed)
    for _ in range(n):
        y = rng.random() < 0.5
        topics = ["ball goal team Müller play", "vote law Straße court bill"][y].split()
        yield " ".join(rng.choices([*topics, "the", "and"], k=rng.randint(3, 8))), y


def non_negative(n=120, seed=0):
    for x, y in contracts.growing_stream(n, seed):
        yield {key: abs(value) for key, value in x.items()}, y


def table(n=120, seed=0):
    """Rows of numbers, categories, dates, text and identifiers, as a file of text has them."""
    rng = random.Random(seed)
    for i in range(n):
        y = rng.random() < 0.5
        yield (
            {
                "size": f"{rng.gauss(10 * y, 5):.2f}" if rng.random() < 0.9 else "unknown",
                "price": f"{rng.randint(1, 9)}.{rng.randint(100, 999)},50 €",
                "colour": rng.choice(["red", "green", "blué"]),
                "date": f"{rng.randint(1, 28):02}/{rng.randint(1, 12):02}/2024",
                "note": next(words(1, rng.random()))[0],
                "id": f"{seed}-{i}",
            },
            y,
        )


def learned(model: Any, stream: Callable[..., Any], n=120) -> Any:
    for x, y in stream(n):
        model.predict_one(x)
        model.learn_one(x, y)
    return model


def outputs(model: Any, stream: Callable[..., Any], n=60, seed=1) -> list[Any]:
    """What a model predicts while it continues to learn."""
    answers = []
    for x, y in stream(n, seed):
        answers.append(model.predict_one(x))
        with contextlib.suppress(NotImplementedError):
            answers.append(model.predict_proba_one(x))
        model.learn_one(x, y)
    return answers


def logistic(optimizer: Any = None, **settings: Any) -> Any:
    return preprocessing.StandardScaler() | linear_model.LogisticRegression(optimizer, **settings)


# A model and the stream that it learns from.
MODELS: dict[str, tuple[Any, Callable[..., Any]]] = {
    "olsf, keys of all types": (ours.OLSFClassifier(learn_intercept=True), mixed_stream),
    "evidence, keys of all types": (ours.EvidenceClassifier(max_pairs=30), mixed_stream),
    "evidence, a share": (ours.EvidenceClassifier(B=0.5, n_bins=4), mixed_stream),
    "ocds, keys of all types": (ours.OCDSClassifier(graph="random", max_features=5), mixed_stream),
    "ocds, a given graph": (
        ours.OCDSClassifier(graph={"f0": {"f1": 0.5}, "f3": {"f0": -1.0}}),
        contracts.growing_stream,
    ),
    "fesl, keys of all types": (ours.FESLClassifier(), mixed_stream),
    "svm, keys of all types": (semi_supervised.SVMClassifier(25, kernel="rbf"), mixed_stream),
    "multi-class olsf": (
        preprocessing.MinMaxScaler() | ours.MulticlassOLSFClassifier(),
        segments,
    ),
    "one versus rest": (
        preprocessing.StandardScaler()
        | multiclass.OneVsRestClassifier(ours.OLSFClassifier(selection="random", seed=1)),
        segments,
    ),
    "one versus one": (
        preprocessing.MaxAbsScaler() | multiclass.OneVsOneClassifier(linear_model.PAClassifier()),
        segments,
    ),
    "sampler of a pipeline": (
        active.BudgetSampler(
            preprocessing.StandardScaler() | ours.OLSFClassifier(), budget=0.4, seed=1
        ),
        contracts.growing_stream,
    ),
    "sampler that looks for drift": (
        active.BudgetSampler(
            ours.OLSFClassifier(), budget=0.9, seed=1, drift_detector=drift.binary.DDM(5)
        ),
        contracts.growing_stream,
    ),
    "sampler that doubts": (
        active.BudgetSampler(ours.OLSFClassifier(), budget=0.9, seed=1, doubting=True),
        contracts.growing_stream,
    ),
    "challenged": (
        our_drift.ChallengedClassifier(ours.OLSFClassifier(), 0.05, 1),
        mixed_stream,
    ),
    "our scaler, keys of all types": (
        StandardScaler() | (StandardScaler(with_mean=False, max_features=4) | ours.OFSClassifier()),
        mixed_stream,
    ),
    "numbers of a table": (
        TableScaler(("f0", "f1")) | ours.OLSFClassifier(),
        contracts.growing_stream,
    ),
    "rows": (RowEncoder(one_hot=True, max_categories=2) | ours.EvidenceClassifier(), table),
    "union": (
        (compose.Select("f0") + (compose.Discard("f1", "f2") | preprocessing.StandardScaler()))
        | preprocessing.Normalizer()
        | preprocessing.Binarizer(0.1, float)
        | linear_model.Perceptron(),
        lambda n, seed=0: (({**x, "f0": 1.0}, y) for x, y in contracts.growing_stream(n, seed)),
    ),
    "bag of words": (
        feature_extraction.BagOfWords(stop_words={"the", "and"}) | ours.EvidenceClassifier(B=8),
        words,
    ),
    "tf-idf": (feature_extraction.TFIDF() | linear_model.ALMAClassifier(), words),
    "hashed": (preprocessing.FeatureHasher(16) | linear_model.PAClassifier(mode=2), non_negative),
    "one hot": (preprocessing.OneHotEncoder() | linear_model.LogisticRegression(), non_negative),
    "ordinal": (preprocessing.OrdinalEncoder() | ours.OFSClassifier(), contracts.growing_stream),
    "rolling scaler": (
        preprocessing.StandardScaler(window_size=20) | ours.OLSFClassifier(),
        contracts.growing_stream,
    ),
    "gaussian": (naive_bayes.GaussianNB(), contracts.growing_stream),
    "multinomial": (naive_bayes.MultinomialNB(), non_negative),
    "bernoulli": (naive_bayes.BernoulliNB(), non_negative),
    "focal": (
        logistic(loss=optim.losses.BinaryFocalLoss(), intercept_lr=0.1),
        contracts.growing_stream,
    ),
    "hinge": (
        logistic(
            optim.SGD(optim.schedulers.InverseScaling(0.1)),
            loss=optim.losses.Hinge(),
            l1=0.01,
            initializer=optim.initializers.Normal(seed=3),
        ),
        contracts.growing_stream,
    ),
    "constant": (logistic(initializer=optim.initializers.Constant(0.5)), contracts.growing_stream),
    **{
        type(optimizer).__name__: (logistic(optimizer), contracts.growing_stream)
        for optimizer in (
            optim.AMSGrad(),
            optim.AdaDelta(),
            optim.AdaGrad(),
            optim.AdaMax(),
            optim.Adam(),
            optim.FTRLProximal(),
            optim.Momentum(),
            optim.Nadam(),
            optim.NesterovMomentum(),
            optim.RMSProp(),
        )
    },
}


def model(name: str) -> tuple[Any, Callable[..., Any]]:
    """A model that has learned, and the stream to continue with."""
    example, stream = MODELS[name]
    return learned(example.clone(), stream), stream


METRICS: dict[str, Any] = {
    **{
        cls.__name__: cls()
        for cls in (
            metrics.Accuracy,
            metrics.BalancedAccuracy,
            metrics.CohenKappa,
            metrics.ConfusionMatrix,
            metrics.CrossEntropy,
            metrics.F1,
            metrics.GeometricMean,
            metrics.Jaccard,
            metrics.LogLoss,
            metrics.MCC,
            metrics.MacroF1,
            metrics.MacroPrecision,
            metrics.MacroRecall,
            metrics.MicroF1,
            metrics.MicroPrecision,
            metrics.MicroRecall,
            metrics.Precision,
            metrics.ROCAUC,
            metrics.Recall,
            metrics.WeightedF1,
            metrics.WeightedPrecision,
            metrics.WeightedRecall,
        )
    },
    "BrierScore": BrierScore(),
    "ExpectedCalibrationError": ExpectedCalibrationError(n_bins=5),
    "FBeta": metrics.FBeta(0.5),
    "Metrics": metrics.Accuracy() + metrics.F1() + metrics.ROCAUC(),
    "Rolling": utils.Rolling(metrics.Accuracy, window_size=10),
}

GENERATORS: dict[str, Any] = {
    "Random": random.Random(1),
    "PCG64": np.random.default_rng(1),
    "PCG64DXSM": np.random.Generator(np.random.PCG64DXSM(1)),
    "RandomState": np.random.RandomState(1),
}
