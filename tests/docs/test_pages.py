"""What the README and the pages of the documentation show, run in order."""

from __future__ import annotations

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Spark's has a stage of its own.
RUN = [path for path in PAGES if path.stem != "spark"]


def blocks(path):
    return re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def test_the_readme_and_the_guide_have_something_to_run():
    assert len(blocks(PAGES[0])) >= 2
    assert sum(len(blocks(path)) for path in PAGES) >= 15


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_the_blocks_run_one_after_the_other(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope: dict = {}
    for block in blocks(path):
        exec(block, scope)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_files_that_it_links_to_are_there(path):
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8")):
        assert link.startswith("https://") or (path.parent / link).exists(), link
