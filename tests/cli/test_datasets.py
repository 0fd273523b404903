from __future__ import annotations

import os

import pytest

from river_trapezoid.cli import main
from river_trapezoid.datasets import Magic04, Sensor
from river_trapezoid.datasets._download import DownloadError


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(tmp_path))
    (tmp_path / "sensor").mkdir()
    (tmp_path / "sensor" / "sensor.arff").write_text(
        "@relation sensor\n@attribute light numeric\n@attribute class {1,2}\n@data\n1.5,2\n"
    )
    (tmp_path / "magic04").mkdir()
    (tmp_path / "magic04" / "magic04.data").write_text("not what it should be")
    return tmp_path


@pytest.mark.parametrize("arguments", [["datasets"], ["datasets", "list"]])
def test_the_list_has_sizes_and_the_state_of_the_files(arguments, home, capsys):
    assert main(arguments) == 0
    lines = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert lines["name"] == ["rows", "features", "files"]
    assert lines["German"] == ["1,000", "24", "not", "there"]
    assert lines["Magic04"] == ["19,020", "10", "damaged"]
    assert lines["Sensor"] == ["2,219,803", "5", "there"]


@pytest.mark.parametrize("place", [1, 2])
def test_the_folder_may_be_named_before_or_after_the_command(place, home, monkeypatch, capsys):
    monkeypatch.setenv("RIVER_DATA", str(home / "magic04"))
    arguments = ["datasets", "list"]
    arguments[place:place] = ["--data", str(home)]
    assert main(arguments) == 0
    lines = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert lines["Sensor"][-1] == "there"
    assert lines["Magic04"][-1] == "damaged"
    assert os.environ["RIVER_DATA"] == str(home / "magic04")


def test_verify_compares_checksums_and_counts_rows(home, capsys):
    assert main(["datasets", "verify", "Magic04", "german", "Sensor"]) == 1
    magic, german, sensor = capsys.readouterr().out.splitlines()
    assert magic.startswith("Magic04: ")
    assert "has 21 bytes rather than 1,477,391" in magic
    assert german == f"German: {home}/german/german.data-numeric is not there"
    assert sensor == "Sensor: has 1 rows rather than 2,219,803"


def test_verify_of_a_whole_data_set(shared, capsys):
    folder = ["--data", str(shared / "data")]
    assert main(["datasets", "verify", "Vote", "WBC", *folder]) == 0
    assert capsys.readouterr().out == "Vote: intact, 435 rows\nWBC: intact, 699 rows\n"


def test_fetch_downloads_missing_files(home, monkeypatch, capsys):
    fetched = []

    def download(self, force=False, verbose=True):
        fetched.append(type(self).__name__)

    monkeypatch.setattr(Magic04, "download", download)
    monkeypatch.setattr(Sensor, "download", download)
    assert main(["datasets", "fetch", "magic04", "Sensor"]) == 0
    assert fetched == ["Magic04"]
    assert capsys.readouterr().out.splitlines() == [
        f"Magic04: {home}/magic04/magic04.data",
        f"Sensor: {home}/sensor/sensor.arff",
    ]


def test_a_failed_download_gives_one_line(home, monkeypatch, capsys):
    def download(self, force=False, verbose=True):
        raise DownloadError("no network. Put there by hand:\n  a file")

    monkeypatch.setattr(Magic04, "download", download)
    assert main(["datasets", "fetch", "Magic04"]) == 1
    shown = capsys.readouterr()
    assert shown.err == "river-trapezoid: error: no network. Put there by hand: a file\n"
    assert shown.out == ""


def test_an_unknown_name_gives_the_nearest_name(home, capsys):
    assert main(["datasets", "fetch", "Germn"]) == 2
    assert "did you mean 'German'?" in capsys.readouterr().err
