"""Marks of the tests, and of the doctests of the package itself."""

from __future__ import annotations

import gc
import pathlib

import pytest

SPARK = pathlib.Path(__file__).parent / "river_trapezoid" / "keyed" / "spark"
# Seconds.
LIMIT_OF_LONG_TESTS = 6 * 3600


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the examples that need Spark, before it is decided what is run, and limit long tests."""
    for item in items:
        if item.path.is_relative_to(SPARK):
            item.add_marker(pytest.mark.spark)
        if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LIMIT_OF_LONG_TESTS))


def pytest_collection_finish():
    """Keep the thousands of parametrised models out of every later garbage collection.

    River's checks of memory collect garbage twice each, and most of what is searched then are the
    models and the data sets of the other checks.
    """
    gc.collect()
    gc.freeze()
