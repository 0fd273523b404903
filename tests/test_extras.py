"""The package is on no index: what is printed about its installation works in a checkout."""

from __future__ import annotations

import pathlib
import re
import tomllib

ROOT = pathlib.Path(__file__).parents[1]
SHOWN = (
    "river_trapezoid/**/*.py",
    "docs/**/*.md",
    "notebooks/*.ipynb",
    "benchmarks/**/*.py",
    "*.md",
)


def texts():
    for pattern in SHOWN:
        for path in ROOT.glob(pattern):
            yield path, path.read_text(encoding="utf-8")


def test_no_text_installs_the_package_from_an_index():
    for path, text in texts():
        assert not re.search(r"pip install (-\S+ )*[\\\"']*river[-_]trapezoid\b", text), path


def test_every_extra_that_a_text_installs_is_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = set()
    for _, text in texts():
        for extras in re.findall(r"-e \\?[\"']?\.\[([a-z,]+)\]", text):
            named |= set(extras.split(","))
        named |= set(re.findall(r"\binstall\([\"']([a-z]+)[\"']", text))
    assert {"cli", "notebooks", "plot", "spark", "test"} <= named
    assert named <= set(project["optional-dependencies"])
