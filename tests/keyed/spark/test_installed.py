"""What is said where Spark or Java are not there; neither is needed here."""

from __future__ import annotations

import sys
import types

import pytest

from river_trapezoid.keyed import spark
from river_trapezoid.keyed.spark import _installed


@pytest.mark.parametrize("missing", ["pyspark", "google.protobuf", "pandas", "pyarrow"])
@pytest.mark.parametrize(
    "call", [lambda: spark.learn_by_key(None, None), lambda: spark.read_states(None, "x")]
)
def test_what_is_not_installed_is_named(monkeypatch, missing, call):
    for module in ("pyspark", "google.protobuf", "pandas", "pyarrow"):
        monkeypatch.setitem(sys.modules, module, types.ModuleType(module))
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=rf'needs {missing}; .*install -e "\.\[spark\]"'):
        call()


def test_an_old_pyspark_is_refused(monkeypatch):
    for module in ("pyspark", "google.protobuf", "pandas", "pyarrow"):
        monkeypatch.setitem(sys.modules, module, types.ModuleType(module))
    sys.modules["pyspark"].__version__ = "3.5.1"
    with pytest.raises(ImportError, match=r'newer; this is 3\.5\.1; .* -U -e "\.\[spark\]"'):
        spark.local_session()


def java(folder, says):
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    path.chmod(0o755)
    return str(folder)


def test_java_has_to_be_there(monkeypatch, tmp_path):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="there is no Java; Spark needs Java 17 or newer"):
        _installed.check_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(RuntimeError, match="there is no Java in JAVA_HOME"):
        _installed.check_java()


@pytest.mark.parametrize(
    ("says", "message"),
    [
        ('openjdk version "11.0.2" 2019-01-15', "is Java 11; Spark needs Java 17"),
        ('java version "1.8.0_292"', "is Java 8; Spark needs Java 17"),
        ("who knows", "is a Java of unknown version"),
    ],
)
def test_an_old_java_is_refused(monkeypatch, tmp_path, says, message):
    monkeypatch.setenv("JAVA_HOME", java(tmp_path, says))
    with pytest.raises(RuntimeError, match=message):
        _installed.check_java()


@pytest.mark.parametrize("says", ['openjdk version "17.0.15"', 'openjdk version "25" 2025-09-16'])
def test_a_new_java_is_taken(monkeypatch, tmp_path, says):
    monkeypatch.setenv("JAVA_HOME", java(tmp_path, says))
    _installed.check_java()
