"""Load model files that have been damaged or forged, and report what happens.

    python -m tests.persist.mutations --files 5000 --seed 0 [--forged]

The process reports the ways in which files were changed, the number of those that loaded, the time
of the slowest one, the memory, and the code that ran. Half of the files get valid checksums after
the change, so that the checks behind them are reached; with `--forged` all do, and the changes
follow the structure of a file.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import math
import pathlib
import random
import resource
import struct
import sys
import tempfile
import time
import tracemalloc

from river_trapezoid import persist
from tests import contracts
from tests.persist import models
from tests.persist.make_files import FOLDER

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


def reshape(rng, header, body):
    """Give an array another shape, type or order."""
    if not header["arrays"]:
        return edit(rng, header, body)
    entry = rng.choice(header["arrays"])
    shape, size = entry["shape"], math.prod(entry["shape"])
    entry["shape"] = rng.choice(
        [
            *([*shape, 1], [1, *shape], shape[::-1], [size], shape[:-1], shape * 2),
            *([size, 0], [0, size], [30_000_000, 0], [2**40, 0], [2**20, 2**40, 0], [2**62] * 4),
            *([max(0, n - 1) for n in shape], [n // 2 for n in shape], [0, 2**62, 2**62]),
        ]
    )
    if rng.random() < 0.3:
        entry["dtype"] = rng.choice(["bool", "uint8", "uint64", "int64", "float64", "object"])
    if rng.random() < 0.3:
        entry["order"] = rng.choice(["C", "F", "K"])
    if rng.random() < 0.5:
        header["memory"] += rng.choice([10**6, 10**7])
    return header, body


def retype(rng, header, body):
    """Make a container one of another kind."""
    kinds = ["list", "tuple", "set", "frozenset", "deque", "dict", "counter", "vector"]
    kinds += ["ordered dict", "default dict", "array", "int", "float", "bytes", "class"]
    nodes = [n[k] for n, k in places(header["model"]) if isinstance(n[k], dict)]
    nodes = [node for node in nodes if not node.keys().isdisjoint(kinds)] or [header["model"]]
    node = rng.choice(nodes)
    kind = next(kind for kind in node if kind in kinds)
    new = rng.choice(kinds)
    node[new] = node.pop(kind)
    if rng.random() < 0.5:
        node.setdefault("values", node[new])
        node["default"] = rng.choice(["float", "int", "list", "dict", "set", "Counter", "os"])
        node["most"] = rng.choice([None, 0, 3, 2**62, -1])
    return header, body


def graft(rng, header, body):
    """Put an object of one file into another."""
    nodes = [(n, k) for n, k in places(header) if isinstance(n[k], dict) and "class" in n[k]]
    node, key = rng.choice(nodes)
    donors = [n[k] for n, k in places(rng.choice(DONORS)) if isinstance(n[k], dict)]
    donors = [donor for donor in donors if "class" in donor]
    # A copy, so that no later change reaches the donor.
    node[key] = json.loads(json.dumps(rng.choice(donors)))
    return header, body


def multiply(rng, header, body):
    """Repeat what a list holds, so that little text describes very much."""
    lists = [n[k] for n, k in places(header["model"]) if isinstance(n[k], list) and n[k]]
    if lists:
        found = rng.choice(lists)
        most = max(2, 100_000 // len(json.dumps(found)))
        found *= rng.choice([2, 3, min(100, most), most])
        # Copies of what is repeated, so that the next change is one change.
        header["model"] = json.loads(json.dumps(header["model"]))
    columns = [n[k] for n, k in places(header["model"]) if isinstance(n[k], dict)]
    columns = [column for column in columns if "column" in column]
    if columns and rng.random() < 0.5:
        column = rng.choice(columns)
        inner = dict(column)
        most = max(2, 100_000 // len(json.dumps(inner)))
        column.clear()
        column.update(column="tuple", fields=[inner] * rng.choice([1, 2, min(1000, most)]))
    if rng.random() < 0.5:
        header["memory"] += 10**7
    return header, body


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
FORGED += [reshape, retype, graft, multiply]
# The headers of files that hold an object of each class.
DONORS: list[dict] = []


def mutant(rng: random.Random, data: bytes, forged: bool) -> tuple[str, bool, bytes]:
    """The way in which a file was changed, whether its checksums are right, and the file."""
    if forged:
        change = rng.choice(FORGED)
        return change.__name__, True, sealed(*change(rng, *parts(data)))
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


def make_corpus(forged):
    """Files, the streams that their models learn from, and what the models answer."""
    corpus = []
    for name in NAMES:
        model, stream = models.model(name)
        data = persist.dumps(model)
        corpus.append((data, stream, models.outputs(persist.loads(data), stream, n=10)))
    for path in sorted((FOLDER / "registry").glob("*.model")):
        data = path.read_bytes()
        DONORS.append(parts(data)[0])
        if forged:
            corpus.append((data, contracts.growing_stream, None))
    return corpus


class Trial:
    """What happens when files are loaded, one after the other.

    Parameters
    ----------
    scratch
        Each file is written there as well.
    max_size
        As in `persist.load`.

    """

    def __init__(self, scratch: pathlib.Path, max_size: int):
        self.scratch = scratch
        self.max_size = max_size
        self.outcomes: collections.Counter[str] = collections.Counter()
        self.errors: list[str] = []
        self.ran: list[str] = []
        self.slowest = self.most = 0.0
        # By how much loading has raised the peak of the process, compiled code included.
        self.growth = 0
        self._watching = False
        sys.addaudithook(self._watch)

    def _watch(self, event, args):
        if self._watching and event in FORBIDDEN:
            self.ran.append(f"{event} {args!r:.100}")

    def load(self, name, data):
        """The model in a file, or None if it is refused; notes what should not be."""
        tracemalloc.reset_peak()
        held = tracemalloc.get_traced_memory()[0]
        resident = peak_of_process()
        start = time.process_time()
        model, problem = None, ""
        self._watching = True
        try:
            model = persist.loads(data, self.max_size)
        except persist.ModelFileError as error:
            problem = "" if str(error) else "an error without a word"
        except BaseException as error:
            problem = f"{error!r:.200}"
        self._watching = False
        self.slowest = max(self.slowest, time.process_time() - start)
        self.growth += peak_of_process() - resident
        peak = tracemalloc.get_traced_memory()[1] - held
        self.most = max(self.most, peak)
        if peak > 2**26 + 4 * min(declared(data), self.max_size):
            problem = f"{peak:,} bytes"
        if problem:
            self.errors.append(f"{name}: {problem}")
        return model

    def inspect(self, name, data):
        self.scratch.write_bytes(data)
        try:
            persist.inspect(self.scratch)
        except persist.ModelFileError:
            pass
        except BaseException as error:
            self.errors.append(f"{name}, inspected: {error!r:.200}")

    def save_again(self, name, model):
        """Save and load a model again, as every model that loads can be."""
        try:
            persist.loads(persist.dumps(model))
        except BaseException as error:
            self.errors.append(f"{name}, saved again: {error!r:.200}")


def run(n_files: int, seed: int, scratch: pathlib.Path, forged: bool = False) -> dict:
    """Try files; forged ones may take 32 MB in memory, and the process 1 GB more than now."""
    rng = random.Random(seed)
    corpus = make_corpus(forged)
    trial = Trial(scratch, 2**25 if forged else 2**32)
    pages = pathlib.Path("/proc/self/statm")
    if forged and pages.exists():
        limit = int(pages.read_text().split()[0]) * resource.getpagesize() + 2**30
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    tracemalloc.start()
    for i in range(n_files):
        original, stream, expected = rng.choice(corpus)
        change, is_sealed, data = mutant(rng, original, forged)
        kind = f"{change}{', sealed' if is_sealed else ''}"
        name = f"{i} {kind}"
        model = trial.load(name, data)
        trial.inspect(name, data)
        outcome = "refused" if model is None else "loaded"
        if model is not None and is_sealed:
            trial.save_again(name, model)
            outcome = used(model, stream)
        elif model is not None and models.outputs(model, stream, n=10) != expected:
            trial.errors.append(f"{name}: it loads, and is another model")
        trial.outcomes[f"{kind}: {outcome}"] += 1
    return {
        "files": n_files,
        "loaded": n_files - sum(n for o, n in trial.outcomes.items() if o.endswith(": refused")),
        "outcomes": dict(sorted(trial.outcomes.items())),
        "errors": trial.errors,
        "ran": trial.ran,
        "slowest seconds": trial.slowest,
        "most bytes": trial.most,
        "growth in kB": trial.growth,
    }


def peak_of_process() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def declared(data: bytes) -> int:
    """The memory that a file declares; 0 if it does not."""
    try:
        header, _ = parts(data)
        return min(max(0, int(header["memory"])), 2**34)
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--forged", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = run(options.files, options.seed, pathlib.Path(folder, "model"), options.forged)
    print(json.dumps(report, indent=1))
