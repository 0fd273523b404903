from __future__ import annotations

import random

import numpy as np
import pytest
from river import (
    active,
    compose,
    datasets,
    ensemble,
    feature_extraction,
    imblearn,
    linear_model,
    multiclass,
    naive_bayes,
    preprocessing,
)

from river_trapezoid import plot, semi_supervised, stream
from river_trapezoid.active import RandomSampler
from river_trapezoid.linear_model import (
    EvidenceClassifier,
    FESLClassifier,
    MulticlassOLSFClassifier,
    OCDSClassifier,
    OFSClassifier,
    OLSFClassifier,
)
from river_trapezoid.semi_supervised import PseudoLabelClassifier, SVMClassifier

PHISHING = list(datasets.Phishing().take(300))
SEGMENTS = list(datasets.ImageSegments().take(300))
TEXTS = [("good fine day", True), ("bad sad day", False), ("fine fun", True)] * 20


def _plain(model):
    return {name: w for name, w in model.weights.items() if w}


def _by_label(model):
    return {f"{n} ({y})": w for y, own in model.weights.items() for n, w in own.items() if w}


def _evidence(model):
    weights = {f"{name} (value)": w for name, w in model.value_weights.items()}
    return weights | {f"{name} (evidence)": w for name, w in model.evidence_weights.items()}


def _one_vs_rest(model):
    return {
        f"{name} ({label}, {part})": w
        for label, own in model.classifiers.items()
        for part, weights in (("value", own.value_weights), ("evidence", own.evidence_weights))
        for name, w in weights.items()
    }


# A model, the rows to learn, where its weights are, and how to read them.
CASES = {
    "OLSF": (OLSFClassifier(B=3), PHISHING, lambda m: _plain(m)),
    "OFS": (OFSClassifier(B=3), PHISHING, lambda m: _plain(m)),
    "OCDS": (OCDSClassifier(), PHISHING, lambda m: _plain(m)),
    "FESL": (FESLClassifier(), stream.Evolvable(PHISHING), lambda m: _plain(m)),
    "Evidence": (EvidenceClassifier(B=4), PHISHING, lambda m: _evidence(m)),
    "multi-class": (MulticlassOLSFClassifier(B=0.3), SEGMENTS, lambda m: _by_label(m)),
    "softmax": (
        preprocessing.StandardScaler() | linear_model.SoftmaxRegression(),
        SEGMENTS,
        lambda m: _by_label(m["SoftmaxRegression"]),
    ),
    "one-vs-rest": (
        multiclass.OneVsRestClassifier(EvidenceClassifier()),
        SEGMENTS,
        lambda m: _one_vs_rest(m),
    ),
    "pipeline": (
        preprocessing.StandardScaler() | OLSFClassifier(),
        PHISHING,
        lambda m: _plain(m["OLSFClassifier"]),
    ),
    "sampler": (
        RandomSampler(preprocessing.StandardScaler() | OLSFClassifier(), 0.2, seed=1),
        PHISHING,
        lambda m: _plain(m.classifier["OLSFClassifier"]),
    ),
    "pipeline that ends in a sampler": (
        preprocessing.StandardScaler() | active.EntropySampler(OLSFClassifier(), seed=1),
        PHISHING,
        lambda m: _plain(m["EntropySampler"].classifier),
    ),
    "wrapper": (
        semi_supervised.ScarceLabels(PseudoLabelClassifier(OLSFClassifier()), 0.2, seed=1),
        PHISHING,
        lambda m: _plain(m.classifier.classifier),
    ),
    "words": (
        feature_extraction.BagOfWords() | OLSFClassifier(B=3),
        TEXTS,
        lambda m: _plain(m["OLSFClassifier"]),
    ),
    "words of a field": (
        RandomSampler(feature_extraction.BagOfWords(on="text") | OLSFClassifier(), 0.9, seed=1),
        [({"text": x}, y) for x, y in TEXTS],
        lambda m: _plain(m.classifier["OLSFClassifier"]),
    ),
}


def _taught(model, rows):
    """The model after it has learned the rows in a plain loop."""
    model = model.clone()
    for x, y in rows:
        asked = model.predict_one(x)
        if not isinstance(asked, tuple) or asked[1]:
            model.learn_one(x, y)
    return model


@pytest.mark.parametrize("case", CASES)
def test_weights_over_time_end_where_the_model_does(case):
    model, rows, weights_of = CASES[case]
    ax = plot.weights_over_time(rows, model, n_features=1000, n_points=5)
    shown = {line.get_label(): line.get_ydata()[-1] for line in ax.get_lines()}
    assert {name: w for name, w in shown.items() if w} == {
        str(name): pytest.approx(w) for name, w in weights_of(_taught(model, rows)).items()
    }
    # A clone of the model has learned.
    assert not any(weights_of(model).values())


@pytest.mark.parametrize("case", CASES)
def test_feature_space_is_dark_where_the_model_has_a_weight(case):
    model, rows, weights_of = CASES[case]
    ax = plot.feature_space(rows, model, n_bins=5)
    image = ax.get_images()[0].get_array()
    features = [text.get_text() for text in ax.get_yticklabels()]
    assert len(features) == len(image)
    dark = {name for name, pixel in zip(features, image[:, -1], strict=True) if pixel[0] < 0.1}
    kept = weights_of(_taught(model, rows))
    assert dark == {name.partition(" (")[0] for name in kept}
    assert dark


def test_feature_space_is_the_picture_of_a_trapezoid():
    rows = list(stream.Trapezoidal(datasets.Phishing()))
    model = preprocessing.StandardScaler() | OLSFClassifier(B=2)
    ax = plot.feature_space(rows, model, n_bins=10)
    image = ax.get_images()[0].get_array()
    assert image.shape == (9, 10, 3)
    seen = (image < 1).any(axis=2)
    chunks = [rows[start : start + 125] for start in range(0, 1250, 125)]
    widths = [len({name for x, _ in chunk for name in x}) for chunk in chunks]
    assert seen.sum(axis=0).tolist() == widths
    dark = image[..., 0] < 0.1
    assert dark.sum(axis=0).max() == 2


def test_a_stream_alone_has_its_own_features():
    rows = [({"a": 1.0, "b": None}, True), ({"b": 2.0, "c": float("nan")}, False)]
    ax = plot.feature_space(rows, n_bins=2)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b"]
    seen = (ax.get_images()[0].get_array() < 1).any(axis=2)
    assert seen.tolist() == [[True, False], [False, True]]


def _wide(n_features, n_rows=400):
    """A stream of many features, of which three, from the hundredth row on, tell the label."""
    rng = random.Random(1)
    for t in range(n_rows):
        y = t % 2 == 0
        x = {f"signal {i}": 1.0 if y else -1.0 for i in range(3)} if t >= 100 else {}
        x |= {f"noise {rng.randrange(n_features)}": 0.01 for _ in range(20)}
        x |= {f"noise {t * n_features // n_rows + i}": 0.01 for i in range(n_features // n_rows)}
        yield x, y


def test_what_is_kept_of_thousands_of_features_stays_visible():
    ax = plot.feature_space(_wide(6000), OLSFClassifier(B=3), n_bins=20)
    image = np.asarray(ax.get_images()[0].get_array())[..., 0]
    assert len(image) == 200
    (kept,) = np.flatnonzero(image[:, -1] < 0.6)
    assert (image[kept, 6:] < 0.6).all()
    others = np.delete(image, kept, axis=0)[:, 6:]
    assert others.min() > 0.8
    # The last features appear in the last instances only.
    assert image[-1, -1] < 0.95
    assert (image[-1, :-1] == 1.0).all()

    # The same in 90 pixels.
    figure = ax.get_figure()
    figure.set_size_inches(3, 1.5)
    figure.set_dpi(60)
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[::-1, :, 0] / 255.0
    (left, bottom), (_, top) = ax.transData.transform([(380, 0), (380, 6000)])
    column = pixels[int(bottom) + 3 : int(top) - 3, int(left)]
    assert len(column) < 90
    assert column.min() < np.median(column) - 0.05


def test_the_number_of_rows_can_be_limited():
    ax = plot.feature_space(PHISHING, max_rows=4)
    assert len(ax.get_images()[0].get_array()) == 4
    assert ax.get_ylim() == (0, 9)


def test_many_weights_become_a_band():
    rows = list(_wide(2000))
    ax = plot.weights_over_time(rows, OLSFClassifier(B=1.0, radius=None), n_features=3, n_points=4)
    assert len(ax.get_lines()) == 3
    assert {line.get_label() for line in ax.get_lines()} == {f"signal {i}" for i in range(3)}
    model = _taught(OLSFClassifier(B=1.0, radius=None), rows)
    others = [w for name, w in model.weights.items() if not name.startswith("signal")]
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert int(texts[3].removesuffix(" others").replace(",", "")) >= len(others) > 1000
    bands = {band.get_label(): band.get_paths()[0].vertices for band in ax.collections}
    whole, middle = bands[texts[3]], bands["90 % of them"]
    ends = whole[whole[:, 0] == len(rows), 1]
    assert [ends.min(), ends.max()] == pytest.approx([min(others), max(others)])
    ends = middle[middle[:, 0] == len(rows), 1]
    assert [ends.min(), ends.max()] == pytest.approx(np.quantile(others, [0.05, 0.95]))


def test_weights_over_time_draws_every_feature_once():
    ax = plot.weights_over_time(datasets.Phishing(), OLSFClassifier(B=1.0), n_features=3)
    assert len(ax.get_lines()) == 9
    assert len(ax.get_legend().get_texts()) == 3


@pytest.mark.parametrize("draw", [plot.feature_space, plot.weights_over_time])
@pytest.mark.parametrize(
    ("model", "rows", "message"),
    [
        (naive_bayes.GaussianNB(), PHISHING, "linear model with weights, .*; got GaussianNB"),
        (SVMClassifier(), PHISHING, "linear model with weights, .*; got SVMClassifier"),
        (
            compose.Pipeline(preprocessing.StandardScaler(), naive_bayes.GaussianNB()),
            PHISHING,
            "linear model with weights",
        ),
        (
            ensemble.BaggingClassifier(OLSFClassifier(), n_models=2),
            PHISHING,
            "got BaggingClassifier.*, an ensemble",
        ),
        (
            imblearn.RandomUnderSampler(
                active.EntropySampler(OLSFClassifier()), {False: 0.5, True: 0.5}
            ),
            PHISHING,
            "model must have a sampler as its outermost",
        ),
    ],
)
def test_models_without_weights_are_refused(draw, model, rows, message):
    with pytest.raises(TypeError, match=message):
        draw(rows, model)


def test_texts_need_a_model_that_extracts_features():
    with pytest.raises(TypeError, match="x must be a dict of features; got 'good fine day'"):
        plot.feature_space(TEXTS)
