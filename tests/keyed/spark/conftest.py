from __future__ import annotations

import pytest

from river_trapezoid.keyed import spark


@pytest.fixture(scope="session")
def session():
    # It ends with this process, after the examples of the package have had it.
    made = spark.local_session()
    made.sparkContext.setLogLevel("OFF")
    return made


@pytest.fixture
def setting(session):
    """Give a setting of the session another value, until the test is over."""
    former = {}

    def change(name, value):
        former[name] = session.conf.get(name)
        session.conf.set(name, value)

    yield change
    for name, value in former.items():
        session.conf.set(name, value)
