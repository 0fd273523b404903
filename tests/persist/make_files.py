"""Write the files of the present format, which every later version must load.

    python -m tests.persist.make_files

Each model comes with the probabilities that it predicts, digit for digit, while it continues to
learn. Existing files are not replaced: once a version has been released, those of its format are
never made anew. Until then, delete them first.
"""

from __future__ import annotations

import json
import pathlib

from river import preprocessing

from river_trapezoid import linear_model, persist
from river_trapezoid.persist._format import FORMAT
from river_trapezoid.preprocessing import StandardScaler
from tests import contracts
from tests.persist import models

FOLDER = pathlib.Path(__file__).parent / "files"


def binary_stream(n=120, seed=0):
    """Instances with keys of bytes."""
    for x, y in contracts.growing_stream(n, seed):
        yield {bytes([0xFF, 0x00, int(key[1:])]): value for key, value in x.items()}, y


MODELS = {
    "text": (
        preprocessing.StandardScaler()
        | linear_model.OLSFClassifier(selection="random", learn_intercept=True, seed=1),
        contracts.growing_stream,
    ),
    "scaled": (
        StandardScaler(max_features=5) | linear_model.OLSFClassifier(B=4, seed=1),
        contracts.growing_stream,
    ),
    "binary": (linear_model.EvidenceClassifier(n_bins=4, max_pairs=5, B=0.5), binary_stream),
    "mixed": (linear_model.EvidenceClassifier(mixture=False, n_bins=3), models.mixed_stream),
}


def probabilities(model, stream):
    """The probabilities of the positive label, as exact text."""
    answers = []
    for x, y in stream(30, seed=1):
        answers.append(model.predict_proba_one(x)[True].hex())
        model.learn_one(x, y)
    return answers


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, (new, stream) in MODELS.items():
        path = FOLDER / f"format_{FORMAT}_{name}.model"
        if not path.exists():
            model = models.learned(new.clone(), stream)
            persist.save(model, path)
            answers = json.dumps(probabilities(model, stream), indent=0)
            path.with_suffix(".json").write_text(answers + "\n")


if __name__ == "__main__":
    main()
