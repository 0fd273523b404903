from __future__ import annotations

import errno
import json
import os

import pytest

from river_trapezoid.labelling import JournalError
from river_trapezoid.labelling.journal import Journal

SUBJECT = {"instances": "abc", "seed": 0}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.jsonl"


def begun(path, **subject):
    journal = Journal(path, SUBJECT | subject)
    journal.begin()
    return journal


def test_entries_are_there_again(path):
    journal = begun(path)
    entries = [{"label": "ä€😀\n"}, {"label": "b", "p": 0.1}]
    for entry in entries:
        journal.append(entry)
        assert Journal(path, SUBJECT).entries == journal.entries
    assert [json.loads(line) for line in path.read_text().splitlines()] == [SUBJECT, *entries]


def test_nothing_is_written_before_it_begins(path):
    Journal(path, SUBJECT)
    assert not path.exists()
    begun(path)
    begun(path)
    assert path.read_text().count("\n") == 1


def test_what_is_left_of_a_line_at_any_byte_is_cut_off(path):
    journal = begun(path)
    for number in range(3):
        journal.append({"number": number})
    data = path.read_bytes()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        journal = begun(path)
        n_whole = max(0, data[:length].count(b"\n") - 1)
        assert journal.entries == [{"number": number} for number in range(n_whole)]
        journal.append({"number": "next"})
        again = Journal(path, SUBJECT).entries
        assert again == [*({"number": number} for number in range(n_whole)), {"number": "next"}]


def test_an_entry_is_on_the_disk_when_append_returns(path, monkeypatch):
    journal = begun(path)
    synced = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(handle), fsync(handle)))
    journal.append({"a": 1})
    assert synced


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "no space"), KeyboardInterrupt()])
@pytest.mark.parametrize("call", ["write", "fsync"])
def test_an_entry_that_cannot_be_written_was_never_there(path, monkeypatch, error, call):
    journal = begun(path)
    journal.append({"a": 1})
    before = path.read_bytes()
    write = os.write

    def failing(handle, *data):
        if data:
            write(handle, data[0][:5])
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(os, call, failing)
        with pytest.raises(type(error)):
            journal.append({"a": 2})
    assert path.read_bytes() == before
    assert journal.entries == [{"a": 1}]
    journal.append({"a": 3})
    assert Journal(path, SUBJECT).entries == [{"a": 1}, {"a": 3}]


def test_of_two_who_write_the_second_is_told(path):
    first, second = begun(path), begun(path)
    first.append({"a": 1})
    with pytest.raises(JournalError, match=r"journal.jsonl.*another process"):
        second.append({"a": 2})
    assert second.entries == []
    first.append({"a": 3})
    assert Journal(path, SUBJECT).entries == [{"a": 1}, {"a": 3}]


def test_a_journal_that_has_become_shorter_is_an_error(path):
    journal = begun(path)
    path.write_bytes(b"")
    with pytest.raises(JournalError, match="shorter"):
        journal.append({"a": 1})


def test_the_journal_of_something_else_is_refused(path):
    begun(path)
    with pytest.raises(JournalError, match="seed=0; got 1"):
        Journal(path, SUBJECT | {"seed": 1})
    with pytest.raises(JournalError, match="other instances"):
        Journal(path, SUBJECT | {"instances": "xyz"})
    with pytest.raises(JournalError, match="classes=None"):
        Journal(path, SUBJECT | {"classes": ["a", "b"]})
    assert Journal(path, {"seed": 0}).subject == SUBJECT


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,2\n",
        b"\xff\xfe\n",
        b"[1]\n",
        b"{}\n\n{}\n",
        b"[" * 100_000 + b"\n",
        b'{"a":' * 100_000 + b"\n",
        b'{"seed": NaN}\n',
        '{"instances": "abc", "seed": 0, "ä": 1}\n'.encode(),
        json.dumps(SUBJECT).encode("utf-16-le").replace(b"\n", b"") + b"\n",
    ],
    ids=lambda content: repr(content[:12]),
)
def test_another_file_is_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises(JournalError, match=r"not a journal: line|was started with"):
        begun(path)
    assert path.read_bytes() == content


def test_a_damaged_line_is_named(path):
    journal = begun(path)
    journal.append({"a": 1})
    journal.append({"a": 2})
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:1], b'{"a":\n', *lines[2:]]))
    with pytest.raises(JournalError, match="line 2"):
        Journal(path, SUBJECT)


def test_a_journal_in_memory_needs_no_file(tmp_path):
    journal = Journal(None, SUBJECT)
    journal.begin()
    journal.append({"a": 1})
    assert journal.entries == [{"a": 1}]
    assert list(tmp_path.iterdir()) == []
