from __future__ import annotations

import importlib
import math
import sys
import types

import matplotlib.pyplot as plt
import pytest
from river import active, datasets, linear_model, metrics, naive_bayes

from river_trapezoid import evaluate, plot, stream
from river_trapezoid.metrics import Errors


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


def test_errors_per_instance_are_the_error_rate():
    comparison = evaluate.compare(
        linear_model.PAClassifier(),
        datasets.Phishing(),
        [Errors(), metrics.Accuracy()],
        n_points=4,
        progress=False,
    )
    rates = plot.learning_curves(comparison, rate=True)
    accuracies = plot.learning_curves(comparison, metric="Accuracy")
    (rate,), (accuracy,) = (ax.get_lines() for ax in (rates, accuracies))
    assert list(rate.get_ydata()) == pytest.approx(list(1.0 - accuracy.get_ydata()))
    assert rates.get_ylabel() == "Errors per instance"


def test_heat_map_shows_every_mean(comparison):
    ax = plot.heat_map(comparison, baseline="bayes")
    shown = [float(text.get_text().split()[0]) for text in ax.texts]
    names = [(s, m) for s in ("phishing", "again") for m in ("bayes", "pa")]
    means = [comparison.values(stream_name, model, "Accuracy")[0] for stream_name, model in names]
    assert shown == pytest.approx(means, abs=5e-4)
    bold = {i for i, text in enumerate(ax.texts) if text.get_fontweight() == "bold"}
    assert bold == {0 if means[0] > means[1] else 1, 2 if means[2] > means[3] else 3}


def test_models_that_failed_are_not_the_best():
    class Failing(linear_model.PAClassifier):
        def learn_one(self, x, y):
            raise ValueError("no")

    with pytest.warns(UserWarning, match="'failing' failed"):
        comparison = evaluate.compare(
            {"bayes": naive_bayes.GaussianNB(), "failing": Failing()},
            datasets.Phishing(),
            metrics.Accuracy(),
            n_points=3,
            progress=False,
        )
    texts = plot.heat_map(comparison, baseline="bayes").texts
    assert [text.get_fontweight() for text in texts] == ["bold", "normal"]
    assert texts[1].get_text() == "failed"
    assert [line.get_label() for line in plot.learning_curves(comparison).get_lines()] == ["bayes"]


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
    assert xs == sorted(p["labels_used"] for p in points)
    assert xs[0] < xs[1]
    assert ax.get_ylabel() == "Accuracy"
    # One repeat has no spread to draw.
    assert all(math.isnan(p["std"]) for p in points)


def test_label_cost_counts_the_labels_learned_from_and_does_not_round_its_ticks():
    point = {"family": "rho", "stream": "phishing", "metric": "Accuracy", "std": math.nan}
    ax = plot.label_cost(
        [{**point, "labels_used": share, "mean": 0.9} for share in (0.0, 0.05, 0.2)]
    )
    ticks = [0.0, 0.05, 0.075, 0.1, 0.125, 0.2]
    ax.set_xticks(ticks)
    ax.figure.canvas.draw()
    shown = [label.get_text() for label in ax.get_xticklabels()]
    assert shown == ["0%", "5%", "7.5%", "10%", "12.5%", "20%"]
    assert ax.get_xlabel() == "share of labels learned from"


def test_the_error_without_matplotlib_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install -e "\.\[plot\]"'):
        importlib.reload(plot)


def test_plots_are_drawn_on_the_given_axes(comparison):
    _, axes = plt.subplots(1, 2)
    assert plot.learning_curves(comparison, ax=axes[0]) is axes[0]
    assert plot.heat_map(comparison, ax=axes[1]) is axes[1]


def test_mistakes_are_named(comparison):
    with pytest.raises(ValueError, match="stream must be one of 'phishing', 'again'"):
        plot.learning_curves(comparison, stream="other")


def test_public_names_are_functions():
    modules = [
        name
        for name, value in vars(plot).items()
        if isinstance(value, types.ModuleType) and value.__name__.startswith(plot.__name__)
    ]
    assert all(name.startswith("_") for name in modules)
    assert all(callable(getattr(plot, name)) for name in plot.__all__)
