"""Draw the figures of the guide: `python docs/images/draw.py`."""

from __future__ import annotations

import pathlib
import random
from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from river import datasets
from river import evaluate as river_evaluate
from river import linear_model as river_linear_model

from river_trapezoid import linear_model, metrics, plot, preprocessing, stream

FOLDER = pathlib.Path(__file__).parent
MADE = ("brickface", "cement", "path", "window")


def boiler(n: int) -> Iterator[tuple[dict[str, float], bool]]:
    """Yield boilers, faulty if hot without pressure, or under pressure without heat, with noise."""
    rng = random.Random(1)
    for _ in range(n):
        x = {"temperature": rng.gauss(80, 10), "pressure": rng.gauss(6, 1)}
        fault = (x["temperature"] > 80) != (x["pressure"] > 6)
        yield x, fault != (rng.random() < 0.05)


def save(ax: Axes, name: str, title: str) -> None:
    """Save the figure of the axes with a title."""
    ax.set_title(title, loc="left", fontsize=10)
    ax.figure.savefig(FOLDER / name, dpi=120)
    plt.close("all")


def draw_streams() -> None:
    """Draw the features of one dataset over time, in each kind of stream."""
    kinds = [
        ["Trapezoidal", "Sudden", "Obsolete", "Reappearing", "Evolvable"],
        ["Incremental", "Decremental", "Pyramid", "Capricious", "Haphazard"],
    ]
    figure, panels = plt.subplots(2, 5, figsize=(10, 3.6), layout="constrained")
    for ax, name in zip(panels.flat, [name for row in kinds for name in row], strict=True):
        kind = getattr(stream, name)
        seed = {"seed": 1} if name in ("Capricious", "Haphazard") else {}
        plot.feature_space(kind(datasets.Phishing(), **seed), ax=ax)
        ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
        ax.set_title(name, loc="left", fontsize=10)
    figure.supxlabel("instances", fontsize=10)
    figure.supylabel("features", fontsize=10)
    figure.savefig(FOLDER / "streams.png", dpi=120)
    plt.close("all")


def main() -> None:
    """Draw all figures."""
    draw_streams()

    olsf = preprocessing.StandardScaler() | linear_model.OLSFClassifier(B=0.5)
    plt.subplots(figsize=(7.2, 3.2), layout="constrained")
    ax = plot.feature_space(stream.Trapezoidal(datasets.Phishing()), olsf, ax=plt.gca())
    save(ax, "trapezoid.png", "Observed features, and features with a weight")

    segments = [(x, y in MADE) for x, y in datasets.ImageSegments()]
    rows = list(stream.Shuffled(segments, seed=1))
    evidence = linear_model.EvidenceClassifier
    plt.subplots(figsize=(6.5, 3.2), layout="constrained")
    ax = plot.evidence_curve(rows, evidence(), "rawred-mean", after=[20, 100, 1000], ax=plt.gca())
    save(ax, "curve.png", "Evidence of redness for man-made segments")

    boilers = list(boiler(2000))
    model = evidence()
    for x, y in boilers:
        model.learn_one(x, y)
    plt.subplots(figsize=(5, 3.6), layout="constrained")
    ax = plot.pair_evidence(model, "temperature", "pressure", boilers, ax=plt.gca())
    save(ax, "pair.png", "Evidence of two gauges for a fault")

    half = len(rows) // 2
    inverted = [(x, y != (t >= half)) for t, (x, y) in enumerate(rows)]
    plt.subplots(figsize=(7.2, 3.2), layout="constrained")
    ax = plot.head_shares(inverted, evidence(), ax=plt.gca())
    ax.axvline(half, color="0.6", linewidth=0.8)
    save(ax, "heads.png", "Shares of the heads")

    models = {
        "EvidenceClassifier": evidence(),
        "LogisticRegression": preprocessing.StandardScaler()
        | river_linear_model.LogisticRegression(),
    }
    errors = {
        name: river_evaluate.progressive_val_score(
            stream.Shuffled(segments, seed=1), model, metrics.ExpectedCalibrationError()
        )
        for name, model in models.items()
    }
    plt.subplots(figsize=(5, 4.4), layout="constrained")
    save(plot.reliability(errors, ax=plt.gca()), "reliability.png", "Man-made segments")


if __name__ == "__main__":
    main()
