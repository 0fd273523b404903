from __future__ import annotations

import base64
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from river_trapezoid import linear_model, persist
from river_trapezoid.persist import _arrays
from tests import contracts
from tests.persist.mutations import parts, places, sealed


def mutated(n_files, seed, *options):
    """Try mutated files in another process, which they might crash."""
    command = [sys.executable, "-m", "tests.persist.mutations", *options]
    done = subprocess.run(
        [*command, "--files", str(n_files), "--seed", str(seed)],
        cwd=pathlib.Path(__file__).parents[2],
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # Libraries may have complained before.
    return json.loads(done.stdout[done.stdout.index("{\n") :])


def check(report):
    assert report["errors"] == []
    assert report["ran"] == []
    assert report["slowest seconds"] < 1.0
    # Every file was tried, and some reached the model.
    assert sum(report["outcomes"].values()) == report["files"]
    assert any(outcome.endswith(": refused") for outcome in report["outcomes"])
    assert any(outcome.endswith(": used") for outcome in report["outcomes"])


def test_mutated_files_load_as_they_were_or_are_refused():
    check(mutated(500, seed=int.from_bytes(os.urandom(2), "little")))


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1])
def test_many_mutated_files_load_as_they_were_or_are_refused(seed):
    check(mutated(5000, seed))


def test_forged_files_load_or_are_refused_in_little_memory_and_time():
    check(mutated(300, int.from_bytes(os.urandom(2), "little"), "--forged"))


@pytest.mark.long
def test_many_forged_files_load_or_are_refused_in_little_memory_and_time(capsys):
    report = mutated(24_000, 0, "--forged")
    with capsys.disabled():
        print()
        for name, figure in report.items():
            print(f"{name}: {json.dumps(figure, indent=1)}")
    check(report)


@pytest.fixture
def data():
    return persist.dumps(contracts.trained(linear_model.OLSFClassifier()))


def refused(data, message):
    with pytest.raises(persist.ModelFileError, match=message):
        persist.loads(data)


def test_every_byte_counts(data):
    for i in range(0, len(data), 7):
        refused(data[:i] + bytes([data[i] ^ 4]) + data[i + 1 :], ".")


def test_a_file_that_is_cut_short_says_so(data):
    refused(b"", "not a river-trapezoid model file")
    refused(data[:50], "truncated")
    refused(data[:-1], r"must have [\d,]+ bytes.*got")
    refused(data + b"x", r"must have [\d,]+ bytes.*got")
    refused(b"PK" + data, "not a river-trapezoid model file")


def test_damage_is_told_from_a_lie_by_the_checksums(data):
    header, body = parts(data)
    assert persist.loads(sealed(header, body))
    refused(data[:150] + b"~" + data[151:], "checksum of its header")
    refused(data[:-1] + bytes([data[-1] ^ 1]), "checksum of its arrays")


def test_no_class_is_imported_by_name(data):
    header, body = parts(data)
    for name in ("os.system", "builtins.eval", "river.tree.HoeffdingTreeClassifier", 3, None, [1]):
        header["model"]["class"] = name
        refused(sealed(header, body), "does not know")


def test_sizes_are_checked_before_anything_is_allocated(data):
    header, body = parts(data)
    shapes = [entry["shape"] for entry in header["arrays"]]
    shapes[0][0] = 2**60
    refused(sealed(header, body), "beyond the end")
    header, body = parts(data)
    header["arrays"][0]["offset"] = len(body) + 1
    refused(sealed(header, body), "beyond the end")
    model = linear_model.OLSFClassifier(B=1.0)
    model.learn_one({f"f{i}": 1.0 for i in range(2000)}, True)
    header, body = parts(persist.dumps(model))
    header["memory"] = 100
    refused(sealed(header, body), "more memory than the header declares")
    header["memory"] = 2**60
    refused(sealed(header, body), "max_size")


LOAD = """
import base64, pathlib, resource, sys
from river_trapezoid import persist

size = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 2**28, size + 2**28))
for line in sys.stdin:
    try:
        persist.loads(base64.b64decode(line))
    except persist.ModelFileError as error:
        print("refused:", error)
"""


def loaded_in_little_memory(files):
    """What a process prints that may take 256 MB more than at its start: a line for each file."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LOAD],
        cwd=pathlib.Path(__file__).parents[2],
        input="\n".join(base64.b64encode(file).decode() for file in files),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(not pathlib.Path("/proc/self/statm").exists(), reason="needs Linux")
def test_rows_without_columns_take_no_memory():
    files = []
    for learner in (linear_model.EvidenceClassifier, linear_model.FESLClassifier):
        data = persist.dumps(contracts.trained(learner()))
        for number, entry in enumerate(parts(data)[0]["arrays"]):
            if len(entry["shape"]) == 2 and entry["dtype"] == "float64":
                for shape in ([30_000_000, 0], [2**40, 0], [2**20, 2**40, 0], [2**62, 0, 7]):
                    header, body = parts(data)
                    header["arrays"][number]["shape"] = shape
                    files.append(sealed(header, body))
    answers = loaded_in_little_memory(files)
    assert len(answers) == len(files) >= 12
    assert all(re.match("refused: .*(memory|dimensions|must)", answer) for answer in answers)


def test_shapes_are_compared_before_anything_is_allocated(monkeypatch):
    data = persist.dumps(contracts.trained(linear_model.EvidenceClassifier()))
    monkeypatch.setattr(_arrays, "_ROW", 0)
    header, body = parts(data)
    *_, table = (entry for entry in header["arrays"] if len(entry["shape"]) == 2)
    table["shape"] = [30_000_000, 0]
    tracemalloc.start()
    try:
        refused(sealed(header, body), r"_numbers must be a float64 array of shape \(\d+, \d+\)")
        assert tracemalloc.get_traced_memory()[1] < 2**21
    finally:
        tracemalloc.stop()


def test_a_header_that_is_nested_too_deep_is_refused(data):
    header, body = parts(data)
    node = header["model"]["state"]
    for _ in range(100):
        node["_labels"] = {"tuple": [node["_labels"]]}
    refused(sealed(header, body), "nested deeper than")
    refused(sealed(b"[" * 10_000_000, body), "header is not valid JSON")


def test_parameters_are_checked_as_by_the_constructor(data):
    header, body = parts(data)
    header["model"]["parameters"]["C"] = -1.0
    refused(sealed(header, body), "OLSFClassifier in the file is damaged: C must be")


def test_an_error_in_a_file_of_another_version_says_so(data):
    header, body = parts(data)
    header["river_trapezoid"] = "9.9"
    header["model"]["parameters"]["new"] = 1
    refused(sealed(header, body), r"unknown parameter 'new' \(version '9\.9' wrote the file")


@pytest.mark.parametrize("change", ["missing", "unknown", "of another type"])
def test_attributes_are_those_of_a_new_object(data, change):
    header, body = parts(data)
    state = header["model"]["state"]
    if change == "missing":
        del state["_labels"]
    elif change == "unknown":
        state["__class__"] = 1
    else:
        state["_rule"] = 5
    refused(sealed(header, body), "OLSFClassifier in the file is damaged: (unknown )?attribute")


def test_keys_that_are_there_twice_are_refused():
    model = linear_model.OLSFClassifier(B=5)
    model.learn_one({"a": 1.0, "b": 2.0}, True)
    header, body = parts(persist.dumps(model))
    keys = [n for n, k in places(header) if k == "list" and n[k] == ["a", "b"]]
    assert len(keys) == 1
    keys[0]["list"] = ["a", "a"]
    refused(sealed(header, body), "twice")


def test_keys_that_collide_are_refused_in_no_time():
    model = linear_model.OLSFClassifier(B=1.0, radius=None)
    modulus = sys.hash_info.modulus
    model.learn_one({modulus * i: 1.0 for i in range(1, 2000)}, True)
    refused(persist.dumps(model), "collide")


def test_what_compiled_code_would_stumble_over_is_refused():
    model = contracts.trained(linear_model.EvidenceClassifier())
    table = next(
        i
        for i, entry in enumerate(parts(persist.dumps(model))[0]["arrays"])
        if len(entry["shape"]) == 2
    )
    for column, value in [
        (0, math.nan),
        (0, -1.0),
        (0, 1e300),
        (1, math.inf),
        (1, 1e300),
        (2, -5.0),
        (3, 0.0),
        (4, -1.0),
        (-1, -1.0),
        (8, math.nan),
    ]:
        header, body = parts(persist.dumps(model))
        entry = header["arrays"][table]
        shape, offset = entry["shape"], entry["offset"]
        body = bytearray(body)
        numbers = np.frombuffer(body, "<f8", math.prod(shape), offset).reshape(shape)
        numbers[3, column] = value
        refused(sealed(header, bytes(body)), "EvidenceWeights in the file is damaged")
