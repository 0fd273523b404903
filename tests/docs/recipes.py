"""The programs that the documentation shows."""

from __future__ import annotations

import importlib.util
import pathlib

RECIPES = pathlib.Path(__file__).parents[2] / "docs" / "recipes"


def recipe(name):
    """A recipe as a module."""
    spec = importlib.util.spec_from_file_location(f"recipe_{name}", RECIPES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
