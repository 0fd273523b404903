from __future__ import annotations

import matplotlib.pyplot as plt
import pytest
from river import active, datasets, linear_model, metrics, naive_bayes, preprocessing

from river_trapezoid import evaluate, plot, stream
from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier


@pytest.fixture(autouse=True)
def _no_window():
    plt.switch_backend("agg")
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def comparison():
    return evaluate.compare(
        {"bayes": naive_bayes.GaussianNB(), "pa": linear_model.PAClassifier()},
        {"phishing": datasets.Phishing(), "again": stream.Capricious(datasets.Phishing(), seed=1)},
        [metrics.Accuracy()],
        n_points=4,
        progress=False,
    )


def test_learning_curves_show_the_records(comparison):
    ax = plot.learning_curves(comparison, stream="again")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["bayes", "pa"]
    line = ax.get_lines()[1]
    assert list(line.get_xdata()) == [312, 625, 938, 1250]
    assert line.get_ydata()[-1] == comparison.values("again", "pa", "Accuracy")[0]
    assert ax.get_ylabel() == "Accuracy"


def test_heat_map_shows_every_mean(comparison):
    ax = plot.heat_map(comparison, baseline="bayes")
    means = [f"{row['mean']:.3f}" for row in comparison.summary()]
    assert [text.get_text().split()[0] for text in ax.texts] == means


def test_label_cost_is_sorted_by_cost():
    points = evaluate.label_cost_curve(
        {
            "entropy": [
                active.EntropySampler(linear_model.LogisticRegression(), d, seed=1) for d in (1, 50)
            ]
        },
        {"phishing": list(datasets.Phishing().take(200))},
        metrics.Accuracy(),
        progress=False,
    )
    ax = plot.label_cost(points)
    xs = list(ax.get_lines()[0].get_xdata())
    assert xs == sorted(xs)
    assert ax.get_ylabel() == "Accuracy"


def test_feature_space_is_the_picture_of_a_trapezoid():
    model = preprocessing.StandardScaler() | OLSFClassifier(B=2)
    ax = plot.feature_space(stream.Trapezoidal(datasets.Phishing()), model, n_bins=10)
    image = ax.get_images()[0].get_array()
    assert image.shape == (9, 10, 3)
    seen = (image < 1).any(axis=2)
    widths = [max(1, c * 9 // 10) for c in range(1, 11)]
    assert seen.sum(axis=0).tolist() == widths
    dark = image[..., 0] < 0.1
    assert dark.sum(axis=0).max() == 2
    assert model["OLSFClassifier"].weights == {}


def test_weights_over_time_draws_every_feature_once():
    ax = plot.weights_over_time(datasets.Phishing(), OLSFClassifier(B=1.0), n_features=3)
    assert len(ax.get_lines()) == 9
    assert len(ax.get_legend().get_texts()) == 3


def test_evidence_curves_are_what_the_model_says_at_each_time():
    rows = [({"a": None if t % 7 == 0 else t % 5}, t % 5 > 2) for t in range(200)]
    model = EvidenceClassifier()
    ax = plot.evidence_curve(rows, model, "a", after=[200, 0, 50])
    zero, *curves = ax.get_lines()
    assert set(zero.get_ydata()) == set(curves[0].get_ydata()) == {0.0}
    for step, curve in zip((50, 200), curves[1:], strict=True):
        twin = EvidenceClassifier()
        for x, y in rows[:step]:
            twin.learn_one(x, y)
        ends = [twin.evidence_one({"a": value})["a"] for value in (0.0, 4.0)]
        assert [curve.get_ydata()[0], curve.get_ydata()[-1]] == ends
    assert model.value_weights == {}
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[:3] == ["after 0 instances", "after 50 instances", "after 200 instances"]
    assert sorted(texts[3:]) == ["False", "True"]


def test_figures_go_on_the_axes_they_are_given(comparison):
    _, axes = plt.subplots(1, 2)
    assert plot.learning_curves(comparison, ax=axes[0]) is axes[0]
    assert plot.heat_map(comparison, ax=axes[1]) is axes[1]


def test_mistakes_are_named(comparison):
    with pytest.raises(ValueError, match="stream must be one of 'phishing', 'again'"):
        plot.learning_curves(comparison, stream="other")
    with pytest.raises(TypeError, match="linear model"):
        plot.weights_over_time(datasets.Phishing(), naive_bayes.GaussianNB())
    with pytest.raises(TypeError, match="evidence_one"):
        plot.evidence_curve(datasets.Phishing(), OLSFClassifier(), "https")
    with pytest.raises(ValueError, match=r"^feature must be .*'http'"):
        plot.evidence_curve(datasets.Phishing(), EvidenceClassifier(), "http")
    with pytest.raises(ValueError, match=r"^after must be .*1250; got 1251"):
        plot.evidence_curve(datasets.Phishing(), EvidenceClassifier(), "https", after=[1251])
