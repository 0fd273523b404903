"""What it costs to turn raw rows into features, and what a model learns from them.

    python -m benchmarks.row_encoder [--rows 20000] [--csv FILE]

Costs are CPU times for each row of the churn table, which has 20 columns: `transform_one` and
`learn_one` with `transform_one` of `preprocessing.RowEncoder` in both forms, `features_of` of
`datasets.TableFile`, and River's `OneHotEncoder`, whose cost grows with the distinct cells. The best
of a few rounds counts, but learning starts anew in each.

Quality is the ROC AUC of progressive validation of `EvidenceClassifier` on the same file: behind the
encoder, which has the rows as `csv.DictReader` reads them; on `TableFile`, which has read the whole
file before the first row; and behind River's `OneHotEncoder`.
"""

from __future__ import annotations

import argparse
import csv
import pathlib
import tempfile
import time
from collections.abc import Callable, Iterable
from typing import Any

from river import evaluate, metrics
from river import preprocessing as river_preprocessing

from benchmarks import churn, data
from river_trapezoid import datasets, preprocessing
from river_trapezoid.linear_model import EvidenceClassifier

# River's encoder takes so long that it has no more rows than this.
_RIVER_ROWS = 2000
_ROUNDS = 5
FORMS = {"native": False, "one-hot": True}


def raw_rows(path: pathlib.Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def split(row: dict[str, str]) -> tuple[dict[str, str], bool]:
    x = {name: cell for name, cell in row.items() if name != churn.TARGET}
    return x, row[churn.TARGET] == "Yes"


def cost(prepare: Callable[[], Callable[[Any], Any]], rows: Iterable[Any]) -> float:
    """Microseconds of CPU time for a row."""
    rows = list(rows)
    best = float("inf")
    for _ in range(_ROUNDS):
        call = prepare()
        start = time.process_time()
        for row in rows:
            call(row)
        best = min(best, time.process_time() - start)
    return 1e6 * best / len(rows)


def both(encoder: Any) -> Callable[[Any], Any]:
    def call(row):
        encoder.learn_one(row)
        return encoder.transform_one(row)

    return call


def costs(path: pathlib.Path) -> list[dict[str, Any]]:
    rows = [split(row)[0] for row in raw_rows(path)]
    table = datasets.TableFile(path, churn.TARGET)
    found = {"TableFile.features_of": cost(lambda: table.features_of, rows)}
    for form, one_hot in FORMS.items():
        encoder = preprocessing.RowEncoder(one_hot=one_hot)
        for row in rows:
            encoder.learn_one(row)
        found[f"RowEncoder.transform_one, {form}"] = cost(
            lambda encoder=encoder: encoder.transform_one, rows
        )
        found[f"RowEncoder.learn_one and transform_one, {form}"] = cost(
            lambda one_hot=one_hot: both(preprocessing.RowEncoder(one_hot=one_hot)), rows
        )
        found[f"the same after {len(rows):,} rows, {form}"] = cost(
            lambda encoder=encoder: both(encoder), rows
        )
    found["OneHotEncoder.learn_one and transform_one, River"] = cost(
        lambda: both(river_preprocessing.OneHotEncoder()), rows[:_RIVER_ROWS]
    )
    least = found["TableFile.features_of"]
    return [
        {"what": name, "figure": "us a row", "value": round(value, 2), "ratio": value / least}
        for name, value in found.items()
    ]


def qualities(path: pathlib.Path) -> list[dict[str, Any]]:
    rows = [split(row) for row in raw_rows(path)]
    table = datasets.TableFile(path, churn.TARGET)
    runs = {
        "RowEncoder | EvidenceClassifier": (
            rows,
            preprocessing.RowEncoder(one_hot=True) | EvidenceClassifier(),
        ),
        "EvidenceClassifier on TableFile": (list(table), EvidenceClassifier()),
        "River's OneHotEncoder | EvidenceClassifier": (
            rows[:_RIVER_ROWS],
            river_preprocessing.OneHotEncoder() | EvidenceClassifier(),
        ),
        f"RowEncoder | EvidenceClassifier, {_RIVER_ROWS:,} rows": (
            rows[:_RIVER_ROWS],
            preprocessing.RowEncoder(one_hot=True) | EvidenceClassifier(),
        ),
    }
    return [
        {
            "what": name,
            "figure": "ROC AUC",
            "value": evaluate.progressive_val_score(stream, model, metrics.ROCAUC(100)).get(),
            "ratio": "",
        }
        for name, (stream, model) in runs.items()
    ]


def main(arguments: list[str] | None = None) -> list[dict[str, Any]]:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=churn.N_ROWS)
    parser.add_argument("--csv")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "churn.csv")
        churn.write(path, options.rows)
        records = [*costs(path), *qualities(path)]
    for record in records:
        ratio = f", {record['ratio']:.2f} x" if record["ratio"] else ""
        print(f"{record['what']}: {record['value']:.4g} {record['figure']}{ratio}")
    if options.csv:
        data.write(options.csv, records)
    return records


if __name__ == "__main__":
    main()
