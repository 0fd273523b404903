"""Weights that are not compiled: nobody is slow without knowing why."""

from __future__ import annotations

import importlib
import os
import pathlib
import pkgutil
import shutil
import subprocess
import sys
import types

import pytest

from river_trapezoid import weights
from river_trapezoid.weights import compiled

PACKAGE = pathlib.Path(__file__).parents[2] / "river_trapezoid"
SHOW = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from river_trapezoid import linear_model, weights
print(weights.KERNEL, weights.__file__)
for warning in caught:
    if "river_trapezoid" in str(warning.message):
        print(warning.message)
"""


def imported(folder, *others, **environment):
    """What a fresh process says of the package in a folder."""
    path = os.pathsep.join(map(str, [folder, *others]))
    environment = {"RIVER_TRAPEZOID_PURE": "0", **environment, "PYTHONPATH": path}
    printed = subprocess.run(
        [sys.executable, "-c", SHOW],
        env=os.environ | environment,
        cwd=folder,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    kernel, *messages = printed.splitlines()
    assert str(folder) in kernel
    return kernel.split()[0], messages


@pytest.fixture
def source(tmp_path):
    """A source tree in which nothing has been compiled."""
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__")
    shutil.copytree(PACKAGE, tmp_path / "source" / "river_trapezoid", ignore=ignored)
    # The folders of a read-only checkout are copied as such.
    for folder, _, _ in os.walk(tmp_path / "source"):
        os.chmod(folder, 0o755)
    return tmp_path / "source"


def test_without_a_compiler_one_warning_says_so(source):
    kernel, messages = imported(source)
    assert kernel == "pure"
    assert len(messages) == 1
    assert "times slower: the package was installed without a C compiler" in messages[0]


def test_who_asks_for_pure_weights_is_not_warned(source):
    assert imported(source, RIVER_TRAPEZOID_PURE="1") == ("pure", [])


def test_a_source_tree_that_shadows_the_installed_package_is_named(source, tmp_path):
    site = tmp_path / "site"
    metadata = site / "river_trapezoid-9.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: river-trapezoid\nVersion: 9\n")
    (metadata / "RECORD").write_text("river_trapezoid/weights/compiled/sparse.cpython-311.so,,\n")
    kernel, messages = imported(source, site)
    assert kernel == "pure"
    assert len(messages) == 1
    assert f"the source tree {source} shadows the installed package" in messages[0]


def assert_falls_back(source, reason):
    kernel, messages = imported(source)
    assert kernel == "pure"
    assert len(messages) == 1
    assert reason in messages[0]


SUFFIX = ".pyd" if sys.platform == "win32" else ".so"


def test_an_extension_that_cannot_be_loaded_is_named(source):
    folder = source / "river_trapezoid" / "weights" / "compiled"
    for name in compiled.MODULES:
        (folder / (name + SUFFIX)).write_bytes(b"no library")
    assert_falls_back(source, "cannot be loaded")


@pytest.fixture
def built(source):
    """A source tree with the extensions of this one."""
    extensions = list((PACKAGE / "weights" / "compiled").glob(f"*{SUFFIX}"))
    if not extensions:
        pytest.skip("the extensions have not been built")
    for path in extensions:
        shutil.copy(path, source / "river_trapezoid" / "weights" / "compiled")
    return source


def test_all_modules_are_compiled_or_none(built):
    folder = built / "river_trapezoid" / "weights" / "compiled"
    assert imported(built) == ("compiled", [])
    for name in compiled.MODULES:
        (extension,) = folder.glob(f"{name}.*{SUFFIX}")
        away = extension.rename(built / extension.name)
        assert_falls_back(
            built,
            f"cannot be loaded (No module named 'river_trapezoid.weights."
            f"compiled.{name}'); install the package again",
        )
        away.rename(extension)


def test_extensions_of_other_sources_end_in_pure_weights(built):
    folder = built / "river_trapezoid" / "weights" / "compiled"
    # A module that has a name of the table, but none of what the others need of it.
    (extension,) = folder.glob(f"_feature_table.*{SUFFIX}")
    extension.unlink()
    (folder / "_feature_table.py").write_text("class FeatureTable: pass\nclass Held: pass\n")
    assert_falls_back(built, "cannot be loaded")


def test_without_cython_the_sources_are_interpreted(source, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "cython.py").write_text("raise ImportError('blocked')")
    assert imported(source, blocked, RIVER_TRAPEZOID_PURE="1") == ("pure", [])


def test_no_module_hides_a_name_of_the_package():
    for module in pkgutil.iter_modules(weights.__path__):
        importlib.import_module(f"{weights.__name__}.{module.name}")
    for name in weights.__all__:
        assert not isinstance(getattr(weights, name), types.ModuleType), name
