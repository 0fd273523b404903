"""Damaged files: each is read, or refused with the error that the documentation names."""

from __future__ import annotations

import collections
import gzip
import io
import json
import math
import random

import pyarrow.parquet
import pytest

from river_trapezoid import datasets

ROWS = [
    {"a": i / 2, "b": "red" if i % 3 else "blue", "c": f"some words of text {i}", "y": i % 2}
    for i in range(30)
]
TOKENS = [
    *(b'"', b",", b"\n", b"\r", b"\0", b"\t", b";", b"{", b"}", b"[", b"]", b":", b"#", b"-", b"+"),
    *(b"1e999", b"NaN", b"Infinity", b"9" * 400, b"9" * 5000, b"1_000", b"0x10", b"?", b"NA"),
    *(b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\\ud800", b"null", b"true", b'""', b"1:2", b"\x1b"),
    *(b'{"a": {"b": 1}}', b'["x"]', b"PAR1", b"PK\x03\x04", b"\x1f\x8b", b"\x85", b"\x1c", b"\x0b"),
    *("\u2028".encode(), "\u0661".encode()),
]
ENCODINGS = ["latin-1", "ascii", "utf-16", "utf-8", "cp037", "utf-7", "utf-32"]
PARAMETERS = ("target must ", "text must ", "encoding must ")


def originals():
    """The content of a sound file by the suffix of each format."""
    csv = "a,b,c,y\n" + "".join(f'{r["a"]},{r["b"]},"{r["c"]}",{r["y"]}\n' for r in ROWS)
    parquet = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), parquet)
    return {
        "": csv.encode(),
        ".csv": csv.encode(),
        ".tsv": csv.replace(",", "\t").encode(),
        ".jsonl": "".join(f"{json.dumps(row)}\n" for row in ROWS).encode(),
        ".libsvm": "".join(f"{r['y']} 1:{r['a']} 3:{i}\n" for i, r in enumerate(ROWS)).encode(),
        ".parquet": parquet.getvalue(),
    }


def damaged(content, rng):
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        i = rng.randrange(len(content) + 1)
        j = min(len(content), i + rng.choice([1, 2, 5, 40]))
        kind = rng.choice(["remove", "insert", "replace", "repeat", "byte", "cut", "shuffle"])
        if kind == "remove":
            content[i:j] = b""
        elif kind == "insert":
            content[i:i] = rng.choice(TOKENS)
        elif kind == "replace":
            content[i:j] = rng.choice(TOKENS)
        elif kind == "repeat":
            content[i:i] = content[i:j] * rng.choice([1, 3])
        elif kind == "byte" and i < len(content):
            content[i] = rng.randrange(256)
        elif kind == "cut":
            content = content[:i]
        elif kind == "shuffle":
            lines = bytes(content).split(b"\n")
            rng.shuffle(lines)
            content = bytearray(b"\n".join(lines))
    return bytes(content)


def outcome(path, rng):
    """Read a file with options drawn at random: whether it is read, refused, or not as described."""
    options = {
        name: rng.choice(values)
        for name, share, values in (
            ("header", 0.2, [False]),
            ("encoding", 0.2, ENCODINGS),
            ("format", 0.1, ["csv", "jsonl", "libsvm", "parquet"]),
            ("text", 0.2, [["c"]]),
        )
        if rng.random() < share
    }
    refusal = None
    try:
        table = datasets.TableFile(path, rng.choice(["y", "y", "y", None, "f4"]), **options)
        instances = list(table)
    except ValueError as error:
        refusal = error
    if refusal is None:
        assert len(instances) == table.n_samples
        assert all(math.isfinite(value) for x, _ in instances for value in x.values())
        return "read"
    message = str(refusal)
    if isinstance(refusal, datasets.FileError):
        assert message.startswith(path.name)
        assert "\n" not in message
        assert len(message) < 500
        return "refused"
    assert message.startswith(PARAMETERS)
    return "another parameter needed"


def read_damaged(folder, n_files, seed):
    rng = random.Random(seed)
    contents = originals()
    counts = collections.Counter()
    for _ in range(n_files):
        suffix = rng.choice(list(contents))
        content = damaged(contents[suffix], rng)
        if rng.random() < 0.2:
            content = gzip.compress(content, mtime=0)
            if rng.random() < 0.5:
                content = damaged(content, rng)
        path = folder / f"data{suffix}"
        path.write_bytes(content)
        counts[outcome(path, rng)] += 1
    return counts


def test_damaged_tables_are_read_or_refused(tmp_path):
    counts = read_damaged(tmp_path, 300, seed=0)
    assert len(counts) == 3


@pytest.mark.long
def test_many_damaged_tables_are_read_or_refused(tmp_path):
    counts = read_damaged(tmp_path, 15_000, seed=1)
    print(dict(counts))
    assert len(counts) == 3
