"""What the README shows, run in order."""

from __future__ import annotations

import pathlib
import re

README = pathlib.Path(__file__).parents[1] / "README.md"


def test_the_blocks_run_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 5
    scope: dict = {}
    for block in blocks:
        exec(block, scope)


def test_files_that_it_links_to_are_there():
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", README.read_text(encoding="utf-8"))
    for link in links:
        assert link.startswith("https://") or (README.parent / link).exists(), link
