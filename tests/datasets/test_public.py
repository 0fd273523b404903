from __future__ import annotations

import collections
import csv
import gzip
import inspect
import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.io
from sklearn.datasets import load_svmlight_file

from river_trapezoid import datasets
from river_trapezoid.datasets import imdb
from river_trapezoid.datasets.base import PublicDataset
from river_trapezoid.stream import Capricious, Evolvable, Shuffled, Trapezoidal

CLASSES = [
    thing
    for name in datasets.__all__
    if inspect.isclass(thing := getattr(datasets, name)) and issubclass(thing, PublicDataset)
]
# Rows, attributes and positive rows, from the table beside the files.
COUNTS = [
    (datasets.Magic04(), 19020, 10, 12332),
    (datasets.German(), 1000, 24, 300),
    (datasets.SVMGuide3(), 1243, 22, 296),
    (datasets.Splice(), 3175, 60, 1648),
    (datasets.Spambase(), 4601, 57, 1813),
    (datasets.A9a(), 32561, 123, 7841),
    (datasets.A9a("test"), 16281, 122, 3846),
    (datasets.A8a(), 32561, 123, 7841),
    (datasets.A8a("train"), 22696, 123, 5506),
    (datasets.WPBC(), 198, 33, 47),
    (datasets.WDBC(), 569, 30, 212),
    (datasets.WBC(), 699, 9, 241),
    (datasets.Ionosphere(), 351, 34, 225),
    (datasets.Isolet(), 600, 617, 300),
    (datasets.Isolet(("F", "M")), 597, 617, 298),
    (datasets.Vote(), 435, 16, 267),
    (datasets.Vote(nominal="ordinal"), 435, 16, 267),
    (datasets.DNA(), 949, 180, 464),
    (datasets.DNA("test"), 583, 180, 303),
    (datasets.DNA("all"), 1532, 180, 767),
    (datasets.PCMAC(), 1943, 3289, 982),
    (datasets.BaseHock(), 1993, 4862, 994),
    (datasets.KrVsKp(), 3196, 36, 1669),
    (datasets.KrVsKp(nominal="ordinal"), 3196, 36, 1669),
    (datasets.PhishingLIBSVM(), 11055, 68, 6157),
    (datasets.Australian(), 690, 14, 307),
    (datasets.CreditA(), 690, 15, 307),
    (datasets.CreditA(nominal="ordinal"), 690, 15, 307),
    (datasets.Diabetes(), 768, 8, 268),
    (datasets.IMDB(), 25000, 7500, 12500),
    (datasets.RCV1Small(), 1000, 9738, 459),
]
MISSING = {"WPBC": (4, 4), "WBC": (16, 16), "Vote": (392, 203), "CreditA": (67, 37)}


def title(dataset):
    part = getattr(dataset, "part", "")
    codes = "ordinal" if getattr(dataset, "nominal", "") == "ordinal" else ""
    return "-".join(filter(None, [type(dataset).__name__, part, codes]))


@pytest.fixture
def data(shared, monkeypatch):
    """The read-only folder of data sets as River's data home."""
    home = shared / "data"
    monkeypatch.setenv("RIVER_DATA", str(home))
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*")}
    yield home
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*")} == before


@pytest.mark.parametrize(
    ("dataset", "n_rows", "n_attributes", "n_positive"), COUNTS, ids=[title(c[0]) for c in COUNTS]
)
def test_counts(data, dataset, n_rows, n_attributes, n_positive):
    assert dataset.is_downloaded
    assert (dataset.n_samples, dataset.task) == (n_rows, "Binary classification")
    keys: dict[str, str] = {}
    labels: collections.Counter[bool] = collections.Counter()
    cells, rows_with_gaps = 0, 0
    for x, y in dataset:
        labels[y] += 1
        cells += len(x)
        rows_with_gaps += len(x) < n_attributes
        for key, value in x.items():
            assert keys.setdefault(key, key) is key
            assert type(value) is float
            assert value - value == 0.0
    assert labels == {True: n_positive, False: n_rows - n_positive}
    assert {type(label) for label in labels} == {bool}
    assert len(keys) == dataset.n_features
    assert sorted(keys) == sorted(dataset.features)
    assert len({key.partition("=")[0] for key in keys}) == n_attributes
    if not dataset.sparse:
        expected = MISSING.get(type(dataset).__name__, (0, 0))
        assert (n_rows * n_attributes - cells, rows_with_gaps) == expected


@pytest.mark.parametrize(
    "dataset",
    [row[0] for row in COUNTS if type(row[0]) is not datasets.IMDB] + [datasets.PowerSupply()],
    ids=title,
)
def test_instances_have_their_keys_in_the_order_of_the_features(data, dataset):
    rank = {name: i for i, name in enumerate(dataset.features)}
    for x, _ in dataset.take(1000):
        ranks = [rank[name] for name in x]
        assert ranks == sorted(ranks)


def test_features_are_in_the_order_of_the_columns(data):
    for dataset in (datasets.A8a(), datasets.DNA(), datasets.SVMGuide3(), datasets.PCMAC()):
        assert dataset.features == [f"f{i}" for i in range(1, dataset.n_features + 1)]
    numbers = [int(name.removeprefix("f")) for name in datasets.RCV1Small().features]
    assert numbers == sorted(numbers)
    assert (numbers[-1], len(numbers)) == (47117, 9738)
    assert datasets.CreditA().features[:5] == ["A1=a", "A1=b", "A2", "A3", "A4=l"]
    vocabulary = (data / "imdb" / "imdb.vocab").read_text(encoding="utf-8").split("\n")
    assert datasets.IMDB(n_words=300).features == vocabulary[:300]


def test_every_data_set_of_the_papers_has_a_class_or_is_named(shared):
    with (shared / "published" / "tables.csv").open() as lines:
        published = {row["dataset"] for row in csv.DictReader(lines)}
    folders = {file.path.parent.name for cls in CLASSES for file in cls().files}
    missing = {name for name in published if name.lower() not in folders}
    assert missing == {"air", "hyperplane", "RFID", "URL"}
    named = set(re.findall(r"^- (\w+) \(", datasets.__doc__, re.M))
    assert missing - named == {"hyperplane"}
    assert hasattr(datasets.synth, "DriftingHyperplane")


def test_checksums_are_those_of_the_files(data):
    table = re.findall(
        r"^\| `(.+?)` \| (\d+) \| `([0-9a-f]{64})` \|$", (data / "README.md").read_text(), re.M
    )
    known = {name: (int(size), sha) for name, size, sha in table}
    for dataset in [row[0] for row in COUNTS] + [datasets.PowerSupply()]:
        for file in dataset.files:
            size, sha = known[file.name]
            assert file.sums.get(size) == sha or file.name.startswith("imdb/aclImdb")


def test_permutations_of_a_file_that_was_changed_are_refused(data, tmp_path, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(tmp_path))
    (tmp_path / "german").mkdir()
    damaged = bytearray((data / "german" / "german.mat").read_bytes())
    damaged[-1] ^= 1
    (tmp_path / "german" / "german.mat").write_bytes(damaged)
    with pytest.raises(
        datasets.base.DownloadError, match=r"german\.mat has the sha256 .* rather than 5b10"
    ):
        datasets.German().permutations  # noqa: B018


def dense(dataset):
    names = [f"f{i}" for i in range(1, dataset.n_features + 1)]
    rows = list(dataset)
    X = np.array([[x.get(name, 0.0) for name in names] for x, _ in rows])
    return X, np.array([y for _, y in rows])


@pytest.mark.parametrize(
    ("dataset", "positive"),
    [(datasets.SVMGuide3(), 1), (datasets.PhishingLIBSVM(), 1), (datasets.A9a("test"), 1)],
    ids=title,
)
def test_libsvm_files_are_read_as_scikit_learn_does(data, dataset, positive):
    X, y = dense(dataset)
    expected, labels = load_svmlight_file(str(dataset.path), n_features=dataset.n_features)
    assert (expected.toarray() == X).all()
    assert (y == (labels == positive)).all()


@pytest.mark.parametrize(
    ("dataset", "delimiter", "features", "label", "positive"),
    [
        (datasets.WDBC(), ",", range(2, 32), 1, "M"),
        (datasets.Spambase(), ",", range(57), 57, "1"),
        (datasets.Australian(), None, range(14), 14, "1"),
        (datasets.WBC(), ",", range(1, 10), 10, "4"),
        (datasets.WPBC(), ",", range(2, 35), 1, "R"),
    ],
    ids=lambda value: title(value) if isinstance(value, PublicDataset) else "",
)
def test_tables_are_read_as_numpy_does(data, dataset, delimiter, features, label, positive):
    cells = np.loadtxt(dataset.path, dtype=str, delimiter=delimiter)
    names = [name for name in dataset.columns if name not in ("id", dataset.label)]
    for row, (x, y) in zip(cells, dataset, strict=True):
        wanted = {n: float(row[j]) for n, j in zip(names, features, strict=True) if row[j] != "?"}
        assert x == wanted
        assert y == (row[label] == positive)


def test_german_has_the_rows_and_labels_of_its_authors_copy(data):
    X, y = dense(datasets.German())
    mat = scipy.io.loadmat(data / "german" / "german.mat")["data"]
    assert (mat[:, 1:] == X).all()
    assert ((mat[:, 0] == 1) == y).all()


@pytest.mark.parametrize("dataset", [datasets.German(), datasets.Splice()], ids=title)
def test_permutations_are_those_of_the_authors(data, dataset):
    name = dataset.path.parent.name
    mat = scipy.io.loadmat(data / name / f"{name}.mat")
    permutations = dataset.permutations
    assert len(permutations) == {"german": 20, "splice": 10}[name]
    for permutation, order in zip(permutations, mat["ID_ALL"], strict=True):
        assert sorted(permutation) == list(range(dataset.n_samples))
        assert [i + 1 for i in permutation] == order.tolist()
        assert {type(i) for i in permutation} == {int}
    X, y = dense(Shuffled(dataset, permutation=permutations[3]))
    rows = mat["data"][mat["ID_ALL"][3] - 1]
    assert (rows[:, 1:] == X).all()
    assert (y == (rows[:, 0] == 1)).all()


def test_dna_has_the_rows_of_the_permuted_copy(data):
    X, y = dense(datasets.DNA("all"))
    mat = scipy.io.loadmat(data / "dna" / "dna.mat")["data"]
    rows = collections.Counter(map(tuple, np.column_stack([y, X]).astype(int).tolist()))
    labels = mat[:, 0] == 1
    assert rows == collections.Counter(map(tuple, np.column_stack([labels, mat[:, 1:]]).tolist()))


def test_all_of_a8a_ends_in_the_training_file_and_has_the_rows_of_a9a(data):
    rows = list(datasets.A8a())
    assert rows[-22696:] == list(datasets.A8a("train"))

    def bag(rows):
        return collections.Counter((frozenset(x), y) for x, y in rows)

    assert bag(rows) == bag(datasets.A9a())


def test_two_classes_or_all_of_them(data):
    every = list(datasets.DNA("all", classes=None))
    assert datasets.DNA("all", classes=None).task == "Multi-class classification"
    assert collections.Counter(y for _, y in every) == {1: 767, 2: 765, 3: 1654}
    pair = datasets.DNA("all", classes=(3, 1))
    assert list(pair) == [(x, y == 3) for x, y in every if y != 2]
    assert pair.n_samples == 1654 + 767


def test_letters_or_all_of_them(data):
    every = datasets.Isolet(letters=None)
    letters = collections.Counter(y for _, y in every)
    assert every.n_samples == sum(letters.values()) == 7797
    assert (letters["A"], letters["F"], letters["M"], len(letters)) == (300, 298, 299, 26)
    fea = scipy.io.loadmat(data / "isolet" / "Isolet1.mat")["fea"]
    x, _ = next(iter(every))
    assert list(x.values()) == fea[0].tolist()


def test_power_supply_in_hours_and_halves_of_the_day(data):
    hours = list(datasets.PowerSupply(binary=False))
    counts = collections.Counter(y for _, y in hours)
    assert len(hours) == 29928
    assert sorted(counts) == list(range(24))
    assert set(counts.values()) <= {1246, 1247, 1248}
    assert hours[0] == ({"attribute0": 117.4, "attribute1": 127.0}, 0)
    assert ({"attribute0": 128.3, "attribute1": 93.3}, 2) in hours
    assert list(datasets.PowerSupply()) == [(x, y >= 12) for x, y in hours]


def test_words_of_reviews(data):
    with gzip.open(data / "imdb" / "aclImdb_train.tsv.gz", "rt", encoding="utf-8") as lines:
        text = lines.readline().split("\t", 3)[3]
    vocabulary = (data / "imdb" / "imdb.vocab").read_text(encoding="utf-8").split("\n")
    ((x, y),) = datasets.IMDB(n_words=500).take(1)
    plain = text.lower().replace("<br />", " ")
    assert y is True
    assert set(x) <= set(vocabulary[:500])
    for word in ("is", "and", "the"):
        assert x[word] == len(re.findall(rf"\b{word}\b", plain)) > 0
    ((fewer, _),) = datasets.IMDB(n_words=50).take(1)
    assert fewer == {word: n for word, n in x.items() if word in vocabulary[:50]}


def test_one_hot_values_and_gaps(data):
    ((x, y),) = datasets.Vote().take(1)
    assert y is False
    assert x["handicapped-infants=n"] == 1.0
    assert "handicapped-infants=y" not in x
    assert not any(key.startswith("synfuels") for key in x)
    ((x, y),) = datasets.CreditA().take(1)
    assert (x["A1=b"], x["A2"], x["A14"], y) == (1.0, 30.83, 202.0, True)


@pytest.mark.parametrize("cls", [datasets.Vote, datasets.KrVsKp, datasets.CreditA])
def test_codes_are_the_places_of_the_sorted_values(data, cls):
    coded = cls(nominal="ordinal")
    occurring = collections.defaultdict(set)
    for (x, y), (codes, label) in zip(cls(), coded, strict=True):
        assert y == label
        assert list(codes) == [key.partition("=")[0] for key in x]
        for key in x:
            column, _, value = key.partition("=")
            if value:
                assert codes[column] == coded.categories[column].index(value)
                occurring[column].add(value)
            else:
                assert codes[key] == x[key]
    assert coded.categories == {name: tuple(sorted(values)) for name, values in occurring.items()}


def test_a_trapezoid_of_them(data):
    trapezoid = Trapezoidal(datasets.German(), n_chunks=4)
    assert [len(x) for i, (x, _) in enumerate(trapezoid) if i % 250 == 0] == [6, 12, 18, 24]


@pytest.mark.parametrize(
    "wrap", [lambda d: d, lambda d: Shuffled(d, seed=1), lambda d: Capricious(d, seed=1)]
)
def test_a_trapezoid_of_sparse_data_reveals_one_column_after_the_other(data, wrap):
    dataset = wrap(datasets.DNA())
    for n, (x, _) in enumerate(Trapezoidal(dataset)):
        assert max((int(name[1:]) for name in x), default=0) <= 18 * (n * 10 // 949 + 1)
    spaces = [{int(name[1:]) > 90 for name in x} for x, _ in Evolvable(dataset, overlap=0)]
    assert [space for space in spaces[:474] if space] == [{False}] * 474
    assert [space for space in spaces[475:] if space] == [{True}] * 474


def test_tokens_of_the_vocabulary_are_found_as_they_are(data):
    vocabulary = (data / "imdb" / "imdb.vocab").read_text(encoding="utf-8").split("\n")
    assert [word for word in vocabulary[:7500] if imdb.tokens(word) != [word]] == []


def test_import_is_light():
    code = (
        "import sys, river.datasets; before = set(sys.modules)\n"
        "import river_trapezoid.datasets\n"
        "print(*(m.partition('.')[0] for m in set(sys.modules) - before))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"scipy", "pandas", "sklearn", "tqdm"} & set(out.stdout.split())
