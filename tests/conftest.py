from __future__ import annotations

import os
import pathlib

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None)
settings.load_profile("default")


@pytest.fixture(scope="session")
def shared() -> pathlib.Path:
    """The folder of reference traces and real data sets that lies beside the project."""
    path = pathlib.Path(__file__).parents[2] / "shared"
    if not path.exists():
        if os.environ.get("CI"):
            pytest.fail(f"{path} must be there in CI")
        pytest.skip(f"{path} is not there")
    return path
