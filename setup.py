"""What `pyproject.toml` cannot say: the compiled weights, which the package does without if need be."""

import sys

from setuptools import Extension, setup

try:
    from Cython.Build import cythonize
except ImportError:
    extensions = []
else:
    folder = "river_trapezoid/weights"
    extensions = cythonize(
        [
            Extension(
                f"river_trapezoid.weights.{name}",
                [f"{folder}/{name}.pyx"],
                # A multiplication and an addition fused into one operation would round once, not
                # twice.
                extra_compile_args=[] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"],
            )
            for name in (
                "_evidence",
                "_exact_sum",
                "_feature_table",
                "_passive_aggressive",
                "_sparse",
            )
        ]
    )
    for extension in extensions:
        # Said here, as `cythonize` forgets it.
        extension.optional = True

setup(ext_modules=extensions)
