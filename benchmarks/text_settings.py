"""What the intercept, the ball and the budget of OLSF do on text.

    python -m benchmarks.text_settings [--data FOLDER] [--csv FILE]

One pass over SMS spam in the order of the file, words counted by River's `BagOfWords`: F1 of the
class spam, accuracy, and weights kept, of predictions before learning.
"""

from __future__ import annotations

import argparse
import itertools

from river import evaluate, metrics

from benchmarks import data
from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier

BUDGETS = (100, 1000, 0.5, 1.0)


def learners() -> dict[str, OLSFClassifier | EvidenceClassifier]:
    found: dict[str, OLSFClassifier | EvidenceClassifier] = {}
    for B, radius, intercept in itertools.product(BUDGETS, (30.0, None), (False, True)):
        given = [f"{B=!r}"]
        if radius is None:
            given.append("radius=None")
        if intercept:
            given.append("learn_intercept=True")
        found[f"OLSFClassifier({', '.join(given)})"] = OLSFClassifier(
            B=B, radius=radius, learn_intercept=intercept
        )
    found["EvidenceClassifier()"] = EvidenceClassifier()
    found["EvidenceClassifier(B=1000)"] = EvidenceClassifier(B=1000)
    return found


def measured(rows: list[data.Instance]) -> list[dict]:
    records = []
    for name, model in learners().items():
        f1, accuracy = metrics.F1(pos_val=True), metrics.Accuracy()
        evaluate.progressive_val_score(rows, model, f1 + accuracy)
        kept = model.weights if isinstance(model, OLSFClassifier) else model.value_weights
        records.append(
            {"learner": name, "F1": f1.get(), "accuracy": accuracy.get(), "features": len(kept)}
        )
        print(*records[-1].values(), flush=True)
    return records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv")
    data.add_home(parser)
    options = parser.parse_args()
    records = measured(list(data.instances("SMSSpam")))
    if options.csv:
        data.write(options.csv, records)


if __name__ == "__main__":
    main()
