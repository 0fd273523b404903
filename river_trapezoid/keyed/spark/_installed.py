"""Checks that PySpark and Java are installed in versions that are new enough."""

from __future__ import annotations

import importlib
import os
import pathlib
import re
import shutil
import subprocess

from river_trapezoid._extras import install

_PYSPARK = 4, 3
_JAVA = 17


def check_pyspark() -> None:
    """Raise an `ImportError` that names what is missing or too old of the extra `spark`."""
    # PySpark imports the last three in another process, when a query is planned.
    for module in ("pyspark", "google.protobuf", "pandas", "pyarrow"):
        try:
            importlib.import_module(module)
        except ImportError:
            raise ImportError(
                f"river_trapezoid.keyed.spark needs {module}; {install('spark')}"
            ) from None
    import pyspark

    version = pyspark.__version__
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < _PYSPARK:
        raise ImportError(
            f"river_trapezoid.keyed.spark needs PySpark {_PYSPARK[0]}.{_PYSPARK[1]} or newer; this is "
            f"{version}; {install('spark', '-U ')}"
        )


def check_java() -> None:
    """Raise a `RuntimeError` unless there is a Java that Spark supports."""
    remedy = (
        f"Spark needs Java {_JAVA} or newer: install it, for instance with "
        f"`apt-get install openjdk-{_JAVA}-jre-headless`, and set JAVA_HOME if it is not on the PATH"
    )
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=pathlib.Path(home) / "bin") if home else shutil.which("java")
    if java is None:
        raise RuntimeError(f"there is no Java{f' in JAVA_HOME, {home}' if home else ''}; {remedy}")
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    if found is None or int(found[1]) < _JAVA:
        what = f"Java {found[1]}" if found else "a Java of unknown version"
        raise RuntimeError(f"{java} is {what}; {remedy}")
