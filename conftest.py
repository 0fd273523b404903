"""What holds for the tests of the package itself, the doctests, as well."""

from __future__ import annotations

import pathlib

import pytest

SPARK = pathlib.Path(__file__).parent / "river_trapezoid" / "keyed" / "spark"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the examples that need Spark, before it is decided what is run."""
    for item in items:
        if item.path.is_relative_to(SPARK):
            item.add_marker(pytest.mark.spark)
