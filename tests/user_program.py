"""A small program as users write it: `test_types.py` type-checks it, and runs it."""

from pathlib import Path
from typing import Any

from river import compose, datasets, metrics

from river_trapezoid import active, evaluate, linear_model, persist, preprocessing, semi_supervised
from river_trapezoid import stream as streams

x: dict[str, float] = {"temperature": 1.5}
words: dict[str, int] = {"free": 2}

for model in (
    linear_model.OLSFClassifier(),
    linear_model.OFSClassifier(),
    linear_model.EvidenceClassifier(),
    linear_model.FESLClassifier(),
    linear_model.OCDSClassifier(),
    linear_model.MulticlassOLSFClassifier(),
    semi_supervised.SVMClassifier(),
    semi_supervised.PseudoLabelClassifier(linear_model.OLSFClassifier()),
):
    model.learn_one(x, True)
    label: bool | str | int | None = model.predict_one(words)
    probabilities = model.predict_proba_one(x)
    share: float = probabilities[True]

margin: float = linear_model.OLSFClassifier().margin_one(x)
contributions = linear_model.EvidenceClassifier().contributions_one(x)
scaler = preprocessing.StandardScaler()
scaler.learn_one(x)
scaled = scaler.transform_one(x)
linear_model.OLSFClassifier().learn_one(scaled, 1, w=2.0)
linear_model.EvidenceClassifier().learn_many([[1.5]], [True], columns=["temperature"])

pipeline: compose.Pipeline = preprocessing.StandardScaler() | linear_model.EvidenceClassifier()
pipeline.learn_one({"temperature": 1.5}, True)
for features, y in streams.Trapezoidal(datasets.Phishing()):
    pipeline.learn_one(features, y)

sampler = active.BudgetSampler(pipeline, budget=0.1, seed=1)
label, ask = sampler.predict_one(x)
label, probabilities, ask = sampler.decide_one(x)
sampler.learn_one(x, True)
order: list[int] = sampler.rank([x, x])

queue = active.LabelQueue(sampler.clone())
queue.predict_one("order 17", x)
queue.learn_one("order 17", True)

comparison = evaluate.compare(
    {"evidence": linear_model.EvidenceClassifier(), "pipeline": pipeline.clone()},
    {"phishing": datasets.Phishing()},
    metrics.Accuracy(),
    progress=False,
)

persist.save(pipeline, Path("model"))
again: Any = persist.load("model")
again.predict_one(x)
