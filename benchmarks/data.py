"""What the benchmarks run on: data sets as lists of instances, and instances made up on the fly.

A table is given as its data set gives it, or in full: the zeros that a sparse format leaves out,
and those beside the value of a nominal column, are put back, as a scaler in front of a linear model
makes nothing of a feature that is always 1 where it is present. Values that are really missing stay
missing. A vocabulary grows by itself, so that text is never filled up.
"""

from __future__ import annotations

import argparse
import csv
import functools
import itertools
import os
import pathlib
import random
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from river import datasets as river_datasets
from river import feature_extraction

from river_trapezoid import datasets

Instance = tuple[dict[Hashable, Any], Any]

# A9a has the rows of A8a in another order.
TABLES = [
    "A8a", "Australian", "CreditA", "DNA", "Diabetes", "German", "Ionosphere", "Isolet", "KrVsKp",
    "Magic04", "PhishingLIBSVM", "SVMGuide3", "Spambase", "Splice", "Vote", "WBC", "WDBC", "WPBC",
]  # fmt: skip
TEXT = ["SMSSpam", "PCMAC", "BaseHock", "IMDB", "RCV1Small"]
# What a scaler has nothing to do with: words, and features of which one row has a few.
UNSCALED = {*TEXT, "A8a", "A9a", "DNA", "KrVsKp", "PhishingLIBSVM", "Vote"}

# File, label and positive class.
REAL_STREAMS = {
    "Elec2": ("elec.csv", "target", "1"),
    "Weather": ("weather.csv", "target", "1"),
    "Covertype": ("covtype_30k.csv", "Cover_Type", "2"),
}

# How many features an instance of `drawn` has.
N_DRAWN = 74


def add_home(parser: argparse.ArgumentParser) -> None:
    """Add an option for the folder that has the data sets as River's data home has them."""
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        action=_Home,
        help="the folder of the data sets; River's data home by default",
    )


class _Home(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        os.environ["RIVER_DATA"] = values


@functools.cache
def instances(name: str) -> tuple[Instance, ...]:
    """The instances of a data set of River or of this package, in their order."""
    if name == "SMSSpam":
        words = feature_extraction.BagOfWords(on="body")
        return tuple((dict(words.transform_one(x)), y) for x, y in river_datasets.SMSSpam())
    if name == "Phishing":
        return tuple(river_datasets.Phishing())
    return tuple(getattr(datasets, name)())


@functools.cache
def in_full(name: str) -> tuple[Instance, ...]:
    """The same, with the zeros of a table."""
    if name in (*TEXT, "Phishing"):
        return instances(name)
    return with_zeros(instances(name), getattr(datasets, name)().sparse)


def with_zeros(rows: Sequence[Instance], sparse: bool) -> tuple[Instance, ...]:
    """Rows of a sparse format with all of its zeros, or with those beside nominal values."""
    columns: dict[str, dict[Hashable, float]] = {}
    for x, _ in rows:
        for key in map(str, x):
            if sparse or "=" in key:
                column = "" if sparse else key.partition("=")[0]
                columns.setdefault(column, {})[key] = 0.0
    full = []
    for x, y in rows:
        zeros: dict[Hashable, float] = {}
        # In the order of the columns, as a set's would differ between processes.
        for column in [""] if sparse else dict.fromkeys(str(key).partition("=")[0] for key in x):
            zeros.update(columns.get(column, {}))
        full.append(({**zeros, **x}, y))
    return tuple(full)


@functools.cache
def real_stream(name: str) -> tuple[Instance, ...]:
    """The instances of a real stream, in the order of time.

    Read from the files of scikit-multiflow, in a folder `drift` beside that of the data sets.
    """
    file, label, positive = REAL_STREAMS[name]
    folder = pathlib.Path(river_datasets.base.get_data_home()).resolve().parent / "drift"
    with open(folder / file, newline="", encoding="ascii") as lines:
        rows = list(csv.DictReader(lines))
    return tuple(
        ({key: float(value) for key, value in row.items() if key != label}, row[label] == positive)
        for row in rows
    )


def shuffled(rows: Iterable[Instance], seed: int, limit: int | None = None) -> list[Instance]:
    """The rows in a random order, up to a limit."""
    rows = list(rows)
    random.Random(seed).shuffle(rows)
    return rows[:limit]


def table(n: int, seed: int = 0) -> Iterator[Instance]:
    """Instances with 57 features, of which most are zero, as in spambase."""
    rng = random.Random(seed)
    for _ in range(n):
        x = {f"c{i}": rng.expovariate(1.0) if rng.random() < 0.2 else 0.0 for i in range(57)}
        yield x, x["c0"] + x["c1"] + x["c2"] > x["c3"] + x["c4"] + x["c5"]


def drawn(d: int, law: str, seed: int = 0) -> Iterator[Instance]:
    """Endless instances with some of d features, drawn uniformly or by Zipf's law."""
    rng = random.Random(seed)
    keys = [f"k{i}" for i in range(d)]
    cumulated = list(itertools.accumulate(1.0 / rank for rank in range(1, d + 1)))
    while True:
        some = set(rng.sample(keys, N_DRAWN)) if law == "uniform" else set()
        while len(some) < N_DRAWN:
            some.update(rng.choices(keys, cum_weights=cumulated, k=N_DRAWN - len(some)))
        x = {key: rng.gauss(0, 1) for key in sorted(some)}
        yield x, sum(v for k, v in x.items() if k.endswith(("1", "4", "7"))) > 0


def write(path: str, records: list[dict[str, Any]]) -> None:
    """Write records to a CSV file, numbers with five decimals."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(records[0]))
        writer.writeheader()
        writer.writerows(
            {key: round(v, 5) if isinstance(v, float) else v for key, v in record.items()}
            for record in records
        )
