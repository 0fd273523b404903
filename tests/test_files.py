from __future__ import annotations

import os
import pathlib
import stat
import subprocess
import sys

import pytest

from river_trapezoid import _files
from river_trapezoid._files import FileChangedError, append_line, replacing, write_file

fcntl = pytest.importorskip("fcntl", reason="Windows has other locks")

SCRATCH = ".river-trapezoid-0123456789abcdef.part"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_as_a_whole(tmp_path):
    write_file(tmp_path / "file", [b"old, and longer"])
    write_file(tmp_path / "file", [b"n", memoryview(b"ew")])
    assert (tmp_path / "file").read_bytes() == b"new"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("error", [OSError("the disk is full"), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_the_old_file(tmp_path, error):
    def pieces():
        yield b"new"
        raise error

    write_file(tmp_path / "file", [b"old"])
    with pytest.raises(type(error)):
        write_file(tmp_path / "file", pieces())
    assert (tmp_path / "file").read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("target", ["other", "missing"])
def test_a_link_at_the_path_is_replaced_and_not_followed(tmp_path, target):
    (tmp_path / "other").write_bytes(b"untouched")
    (tmp_path / "file").symlink_to(tmp_path / target)
    write_file(tmp_path / "file", [b"new"])
    assert not (tmp_path / "file").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"
    assert (tmp_path / "other").read_bytes() == b"untouched"
    assert names(tmp_path) == ["file", "other"]


def test_a_link_planted_under_the_name_of_the_scratch_file_is_not_followed(tmp_path, monkeypatch):
    (tmp_path / "other").write_bytes(b"untouched")
    monkeypatch.setattr(_files.secrets, "token_hex", lambda n: "0123456789abcdef")
    monkeypatch.setattr(_files, "_remove_abandoned", lambda name: None)
    for target in ("other", "missing"):
        (tmp_path / SCRATCH).symlink_to(tmp_path / target)
        with pytest.raises(FileExistsError):
            write_file(tmp_path / "file", [b"new"])
        (tmp_path / SCRATCH).unlink()
    assert (tmp_path / "other").read_bytes() == b"untouched"
    assert names(tmp_path) == ["other"]


@pytest.mark.parametrize("plant", ["symlink_to", "mkfifo"])
def test_what_is_planted_under_the_name_of_an_abandoned_file_does_no_harm(tmp_path, plant):
    (tmp_path / "other").write_bytes(b"untouched")
    if plant == "mkfifo":
        os.mkfifo(tmp_path / SCRATCH)
    else:
        (tmp_path / SCRATCH).symlink_to(tmp_path / "other")
    write_file(tmp_path / "file", [b"new"])
    assert (tmp_path / "file").read_bytes() == b"new"
    assert (tmp_path / "other").read_bytes() == b"untouched"


@pytest.mark.parametrize("through_a_link", [False, True])
def test_a_device_or_a_pipe_is_not_replaced(tmp_path, through_a_link):
    target = tmp_path / "pipe"
    os.mkfifo(target)
    if through_a_link:
        target = tmp_path / "link"
        target.symlink_to(tmp_path / "pipe")
    before = names(tmp_path)
    with pytest.raises(OSError, match="is a device or a pipe"):
        write_file(target, [b"new"])
    assert stat.S_ISFIFO(target.stat().st_mode)
    assert names(tmp_path) == before


def test_the_name_of_a_scratch_file_cannot_be_predicted(tmp_path):
    seen = set()
    for _ in range(10):
        with replacing(tmp_path / "file") as scratch:
            seen.add(scratch.name)
            assert scratch.parent == tmp_path
    assert len(seen) == 10


def test_what_a_killed_process_leaves_is_removed_by_the_next_write(tmp_path):
    program = (
        "import os, signal\n"
        "from river_trapezoid._files import replacing\n"
        f"with replacing({str(tmp_path / 'file')!r}) as scratch:\n"
        "    scratch.write_bytes(b'half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    folder = pathlib.Path(_files.__file__).parents[1]
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=False, timeout=60)
    (left,) = names(tmp_path)
    assert left.endswith(".part")
    write_file(tmp_path / "another file", [b"new"])
    assert names(tmp_path) == ["another file"]


def test_a_scratch_file_in_use_is_not_removed(tmp_path):
    (tmp_path / ".mine.part").touch()
    with replacing(tmp_path / "a") as first, replacing(tmp_path / "b") as second:
        assert {first.name, second.name} < set(names(tmp_path))
    assert names(tmp_path) == [".mine.part", "a", "b"]


def test_a_scratch_file_removed_before_it_is_locked_is_created_anew(tmp_path, monkeypatch):
    lock = fcntl.flock

    def lock_late(file, operation):
        monkeypatch.setattr(fcntl, "flock", lock)
        for path in tmp_path.iterdir():
            path.unlink()
        lock(file, operation)

    monkeypatch.setattr(fcntl, "flock", lock_late)
    write_file(tmp_path / "file", [b"new"])
    assert (tmp_path / "file").read_bytes() == b"new"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_content_is_never_readable_by_more_users_than_the_old_file(tmp_path, mode):
    path = tmp_path / "file"
    path.touch()
    path.chmod(mode)
    with replacing(path) as scratch:
        assert stat.S_IMODE(scratch.stat().st_mode) & 0o077 & ~mode == 0
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder '.*nowhere'"):
        write_file(tmp_path / "nowhere" / "file", [b"new"])


def test_lines_are_appended_after_the_complete_ones(tmp_path):
    path = tmp_path / "file"
    size = append_line(path, b"one\n", 0)
    with path.open("ab") as file:
        file.write(b"half of a li")
    size = append_line(path, b"two\n", size)
    assert size == 8
    assert path.read_bytes() == b"one\ntwo\n"


def test_a_line_that_another_process_has_appended_is_not_overwritten(tmp_path):
    path = tmp_path / "file"
    size = append_line(path, b"one\n", 0)
    append_line(path, b"two\n", size)
    with pytest.raises(FileChangedError, match=r"file.*another process"):
        append_line(path, b"three\n", size)
    with pytest.raises(FileChangedError, match="shorter"):
        append_line(path, b"three\n", 100)
    assert path.read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_line_that_cannot_be_written_leaves_the_file_as_it_was(tmp_path, call, monkeypatch):
    path = tmp_path / "file"
    size = append_line(path, b"one\n", 0)
    write = os.write

    def failing(handle, *data):
        for part in data:
            write(handle, part[:2])
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, failing)
        with pytest.raises(OSError, match="full"):
            append_line(path, b"two\n", size)
    assert path.read_bytes() == b"one\n"


def test_a_line_is_on_the_disk_before_the_function_returns(tmp_path, monkeypatch):
    synced, fsync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(handle), fsync(handle)))
    append_line(tmp_path / "file", b"one\n", 0)
    # The file and, as it is new, the folder that has its name.
    assert len(synced) == 2
    append_line(tmp_path / "file", b"two\n", 4)
    assert len(synced) == 3
