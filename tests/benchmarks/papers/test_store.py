from __future__ import annotations

import json

import pytest

from benchmarks import papers
from benchmarks.papers.data import Data


def cell(seed=0, **changes):
    fields = {
        "data": Data("German"),
        "stream": {"shares": (0.5, 1.0)},
        "system": "OLSFClassifier",
        "params": {"mode": 1, "B": 0.5},
        "protocol": "text",
        "seed": seed,
    }
    return papers.Job(**{**fields, **changes})


def test_cells_with_the_same_content_are_the_same():
    assert cell().key == cell().key
    assert cell(params={"B": 0.5, "mode": 1}).key == cell().key


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"protocol": "as-run"},
        {"params": {"mode": 1, "B": 0.6}},
        {"stream": {"shares": (1.0,)}},
        {"data": Data("German", orders="authors")},
        {"data": Data("German", n_features=3)},
        {"system": "OFSClassifier"},
    ],
)
def test_cells_with_other_content_are_others(change):
    assert cell(**change).key != cell().key


def test_raising_a_version_makes_other_cells(monkeypatch):
    from benchmarks.papers import job as module

    before = cell().key
    monkeypatch.setitem(module.VERSIONS, "OLSFClassifier", 1_000_000)
    assert cell().key != before


def add(store, *cells):
    outcomes = ((own, {"errors": own.seed}, 0.5) for own in cells)
    return list(store.add(outcomes))


def test_what_was_stored_is_there_again(tmp_path):
    with papers.Store(tmp_path / "new").opened() as store:
        add(store, cell(1), cell(2))
    with papers.Store(tmp_path / "new").opened() as store:
        assert store.results == {cell(1).key: {"errors": 1}, cell(2).key: {"errors": 2}}
    lines = (tmp_path / "new/cells.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["params"] == {"mode": 1, "B": 0.5}
    assert "seconds" not in lines[0]


@pytest.mark.parametrize("left", [1, 10, 100])
def test_half_a_line_is_cut_off(tmp_path, left):
    with papers.Store(tmp_path).opened() as store:
        add(store, cell(1), cell(2))
    path = tmp_path / "cells.jsonl"
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    path.write_bytes(whole[: first + left])
    with papers.Store(tmp_path).opened() as store:
        assert list(store.results) == [cell(1).key]
        add(store, cell(2))
    assert path.read_bytes() == whole


def test_a_damaged_line_is_named(tmp_path):
    (tmp_path / "cells.jsonl").write_text('{"key": "a", "result": {}}\nnonsense\n')
    store = papers.Store(tmp_path)
    with pytest.raises(papers.StoreError, match="line 2"), store.opened():
        pass


def test_one_run_at_a_time(tmp_path):
    with papers.Store(tmp_path).opened():
        second = papers.Store(tmp_path)
        with pytest.raises(papers.StoreError, match="in use by another run"), second.opened():
            pass


def test_a_folder_that_cannot_be_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    store = papers.Store(tmp_path / "file")
    with pytest.raises(papers.StoreError, match="cannot be written"), store.opened():
        pass
