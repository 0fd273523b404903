"""Load model files that have been damaged or forged, and see what happens.

    python -m tests.persist.mutations --files 5000 --seed 0

In a process of its own, which reports: in which ways files were changed, how many loaded, how long
the slowest took, how much memory, and what code ran. Half of them have their checksums mended after
the change, so that what is behind these is met.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import pathlib
import random
import resource
import struct
import sys
import tempfile
import time
import tracemalloc

from river_trapezoid import persist
from tests.persist import models

NAMES = [
    "olsf, keys of all types",
    "evidence, keys of all types",
    "evidence, a share",
    "ocds, keys of all types",
    "fesl, keys of all types",
    "svm, keys of all types",
    "multi-class olsf",
    "one versus rest",
    "one versus one",
    "sampler of a pipeline",
    "bag of words",
    "tf-idf",
    "gaussian",
    "hinge",
    "Adam",
    "rolling scaler",
]
PREAMBLE = struct.Struct("<16sIIQ32s")
START = PREAMBLE.size + 32
# What no loading does.
FORBIDDEN = {
    *("exec", "compile", "import", "open", "os.system", "os.exec", "os.posix_spawn", "os.fork"),
    *("subprocess.Popen", "pickle.find_class", "ctypes.dlopen", "socket.connect", "marshal.loads"),
}
NUMBERS = [0, 1, -1, 2, 255, 2**31, 2**32 + 1, 2**53, 2**63, 2**64, 10**30, 0.5, -1e308]
OTHERS = [
    None,
    True,
    False,
    "",
    "x",
    "nan",
    "list",
    "0x10",
    [],
    {},
    [[]],
    {"same": 0},
    {"array": 0},
]


def parts(data: bytes) -> tuple[dict, bytes]:
    """The header and the body of a file."""
    size = int.from_bytes(data[20:24], "little")
    return json.loads(data[START : START + size]), data[START + size :]


def sealed(header: dict | bytes, body: bytes) -> bytes:
    """A file with checksums that are right."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    magic = b"\x89river-trapezoid"
    preamble = PREAMBLE.pack(magic, 1, len(text), len(body), _checksum(body))
    return preamble + _checksum(preamble + text) + text + body


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=32).digest()


def places(node, found=None):
    """All places in a JSON document: a container, and an index or key of it."""
    found = [] if found is None else found
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, item in items:
        found.append((node, key))
        if isinstance(item, dict | list):
            places(item, found)
    return found


def flip(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def overwrite(rng, data):
    start = rng.randrange(len(data))
    n = rng.randint(1, 64)
    return data[:start] + rng.randbytes(n) + data[start + n :]


def truncate(rng, data):
    return data[: rng.randrange(len(data))]


def extend(rng, data):
    return data + rng.randbytes(rng.randint(1, 1000))


def move(rng, data):
    start, end = sorted(rng.choices(range(len(data)), k=2))
    return data[:start] + data[end:] + data[start:end]


def edit(rng, header, body):
    """Replace a value of the header by another."""
    node, key = rng.choice(places(header))
    node[key] = rng.choice([*NUMBERS, *OTHERS])
    return header, body


def inflate(rng, header, body):
    """Make a size, an offset or a count too large."""
    numbers = [(n, k) for n, k in places(header) if type(n[k]) is int]
    for node, key in rng.sample(numbers, min(len(numbers), rng.randint(1, 3))):
        node[key] = rng.choice([node[key] * 2 + 1, node[key] + 10**9, 2**31 - 1, 2**62, 2**80])
    if rng.random() < 0.5:
        header["memory"] = rng.choice([2**33, 2**62])
    return header, body


def swap(rng, header, body):
    """Swap two values of the header."""
    found = places(header)
    (a, i), (b, j) = rng.choices(found, k=2)
    a[i], b[j] = b[j], a[i]
    return (header, body) if _is_a_tree(header) else edit(rng, header, body)


def _is_a_tree(header):
    try:
        return bool(json.dumps(header))
    except ValueError:
        return False


def swap_arrays(rng, header, body):
    """Swap the places of two arrays, such as those of keys."""
    table = header["arrays"]
    if len(table) > 1:
        i, j = rng.sample(range(len(table)), 2)
        if rng.random() < 0.5:
            table[i], table[j] = table[j], table[i]
        else:
            table[i]["offset"] = table[j]["offset"]
    return header, body


def rename(rng, header, body):
    """Give a class, a field or a kind of value another name."""
    found = [(n, k) for n, k in places(header) if isinstance(k, str)]
    node, key = rng.choice(found)
    if key == "class":
        node[key] = rng.choice([*persist.CLASSES, "os.system", "builtins.eval"])
    else:
        node[rng.choice(found)[1]] = node.pop(key)
    return header, body


def remove(rng, header, body):
    node, key = rng.choice(places(header))
    del node[key]
    return header, body


def nest(rng, header, body):
    """Put a value into itself, many times over."""
    node, key = rng.choice(places(header))
    kind = rng.choice(["list", "tuple", "dict", "set"])
    for _ in range(rng.choice([1, 70, 400])):
        inner = {kind: [node[key]]}
        if kind == "dict":
            inner = {kind: ["x"], "values": [node[key]]}
        node[key] = inner
    return header, body


def spoil(rng, header, body):
    """Change numbers in the arrays."""
    body = bytearray(body)
    for _ in range(rng.choice([1, 3, 20])):
        place = 8 * rng.randrange(max(1, len(body) // 8))
        body[place : place + 8] = rng.choice(
            [
                rng.randbytes(8),
                struct.pack(
                    "<d", rng.choice([float("nan"), float("inf"), -1.0, 1e308, -1e308, 0.0])
                ),
                struct.pack("<q", rng.choice([-1, 0, 1, 2**62])),
            ]
        )
    return header, bytes(body)


def text(rng, header, body):
    """A header that is no JSON, or JSON that is hard to read."""
    return rng.choice(
        [
            (b"[" * 100_000, body),
            (b'{"a":' * 50_000, body),
            (b'{"memory": ' + b"9" * 100_000 + b"}", body),
            (b'{"memory": NaN}', body),
            (b"\xff\xfe", body),
            (b"[]", body),
            (b"", body),
        ]
    )


RAW = [flip, overwrite, truncate, extend, move]
FORGED = [edit, inflate, swap, swap_arrays, rename, remove, nest, spoil, text]


def mutant(rng: random.Random, data: bytes) -> tuple[str, bool, bytes]:
    """The way in which a file was changed, whether its checksums are right, and the file."""
    if rng.random() < 0.5:
        change = rng.choice(RAW)
        return change.__name__, False, change(rng, data)
    change = rng.choice(FORGED)
    # Before the checksums are mended, so that both are tried with each change.
    mutated = sealed(*change(rng, *parts(data)))
    if rng.random() < 0.2:
        mutated = data[:START] + mutated[START:]
        return change.__name__, False, mutated
    return change.__name__, True, mutated


def used(model, stream):
    """Predict and learn, which may raise any error of Python."""
    try:
        models.outputs(model, stream, n=10)
    except Exception as error:
        return type(error).__name__
    return "used"


def run(n_files: int, seed: int, scratch: pathlib.Path) -> dict:
    """Try files, each of which is written to `scratch` as well."""
    rng = random.Random(seed)
    corpus = []
    for name in NAMES:
        model, stream = models.model(name)
        data = persist.dumps(model)
        corpus.append((data, stream, models.outputs(persist.loads(data), stream, n=10)))
    ran: list[str] = []
    watching = False

    def watch(event, args):
        if watching and event in FORBIDDEN:
            ran.append(f"{event} {args!r:.100}")

    sys.addaudithook(watch)
    outcomes: collections.Counter[str] = collections.Counter()
    errors: list[str] = []
    slowest = most = 0.0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    for i in range(n_files):
        original, stream, expected = rng.choice(corpus)
        change, is_sealed, data = mutant(rng, original)
        kind = f"{change}{', sealed' if is_sealed else ''}"
        tracemalloc.reset_peak()
        held = tracemalloc.get_traced_memory()[0]
        start = time.process_time()
        watching = True
        try:
            model = persist.loads(data)
        except persist.ModelFileError as error:
            model = None
            outcome = "refused"
            if not str(error):
                errors.append(f"{i} {kind}: an error without a word")
        except BaseException as error:
            model = None
            outcome = "another error"
            errors.append(f"{i} {kind}: {error!r:.200}")
        else:
            outcome = "loaded"
        watching = False
        slowest = max(slowest, time.process_time() - start)
        peak = tracemalloc.get_traced_memory()[1] - held
        most = max(most, peak)
        if peak > 2**26 + 4 * declared(data):
            errors.append(f"{i} {kind}: {peak:,} bytes")
        scratch.write_bytes(data)
        try:
            persist.inspect(scratch)
        except persist.ModelFileError:
            pass
        except BaseException as error:
            errors.append(f"{i} {kind}, inspected: {error!r:.200}")
        if model is not None:
            if is_sealed:
                outcome = used(model, stream)
            elif models.outputs(model, stream, n=10) != expected:
                errors.append(f"{i} {kind}: it loads, and is another model")
        outcomes[f"{kind}: {outcome}"] += 1
    return {
        "files": n_files,
        "outcomes": dict(sorted(outcomes.items())),
        "errors": errors,
        "ran": ran,
        "slowest seconds": slowest,
        "most bytes": most,
        "growth in kB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before,
    }


def declared(data: bytes) -> int:
    """The memory that a file says it takes; 0 if it does not say so."""
    try:
        header, _ = parts(data)
        return min(max(0, int(header["memory"])), 2**34)
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = run(options.files, options.seed, pathlib.Path(folder, "model"))
    print(json.dumps(report, indent=1))
