from __future__ import annotations

import csv
import io
import json
import os
import pathlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from river_trapezoid import persist
from river_trapezoid._files import write_file

if TYPE_CHECKING:
    from .desk import Desk

__all__ = ["save"]


def save(desk: Desk, folder: str | os.PathLike[str]) -> list[str]:
    """Write the files of a desk, which `Desk.save` describes."""
    target = pathlib.Path(folder)
    # First, as some models cannot be saved: then no file is written.
    model = persist.dumps(desk.finished_model(), verify=True)
    labels = (
        {
            "row": answer.index + 1,
            "label": answer.label,
            "question": "check" if answer.check else "learn",
        }
        for answer in desk.answers
        if answer.label is not None
    )
    predictions = (
        {"row": index + 1, "prediction": label, "probability": _rounded(probability)}
        for index, label, probability in desk.predictions()
    )
    summary = json.dumps(_summary(desk), indent=2, ensure_ascii=False) + "\n"
    target.mkdir(parents=True, exist_ok=True)
    files: dict[str, Iterable[bytes]] = {
        "labels.csv": _table(desk, ["row", "label", "question"], labels),
        "predictions.csv": _table(desk, ["row", "prediction", "probability"], predictions),
        "labels.model": [model],
        "summary.json": [summary.encode()],
    }
    for name, pieces in files.items():
        write_file(target / name, pieces)
    return [str(target / name) for name in files]


def _table(desk: Desk, first: list[str], rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield the lines of a CSV file: the first columns, then those of the instances."""
    columns = dict.fromkeys(column for instance in desk.instances for column in _cells(instance))
    # A column of the instances may have the name of one of the first columns.
    names = {column: f"{column}_" if column in first else column for column in columns}
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*first, *names.values()])
    for row in rows:
        cells = _cells(desk.instances[row["row"] - 1])
        writer.writerow([*row.values(), *(cells.get(column) for column in columns)])
        yield buffer.getvalue().encode("utf-8", "replace")
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue().encode("utf-8", "replace")


def _cells(instance: Any) -> dict[Any, Any]:
    return instance if isinstance(instance, dict) else {"text": instance}


def _rounded(probability: float | None) -> float | None:
    return None if probability is None else round(probability, 4)


def _summary(desk: Desk) -> dict[str, Any]:
    accuracy = desk.accuracy
    return {
        "classes": list(desk.classes),
        # The label that the model predicts for each class.
        "model_labels": {label: desk.target(label) for label in desk.classes},
        "instances": len(desk.instances),
        "labels": desk.n_labels,
        "checks": desk.n_checks,
        "unknown": desk.n_unknown,
        "accuracy": None
        if accuracy is None
        else {
            "share": accuracy.share,
            "low": accuracy.low,
            "high": accuracy.high,
            "right": accuracy.n_right,
            "of": accuracy.n_checks,
        },
    }
