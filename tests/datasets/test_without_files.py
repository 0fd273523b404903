from __future__ import annotations

import bz2
import dataclasses
import gzip
import inspect
import io
import pickle
import re
import tarfile
import zipfile

import numpy as np
import pytest

from river_trapezoid import datasets
from river_trapezoid.datasets._download import DownloadError
from river_trapezoid.datasets._formats import delimited_rows, ordinal
from river_trapezoid.datasets.base import PublicDataset

CLASSES = [
    thing
    for name in datasets.__all__
    if inspect.isclass(thing := getattr(datasets, name)) and issubclass(thing, PublicDataset)
]


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("cls", CLASSES)
def test_describes_itself_without_its_files(home, cls):
    dataset = cls()
    assert not dataset.is_downloaded
    text = repr(dataset)
    assert text.startswith(dataset.desc.split("\n")[0])
    assert f"Samples  {dataset.n_samples:,}" in text
    assert f"Path  {home}" in text
    assert "Downloaded  False" in text
    assert "Origin: " in cls.__doc__
    assert re.search(r"positive class|label is the (number|hour)|Classes", cls.__doc__)
    assert repr(pickle.loads(pickle.dumps(dataset))) == text
    for file in dataset.files:
        assert all(url.startswith("https://") for url in file.urls)
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("cls", CLASSES)
def test_features_are_listed_without_files_or_the_file_is_named(home, monkeypatch, cls):
    def refuse(urls, *args):
        raise DownloadError("there is no network")

    monkeypatch.setattr("river_trapezoid.datasets.base.fetch", refuse)
    monkeypatch.setattr("river_trapezoid.datasets.base.fetched", refuse)
    dataset = cls()
    if cls in (datasets.IMDB, datasets.RCV1Small, datasets.Sensor):
        with pytest.raises(DownloadError, match=f"{cls.__name__} could not be downloaded"):
            dataset.features  # noqa: B018
    else:
        names = dataset.features
        assert len(set(names)) == len(names) == dataset.n_features
        assert {type(name) for name in names} == {str}


def test_errors_about_files_without_an_address_give_their_paths(home):
    with pytest.raises(DownloadError) as caught:
        next(iter(datasets.Isolet()))
    for name in ("Isolet1", "Isolet2", "Isolet3", "Isolet4", "isolet5"):
        assert f"{home}/isolet/{name}.mat (" in str(caught.value)


def test_the_error_about_missing_permutations_gives_their_path(home):
    wanted = {
        datasets.German: "5b10f922ddf9f532089158f2a88d30f6a68df3dd01db700d7836db3c9da93ac4",
        datasets.Splice: "22d7cf5c42b5fc50c354fac0c84eef5fcf891add36df31b2bf0dfae2f9a027f7",
    }
    for cls, sha in wanted.items():
        name = cls.__name__.lower()
        with pytest.raises(DownloadError) as caught:
            cls().permutations  # noqa: B018
        message = str(caught.value)
        assert f"permutations of {cls.__name__} could not be downloaded" in message
        assert f"no public address of {name}.mat is known" in message
        assert f"{home}/{name}/{name}.mat (" in message
        assert sha in message


def test_permutations_are_of_all_rows(home):
    for part in ("train", "test"):
        assert not hasattr(datasets.Splice(part), "permutations")
        with pytest.raises(AttributeError, match=r"use those of Splice\('all'\)"):
            datasets.Splice(part).permutations  # noqa: B018


def test_hapt_from_its_archive(home):
    (home / "hapt").mkdir()
    rng = np.random.default_rng(1)
    X, y = rng.uniform(-1, 1, (6, 561)).round(6), [1, 5, 2, 1, 12, 2]
    with zipfile.ZipFile(home / "hapt" / "HAPT Data Set.zip", "w") as archive:
        for part, rows in (("Train", slice(0, 4)), ("Test", slice(4, 6))):
            lines = ["".join(f" {v:.6e}" for v in row) + "\n" for row in X[rows]]
            archive.writestr(f"{part}/X_{part.lower()}.txt", "".join(lines))
            archive.writestr(f"{part}/y_{part.lower()}.txt", "".join(f"{i}\n" for i in y[rows]))
    every = list(datasets.HAPT(classes=None))
    assert [label for _, label in every] == y
    assert [list(x.values()) for x, _ in every] == X.tolist()
    assert list(every[0][0]) == [f"f{i}" for i in range(1, 562)]
    assert [label for _, label in datasets.HAPT()] == [True, False, True, False]


def test_rcv1_from_its_archive(home):
    (home / "rcv1").mkdir()
    lines = "-1 440:0.03 730:0.5\n1 1:1\n"
    (home / "rcv1" / "rcv1_train.binary.bz2").write_bytes(bz2.compress(lines.encode()))
    assert list(datasets.RCV1()) == [({"f440": 0.03, "f730": 0.5}, False), ({"f1": 1.0}, True)]


def test_splice_in_the_parts_of_libsvm(home):
    (home / "splice").mkdir()
    (home / "splice" / "splice.t").write_text("-1 1:2 2:4 \n+1 1:1 2:3 \n")
    rows = list(datasets.Splice("test"))
    assert rows == [({"f1": 2.0, "f2": 4.0}, False), ({"f1": 1.0, "f2": 3.0}, True)]


def test_sensor_has_the_names_of_its_file(home):
    (home / "sensor").mkdir()
    (home / "sensor" / "sensor.arff").write_text(
        "@relation sensor\n\n@attribute minutes numeric\n@ATTRIBUTE light NUMERIC\n"
        "@attribute class {1,2}\n\n@DATA\n1.5,45.08,2\n3,?,1\n"
    )
    rows = [({"minutes": 1.5, "light": 45.08}, 2), ({"minutes": 3.0}, 1)]
    assert list(datasets.Sensor()) == rows
    assert datasets.Sensor().features == ["minutes", "light"]


def test_reviews_are_packed_into_one_file(home):
    texts = {
        "aclImdb/train/neg/0_2.txt": "Bad, bad.\n",
        "aclImdb/train/pos/10_8.txt": "A good\tfilm, truly good!",
        "aclImdb/train/pos/2_9.txt": "It's good.\n\nReally.\r\n",
        "aclImdb/test/pos/0_10.txt": "not this one",
        "aclImdb/train/unsup/0_0.txt": "nor this one",
        "aclImdb/imdb.vocab": "good\nit\nbad\nfilm\n!\n",
    }
    (home / "imdb").mkdir()
    with tarfile.open(home / "imdb" / "aclImdb_v1.tar.gz", "w:gz") as archive:
        for name, text in texts.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    dataset = datasets.IMDB()
    with pytest.raises(
        DownloadError, match=r"aclImdb_v1\.tar\.gz has .* bytes rather than 84,125,825"
    ):
        dataset.download()
    dataset.files = tuple(
        dataclasses.replace(file, sums={}, archive_sums={}) for file in dataset.files
    )
    dataset.download()
    with gzip.open(home / "imdb" / "aclImdb_train.tsv.gz", "rt", newline="\n") as lines:
        assert lines.read() == (
            "pos\t2\t9\tIt's good.  Really.\n"
            "pos\t10\t8\tA good\tfilm, truly good!\n"
            "neg\t0\t2\tBad, bad.\n"
        )
    assert list(dataset) == [
        ({"it": 1.0, "good": 1.0}, True),
        ({"good": 2.0, "film": 1.0, "!": 1.0}, True),
        ({"bad": 2.0}, False),
    ]
    assert dataset.features == ["good", "it", "bad", "film", "!"]


def test_a_row_of_the_wrong_length_is_named():
    with pytest.raises(ValueError, match="row 2 has 2 columns rather than 3"):
        list(delimited_rows(["1,2,a", "1,2"], ["x", "z", "y"], "y"))


def test_a_value_that_no_nominal_column_has_is_named():
    colour = {"colour": ordinal("colour", ["blue", "red"])}
    with pytest.raises(
        ValueError, match=r"column 'colour' must be one of 'blue', 'red'; got 'pink' in row 2"
    ):
        list(delimited_rows(["red,a", "pink,a"], ["colour", "y"], "y", colour))


@pytest.mark.parametrize(
    ("cls", "name", "value"),
    [
        (datasets.A8a, "part", "test"),
        (datasets.A9a, "part", "half"),
        (datasets.CreditA, "nominal", "binary"),
        (datasets.DNA, "part", None),
        (datasets.DNA, "classes", (1, 4)),
        (datasets.DNA, "classes", (2, 2)),
        (datasets.HAPT, "classes", (0, 1)),
        (datasets.IMDB, "n_words", 0),
        (datasets.IMDB, "n_words", 89528),
        (datasets.Isolet, "letters", ("A", "A")),
        (datasets.Isolet, "letters", ("a", "b")),
        (datasets.KrVsKp, "nominal", None),
        (datasets.PowerSupply, "binary", 1),
        (datasets.Splice, "part", "both"),
        (datasets.Vote, "nominal", True),
    ],
)
def test_wrong_parameters_are_named(cls, name, value):
    with pytest.raises(ValueError, match=f"^{name} must be .*got"):
        cls(**{name: value})
