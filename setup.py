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
        Extension(
            "river_trapezoid.weights._kernel",
            [f"{folder}/_kernel.pyx"],
            depends=[
                f"{folder}/{name}.h"
                for name in ("_exact_sum", "_instance", "_key_table", "_weight_heap", "_weights")
            ],
            # A multiplication and an addition fused into one operation would round once, not twice.
            extra_compile_args=[] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"],
        )
    )
    # Said here, as `cythonize` forgets it.
    extensions[0].optional = True

setup(ext_modules=extensions)
