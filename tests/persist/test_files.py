from __future__ import annotations

import os
import pathlib
import stat

import pytest
from river import preprocessing

from river_trapezoid import linear_model, persist
from tests import contracts


@pytest.fixture
def model():
    return contracts.trained(preprocessing.StandardScaler() | linear_model.OLSFClassifier(B=7))


@pytest.mark.parametrize("kind", [str, pathlib.Path])
def test_the_path_is_taken_as_given(model, kind, tmp_path):
    path = tmp_path / "a model, with no ending"
    persist.save(model, kind(path))
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == persist.dumps(model)
    assert list(contracts.outputs(persist.load(kind(path)))) == list(contracts.outputs(model))


def test_relative_paths(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    persist.save(model, "model")
    assert persist.inspect("model")["class"] == "river.compose.Pipeline"


def test_a_new_file_has_the_usual_permissions_and_an_old_one_keeps_its_own(model, tmp_path):
    path, usual = tmp_path / "model", tmp_path / "usual"
    usual.touch()
    persist.save(model, path)
    assert path.stat().st_mode == usual.stat().st_mode
    path.chmod(0o600)
    persist.save(model, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("failing", ["fsync", "replace", "chmod"])
def test_a_write_that_fails_leaves_the_old_file(model, failing, tmp_path, monkeypatch):
    path = tmp_path / "model"
    persist.save(model, path)
    before = path.read_bytes()
    contracts.trained(model)

    def fail(*args, **kwargs):
        raise OSError("the disk is full")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(OSError, match="full"):
        persist.save(model, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def unloadable():
    """A model that can be written, and that the checks of a file refuse."""
    model = linear_model.OLSFClassifier()
    model._labels = ("no", "yes")
    return model


def test_a_model_that_could_not_be_loaded_is_an_error_at_save(model, tmp_path):
    path = tmp_path / "model"
    persist.save(model, path)
    before = path.read_bytes()
    with pytest.raises(persist.ModelFileError, match=r"not saved.*could not be loaded"):
        persist.save(unloadable(), path)
    with pytest.raises(persist.ModelFileError, match=r"not saved.*could not be loaded"):
        persist.dumps(unloadable(), verify=True)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_model_is_not_loaded_at_save_without_verify(tmp_path, monkeypatch):
    path = tmp_path / "model"
    persist.save(unloadable(), path, verify=False)
    assert path.read_bytes() == persist.dumps(unloadable())
    with pytest.raises(persist.ModelFileError):
        persist.load(path)


def test_what_is_on_the_disk_is_written_before_it_gets_its_name(model, tmp_path, monkeypatch):
    calls = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda *a, name=name, real=real: (calls.append(name), real(*a))[1]
        )
    persist.save(model, tmp_path / "model")
    # The file, its name, and the folder that has the name.
    assert calls == ["fsync", "replace", "fsync"]


def test_a_missing_file_or_folder_is_an_error_of_the_system(model, tmp_path):
    for read in (persist.load, persist.inspect):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "nothing")
        with pytest.raises(IsADirectoryError):
            read(tmp_path)
    with pytest.raises(FileNotFoundError):
        persist.save(model, tmp_path / "no folder" / "model")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with a name")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(persist.ModelFileError, match="regular file"):
        persist.load(tmp_path / "pipe")


def test_inspect_shows_what_there_is_without_loading(tmp_path):
    model = preprocessing.StandardScaler() | linear_model.OCDSClassifier(
        graph={"a": {"b": 1.0}}, max_features=None
    )
    path = tmp_path / "model"
    persist.save(model, path)
    about = persist.inspect(path)
    assert list(about) == [
        *("format", "river_trapezoid", "river", "class", "parameters", "size", "memory")
    ]
    assert about["format"] == 1
    assert about["size"] == path.stat().st_size
    steps = about["parameters"]["steps"]
    assert steps["StandardScaler"] == {
        "class": "river.preprocessing.StandardScaler",
        "parameters": {"with_std": True, "window_size": None},
    }
    learner = steps["OCDSClassifier"]["parameters"]
    assert learner["graph"] == {"a": {"b": 1.0}}
    assert (learner["alpha"], learner["max_features"]) == (0.1, None)
    # The arrays are not read.
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert persist.inspect(path) == about


def test_the_header_can_be_read_by_a_person(model):
    data = persist.dumps(model)
    assert data.startswith(b"\x89river-trapezoid")
    assert b'"class":"river_trapezoid.linear_model.OLSFClassifier","parameters":{"mode":1' in data


def test_too_large_a_file_is_refused_before_it_is_read(model, tmp_path):
    path = tmp_path / "model"
    persist.save(model, path)
    memory = persist.inspect(path)["memory"]
    assert persist.load(path, max_size=memory)
    for most in (memory - 1, 100):
        for read in (persist.load, persist.inspect):
            with pytest.raises(persist.ModelFileError, match=r"model'.*max_size"):
                read(path, max_size=most)


def test_a_later_format_is_refused_by_its_number(model):
    data = bytearray(persist.dumps(model))
    data[16] = 9
    with pytest.raises(persist.ModelFileError, match=r"format 9.*format 1"):
        persist.loads(bytes(data))


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_of_any_kind(model, kind):
    assert repr(persist.loads(kind(persist.dumps(model)))) == repr(model)
